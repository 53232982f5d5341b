// SPDX-License-Identifier: Apache-2.0
// Slim Fly (Besta and Hoefler 2014): the graphs of McKay, Miller and Siran (1998), diameter 2 with nearly as
// many switches as a degree allows. For a prime power q = 4w + d, d in {-1, 0, 1}, over the field of q
// elements with generator e: two halves of q x q switches, (0, x, y) and (1, m, c);
//   (0, x, y) - (0, x, y')  where y - y' is in X,
//   (1, m, c) - (1, m, c')  where c - c' is in X',
//   (0, x, y) - (1, m, c)   where y = m x + c.
// X and X' (Hafner 2004): d = 1: the even and the odd powers of e; d = 0: e^0, e^2, ..., e^(q-2) and e times
// these; d = -1: e^0, e^2, ..., e^(2w-2), e^(2w-1), e^(2w+1), ..., e^(4w-3), and e times these. The degree is
// (3q - d) / 2, the switches 2 q^2.
//
// Ports of a switch: its nodes, its own half, the other half. Routing: minimal, one or two links.
#include <algorithm>
#include <utility>

#include "galois_field.h"
#include "switch_graph.h"

namespace vef::replayer {
namespace {

/// d of q = 4w + d; 2 where there is none.
int remainder_of(std::uint32_t q) { return q % 4 == 3 ? -1 : static_cast<int>(q % 4); }

/// X, or with `shift` 1 X'.
std::vector<std::uint32_t> generators(const GaloisField& field, std::uint32_t shift) {
  const std::uint32_t q = field.size();
  std::vector<std::uint32_t> set;
  if (remainder_of(q) == -1) {
    const std::uint32_t w = (q + 1) / 4;
    for (std::uint32_t i = 0; i < w; ++i) set.push_back(field.power(2 * i + shift));
    for (std::uint32_t i = 0; i < w; ++i) set.push_back(field.power(2 * w - 1 + 2 * i + shift));
  } else {
    for (std::uint32_t exponent = 0; exponent + 1 < q; exponent += 2)
      set.push_back(field.power(exponent + shift));
  }
  return set;
}

}  // namespace

std::uint32_t slim_fly_degree(std::uint32_t q) {
  return static_cast<std::uint32_t>((3 * static_cast<std::int64_t>(q) - remainder_of(q)) / 2);
}

Status check_slim_fly(const TopologyConfig& c) {
  constexpr std::uint32_t kLargest = 512;
  const bool fits = c.q >= 3 && c.q <= kLargest && c.q % 4 != 2 && GaloisField::make(c.q).has_value();
  if (fits) return {};
  return config_error("[topology] q is " + std::to_string(c.q) +
                      "; expected a prime power 3, 4, 5, 7, 8, 9, 11, 13, 16, ... up to 512");
}

RoutedGraph make_slim_fly(const TopologyConfig& config) {
  const GaloisField field = *GaloisField::make(config.q);
  const std::uint32_t q = field.size();
  const std::vector<std::uint32_t> sets[2] = {generators(field, 0), generators(field, 1)};
  SwitchGraph graph(std::size_t{2} * q * q);
  const auto id = [q](std::uint32_t half, std::uint32_t a, std::uint32_t b) {
    return (half * q + a) * q + b;
  };
  for (std::uint32_t half = 0; half < 2; ++half) {
    for (std::uint32_t a = 0; a < q; ++a) {
      for (std::uint32_t b = 0; b < q; ++b) {
        const SwitchId s = id(half, a, b);
        graph.names[s] =
            "switch (" + std::to_string(half) + "," + std::to_string(a) + "," + std::to_string(b) + ")";
        auto& links = graph.neighbours[s];
        for (const std::uint32_t x : sets[half]) links.push_back(id(half, a, field.add(b, x)));
        std::sort(links.begin(), links.end());
        for (std::uint32_t other = 0; other < q; ++other) {
          const std::uint32_t product = field.multiply(a, other);
          links.push_back(half == 0 ? id(1, other, field.subtract(b, product))
                                    : id(0, other, field.add(b, product)));
        }
      }
    }
  }
  return route_minimally(std::move(graph));
}

}  // namespace vef::replayer
