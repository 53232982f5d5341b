// SPDX-License-Identifier: Apache-2.0
// Time-independent traces of SimGrid's SMPI (3.20 and later). An index names one file for each rank, or one
// for all. Lines: `rank action arguments`; empty ones and those that begin with # are skipped. Everything is
// on MPI_COMM_WORLD. Counts are in elements of a datatype, computing is in floating-point operations.
#pragma once

#include <array>
#include <cstdint>

namespace vef::neighbours {

/// Bytes of the datatypes by their numbers, as they are on x86-64.
inline constexpr std::array<std::uint8_t, 55> kTiDatatypeBytes = {
    8,  4,  1,  2,  8,              // double, int, char, short, long
    4,  1,  8,  1,  1,              // float, byte, long long, signed char, unsigned char
    2,  4,  8,  8,  16,             // unsigned: short, int, long, long long; long double
    4,  1,  1,  2,  4,              // wchar, bool, int8, int16, int32
    8,  1,  2,  4,  8,              // int64, uint8, uint16, uint32, uint64
    8,  16, 32, 8,  8,              // complex: float, double, long double; aint, offset
    8,  16, 16, 8,  8,  8, 16, 16,  // with int: float, long, double, short, int; pairs: float, double, long
    4,  4,  8,  16,                 // Fortran real, 4, 8, 16
    8,  16, 16,                     // complex 8, 16, 32
    4,  2,  4,  8,  16,             // integer 1, 2, 4, 8, 16
    32, 1,  8,  16, 32};            // long double with int; C++ bool and complex
inline constexpr std::uint64_t kTiByte = 6;
inline constexpr std::uint64_t kTiDouble = 0;

}  // namespace vef::neighbours
