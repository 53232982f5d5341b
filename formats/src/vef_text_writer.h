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
#include "checked_writer.h"

namespace vef::formats {

class VefTextWriter final : public CheckedWriter {
 public:
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path, const TraceHeader& header,
                                                     const Communicators& communicators,
                                                     const Metadata& metadata, const WriteOptions& options);

 private:
  VefTextWriter(std::string path, const TraceHeader& header, const Metadata& metadata,
                std::unique_ptr<ByteSink> sink);

  Status append(const Record& record) override;
  Status close_file() override;
  Status flush_block();

  std::unique_ptr<ByteSink> sink_;
  std::vector<char> block_;  // text that is not written yet
  char* end_ = nullptr;      // its end
};

}  // namespace vef::formats
