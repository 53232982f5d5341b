// SPDX-License-Identifier: Apache-2.0
// TraceWriter of VEF text (docs/vef3.md): single spaces, LF, `C` before communicator ids, Dep with bit 2 on
// real messages of VEF3. In .vef.zst each frame holds whole lines, about 1 MiB of text, and the tail has the
// index.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "byte_sink.h"
#include "trace_ids.h"
#include "trace_tail.h"
#include "vef/formats/trace_io.h"

namespace vef::formats {

class VefTextWriter final : public TraceWriter {
 public:
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path, const TraceHeader& header,
                                                     const Communicators& communicators,
                                                     const Metadata& metadata, int level);

  Status write(const Record& record) override;
  Status finish() override;

 private:
  VefTextWriter(std::string path, const TraceHeader& header, std::unique_ptr<ByteSink> sink);

  Status write_header(const Communicators& communicators);
  bool fits(const Record& record) const;
  Status closed() const;
  Status refuse(const Record& record) const;
  void format_message(const Record& record);
  void format_collective(const Record& record);
  void format_dependency(const Record& record, unsigned flag);
  void note_time(const Record& record);
  Status check_counts() const;
  Status flush_block();

  std::string path_;
  TraceHeader header_;
  std::unique_ptr<ByteSink> sink_;
  TraceTail tail_;
  std::vector<char> block_;  // text that is not written yet
  char* end_ = nullptr;      // its end
  std::uint64_t line_ = 1;   // the next line's number
  FrameEntry frame_;         // of the block
  bool frame_has_records_ = false;
  std::vector<std::uint64_t> task_time_;  // sum of `time` by task
  std::uint64_t messages_ = 0;
  std::uint64_t collective_records_ = 0;
  DistinctIds collectives_;
  bool failed_ = false;
};

}  // namespace vef::formats
