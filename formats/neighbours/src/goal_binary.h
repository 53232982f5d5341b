// SPDX-License-Identifier: Apache-2.0
// The layout of a binary GOAL schedule: packed, little endian, nothing aligned.
//
//   u64 4223, or 2342 once a simulator has overwritten it while it ran
//   u32 ranks, u8 highest cpu, u8 highest nic, ranks x {u64 begin, u64 end}     offsets from here, byte 8
//   per rank: u32 ops, u32 roots, roots x u32 op (those that wait for nothing)
//     ops x {u32 how many it waits for, u8 kind, u32 peer, u64 size, u32 tag, u8 cpu, u8 nic,
//            u32 count, u32 first: who waits for its end; the same for its begin}
//     u32 op of all these, `first` being an index into them
//
// Edges point forward here: from what is waited for to who waits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vef::neighbours {

inline constexpr std::uint64_t kGoalMagic = 4223;
inline constexpr std::uint64_t kGoalSpoiltMagic = 2342;
inline constexpr std::size_t kGoalBase = 8;  // what offsets count from
inline constexpr std::size_t kGoalHeadBytes = 4 + 1 + 1;
inline constexpr std::size_t kGoalJumpBytes = 2 * 8;
inline constexpr std::size_t kGoalNodeBytes = 4 + 1 + 4 + 8 + 4 + 1 + 1 + 4 * 4;

}  // namespace vef::neighbours
