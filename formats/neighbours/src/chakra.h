// SPDX-License-Identifier: Apache-2.0
// Chakra's execution traces: <prefix>.<rank>.et, for each rank a graph of nodes that compute, send, receive
// or take part in a collective. A file is a row of messages of protocol buffers, each behind its size as a
// varint: GlobalMetadata, then Node after Node. May be compressed by gzip.
//
// Names and numbers are those of mlcommons/chakra, schema/protobuf/et_def.proto (commit 6dc63e1), and of the
// attributes that its feeder (src/feeder/et_feeder_node.cpp) and ASTRA-sim (astra-sim/workload/Workload.cc)
// ask for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "byte_source.h"
#include "goal.h"
#include "vef/base/result.h"
#include "vef/neighbours/neighbours.h"

namespace vef::neighbours {

enum class ChakraType : std::uint8_t {
  kInvalid = 0,
  kMetadata = 1,
  kMemoryLoad = 2,
  kMemoryStore = 3,
  kCompute = 4,
  kSend = 5,
  kReceive = 6,
  kCollective = 7,
  kStorage = 8,
  kBatch = 9,
  kCheckpoint = 10,
};
inline constexpr std::uint64_t kChakraTypes = 11;

enum class ChakraCollective : std::uint8_t {
  kAllReduce = 0,
  kReduce = 1,
  kAllGather = 2,
  kGather = 3,
  kScatter = 4,
  kBroadcast = 5,
  kAllToAll = 6,
  kReduceScatter = 7,
  kReduceScatterBlock = 8,
  kBarrier = 9,
};
inline constexpr std::uint64_t kChakraCollectives = 10;

inline constexpr std::string_view kChakraVersion = "0.0.4";

/// Our own attributes. Chakra counts whole microseconds and names no root.
inline constexpr std::string_view kChakraNanos = "duration_nanos";
inline constexpr std::string_view kChakraRoot = "root";

/// A number that a node may lack.
struct ChakraNumber {
  bool is_there = false;
  bool is_whole = false;    // and at least 0
  std::uint64_t value = 0;  // of what is whole
};

/// What we read of a node. Views are into its message.
struct ChakraNode {
  std::uint64_t id = 0;
  std::uint64_t type = 0;
  std::uint64_t duration_micros = 0;
  std::vector<std::uint64_t> needs;  // data and control dependencies
  std::string_view input_values;
  std::string_view group;  // of processes, pg_name
  bool is_cpu = false;
  ChakraNumber nanos, operations, comm_type, comm_size, source, destination, tag, root;

  void clear();
};

/// False: the bytes are no node.
bool parse_chakra_node(std::string_view message, ChakraNode& node);
/// Whether the bytes are the metadata that stand in front.
bool is_chakra_metadata(std::string_view message);

/// Reads the messages of one file.
class ChakraMessages {
 public:
  static Result<ChakraMessages> open(const std::string& path);

  /// False: the end. `message` is valid until the next call.
  Result<bool> next(std::string_view& message);
  std::uint64_t number() const { return number_; }  // of the message last returned, from 1
  std::uint64_t bytes_read() const;
  const std::string& path() const { return path_; }

 private:
  ChakraMessages(std::string path, std::unique_ptr<formats::ByteSource> source)
      : path_(std::move(path)), source_(std::move(source)) {}
  Result<bool> fill(std::size_t wanted);
  Error fault(const std::string& what) const;

  std::string path_;
  std::unique_ptr<formats::ByteSource> source_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint64_t number_ = 0;
};

/// Writes the messages of one file into a string.
class ChakraText {
 public:
  explicit ChakraText(std::string& out) : out_(out) {}

  void metadata();
  /// A node, then its attributes, then end().
  void begin(ChakraType type, const std::string& name, const std::vector<std::uint64_t>& needs);
  void duration_micros(std::uint64_t micros);
  void input_values(std::string_view values);
  void attribute(std::string_view name, std::string_view text);
  void attribute_bool(std::string_view name, bool value) { number(name, 27, value ? 1 : 0); }
  void attribute_int32(std::string_view name, std::uint32_t value) { number(name, 7, value); }
  void attribute_int64(std::string_view name, std::uint64_t value) { number(name, 9, value); }
  void attribute_uint64(std::string_view name, std::uint64_t value) { number(name, 13, value); }
  /// Returns the node's id: they are numbered from 1.
  std::uint64_t end();

 private:
  void number(std::string_view name, std::uint32_t field, std::uint64_t value);

  std::string& out_;
  std::string node_;
  std::uint64_t id_ = 1;
};

/// The files of all ranks, `prefix` and `suffix` being what stands around the rank.
struct ChakraFiles {
  std::string prefix;
  std::string suffix;
  std::vector<std::string> paths;  // by rank
};
/// From the path of one of them, or from their common prefix, with or without ".et".
Result<ChakraFiles> find_chakra_files(const std::string& path);
/// Whether `path` is no file, but files of all ranks are named after it.
bool is_chakra_prefix(const std::string& path);
/// The highest rank of which there is a file, or -1.
std::int64_t highest_chakra_rank(const std::string& prefix, const std::string& suffix);

Result<std::unique_ptr<GoalInput>> open_chakra(const std::string& path, const Options& options,
                                               Losses& losses);
Result<std::unique_ptr<formats::TraceWriter>> create_chakra(const std::string& path,
                                                            const formats::TraceReader& trace,
                                                            Losses& losses);

}  // namespace vef::neighbours
