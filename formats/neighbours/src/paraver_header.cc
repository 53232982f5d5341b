// SPDX-License-Identifier: Apache-2.0
#include "paraver_header.h"

#include <algorithm>

namespace vef::neighbours::paraver {

using formats::quoted;
using formats::TaskId;

namespace {

constexpr std::uint64_t kMostTasks = 1U << 24;

/// Cuts off what stands before `end`, and `end`.
std::string_view cut(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view piece = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return piece;
}

Result<Header> read_first(LineReader& lines) {
  std::string_view text = lines.text();
  constexpr std::string_view kMagic = "#Paraver (";
  if (!text.starts_with(kMagic)) return lines.fault(quoted(text) + "; expected #Paraver (date):time:...");
  (void)cut(text, ')');
  (void)cut(text, ':');
  Header header;
  std::string_view end = cut(text, ':');
  if (end.ends_with("_ns")) {
    end.remove_suffix(3);
  } else {
    header.nanoseconds = 1000;  // older traces have microseconds
  }
  std::uint64_t number = 0;
  if (!formats::parse_number(end, UINT64_MAX, number))
    return lines.fault("end " + quoted(end) + "; expected a number of nanoseconds, and _ns");
  const std::size_t nodes = text.find_first_of("(:");
  if (nodes != std::string_view::npos && text[nodes] == '(') {
    (void)cut(text, ')');
    (void)cut(text, ':');
  } else {
    (void)cut(text, ':');
  }
  const std::string_view applications = cut(text, ':');
  if (applications != "1")
    return lines.fault(quoted(applications) +
                       " applications; expected 1, which is all that can be converted");
  const std::string_view tasks = cut(text, '(');
  if (!formats::parse_number(tasks, kMostTasks, number) || number == 0)
    return lines.fault(quoted(tasks) + " tasks; expected 1 to " + std::to_string(kMostTasks));
  header.tasks = static_cast<TaskId>(number);
  // A file that has that many tasks lists them: no memory is taken for tasks that are not there.
  const std::string_view list = cut(text, ')');
  const auto listed = static_cast<std::uint64_t>(std::count(list.begin(), list.end(), ',')) + 1;
  if (listed != number)
    return lines.fault(std::to_string(listed) + " tasks in a list of " + std::to_string(number) +
                       "; expected one entry for each");
  return header;
}

Status read_comm(LineReader& lines, std::string_view text, Header& header) {
  Numbers numbers(text);
  std::uint64_t application = 0;
  std::uint64_t comm = 0;
  std::uint64_t size = 0;
  if (!numbers.next(application) || !numbers.next(comm) || !numbers.next(size))
    return lines.fault(quoted(lines.text()) + "; expected c:application:communicator:members:task:...");
  std::vector<TaskId> members;
  std::vector<bool> seen(static_cast<std::size_t>(header.tasks));
  while (!numbers.at_end()) {
    std::uint64_t task = 0;
    if (!numbers.next(task) || task == 0 || task > static_cast<std::uint64_t>(header.tasks) || seen[task - 1])
      return lines.fault("member " + std::to_string(members.size() + 1) + " of communicator " +
                         std::to_string(comm) + "; expected a task, 1 to " + std::to_string(header.tasks) +
                         ", and each once");
    seen[task - 1] = true;
    members.push_back(static_cast<TaskId>(task - 1));
  }
  if (members.size() != size || members.empty())
    return lines.fault(std::to_string(members.size()) + " members of communicator " + std::to_string(comm) +
                       "; expected " + std::to_string(size) + ", and at least 1");
  header.comms[comm] = std::move(members);
  return {};
}

}  // namespace

Result<Header> read_header(LineReader& lines, bool& more) {
  const auto first = lines.next();
  if (!first) return first.error();
  if (!*first) return input_error(lines.path(), 0, "is empty; expected #Paraver (date):time:...");
  auto header = read_first(lines);
  if (!header) return header;
  for (;;) {
    const auto next = lines.next();
    if (!next) return next.error();
    more = *next;
    const std::string_view text = *next ? lines.text() : std::string_view();
    if (text.starts_with("c:")) {
      if (Status status = read_comm(lines, text.substr(2), *header); !status) return status.error();
    } else if (!text.starts_with("i:") && !text.starts_with("#")) {
      return header;
    }
  }
}

}  // namespace vef::neighbours::paraver
