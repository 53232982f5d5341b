// SPDX-License-Identifier: Apache-2.0
#include "galois_field.h"

#include <algorithm>

namespace vef::replayer {

std::optional<GaloisField> GaloisField::make(std::uint32_t q) {
  if (q < 2) return std::nullopt;
  std::uint32_t prime = 2;
  while (prime * prime <= q && q % prime != 0) ++prime;
  if (q % prime != 0) prime = q;
  std::uint32_t degree = 0;
  for (std::uint32_t rest = q; rest > 1; rest /= prime, ++degree) {
    if (rest % prime != 0) return std::nullopt;
  }
  GaloisField field(prime, degree, q);
  if (!field.find_generator()) return std::nullopt;
  return field;
}

std::uint32_t GaloisField::add(std::uint32_t a, std::uint32_t b) const {
  std::uint32_t sum = 0;
  for (std::uint32_t place = 1; place < q_; place *= prime_) sum += (a / place + b / place) % prime_ * place;
  return sum;
}

std::uint32_t GaloisField::subtract(std::uint32_t a, std::uint32_t b) const {
  std::uint32_t difference = 0;
  for (std::uint32_t place = 1; place < q_; place *= prime_)
    difference += (a / place % prime_ + prime_ - b / place % prime_) % prime_ * place;
  return difference;
}

/// The product with x, modulo x^degree = -polynomial.
std::uint32_t GaloisField::times_x(std::uint32_t a, std::uint32_t polynomial) const {
  const std::uint32_t top = a / (q_ / prime_);
  std::uint32_t result = a % (q_ / prime_) * prime_;
  for (std::uint32_t n = 0; n < top; ++n) result = subtract(result, polynomial);
  return result;
}

std::uint32_t GaloisField::multiply_by(std::uint32_t a, std::uint32_t b, std::uint32_t polynomial) const {
  std::uint32_t sum = 0;
  for (; b != 0; b /= prime_) {
    for (std::uint32_t n = 0; n < b % prime_; ++n) sum = add(sum, a);
    a = degree_ == 1 ? 0 : times_x(a, polynomial);
  }
  return sum;
}

/// Whether the powers of `generator` are all elements but 0: then the polynomial makes a field, too, since
/// every element has an inverse.
bool GaloisField::use(std::uint32_t polynomial, std::uint32_t generator) {
  powers_.assign(1, 1);
  log_.assign(q_, 0);
  for (std::uint32_t exponent = 1; exponent < q_ - 1; ++exponent) {
    const std::uint32_t next =
        degree_ == 1 ? static_cast<std::uint32_t>(std::uint64_t{powers_.back()} * generator % prime_)
                     : multiply_by(powers_.back(), generator, polynomial);
    if (next == 0 || next == 1) return false;
    powers_.push_back(next);
    log_[next] = exponent;
  }
  std::vector<std::uint32_t> sorted = powers_;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

bool GaloisField::find_generator() {
  if (q_ == 2) return use(0, 1);
  for (std::uint32_t polynomial = degree_ == 1 ? 0 : 1; polynomial < q_; ++polynomial) {
    for (std::uint32_t generator = 2; generator < q_; ++generator) {
      if (use(polynomial, generator)) return true;
    }
    if (degree_ == 1) return false;
  }
  return false;
}

}  // namespace vef::replayer
