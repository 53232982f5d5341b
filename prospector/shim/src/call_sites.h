// SPDX-License-Identifier: Apache-2.0
// Where in the program the calls are made: each distinct call stack, as deep as asked for, gets a number, and
// is described once by a kSite event (and its files by kModule events). A stack begins with the first frame
// outside the recorder and the MPI libraries, so that Fortran programs, whose calls come through MPI's own
// Fortran library, are told of as well.
//
// With a depth of one a return address outside MPI is the site, which costs one table look-up; else the stack
// is walked by libunwind, which is opened for this only: programs that record no call sites never load it.
// Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lock.h"
#include "modules.h"
#include "vef/formats/rank_log.h"

namespace vef::shim {

class CallSites {
 public:
  static constexpr std::size_t kMostFrames = 32;

  /// False: libunwind or memory is missing, `error()` says so.
  bool start(std::size_t depth);
  /// Gives the memory back. There is no destructor: threads may still be at it while the process ends.
  void release();
  bool on() const { return on_; }
  const char* error() const { return error_; }

  /// Takes a description; called under the table's lock.
  using Describe = void (*)(void* context, const formats::RankEvent& event);

  /// The number of the site from which the wrapper with the return address `caller` was called. 0: there is
  /// no room for another.
  std::uint32_t find(const void* caller, Describe describe, void* context);

 private:
  struct Site {
    std::uint64_t hash;
    std::uint32_t number;  // 0: the slot is free. Its frames lie at (number - 1) * depth_
    std::uint32_t frames;
  };

  bool is_inner(std::uintptr_t address) const;
  std::size_t walk(std::uintptr_t* frames) const;
  std::uint32_t enter(const std::uintptr_t* frames, std::size_t count, Describe describe, void* context);
  void describe_site(std::uint32_t number, const std::uintptr_t* frames, std::size_t count, Describe describe,
                     void* context);
  std::uint64_t describe_address(std::uintptr_t address, Describe describe, void* context);

  static constexpr std::size_t kSlots = 1U << 14;  // sites; a power of two
  static constexpr std::size_t kMostSites = kSlots / 2;
  static constexpr std::size_t kModules = 256;
  static constexpr std::size_t kInner = 16;

  bool on_ = false;
  std::size_t depth_ = 0;
  int (*unwind_)(void** frames, int room) = nullptr;
  Site* sites_ = nullptr;
  std::uintptr_t* frames_ = nullptr;
  std::uint32_t count_ = 0;
  AddressRange inner_[kInner];
  std::size_t inner_count_ = 0;
  std::uintptr_t biases_[kModules] = {};
  std::size_t module_count_ = 0;
  SpinLock lock_;
  const char* error_ = "";
};

}  // namespace vef::shim
