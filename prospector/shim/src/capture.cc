// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "environment.h"
#include "json_text.h"
#include "mpi_library.h"

namespace vef::shim {

bool Capture::open(const settings::Settings& settings, std::int32_t rank, std::int32_t world_size) {
  settings_ = settings;
  rank_ = rank;
  world_size_ = world_size;
  find_program(program_, sizeof program_);
  find_job(settings.job, world_size, job_);
  if (gethostname(host_, sizeof host_ - 1) != 0) host_[0] = '\0';
  char wanted[2048];
  if (settings.directory != nullptr) {
    std::snprintf(wanted, sizeof wanted, "%s", settings.directory);
  } else {
    default_directory(program_, job_.name, wanted, sizeof wanted);
  }
  error_ = directory_.error();
  return directory_.open(wanted, settings.job, job_, host_) &&
         directory_.place_logs(settings.scratch, job_, host_);
}

bool Capture::write_description(const formats::ClockSample& start, const formats::ClockSample* end,
                                const ClockSync& clocks) const {
  std::int32_t describer = 0;  // the first rank that records
  while (describer < rank_ && !settings::in_ranks(settings_.ranks, describer)) ++describer;
  if (rank_ != describer) return true;
  char path[4096];
  char temporary[4096];
  std::snprintf(path, sizeof path, "%s/capture.json", directory());
  std::snprintf(temporary, sizeof temporary, "%s/capture.json.new", directory());
  const int file = ::open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  static char text[1U << 17];
  JsonText json(text, sizeof text);
  json.open();
  json.number("version", 1);
  json.text("recorder", "vefkit " VEF_VERSION);
  json.text("program", program_);
  json.command_line("command");
  json.text("mpi_library", library_version);
  json.text("mpi_family", kFamily);
  json.number("world_size", static_cast<std::uint64_t>(world_size_));
  json.text("host", host_);
  json.text("job", job_.name);
  if (job_.parent[0] != '\0') json.text("spawned_by", job_.parent);
  if (job_.parent_rank >= 0) json.number("spawned_by_rank", static_cast<std::uint64_t>(job_.parent_rank));
  json.number("start_wall_ns", start.wall_ns);
  if (end != nullptr) json.number("end_wall_ns", end->wall_ns);
  json.number("buffer_bytes", settings_.buffer_bytes);
  json.number("level", settings_.level);
  json.number("poll_gap_ns", settings_.poll_gap_ns);
  json.number("time_resolution_ns", settings_.time_resolution_ns);
  json.number("call_site_depth", settings_.call_site_depth);
  if (settings_.ranks != nullptr) json.text("ranks", settings_.ranks);
  if (settings_.regions != nullptr) json.text("regions", settings_.regions);
  if (settings_.scratch != nullptr) json.text("scratch", settings_.scratch);
  json.boolean("records_point_to_point", (settings_.calls & settings::kPointToPoint) != 0);
  json.boolean("records_collectives", (settings_.calls & settings::kCollectives) != 0);
  json.boolean("records_one_sided", (settings_.calls & settings::kOneSided) != 0);
  json.boolean("records_files", (settings_.calls & settings::kFiles) != 0);
  json.boolean("starts_on", settings_.starts_on);
  clocks.write(json);
  write_environment(json);
  json.boolean("complete", end != nullptr);
  json.close();
  const bool written = write(file, text, json.length()) == static_cast<ssize_t>(json.length());
  const bool closed = ::close(file) == 0;
  return written && closed && rename(temporary, path) == 0;
}

}  // namespace vef::shim
