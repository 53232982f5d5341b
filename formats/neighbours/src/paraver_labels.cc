// SPDX-License-Identifier: Apache-2.0
#include "paraver_labels.h"

#include "paraver.h"

namespace vef::neighbours::paraver {

namespace {

struct Label {
  std::uint64_t value;
  std::string_view text;
};

std::string event_type(std::uint64_t type, std::string_view label) {
  return "\nEVENT_TYPE\n0    " + std::to_string(type) + "    " + std::string(label) + "\n";
}

std::string value(std::uint64_t number, std::string_view label) {
  return std::to_string(number) + "      " + std::string(label) + "\n";
}

}  // namespace

std::string pcf() {
  std::string text =
      "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
      "\nDEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n"
      "\nSTATES\n0    Idle\n1    Running\n8    Waiting for a message\n13    Collective\n"
      "\nSTATES_COLOR\n0    {117,195,255}\n1    {0,0,255}\n8    {235,0,0}\n13    {255,144,26}\n";
  text += event_type(kPointToPoint, "MPI Point-to-point") + "VALUES\n" + value(0, "Outside MPI") +
          value(kIsend, "MPI_Isend") + value(kWait, "MPI_Wait");
  text += event_type(kCollective, "MPI Collective Comm") + "VALUES\n" + value(0, "Outside MPI");
  for (const CollectiveCall& call : kCollectiveCalls)
    text += value(call.value, "MPI_" + std::string(call.name));
  text += event_type(kOther, "MPI Other") + "VALUES\n" + value(0, "Outside MPI") + value(kInit, "MPI_Init") +
          value(kFinalize, "MPI_Finalize");
  for (const Label& label :
       {Label{kSendSize, "Bytes sent in a collective"}, Label{kRecvSize, "Bytes received in a collective"},
        Label{kRoot, "Root of a collective"}, Label{kComm, "Communicator of a collective"}})
    text += event_type(label.value, label.text);
  return text;
}

std::string row(std::size_t tasks) {
  std::string text = "LEVEL CPU SIZE " + std::to_string(tasks) + "\n";
  for (std::size_t i = 1; i <= tasks; ++i) text += std::to_string(i) + ".node\n";
  text += "\nLEVEL NODE SIZE 1\nnode\n\nLEVEL THREAD SIZE " + std::to_string(tasks) + "\n";
  for (std::size_t i = 1; i <= tasks; ++i) text += "THREAD 1." + std::to_string(i) + ".1\n";
  return text;
}

}  // namespace vef::neighbours::paraver
