#include "program/semantics/Numbers.h"

#include "program/torch_names/NameResolver.h"
#include "program/values/RaiseError.h"

#include <cmath>
#include <limits>

// Arithmetic on Python's numbers, after `Objects/longobject.c`, `floatobject.c` and `complexobject.c` of CPython 3.11.
// Whole numbers are 64 bits wide here: a result beyond that is an OverflowError that names the operation.

namespace touchstone::semantics {
namespace {

using Complex = std::complex<double>;

values::Value complexValue(Complex value) {
  return values::Value(value);
}

bool isWhole(const values::Value& value) {
  return value.is<int64_t>() || value.is<bool>();
}

int64_t wholeOf(const values::Value& value) {
  const auto* flag = value.maybe<bool>();
  return flag ? *flag : value.as<int64_t>();
}

double realOf(const values::Value& value) {
  const auto* number = value.maybe<double>();
  return number ? *number : static_cast<double>(wholeOf(value));
}

[[noreturn]] void raiseZeroDivision(const char* message) {
  values::raiseError("ZeroDivisionError", message);
}

[[noreturn]] values::Value raiseTooWide(const std::string& op, int64_t left, int64_t right) {
  values::raiseError("OverflowError", "{} {} {} is beyond the 64 bits that a case's whole numbers have.", left, op,
                     right);
}

int64_t floorDivide(int64_t left, int64_t right) {
  if (right == -1 && left == std::numeric_limits<int64_t>::min()) {
    raiseTooWide("//", left, right);
  }
  const int64_t quotient = left / right;
  return quotient - ((left % right != 0) && ((left < 0) != (right < 0)) ? 1 : 0);
}

values::Value wholePower(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) {
      raiseZeroDivision("0.0 cannot be raised to a negative power");
    }
    return floatValue(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  int64_t result = 1;
  int64_t factor = base;
  for (int64_t left = exponent; left > 0;) {
    if ((left & 1) != 0 && __builtin_mul_overflow(result, factor, &result)) {
      raiseTooWide("**", base, exponent);
    }
    left >>= 1;
    if (left > 0 && __builtin_mul_overflow(factor, factor, &factor)) {
      raiseTooWide("**", base, exponent);
    }
  }
  return intValue(result);
}

values::Value wholeBinary(const std::string& op, const values::Value& leftValue, const values::Value& rightValue) {
  const int64_t left = wholeOf(leftValue);
  const int64_t right = wholeOf(rightValue);
  int64_t result = 0;
  const auto unless = [&](bool overflows) { return overflows ? raiseTooWide(op, left, right) : intValue(result); };
  if (op == "+") {
    return unless(__builtin_add_overflow(left, right, &result));
  }
  if (op == "-") {
    return unless(__builtin_sub_overflow(left, right, &result));
  }
  if (op == "*") {
    return unless(__builtin_mul_overflow(left, right, &result));
  }
  if (op == "/") {
    if (right == 0) {
      raiseZeroDivision("division by zero");
    }
    // Wide enough to round once where it matters: both operands are exact in a long double.
    return floatValue(static_cast<double>(static_cast<long double>(left) / static_cast<long double>(right)));
  }
  if (op == "//" || op == "%") {
    if (right == 0) {
      raiseZeroDivision(op == "//" ? "integer division or modulo by zero" : "integer modulo by zero");
    }
    if (op == "//") {
      return intValue(floorDivide(left, right));
    }
    return intValue(right == -1 ? 0 : left - floorDivide(left, right) * right);
  }
  if (op == "**") {
    return wholePower(left, right);
  }
  if (op == "<<" || op == ">>") {
    if (right < 0) {
      values::raiseError("ValueError", "negative shift count");
    }
    if (op == ">>") {
      return intValue(right >= 63 ? (left < 0 ? -1 : 0) : left >> right);
    }
    if (left != 0 && (right >= 63 || ((left << right) >> right) != left)) {
      raiseTooWide(op, left, right);
    }
    return intValue(left == 0 ? 0 : left << right);
  }
  result = op == "&" ? left & right : op == "|" ? left | right : left ^ right;
  if (op != "&" && op != "|" && op != "^") {
    torch_names::raiseUnsupported(op, leftValue, rightValue);
  }
  if (leftValue.is<bool>() && rightValue.is<bool>()) {
    return values::Value(result != 0);
  }
  return intValue(result);
}

struct QuotientRemainder {
  double quotient, remainder;
};

QuotientRemainder divideFloor(double left, double right) {
  double remainder = std::fmod(left, right);
  double quotient = (left - remainder) / right;
  if (remainder != 0) {
    if ((right < 0) != (remainder < 0)) {
      remainder += right;
      quotient -= 1;
    }
  } else {
    remainder = std::copysign(0.0, right);
  }
  if (quotient == 0) {
    return {std::copysign(0.0, left / right), remainder};
  }
  const double floored = std::floor(quotient);
  return {quotient - floored > 0.5 ? floored + 1 : floored, remainder};
}

Complex multiplyComplex(Complex left, Complex right) {
  return {left.real() * right.real() - left.imag() * right.imag(),
          left.real() * right.imag() + left.imag() * right.real()};
}

Complex divideComplex(Complex left, Complex right) {
  const double absoluteReal = std::fabs(right.real());
  const double absoluteImaginary = std::fabs(right.imag());
  if (absoluteReal >= absoluteImaginary) {
    if (absoluteReal == 0) {
      raiseZeroDivision("complex division by zero");
    }
    const double ratio = right.imag() / right.real();
    const double denominator = right.real() + right.imag() * ratio;
    return {(left.real() + left.imag() * ratio) / denominator, (left.imag() - left.real() * ratio) / denominator};
  }
  if (absoluteImaginary >= absoluteReal) {
    const double ratio = right.real() / right.imag();
    const double denominator = right.real() * ratio + right.imag();
    return {(left.real() * ratio + left.imag()) / denominator, (left.imag() * ratio - left.real()) / denominator};
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {nan, nan};
}

// Small whole exponents are repeated products: more exact than the polar form.
Complex wholeComplexPower(Complex base, int64_t exponent) {
  Complex result(1, 0);
  Complex factor = base;
  for (int64_t left = exponent < 0 ? -exponent : exponent; left > 0; left >>= 1) {
    if ((left & 1) != 0) {
      result = multiplyComplex(result, factor);
    }
    factor = multiplyComplex(factor, factor);
  }
  return exponent < 0 ? divideComplex({1, 0}, result) : result;
}

Complex complexPower(Complex base, Complex exponent) {
  if (exponent == Complex(0, 0)) {
    return {1, 0};
  }
  if (base == Complex(0, 0)) {
    if (exponent.imag() != 0 || exponent.real() < 0) {
      raiseZeroDivision("0.0 to a negative or complex power");
    }
    return {0, 0};
  }
  const double magnitude = std::hypot(base.real(), base.imag());
  const double angle = std::atan2(base.imag(), base.real());
  double length = std::pow(magnitude, exponent.real());
  double phase = angle * exponent.real();
  if (exponent.imag() != 0) {
    length *= std::exp(-angle * exponent.imag());
    phase += exponent.imag() * std::log(magnitude);
  }
  return {length * std::cos(phase), length * std::sin(phase)};
}

values::Value realPower(double base, double exponent) {
  if (base == 0 && exponent < 0) {
    raiseZeroDivision("0.0 cannot be raised to a negative power");
  }
  if (base < 0 && std::isfinite(base) && std::isfinite(exponent) && exponent != std::floor(exponent)) {
    return complexValue(complexPower({base, 0}, {exponent, 0}));
  }
  const double result = std::pow(base, exponent);
  if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent)) {
    values::raiseError("OverflowError", "(34, 'Numerical result out of range')");
  }
  return floatValue(result);
}

values::Value realBinary(const std::string& op, const values::Value& leftValue, const values::Value& rightValue) {
  const double left = realOf(leftValue);
  const double right = realOf(rightValue);
  if (op == "+") {
    return floatValue(left + right);
  }
  if (op == "-") {
    return floatValue(left - right);
  }
  if (op == "*") {
    return floatValue(left * right);
  }
  if (op == "**") {
    return realPower(left, right);
  }
  if (op == "/" || op == "//" || op == "%") {
    if (right == 0) {
      raiseZeroDivision(op == "/"    ? "float division by zero"
                        : op == "//" ? "float floor division by zero"
                                     : "float modulo");
    }
    if (op == "/") {
      return floatValue(left / right);
    }
    const QuotientRemainder both = divideFloor(left, right);
    return floatValue(op == "//" ? both.quotient : both.remainder);
  }
  torch_names::raiseUnsupported(op, leftValue, rightValue);
}

values::Value complexBinary(const std::string& op, const values::Value& leftValue, const values::Value& rightValue) {
  const Complex left = complexOf(leftValue);
  const Complex right = complexOf(rightValue);
  if (op == "+") {
    return complexValue({left.real() + right.real(), left.imag() + right.imag()});
  }
  if (op == "-") {
    return complexValue({left.real() - right.real(), left.imag() - right.imag()});
  }
  if (op == "*") {
    return complexValue(multiplyComplex(left, right));
  }
  if (op == "/") {
    return complexValue(divideComplex(left, right));
  }
  if (op == "**") {
    const bool isSmall =
        right.imag() == 0 && right.real() == std::floor(right.real()) && std::fabs(right.real()) <= 100;
    return complexValue(isSmall ? wholeComplexPower(left, static_cast<int64_t>(right.real()))
                                : complexPower(left, right));
  }
  torch_names::raiseUnsupported(op, leftValue, rightValue);
}

} // namespace

std::complex<double> complexOf(const values::Value& number) {
  const auto* value = number.maybe<Complex>();
  return value ? *value : Complex(realOf(number), 0);
}

values::Value numberBinary(const std::string& op, const values::Value& left, const values::Value& right) {
  if (left.is<Complex>() || right.is<Complex>()) {
    return complexBinary(op, left, right);
  }
  if (isWhole(left) && isWhole(right)) {
    return wholeBinary(op, left, right);
  }
  return realBinary(op, left, right);
}

values::Value numberUnary(const std::string& op, const values::Value& operand) {
  if (op == "~" && isWhole(operand)) {
    return intValue(~wholeOf(operand));
  }
  if (operand.isNumber() && (op == "-" || op == "+")) {
    const bool negate = op == "-";
    if (const auto* value = operand.maybe<Complex>()) {
      return complexValue(negate ? Complex(-value->real(), -value->imag()) : *value);
    }
    if (const auto* value = operand.maybe<double>()) {
      return floatValue(negate ? -*value : *value);
    }
    const int64_t value = wholeOf(operand);
    if (negate && value == std::numeric_limits<int64_t>::min()) {
      raiseTooWide("-", 0, value);
    }
    return intValue(negate ? -value : value);
  }
  values::raiseError("TypeError", "bad operand type for unary {}: '{}'", op, operand.typeName());
}

int compareNumbers(const values::Value& left, const values::Value& right) {
  // A long double holds every 64-bit whole number and every double exactly.
  const long double a = left.is<double>() ? left.as<double>() : static_cast<long double>(wholeOf(left));
  const long double b = right.is<double>() ? right.as<double>() : static_cast<long double>(wholeOf(right));
  return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}

bool equalNumbers(const values::Value& left, const values::Value& right) {
  if (left.is<Complex>() || right.is<Complex>()) {
    return complexOf(left) == complexOf(right);
  }
  return compareNumbers(left, right) == 0;
}

} // namespace touchstone::semantics
