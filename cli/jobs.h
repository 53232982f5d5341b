// SPDX-License-Identifier: Apache-2.0
// The traces of a replay and how each of them runs: FILE, or FILE@key=value,key=value.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vef/base/result.h"
#include "vef/base/units.h"
#include "vef/formats/trace_io.h"
#include "vef/tracelib/mapping.h"
#include "vef/tracelib/player.h"

namespace vef::cli {

struct Job {
  std::string file;
  Picoseconds start = 0;
  double scale = 1;  // of computing, beside that of all jobs
  std::optional<tracelib::MappingRule> mapping;
  std::optional<tracelib::NodeRange> nodes;
};

/// A file of the whole name, if there is one, is meant as it stands.
Result<Job> parse_job(const std::string& text);

/// What holds for all jobs that do not say otherwise.
struct Placement {
  tracelib::MappingRule mapping;
  std::uint64_t seed = 1;
  double compute_scale = 1;
  std::int32_t nodes = 0;  // of the network
  std::string network;     // its file, for messages
};

/// Jobs that name neither nodes nor a mapping are placed together, each task on a node of its own, in the
/// order of the jobs. If one does, each is placed by itself on the nodes that it names, or on all; nodes may
/// then run tasks of several jobs.
Result<std::vector<tracelib::PlayedTrace>> place_jobs(
    const std::vector<Job>& jobs, const std::vector<std::shared_ptr<const formats::Trace>>& traces,
    const Placement& placement);

}  // namespace vef::cli
