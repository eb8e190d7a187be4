#pragma once

#include "program/values/Value.h"

#include <complex>
#include <cstdint>
#include <string>

namespace touchstone::semantics {

inline values::Value boolValue(bool value) {
  return values::Value(value);
}
inline values::Value intValue(int64_t value) {
  return values::Value(value);
}
inline values::Value floatValue(double value) {
  return values::Value(value);
}
inline values::Value textValue(std::string value) {
  return values::Value(std::move(value));
}

/// Operators of Python's numbers: `bool`, `int`, `float`, `complex`.
values::Value numberBinary(const std::string& op, const values::Value& left, const values::Value& right);
values::Value numberUnary(const std::string& op, const values::Value& operand);
/// -1, 0, 1, or 2 when unordered (NaN). Neither is complex.
int compareNumbers(const values::Value& left, const values::Value& right);
bool equalNumbers(const values::Value& left, const values::Value& right);
std::complex<double> complexOf(const values::Value& number);

} // namespace touchstone::semantics
