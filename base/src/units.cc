// SPDX-License-Identifier: Apache-2.0
#include "vef/base/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

namespace vef {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kTimeUnits = {Unit{"ps", 1}, Unit{"ns", 1e3}, Unit{"us", 1e6}, Unit{"ms", 1e9},
                                   Unit{"s", 1e12}};
constexpr std::array kByteUnits = {Unit{"", 1},          Unit{"B", 1},           Unit{"kB", 1e3},
                                   Unit{"MB", 1e6},      Unit{"GB", 1e9},        Unit{"KiB", 1024},
                                   Unit{"MiB", 1048576}, Unit{"GiB", 1073741824}};
constexpr std::array kRateUnits = {
    Unit{"bps", 1}, Unit{"kbps", 1e3}, Unit{"Mbps", 1e6}, Unit{"Gbps", 1e9}, Unit{"Tbps", 1e12},
    Unit{"b/s", 1}, Unit{"kb/s", 1e3}, Unit{"Mb/s", 1e6}, Unit{"Gb/s", 1e9}, Unit{"Tb/s", 1e12}};

template <std::size_t N>
Result<double> parse_quantity(std::string_view text, const std::array<Unit, N>& units, const char* what) {
  double number = 0;
  const char* end = text.data() + text.size();
  auto [rest, ec] = std::from_chars(text.data(), end, number);
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  std::string known;
  if (ec == std::errc() && number >= 0 && std::isfinite(number)) {
    for (const Unit& u : units) {
      if (u.name != unit) continue;
      double value = number * u.factor;
      if (value < 9.2e18) return value;
    }
  }
  for (const Unit& u : units) {
    if (!u.name.empty()) known += (known.empty() ? "" : ", ") + std::string(u.name);
  }
  return usage_error("'" + std::string(text) + "' is not a " + what + "; expected a number >= 0 and one of " +
                     known);
}

std::string format_scaled(double value, const char* unit) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.4g %s", value, unit);
  return buffer;
}

}  // namespace

Picoseconds serialisation_time(std::uint64_t bytes, std::uint64_t bits_per_second) {
  __extension__ using Wide = unsigned __int128;
  Wide picos = (Wide{bytes} * 8 * static_cast<Wide>(kPicosPerSecond) + bits_per_second - 1) / bits_per_second;
  return picos > static_cast<Wide>(kNever) ? kNever : static_cast<Picoseconds>(picos);
}

Result<Picoseconds> parse_time(std::string_view text) {
  Result<double> value = parse_quantity(text, kTimeUnits, "time");
  if (!value) return value.error();
  return static_cast<Picoseconds>(std::llround(*value));
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  Result<double> value = parse_quantity(text, kByteUnits, "size");
  if (!value) return value.error();
  return static_cast<std::uint64_t>(std::llround(*value));
}

Result<std::uint64_t> parse_rate(std::string_view text) {
  Result<double> value = parse_quantity(text, kRateUnits, "rate");
  if (!value) return value.error();
  return static_cast<std::uint64_t>(std::llround(*value));
}

std::string format_time(Picoseconds time) {
  const double t = static_cast<double>(time);
  for (auto it = kTimeUnits.rbegin(); it != kTimeUnits.rend(); ++it) {
    if (std::abs(t) >= it->factor) return format_scaled(t / it->factor, std::string(it->name).c_str());
  }
  return "0 s";
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<std::pair<double, const char*>, 5> kSteps = {
      {{1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1.0, "B"}}};
  const double b = static_cast<double>(bytes);
  for (auto [factor, name] : kSteps) {
    if (b >= factor) return format_scaled(b / factor, name);
  }
  return "0 B";
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string format_rate(std::uint64_t bits_per_second) {
  static constexpr std::array<std::pair<double, const char*>, 5> kSteps = {
      {{1e12, "Tb/s"}, {1e9, "Gb/s"}, {1e6, "Mb/s"}, {1e3, "kb/s"}, {1, "b/s"}}};
  const double r = static_cast<double>(bits_per_second);
  for (auto [factor, name] : kSteps) {
    if (r >= factor) return format_scaled(r / factor, name);
  }
  return "0 b/s";
}

}  // namespace vef
