// SPDX-License-Identifier: Apache-2.0
// What a trace must obey as a whole, beyond the syntax of its lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vef/formats/trace_io.h"

namespace vef::formats {

struct TraceFault {
  std::uint64_t line = 0;  // the record's line in the file (0: the trace as a whole)
  std::string message;     // what was found; what was expected. No file name, no line.
};

/// Finds, in line order, at most `limit` faults: a duplicate message id; a dependency on an id that does not
/// exist, on itself, on a mark, on a message another task sent (SEND) or on one addressed to another task
/// (RECEIVE); a COLLECTIVE dependency on an operation the task takes no part in; one G id with two operations
/// or communicators or the same task twice; a task outside the communicator; a collective that misses a task;
/// sizes that contradict the operation (two roots); only_send_deps contradicted; a time whose picoseconds
/// overflow 63 bits; a sum of times of a task that does. Empty: the trace can be executed unless dependencies
/// form a cycle (the player finds those).
std::vector<TraceFault> validate(const Trace& trace, std::size_t limit = 20);

}  // namespace vef::formats
