// SPDX-License-Identifier: Apache-2.0
#include "load_capture.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "vef/base/text.h"
#include "vef/formats/mpi_call.h"

namespace vef::merge {

namespace {

constexpr std::size_t kRecordBytes = 40;
constexpr std::size_t kCommBytes = 12;
constexpr std::int32_t kMaxTasks = 1 << 22;

/// Opcodes of the original recorder; 0 to 7 are the collectives of VEF.
enum Opcode : std::uint16_t {
  kSendOp = 100,
  kRecvOp = 109,
  kIrecvOp = 111,
  kWaitOp = 151,
  kInitOp = 200,
  kFinalizeOp = 202
};

struct RawRecord {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::int32_t peer = 0;
  std::int32_t bytes = 0;
  std::int32_t tag = 0;
  std::int32_t request = 0;
  std::uint16_t opcode = 0;
};

template <class T>
T little_endian(const unsigned char* at) {
  std::make_unsigned_t<T> value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value =
        static_cast<std::make_unsigned_t<T>>(value | static_cast<std::make_unsigned_t<T>>(at[i]) << (8 * i));
  }
  return static_cast<T>(value);
}

RawRecord decode(const unsigned char* at) {
  RawRecord raw;
  raw.start = little_endian<std::uint64_t>(at);
  raw.end = little_endian<std::uint64_t>(at + 8);
  raw.peer = little_endian<std::int32_t>(at + 16);
  raw.bytes = little_endian<std::int32_t>(at + 20);
  raw.tag = little_endian<std::int32_t>(at + 24);
  raw.request = little_endian<std::int32_t>(at + 28);
  raw.opcode = little_endian<std::uint16_t>(at + 32);
  return raw;
}

Result<std::string> read_file(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) {
    return input_error(path, 0, "no such file; expected one beside VEFT.main");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return system_error(path, "open", errno);
  std::string content;
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0)
    content.append(buffer, static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return system_error(path, "read", errno);
  return content;
}

template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

/// What VEFT.main says of a task.
struct MainTask {
  std::string host;
  std::uint64_t init = 0;       // TI: the monotonic clock at MPI_Init
  std::uint64_t end = 0;        // TF: the same at MPI_Finalize
  std::uint64_t wall_init = 0;  // RI, RF: the wall clock at these two instants
  std::uint64_t wall_end = 0;
};

/// Task:<r>:Node:<host>:RI:<ns>:RF:<ns>:TI:<ns>:TF:<ns>; a host name has no colon.
bool parse_main_task(std::string_view line, std::int32_t rank, MainTask& task) {
  std::vector<std::string_view> fields;
  for (std::size_t colon = 0; colon != std::string_view::npos;) {
    colon = line.find(':');
    fields.push_back(line.substr(0, colon));
    if (colon != std::string_view::npos) line.remove_prefix(colon + 1);
  }
  constexpr std::string_view kNames[] = {"Task", "Node", "RI", "RF", "TI", "TF"};
  if (fields.size() != 12) return false;
  for (std::size_t i = 0; i < 6; ++i) {
    if (fields[2 * i] != kNames[i]) return false;
  }
  std::int32_t number = -1;
  task.host = escaped(fields[3]);
  return parse_number(fields[1], number) && number == rank && parse_number(fields[5], task.wall_init) &&
         parse_number(fields[7], task.wall_end) && parse_number(fields[9], task.init) &&
         parse_number(fields[11], task.end);
}

/// Whether wall clock and monotonic clock passed the same time, to what a clock that is being adjusted may
/// differ.
bool clocks_agree(const MainTask& task) {
  constexpr double kSlack = 1e9;
  const double wall = static_cast<double>(task.wall_end) - static_cast<double>(task.wall_init);
  const double passed = static_cast<double>(task.end - task.init);
  return std::abs(wall - passed) <= kSlack + passed / 100;
}

Result<std::vector<MainTask>> parse_main(const std::string& path, const std::string& content) {
  std::vector<std::string_view> lines;
  for (std::string_view rest = content; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  std::int32_t tasks = 0;
  if (lines.empty() || !parse_number(lines[0], tasks) || tasks < 1 || tasks > kMaxTasks) {
    return input_error(path, 1,
                       "found \"" + escaped(lines.empty() ? "" : lines[0].substr(0, 40)) +
                           "\"; expected the number of tasks, 1 to " + std::to_string(kMaxTasks));
  }
  std::vector<MainTask> result;
  for (std::int32_t rank = 0; rank < tasks; ++rank) {
    const std::size_t at = static_cast<std::size_t>(rank) + 2;
    MainTask task;
    if (at >= lines.size()) {
      return input_error(
          path, lines.size(),
          "the file ends after " + std::to_string(rank) + " task lines; expected " + std::to_string(tasks));
    }
    if (!parse_main_task(lines[at], rank, task)) {
      return input_error(path, at + 1,
                         "found \"" + escaped(lines[at].substr(0, 60)) + "\"; expected Task:" +
                             std::to_string(rank) + ":Node:HOST:RI:NS:RF:NS:TI:NS:TF:NS");
    }
    if (task.end < task.init) {
      return input_error(
          path, at + 1,
          "TF is " + std::to_string(task.end) + "; expected at least TI, " + std::to_string(task.init));
    }
    result.push_back(std::move(task));
  }
  for (std::size_t at = result.size() + 2; at < lines.size(); ++at) {
    if (!lines[at].empty()) {
      return input_error(path, at + 1,
                         "a line behind the last task; expected " + std::to_string(tasks) + " tasks");
    }
  }
  return result;
}

/// "" where the clocks of all tasks agree.
std::string odd_clocks(const std::vector<MainTask>& tasks) {
  const auto first = std::find_if_not(tasks.begin(), tasks.end(), clocks_agree);
  if (first == tasks.end()) return "";
  const auto odd =
      std::count_if(tasks.begin(), tasks.end(), [](const MainTask& t) { return !clocks_agree(t); });
  return "in " + std::to_string(odd) + " tasks, first " + std::to_string(first - tasks.begin()) +
         ", the wall clock (RI, RF) passed another time than the monotonic one (TI, TF), which is used";
}

Status check_comm(const std::string& path, std::int32_t tasks) {
  auto content = read_file(path);
  if (!content.ok()) return content.error();
  const auto* at = reinterpret_cast<const unsigned char*>(content->data());
  if (content->size() != kCommBytes || little_endian<std::int32_t>(at) != 0 ||
      little_endian<std::int32_t>(at + 4) != tasks || little_endian<std::int32_t>(at + 8) != -1) {
    return input_error(path, 0,
                       "found " + std::to_string(content->size()) +
                           " bytes that are not the world communicator alone; expected 12 bytes: 0, " +
                           std::to_string(tasks) +
                           ", -1 (communicators of parts of the world have an unknown form)");
  }
  return {};
}

formats::MpiCall call_of(std::uint16_t opcode) {
  using formats::MpiCall;
  constexpr MpiCall kCollectives[] = {MpiCall::kBcast,   MpiCall::kReduce,  MpiCall::kAllreduce,
                                      MpiCall::kGather,  MpiCall::kScatter, MpiCall::kAllgather,
                                      MpiCall::kBarrier, MpiCall::kAlltoall};
  switch (opcode) {
    case kSendOp:
      return MpiCall::kSend;
    case kRecvOp:
      return MpiCall::kRecv;
    case kIrecvOp:
      return MpiCall::kIrecv;
    case kWaitOp:
      return MpiCall::kWait;
    default:
      return kCollectives[opcode & 7];
  }
}

/// One rank's file, record by record.
class VeftLoader {
 public:
  VeftLoader(std::string path, std::int32_t rank, std::int32_t tasks, std::set<std::string>& guesses)
      : path_(std::move(path)), tasks_(tasks), guesses_(guesses) {
    data_.rank = rank;
    data_.present = true;
    data_.threads.resize(1);
    LocalComm world;
    world.members = {{0, 1, static_cast<std::uint32_t>(tasks)}};
    data_.comms.push_back(world);
  }

  Result<RankData> load(const MainTask& main);

 private:
  Status add(const RawRecord& raw);
  Status add_receive(const RawRecord& raw);
  Status add_wait(const RawRecord& raw);
  Status add_collective(const RawRecord& raw);
  void push(const RawRecord& raw, OpKind kind, std::size_t first, std::uint32_t count);
  Error error(const std::string& message) const {
    return input_error(path_, 0, "record " + std::to_string(number_) + ": " + message);
  }
  bool is_task(std::int32_t peer) const { return peer >= 0 && peer < tasks_; }

  std::string path_;
  std::int32_t tasks_;
  std::set<std::string>& guesses_;
  RankData data_;
  std::uint32_t number_ = 0;
  std::int64_t last_end_ = 0;
  bool finalized_ = false;
  std::unordered_map<std::int32_t, std::uint32_t>
      requests_;  // MPI_Irecv not waited for -> index of the receive
};

Result<RankData> VeftLoader::load(const MainTask& main) {
  auto content = read_file(path_);
  if (!content.ok()) return content.error();
  if (content->size() % kRecordBytes != 0) {
    return input_error(path_, 0,
                       "found " + std::to_string(content->size()) +
                           " bytes, so the last record is cut off; expected whole records of 40 bytes");
  }
  const auto* at = reinterpret_cast<const unsigned char*>(content->data());
  const std::size_t count = content->size() / kRecordBytes;
  if (count == 0 || decode(at).opcode != kInitOp) {
    return input_error(path_, 0, "does not begin with opcode 200; expected the record of MPI_Init first");
  }
  if (count >= kPartBit) return input_error(path_, 0, "more than 2^31 records; expected fewer");
  for (std::size_t i = 0; i < count; ++i, ++number_) {
    const RawRecord raw = decode(at + i * kRecordBytes);
    if (raw.end < raw.start ||
        raw.end > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return error("ends at " + std::to_string(raw.end) + ", before its start " + std::to_string(raw.start) +
                   "; expected an end at or after the start");
    }
    if (auto status = add(raw); !status.ok()) return status.error();
  }
  if (static_cast<std::uint64_t>(data_.init_end) != main.init) {
    return input_error(path_, 0,
                       "MPI_Init starts at " + std::to_string(data_.init_end) + "; expected " +
                           std::to_string(main.init) + " (TI in VEFT.main)");
  }
  if (finalized_ && static_cast<std::uint64_t>(data_.threads[0].back().start) > main.end) {
    return input_error(path_, 0,
                       "MPI_Finalize starts at " + std::to_string(data_.threads[0].back().start) +
                           "; expected at most " + std::to_string(main.end) + " (TF in VEFT.main)");
  }
  data_.events = count;
  data_.last_event = count - 1;
  data_.last_end = last_end_;
  data_.last_call = static_cast<std::uint16_t>(
      count > 1 ? call_of(decode(at + (count - 1) * kRecordBytes).opcode) : formats::MpiCall::kInit);
  data_.ending = finalized_ ? Ending::kFinalized : Ending::kKilled;
  data_.host = main.host;
  data_.complete = finalized_;
  return std::move(data_);
}

Status VeftLoader::add(const RawRecord& raw) {
  if (number_ > 0 && static_cast<std::int64_t>(raw.start) < last_end_) {
    return error("starts at " + std::to_string(raw.start) + "; expected a start at or after " +
                 std::to_string(last_end_) + ", the end of the call before");
  }
  if (finalized_)
    return error("opcode " + std::to_string(raw.opcode) + " behind MPI_Finalize; expected nothing");
  if (raw.bytes < 0) return error("a size of " + std::to_string(raw.bytes) + "; expected at least 0");
  switch (raw.opcode) {
    case kInitOp:
      if (number_ > 0) return error("a second MPI_Init; expected one");
      data_.init_end = static_cast<std::int64_t>(raw.start);
      last_end_ = data_.init_end;
      return {};
    case kSendOp: {
      if (!is_task(raw.peer)) return error("destination " + std::to_string(raw.peer) + "; expected a task");
      Send send;
      send.bytes = static_cast<std::uint64_t>(raw.bytes);
      send.event = number_;
      send.peer = raw.peer;
      send.tag = raw.tag;
      send.call = static_cast<std::uint16_t>(call_of(raw.opcode));
      push(raw, OpKind::kSend, data_.sends.size(), 1);
      data_.sends.push_back(send);
      return {};
    }
    case kRecvOp:
    case kIrecvOp:
      return add_receive(raw);
    case kWaitOp:
      return add_wait(raw);
    case kFinalizeOp:
      push(raw, OpKind::kFinalize, 0, 0);
      finalized_ = true;
      return {};
    default:
      break;
  }
  if (raw.opcode <= 7) return add_collective(raw);
  return error(
      "opcode " + std::to_string(raw.opcode) +
      " is unknown; expected 0-7 (collectives), 100 (Send), 109 (Recv), 111 (Irecv), 151 (Wait), 200 (Init) "
      "or 202 (Finalize)");
}

void VeftLoader::push(const RawRecord& raw, OpKind kind, std::size_t first, std::uint32_t count) {
  Op op;
  op.start = static_cast<std::int64_t>(raw.start);
  op.end = static_cast<std::int64_t>(raw.end);
  op.time = static_cast<std::uint64_t>(op.start - last_end_);
  op.first = static_cast<std::uint32_t>(first);
  op.count = count;
  op.kind = kind;
  last_end_ = op.end;
  data_.threads[0].push_back(op);
}

Status VeftLoader::add_receive(const RawRecord& raw) {
  const bool blocking = raw.opcode == kRecvOp;
  if (!is_task(raw.peer) && (blocking || raw.peer != formats::kAnySource)) {
    return error("source " + std::to_string(raw.peer) + "; expected a task");
  }
  Receive receive;
  receive.bytes = static_cast<std::uint64_t>(raw.bytes);
  receive.event = number_;
  receive.source = raw.peer;
  receive.tag = raw.tag;
  receive.call = static_cast<std::uint16_t>(call_of(raw.opcode));
  const auto index = static_cast<std::uint32_t>(data_.receives.size());
  if (blocking) {
    receive.state = ReceiveState::kCompleted;
    push(raw, OpKind::kComplete, data_.things.size(), 1);
    data_.things.push_back(index);
  } else if (!requests_.try_emplace(raw.request, index).second) {
    return error("request " + std::to_string(raw.request) +
                 " is posted again before its MPI_Wait; expected a new one");
  }
  if (!blocking) {
    Op unrecorded;
    unrecorded.start = static_cast<std::int64_t>(raw.start);
    unrecorded.kind = OpKind::kUnrecorded;
    data_.threads[0].push_back(unrecorded);
  }
  data_.receives.push_back(receive);
  return {};
}

Status VeftLoader::add_wait(const RawRecord& raw) {
  const auto found = requests_.find(raw.request);
  if (found == requests_.end()) {
    return error("MPI_Wait on request " + std::to_string(raw.request) +
                 "; expected the request of an MPI_Irecv");
  }
  if (!is_task(raw.peer)) return error("source " + std::to_string(raw.peer) + "; expected a task");
  Receive& receive = data_.receives[found->second];
  receive.source = raw.peer;
  if (receive.tag == formats::kAnyTag) receive.tag = raw.tag;  // else the field may hold garbage
  receive.bytes = static_cast<std::uint64_t>(raw.bytes);
  receive.state = ReceiveState::kCompleted;
  push(raw, OpKind::kComplete, data_.things.size(), 1);
  data_.things.push_back(found->second);
  requests_.erase(found);
  return {};
}

/// Sizes as VEF has them, from the one size that the record holds. Only MPI_Allreduce is known from real
/// captures.
Status VeftLoader::add_collective(const RawRecord& raw) {
  const auto op = static_cast<formats::CollectiveOp>(raw.opcode);
  const auto bytes = static_cast<std::uint64_t>(raw.bytes);
  const auto all = bytes * static_cast<std::uint64_t>(tasks_);
  const bool root = raw.peer == data_.rank;
  Part part;
  part.event = number_;
  part.call = static_cast<std::uint16_t>(call_of(raw.opcode));
  part.family = static_cast<Family>(raw.opcode);
  const auto set = [&](std::uint64_t send, std::uint64_t recv) {
    part.send_bytes = send;
    part.recv_bytes = recv;
  };
  switch (op) {
    case formats::CollectiveOp::kBroadcast:
      set(root ? bytes : 0, root ? 0 : bytes);
      break;
    case formats::CollectiveOp::kReduce:
      set(root ? 0 : bytes, root ? bytes : 0);
      break;
    case formats::CollectiveOp::kAllreduce:
      set(bytes, bytes);
      break;
    case formats::CollectiveOp::kGather:
      set(bytes, root ? all : 0);
      break;
    case formats::CollectiveOp::kScatter:
      set(root ? all : 0, bytes);
      break;
    case formats::CollectiveOp::kAllgather:
      set(bytes, all);
      break;
    case formats::CollectiveOp::kAlltoall:
      set(bytes, 0);
      break;
    case formats::CollectiveOp::kBarrier:
    case formats::CollectiveOp::kReduceScatter:  // captures have none
    case formats::CollectiveOp::kScan:
    case formats::CollectiveOp::kExscan:
      break;
  }
  const bool rooted = op == formats::CollectiveOp::kBroadcast || op == formats::CollectiveOp::kReduce ||
                      op == formats::CollectiveOp::kGather || op == formats::CollectiveOp::kScatter;
  if (rooted) {
    if (!is_task(raw.peer)) return error("root " + std::to_string(raw.peer) + "; expected a task");
    part.root = raw.peer;
  }
  if (op != formats::CollectiveOp::kAllreduce && op != formats::CollectiveOp::kBarrier) {
    guesses_.insert(formats::mpi_call_name(part.call) +
                    ": no public capture shows its fields; root and size per task are taken from where "
                    "point-to-point records have peer and size");
  }
  push(raw, OpKind::kCollective, data_.parts.size(), 1);
  data_.parts.push_back(part);
  return {};
}

}  // namespace

std::string find_capture(const std::string& path) {
  std::error_code code;
  const std::filesystem::path given(path);
  if (std::filesystem::is_regular_file(given, code) && given.filename() == "VEFT.main") return path;
  const std::filesystem::path inside = given / "VEFT.main";
  return std::filesystem::is_regular_file(inside, code) ? inside.string() : std::string();
}

Result<std::vector<RankData>> load_capture(const std::string& path, std::vector<std::string>& warnings) {
  auto content = read_file(path);
  if (!content.ok()) return content.error();
  auto tasks = parse_main(path, *content);
  if (!tasks.ok()) return tasks.error();
  const auto count = static_cast<std::int32_t>(tasks->size());
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  std::vector<RankData> ranks;
  std::set<std::string> guesses;
  for (std::int32_t rank = 0; rank < count; ++rank) {
    const std::string name = std::to_string(rank);
    if (auto status = check_comm((directory / (name + ".comm")).string(), count); !status.ok())
      return status.error();
    VeftLoader loader((directory / (name + ".veft")).string(), rank, count, guesses);
    auto data = loader.load((*tasks)[static_cast<std::size_t>(rank)]);
    if (!data.ok()) return data.error();
    ranks.push_back(std::move(*data));
  }
  if (std::string odd = odd_clocks(*tasks); !odd.empty()) warnings.push_back(path + ": " + odd);
  warnings.insert(warnings.end(), guesses.begin(), guesses.end());
  return ranks;
}

}  // namespace vef::merge
