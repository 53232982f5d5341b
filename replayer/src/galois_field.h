// SPDX-License-Identifier: Apache-2.0
// The finite field of q elements, q a prime power: elements are numbers below q, their digits to the base of
// the prime being the coefficients of a polynomial.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace vef::replayer {

class GaloisField {
 public:
  /// Nothing if q is no prime power.
  static std::optional<GaloisField> make(std::uint32_t q);

  std::uint32_t size() const { return q_; }
  std::uint32_t add(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t subtract(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t multiply(std::uint32_t a, std::uint32_t b) const {
    return a == 0 || b == 0 ? 0 : power(log_[a] + log_[b]);
  }
  /// A generator of the multiplicative group to this power.
  std::uint32_t power(std::uint32_t exponent) const { return powers_[exponent % (q_ - 1)]; }

 private:
  GaloisField(std::uint32_t prime, std::uint32_t degree, std::uint32_t q)
      : prime_(prime), degree_(degree), q_(q) {}
  bool find_generator();
  bool use(std::uint32_t polynomial, std::uint32_t generator);
  std::uint32_t times_x(std::uint32_t a, std::uint32_t polynomial) const;
  std::uint32_t multiply_by(std::uint32_t a, std::uint32_t b, std::uint32_t polynomial) const;

  std::uint32_t prime_, degree_, q_;
  std::vector<std::uint32_t> powers_, log_;
};

}  // namespace vef::replayer
