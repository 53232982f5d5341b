// SPDX-License-Identifier: Apache-2.0
// Small rank logs of two ranks that do a bit of everything.
#pragma once

#include "target.h"
#include "test_logs.h"

namespace vef::fuzz {

inline std::vector<merge::Script> exchange() {
  using formats::MpiCall;
  std::vector<merge::Script> logs = {merge::Script(0, 2), merge::Script(1, 2)};
  for (merge::Script& log : logs) log.at(0, 100).init().note("a note").region(1, "solve");
  logs[0].at(10, 1).send(1, 7, 64).at(5, 2).isend(1, 8, 4096, 1).at(3, 9).complete({merge::sent(1)});
  logs[1]
      .at(9, 5)
      .recv(0, 7, 64)
      .at(1, 1)
      .irecv(0, 8, 4096, 1)
      .at(2, 8)
      .complete({merge::received(1, 0, 8, 4096)});
  for (merge::Script& log : logs) {
    log.polls(30, 12, 0).pause().at(4, 20).collective(MpiCall::kAllreduce, 8, 8);
    log.at(1, 9).comm_create(0, 2, {{0, 1, 2}}).in(2).at(7, 3).collective(MpiCall::kBarrier, 0, 0);
    log.at(2, 2)
        .win_create(0, 1)
        .at(1, 1)
        .sync(MpiCall::kWinFence, 1)
        .at(1, 1)
        .rma(MpiCall::kPut, 1, 1, 256, 0);
    log.at(1, 1).sync(MpiCall::kWinFence, 1).at(2, 2).win_free(0, 1).at(3, 3).io(1 << 20).region(-1, "solve");
    log.at(1, 1).finalize();
  }
  return logs;
}

/// The files of a rank: what is sealed, and what is not yet where the log is left open.
struct LogFiles {
  std::string sealed, open;
};
inline LogFiles write_log(const merge::Script& script, bool close) {
  const Folder folder;
  merge::write_log(script, folder.path(), close ? merge::LogEnd::kComplete : merge::LogEnd::kKilled);
  const std::string name = folder.path() + "/00000" + std::to_string(script.log()->info().rank) + ".0.";
  return {contents(name + "vlog"), close ? std::string() : contents(name + "open")};
}

}  // namespace vef::fuzz
