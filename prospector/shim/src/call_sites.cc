// SPDX-License-Identifier: Apache-2.0
#include "call_sites.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace vef::shim {
namespace {

constexpr const char* kUnwinder = "libunwind.so.8";
// Between the program and the unwinding there may be this many frames of the recorder and of MPI's own
// bindings.
constexpr std::size_t kMostInner = 16;

std::uint64_t hash_of(const std::uintptr_t* frames, std::size_t count) {
  std::uint64_t hash = count;
  for (std::size_t i = 0; i < count; ++i) {
    hash = (hash ^ frames[i]) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

bool CallSites::start(std::size_t depth) {
  depth_ = depth < kMostFrames ? depth : kMostFrames;
  // Never closed, and local: the program does not see its symbols.
  void* library = dlopen(kUnwinder, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    error_ = "libunwind.so.8 cannot be loaded";
    return false;
  }
  unwind_ = reinterpret_cast<int (*)(void**, int)>(dlsym(library, "unw_backtrace"));
  sites_ = static_cast<Site*>(std::calloc(kSlots, sizeof(Site)));
  frames_ = static_cast<std::uintptr_t*>(std::calloc(kMostSites * depth_, sizeof(std::uintptr_t)));
  if (unwind_ == nullptr || sites_ == nullptr || frames_ == nullptr) {
    error_ = unwind_ == nullptr ? "libunwind.so.8 has no unw_backtrace" : "no memory";
    return false;
  }
  inner_count_ = find_inner_ranges(inner_, kInner);
  on_ = depth_ != 0;
  return true;
}

void CallSites::release() {
  std::free(sites_);
  std::free(frames_);
  sites_ = nullptr;
  frames_ = nullptr;
  on_ = false;
}

bool CallSites::is_inner(std::uintptr_t address) const {
  for (std::size_t i = 0; i < inner_count_; ++i) {
    if (inner_[i].has(address)) return true;
  }
  return false;
}

/// The return addresses of the program's frames, innermost first.
std::size_t CallSites::walk(std::uintptr_t* frames) const {
  void* found[kMostFrames + kMostInner];
  const int all = unwind_(found, static_cast<int>(depth_ + kMostInner));
  std::size_t count = 0;
  bool outside = false;
  for (int i = 0; i < all && count < depth_; ++i) {
    const auto address = reinterpret_cast<std::uintptr_t>(found[i]);
    outside = outside || !is_inner(address);
    if (outside && address != 0) frames[count++] = address;
  }
  return count;
}

std::uint32_t CallSites::find(const void* caller, Describe describe, void* context) {
  std::uintptr_t frames[kMostFrames];
  frames[0] = reinterpret_cast<std::uintptr_t>(caller);
  const bool walks = depth_ > 1 || is_inner(frames[0]);
  const std::size_t count = walks ? walk(frames) : 1;
  if (count == 0) return 0;
  const TableGuard guard(lock_);
  const std::uint64_t hash = hash_of(frames, count);
  std::size_t slot = hash & (kSlots - 1);
  for (; sites_[slot].number != 0; slot = (slot + 1) & (kSlots - 1)) {
    const Site& site = sites_[slot];
    if (site.hash == hash && site.frames == count &&
        std::memcmp(frames_ + (site.number - 1) * depth_, frames, count * sizeof *frames) == 0) {
      return site.number;
    }
  }
  if (count_ == kMostSites) return 0;
  const std::uint32_t number = ++count_;
  sites_[slot] = {.hash = hash, .number = number, .frames = static_cast<std::uint32_t>(count)};
  std::memcpy(frames_ + (number - 1) * depth_, frames, count * sizeof *frames);
  describe_site(number, frames, count, describe, context);
  return number;
}

void CallSites::describe_site(std::uint32_t number, const std::uintptr_t* frames, std::size_t count,
                              Describe describe, void* context) {
  std::uint64_t described[kMostFrames];
  for (std::size_t i = 0; i < count; ++i) described[i] = describe_address(frames[i], describe, context);
  formats::RankEvent event;
  event.kind = formats::EventKind::kSite;
  event.site = number;
  event.requests = {described, count};
  describe(context, event);
}

/// module << 48 | offset; the module is described first if it is new.
std::uint64_t CallSites::describe_address(std::uintptr_t address, Describe describe, void* context) {
  constexpr std::uint64_t kOffsets = (std::uint64_t{1} << 48) - 1;
  static Module module;  // guarded by the lock; too large for other people's stacks
  module = {};
  if (!find_module(address, module)) return address & kOffsets;  // module 0: code that no file holds
  std::size_t index = 0;
  while (index < module_count_ && biases_[index] != module.bias) ++index;
  if (index == module_count_) {
    if (module_count_ == kModules) return address & kOffsets;
    biases_[module_count_++] = module.bias;
    char text[1300];
    std::snprintf(text, sizeof text, "%s\n%s", module.path, module.build_id);
    formats::RankEvent event;
    event.kind = formats::EventKind::kModule;
    event.request = index + 1;
    event.text = text;
    describe(context, event);
  }
  return (std::uint64_t{index + 1} << 48) | ((address - module.bias) & kOffsets);
}

}  // namespace vef::shim
