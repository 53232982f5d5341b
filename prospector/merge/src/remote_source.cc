// SPDX-License-Identifier: Apache-2.0
#include "remote_source.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "transfer.h"
#include "vef/merge/merge.h"

namespace vef::merge {

namespace {

/// What process 0 asks for. An answer begins with an error's kind and text; an empty text is none.
enum class Request : std::uint8_t {
  kList,  // directory -> entries
  kLoad,  // names of a rank's logs in the directory last listed, world size -> RankData
  kEnd,   // no answer
};

std::string_view receive(const VefMergeTransport& transport, int from) {
  std::uint64_t bytes = 0;
  const void* data = transport.receive(from, &bytes);
  return {static_cast<const char*>(data), static_cast<std::size_t>(bytes)};
}

void send(const VefMergeTransport& transport, int to, const std::string& bytes) {
  transport.send(to, bytes.data(), bytes.size());
}

template <class... Items>
void send_items(const VefMergeTransport& transport, int to, const Items&... items) {
  ArchiveWriter writer;
  writer(items...);
  send(transport, to, writer.take());
}

/// Receives an answer. Its columns go to `store`.
template <class T>
Result<T> receive_answer(const VefMergeTransport& transport, int from, Store* store) {
  ArchiveReader reader(receive(transport, from), store);
  ErrorKind kind{};
  std::string fault;
  T value;
  reader(kind, fault, value);
  if (!reader.finished())
    return Error{ErrorKind::kSystem,
                 "process " + std::to_string(from) +
                     " sent what is no answer; expected all processes to run the same vef"};
  if (!fault.empty()) return Error{kind, fault};
  return value;
}

template <class T>
void answer(const VefMergeTransport& transport, const Result<T>& result) {
  if (result.ok()) {
    send_items(transport, 0, ErrorKind{}, std::string(), *result);
  } else {
    send_items(transport, 0, result.error().kind, result.error().message, T{});
  }
}

std::string name_of(const LogEntry& entry) { return std::filesystem::path(entry.path).filename().string(); }

class RemoteSource final : public RankSource {
 public:
  RemoteSource(const VefMergeTransport& transport, const Means& means)
      : transport_(transport), means_(means) {}

  Result<std::vector<LogEntry>> list(const std::string& directory) override {
    for (int process = 1; process < transport_.size; ++process)
      send_items(transport_, process, Request::kList, directory);
    seen_by_.clear();
    std::map<std::string, LogEntry> all;
    Status fault;
    take_over(0, list_logs(directory), all, fault);
    for (int process = 1; process < transport_.size; ++process)
      take_over(process, receive_answer<std::vector<LogEntry>>(transport_, process, nullptr), all, fault);
    if (!fault.ok()) return fault.error();
    std::vector<LogEntry> entries;
    for (auto& [name, entry] : all) entries.push_back(std::move(entry));
    // As list_logs() has them: by rank, then thread, whatever the width of the numbers in the names.
    std::stable_sort(entries.begin(), entries.end(), [](const LogEntry& a, const LogEntry& b) {
      return std::tie(a.rank, a.thread) < std::tie(b.rank, b.thread);
    });
    return entries;
  }

  Result<std::vector<RankData>> load(const std::vector<RankLogs>& ranks, std::int32_t world_size,
                                     const std::function<void(std::uint64_t)>& done) override {
    const auto readers = assign(ranks);
    if (!readers.ok()) return readers.error();
    std::vector<std::deque<std::size_t>> waiting(static_cast<std::size_t>(transport_.size));
    for (std::size_t i = 0; i < ranks.size(); ++i)
      waiting[static_cast<std::size_t>((*readers)[i])].push_back(i);
    std::vector<bool> asked(ranks.size());
    const auto ask = [&](int process) {
      auto& queue = waiting[static_cast<std::size_t>(process)];
      if (process == 0 || queue.empty()) return;
      std::vector<std::string> names;
      for (const LogEntry& entry : ranks[queue.front()]) names.push_back(name_of(entry));
      send_items(transport_, process, Request::kLoad, names, world_size);
      asked[queue.front()] = true;
      queue.pop_front();
    };
    // Each has one rank at work and one to go on with.
    for (int process = 1; process < transport_.size; ++process) {
      ask(process);
      ask(process);
    }
    std::vector<RankData> loaded(ranks.size());
    Status fault;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const int process = (*readers)[i];
      if (!fault.ok() && !asked[i]) continue;  // what was asked for comes all the same
      auto data = asked[i] ? receive_answer<RankData>(transport_, process, means_.store)
                           : load_logs(ranks[i], world_size, means_.store);
      if (!data.ok() && fault.ok()) fault = data.error();
      if (!fault.ok()) continue;
      ask(process);
      if (asked[i] && means_.store->is_full()) settle(*data, *means_.store);
      loaded[i] = std::move(*data);
      done(i + 1);
    }
    if (!fault.ok()) return fault.error();
    return loaded;
  }

 private:
  void take_over(int process, Result<std::vector<LogEntry>> entries, std::map<std::string, LogEntry>& all,
                 Status& fault) {
    if (!entries.ok()) {
      if (fault.ok()) fault = entries.error();
      return;
    }
    for (LogEntry& entry : *entries) {
      const std::string name = name_of(entry);
      const auto [found, added] = all.try_emplace(name, entry);
      // Who cannot read it does not count as long as somebody can.
      if (!added && !found->second.fault.empty()) found->second = entry;
      if (entry.fault.empty()) seen_by_[name].push_back(process);
    }
  }

  /// The process that reads each rank: of those that see all its logs the one with the least to read;
  /// process 0 has enough to do.
  Result<std::vector<int>> assign(const std::vector<RankLogs>& ranks) const {
    std::vector<std::uint64_t> load(static_cast<std::size_t>(transport_.size));
    std::vector<int> readers;
    for (const RankLogs& logs : ranks) {
      std::vector<int> able = seen_by_.at(name_of(logs.front()));
      std::uint64_t bytes = 0;
      for (const LogEntry& entry : logs) {
        const std::vector<int>& seeing = seen_by_.at(name_of(entry));
        std::erase_if(able, [&](int process) {
          return std::find(seeing.begin(), seeing.end(), process) == seeing.end();
        });
        bytes += entry.bytes;
      }
      if (able.empty()) {
        return input_error(logs.front().path, 0,
                           "no process sees all " + std::to_string(logs.size()) + " logs of rank " +
                               std::to_string(logs.front().rank) + "; expected them on one host");
      }
      const int best = *std::min_element(able.begin(), able.end(), [&](int a, int b) {
        return std::tuple(a == 0, load[static_cast<std::size_t>(a)]) <
               std::tuple(b == 0, load[static_cast<std::size_t>(b)]);
      });
      load[static_cast<std::size_t>(best)] += bytes;
      readers.push_back(best);
    }
    return readers;
  }

  const VefMergeTransport& transport_;
  Means means_;
  std::map<std::string, std::vector<int>> seen_by_;  // by name, readable there
};

}  // namespace

std::unique_ptr<RankSource> make_source(const VefMergeTransport* transport, const Means& means) {
  if (transport == nullptr || transport->size == 1) return std::make_unique<LocalSource>(means);
  return std::make_unique<RemoteSource>(*transport, means);
}

void release(const VefMergeTransport& transport) {
  for (int process = 1; process < transport.size; ++process) send_items(transport, process, Request::kEnd);
}

void serve(const VefMergeTransport& transport) {
  std::map<std::string, LogEntry> seen;
  for (;;) {
    ArchiveReader reader(receive(transport, 0));
    Request request = Request::kEnd;
    reader(request);
    if (request == Request::kList) {
      std::string directory;
      reader(directory);
      const auto entries = list_logs(directory);
      seen.clear();
      if (entries.ok()) {
        for (const LogEntry& entry : *entries) seen[name_of(entry)] = entry;
      }
      answer(transport, entries);
    } else if (request == Request::kLoad) {
      std::vector<std::string> names;
      std::int32_t world_size = 0;
      reader(names, world_size);
      RankLogs logs;
      for (const std::string& name : names) logs.push_back(seen[name]);
      answer(transport, load_logs(logs, world_size, nullptr));
    } else {
      return;
    }
  }
}

}  // namespace vef::merge
