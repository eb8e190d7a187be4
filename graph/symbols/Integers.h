#pragma once

#include <cstdint>
#include <stdexcept>

namespace touchstone::symbols {

/// These throw std::overflow_error where the result does not fit.
inline int64_t added(int64_t left, int64_t right) {
  int64_t sum = 0;
  if (__builtin_add_overflow(left, right, &sum)) {
    throw std::overflow_error("an expression of sizes exceeds 64 bits");
  }
  return sum;
}

inline int64_t multiplied(int64_t left, int64_t right) {
  int64_t product = 0;
  if (__builtin_mul_overflow(left, right, &product)) {
    throw std::overflow_error("an expression of sizes exceeds 64 bits");
  }
  return product;
}

/// Rounded down. Throws std::domain_error for a division by zero.
inline int64_t floored(int64_t dividend, int64_t divisor) {
  if (divisor == 0) {
    throw std::domain_error("an expression of sizes is divided by zero");
  }
  if (divisor == -1) {
    return multiplied(dividend, -1);
  }
  const int64_t quotient = dividend / divisor;
  return dividend % divisor != 0 && (dividend < 0) != (divisor < 0) ? quotient - 1 : quotient;
}

/// With the sign of the divisor.
inline int64_t remaining(int64_t dividend, int64_t divisor) {
  return added(dividend, -multiplied(floored(dividend, divisor), divisor));
}

} // namespace touchstone::symbols
