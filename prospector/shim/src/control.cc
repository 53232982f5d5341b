// SPDX-License-Identifier: Apache-2.0
#include "control.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "call.h"

namespace vef::shim {
namespace {

constexpr std::size_t kLongestName = 255;

/// Reads what may be no string at all: the kernel copies it, and stops where there is no memory. False: it is
/// not a printable text that ends within `size` - 1 bytes.
bool read_text(const char* from, char* text, std::size_t size) {
  constexpr std::size_t kPage = 4096;  // no smaller page exists, so no part of one is mapped without the rest
  std::size_t length = 0;
  while (length < size - 1) {
    const auto address = reinterpret_cast<std::uintptr_t>(from) + length;
    const std::size_t in_page = kPage - address % kPage;
    const std::size_t wanted = in_page < size - 1 - length ? in_page : size - 1 - length;
    const iovec here{.iov_base = text + length, .iov_len = wanted};
    const iovec there{.iov_base = reinterpret_cast<void*>(address), .iov_len = wanted};
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != static_cast<ssize_t>(wanted)) return false;
    length += wanted;
    text[length] = '\0';
    if (std::strlen(text) < length) break;
  }
  const std::size_t end = std::strlen(text);
  for (std::size_t i = 0; i < end; ++i) {
    if (static_cast<unsigned char>(text[i]) < ' ' || text[i] == '\x7f') return false;
  }
  return end != 0 && end < size - 1;
}

/// A region begins or ends. Where only some are to be recorded (VEF_REGIONS), these switch recording on and
/// off.
void pass_region(Call& call, int tag, const char* name) {
  char text[kLongestName + 2] = "";
  if (!read_text(name, text, sizeof text)) text[0] = '\0';
  const bool switches =
      process.regions != nullptr && settings::in_names(process.regions, text, std::strlen(text));
  if (switches && tag > 0 && process.open_regions.fetch_add(1, std::memory_order_relaxed) == 0)
    set_recording(true);
  if (call.posting_is_on()) {
    RankEvent event = event_of(EventKind::kRegion);
    event.tag = tag;
    event.text = text;
    call.log(event);
  }
  if (!switches || tag > 0 || process.open_regions.load(std::memory_order_relaxed) == 0) return;
  if (process.open_regions.fetch_sub(1, std::memory_order_relaxed) == 1) set_recording(false);
}

}  // namespace

void control(int level, const char* name) {
  if (level == 0 || level == 1) return set_recording(level == 1);
  if (level != 2 && level != kRegionLevel && level != -kRegionLevel) return;
  Call call(MpiCall::kPcontrol);
  call.end();
  if (level == 2) {
    call.flush();
  } else {
    pass_region(call, level < 0 ? -1 : 1, name);
  }
}

}  // namespace vef::shim
