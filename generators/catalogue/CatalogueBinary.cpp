#include "generators/catalogue/Catalogue.h"

namespace touchstone::catalogue {

// clang-format off
std::span<const Operator> binaryOperators() {
  using enum OperandConstraint;
  constexpr auto kFamily = OperatorFamily::kBinary;
  static const std::vector<Operator> kTable = {
      {"add", kFamily, kExact, {"A + B", "torch.add(A, B)", "A.add(B)"}, {kNumeric, kBroadcast}, 2},
      {"add_scaled", kFamily, kExact | kProduct, {"torch.add(A, B, alpha=2)", "torch.sub(A, B, alpha=3)"},
       {kNumeric, kBroadcast}, 0.4},
      {"sub", kFamily, kExact, {"A - B", "torch.sub(A, B)"}, {kNumeric, kBroadcast}, 1.5},
      {"rsub", kFamily, kExact, {"torch.rsub(A, B)"}, {kNumeric, kBroadcast}, 0.2},
      {"mul", kFamily, kExact | kProduct, {"A * B", "torch.mul(A, B)", "A.mul(B)"}, {kNumeric, kBroadcast}, 2},
      {"div", kFamily, kPlain, {"A / (B.abs() + 1)", "torch.div(A, B.abs() + 1)"}, {kNumeric, kBroadcast}, 0.7},
      {"div_rounded", kFamily, kPlain | kZeroDerivative,
       {"torch.div(A, B.abs() + 1, rounding_mode='floor')", "torch.div(A, B.abs() + 1, rounding_mode='trunc')"},
       {kReal, kBroadcast}, 0.2},
      {"floor_divide_tensor", kFamily, kPlain | kZeroDerivative, {"A // (B.abs() + 1)"}, {kReal, kBroadcast}, 0.2},
      {"remainder_tensor", kFamily, kPlain, {"torch.remainder(A, B.abs() + 1)", "A % (B.abs() + 1)"},
       {kReal, kBroadcast}, 0.2},
      {"fmod", kFamily, kPlain, {"torch.fmod(A, B.abs() + 1)"}, {kReal, kBroadcast}, 0.2},
      {"pow", kFamily, kPlain, {"torch.pow(A.abs() + 1, B.tanh())"}, {kFloat, kBroadcastReal}, 0.3},
      {"pow_scalar", kFamily, kPlain, {"torch.pow(A, 3)", "A ** 2"}, {kReal}, 0.3},
      {"float_power", kFamily, kPlain, {"torch.float_power(A.abs() + 1, 0.5)"}, {kReal}, 0.1},
      {"rpow_scalar", kFamily, kPlain, {"torch.pow(2, A)", "2 ** A"}, {kFloat}, 0.15},
      {"maximum", kFamily, kExact, {"torch.maximum(A, B)"}, {kReal, kBroadcast}, 0.7},
      {"minimum", kFamily, kExact, {"torch.minimum(A, B)", "torch.min(A, B)"}, {kReal, kBroadcast}, 0.4},
      {"fmax", kFamily, kExact, {"torch.fmax(A, B)"}, {kReal, kBroadcast}, 0.2},
      {"fmin", kFamily, kExact, {"torch.fmin(A, B)"}, {kReal, kBroadcast}, 0.2},
      {"atan2", kFamily, kPlain, {"torch.atan2(A, B)"}, {kFloat, kBroadcast}, 0.2},
      {"hypot", kFamily, kPlain, {"torch.hypot(A, B)"}, {kFloat, kSameKind}, 0.2},
      {"logaddexp", kFamily, kPlain, {"torch.logaddexp(A, B)"}, {kFloat, kSameKind}, 0.2},
      {"logaddexp2", kFamily, kPlain, {"torch.logaddexp2(A, B)"}, {kFloat, kSameKind}, 0.15},
      {"xlogy", kFamily, kPlain, {"torch.xlogy(A, B.abs() + 1)"}, {kReal, kBroadcast}, 0.2},
      {"copysign", kFamily, kExact, {"torch.copysign(A, B)"}, {kFloat, kBroadcastReal}, 0.2},
      {"heaviside", kFamily, kExact, {"torch.heaviside(A.detach(), B.detach())"}, {kFloat, kSameKind}, 0.15},
      {"nextafter", kFamily, kPlain, {"torch.nextafter(A.detach(), B.detach())"}, {kFloat, kSameKind}, 0.1},
      {"complex", kFamily, kExact, {"torch.complex(A, B)"}, {kFloat, kSameKind}, 0.4},
      {"polar", kFamily, kPlain, {"torch.polar(A.abs() + 1, B)"}, {kFloat, kSameKind}, 0.15},
      {"gcd", kFamily, kExact, {"torch.gcd(A, B)", "torch.lcm(A, B)"}, {kInteger, kBroadcastInteger}, 0.2},

      {"add_scalar", kFamily, kExact, {"A + SCALAR", "SCALAR + A", "torch.add(A, SCALAR)"}, {kNumeric}},
      {"rsub_scalar", kFamily, kExact, {"SCALAR - A", "A - SCALAR"}, {kNumeric}, 0.5},
      {"mul_scalar", kFamily, kExact | kProduct, {"A * SCALAR", "SCALAR * A", "torch.mul(A, SCALAR)"}, {kNumeric}},
      {"div_scalar", kFamily, kPlain, {"A / 3", "torch.div(A, 5)"}, {kNumeric}, 0.4},
      {"floor_divide", kFamily, kExact, {"A // POSITIVE"}, {kInteger}, 0.3},
      {"remainder", kFamily, kExact, {"A % POSITIVE", "torch.remainder(A, POSITIVE)"}, {kReal}, 0.4},
      {"add_number", kFamily, kExact, {"A + B"}, {kNumeric, kNumber}, 0.7},
      {"mul_number", kFamily, kExact | kProduct, {"A * B"}, {kNumeric, kNumber}, 0.7},

      {"lt", kFamily, kExact, {"A < B", "torch.lt(A, B)"}, {kReal, kBroadcast}, 0.5},
      {"ge", kFamily, kExact, {"A >= B"}, {kReal, kBroadcast}, 0.3},
      {"gt", kFamily, kExact, {"torch.gt(A, B)", "A > B"}, {kReal, kBroadcast}, 0.2},
      {"le", kFamily, kExact, {"A <= B", "torch.less_equal(A, B)"}, {kReal, kBroadcast}, 0.2},
      {"eq", kFamily, kExact, {"A == B"}, {kNumeric, kBroadcast}, 0.3},
      {"ne", kFamily, kExact, {"A != B", "torch.not_equal(A, B)"}, {kNumeric, kBroadcast}, 0.2},
      {"gt_scalar", kFamily, kExact, {"A > SCALAR", "A <= SCALAR"}, {kReal}, 0.5},
      {"eq_scalar", kFamily, kExact, {"A == SCALAR", "A != SCALAR"}, {kNumeric}, 0.2},
      {"isclose", kFamily, kPlain, {"torch.isclose(A, B)"}, {kReal, kSameKind}, 0.15},
      {"isin", kFamily, kExact, {"torch.isin(A, B)"}, {kReal, kSameKind}, 0.15},
      {"logical_and", kFamily, kExact, {"torch.logical_and(A, B)"}, {kAny, kBroadcastAny}, 0.2},
      {"logical_or", kFamily, kExact, {"torch.logical_or(A, B)"}, {kAny, kBroadcastAny}, 0.15},
      {"logical_xor", kFamily, kExact, {"torch.logical_xor(A, B)"}, {kAny, kBroadcastAny}, 0.15},
      {"bitwise_and", kFamily, kExact, {"A & B"}, {kIntegral, kBroadcastIntegral}, 0.2},
      {"bitwise_or", kFamily, kExact, {"A | B"}, {kIntegral, kBroadcastIntegral}, 0.2},
      {"bitwise_xor", kFamily, kExact, {"A ^ B"}, {kIntegral, kBroadcastIntegral}, 0.2},
      {"bitwise_left_shift", kFamily, kExact, {"A << POSITIVE", "torch.bitwise_left_shift(A, POSITIVE)"}, {kInteger},
       0.2},
      {"bitwise_right_shift", kFamily, kExact, {"A >> POSITIVE"}, {kInteger}, 0.2},

      {"where", kFamily, kExact, {"torch.where(A > 0, A, B)", "torch.where(A < B, A, B)"}, {kReal, kBroadcast}},
      {"where_mask", kFamily, kExact, {"torch.where(B, A, 0)"}, {kReal, kMask}, 0.4},
      {"masked_fill", kFamily, kExact, {"A.masked_fill(B, SCALAR)"}, {kReal, kMask}, 0.4},
      {"clamp_tensor", kFamily, kPlain, {"torch.clamp(A, B)", "torch.clamp(A, max=B)"}, {kReal, kBroadcast}, 0.2},
      {"addcmul", kFamily, kExact | kProduct, {"torch.addcmul(A, B, C)"}, {kFloat, kSameKind, kSameKind}, 0.4},
      {"addcdiv", kFamily, kPlain, {"torch.addcdiv(A, B, C.abs() + 1)", "A.addcdiv(B, C.abs() + 1, value=0.5)"},
       {kFloat, kSameKind, kSameKind}, 0.3},
      {"lerp", kFamily, kPlain, {"torch.lerp(A, B, 0.25)"}, {kFloat, kSameKind}, 0.3},
      {"lerp_tensor", kFamily, kPlain, {"torch.lerp(A, B, C)"}, {kFloat, kSameKind, kSameKind}, 0.2},
      {"dist", kFamily, kPlain, {"torch.dist(A, B)"}, {kFloat, kSameKind}, 0.15},
  };
  return kTable;
}
// clang-format on

} // namespace touchstone::catalogue
