// SPDX-License-Identifier: Apache-2.0
// noexcept: what is thrown (no memory) ends the program here instead of in somebody's C frames.
#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "load_trace.h"
#include "vef/tracelib/player.h"
#include "vef/tracelib/vef_player.h"

struct vef_player {
  vef_player(std::vector<vef::tracelib::PlayedTrace> traces, vef::tracelib::Expansion expansion) {
    for (const auto& played : traces) tasks.push_back(played.trace->header.tasks);
    player =
        std::make_unique<vef::tracelib::Player>(std::move(traces), vef::tracelib::PlayerConfig{expansion});
  }

  std::vector<std::int32_t> tasks;  // of each trace
  std::unique_ptr<vef::tracelib::Player> player;
};

namespace {

using namespace vef;

void put_text(const std::string& text, char* to, std::size_t size) {
  if (to == nullptr || size == 0) return;
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

Result<tracelib::PlayedTrace> load(const vef_played_trace& wanted) {
  auto trace = tracelib::load_trace(wanted.file);
  if (!trace) return trace.error();
  const auto tasks = static_cast<std::size_t>((*trace)->header.tasks);
  if (wanted.mapping != nullptr && wanted.mapping_size != tasks)
    return usage_error(std::string(wanted.file) + ": a mapping of " + std::to_string(wanted.mapping_size) +
                       " tasks; expected " + std::to_string(tasks));
  if (!(wanted.compute_scale >= 0) || wanted.start < 0)
    return usage_error(std::string(wanted.file) + ": compute_scale or start below 0; expected 0 or more");
  tracelib::PlayedTrace played;
  played.trace = std::move(*trace);
  if (wanted.mapping != nullptr) played.mapping.assign(wanted.mapping, wanted.mapping + tasks);
  played.compute_scale = wanted.compute_scale;
  played.start = wanted.start;
  return played;
}

Result<std::unique_ptr<vef_player>> open(const vef_played_trace* traces, std::size_t count,
                                         const char* expansion) {
  const auto known = tracelib::parse_expansion(expansion);
  if (!known) return known.error();
  std::vector<tracelib::PlayedTrace> played;
  for (std::size_t i = 0; i < count; ++i) {
    auto trace = load(traces[i]);
    if (!trace) return trace.error();
    played.push_back(std::move(*trace));
  }
  return std::make_unique<vef_player>(std::move(played), *known);
}

}  // namespace

vef_player* vef_player_open(const vef_played_trace* traces, size_t count, const char* expansion, char* error,
                            size_t error_size) noexcept {
  auto opened = open(traces, count, expansion);
  put_text(opened.ok() ? "" : opened.error().message, error, error_size);
  return opened.ok() ? opened->release() : nullptr;
}

void vef_player_close(vef_player* player) noexcept { delete player; }

int32_t vef_player_tasks(const vef_player* player, int32_t trace) noexcept {
  const bool known = trace >= 0 && static_cast<std::size_t>(trace) < player->tasks.size();
  return known ? player->tasks[static_cast<std::size_t>(trace)] : -1;
}

int vef_player_next(vef_player* player, int64_t now, vef_message* message) noexcept {
  const auto next = player->player->next(now);
  if (!next) return 0;
  *message = {next->id,       next->src_node, next->dst_node, next->trace, next->src_task,
              next->dst_task, next->bytes,    next->time,     next->op};
  return 1;
}

void vef_player_delivered(vef_player* player, uint64_t id, int64_t time) noexcept {
  player->player->delivered(id, time);
}

int64_t vef_player_next_time(const vef_player* player) noexcept { return player->player->next_time(); }
int vef_player_done(const vef_player* player) noexcept { return player->player->done() ? 1 : 0; }
int64_t vef_player_last_time(const vef_player* player) noexcept { return player->player->last_time(); }

size_t vef_player_stuck(const vef_player* player, char* text, size_t size) noexcept {
  std::string lines;
  const auto waiting = player->player->stuck();
  for (const tracelib::Waiting& one : waiting) lines += one.what + "\n";
  put_text(lines, text, size);
  return waiting.size();
}
