// SPDX-License-Identifier: Apache-2.0
// TraceWriter of the binary form, .vefb (docs/vefb.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "byte_file.h"
#include "checked_writer.h"
#include "vefb_block.h"

namespace vef::formats {

class VefbWriter final : public CheckedWriter {
 public:
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path, const TraceHeader& header,
                                                     const Communicators& communicators,
                                                     const Metadata& metadata, int level);

 private:
  VefbWriter(std::unique_ptr<OutputFile> file, const TraceHeader& header, const Metadata& metadata,
             int level);

  Status append(const Record& record) override;
  Status close_file() override;
  Status write_block(std::string_view name, std::string_view payload);
  Status flush();

  std::unique_ptr<OutputFile> file_;
  vefb::BlockEncoder encoder_;
  std::vector<Record> records_;
};

}  // namespace vef::formats
