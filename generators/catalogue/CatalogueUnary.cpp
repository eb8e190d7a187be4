#include "generators/catalogue/Catalogue.h"

namespace touchstone::catalogue {

// clang-format off
std::span<const Operator> unaryOperators() {
  using enum OperandConstraint;
  constexpr auto kFamily = OperatorFamily::kUnary;
  static const std::vector<Operator> kTable = {
      // Of any inexact type.
      {"sin", kFamily, kPlain, {"torch.sin(A)", "A.sin()"}, {kInexact}},
      {"cos", kFamily, kPlain, {"A.cos()", "torch.cos(A)"}, {kInexact}, 0.6},
      {"tan", kFamily, kPlain, {"torch.tan(A)"}, {kInexact}, 0.15},
      {"sinh", kFamily, kPlain, {"torch.sinh(A)"}, {kInexact}, 0.15},
      {"cosh", kFamily, kPlain, {"A.cosh()"}, {kInexact}, 0.15},
      {"tanh", kFamily, kPlain, {"torch.tanh(A)", "A.tanh()"}, {kInexact}, 0.7},
      {"exp", kFamily, kPlain, {"torch.exp(A)", "A.exp()"}, {kInexact}, 0.5},
      {"expm1", kFamily, kPlain, {"torch.expm1(A)"}, {kInexact}, 0.15},
      {"sigmoid", kFamily, kPlain, {"torch.sigmoid(A)", "A.sigmoid()"}, {kFloat}, 0.7},
      {"neg", kFamily, kExact, {"-A", "torch.neg(A)", "A.neg()"}, {kNumeric}},
      {"positive", kFamily, kExact, {"torch.positive(A)", "A.positive()"}, {kNumeric}, 0.2},
      {"square", kFamily, kExact | kProduct, {"A.square()", "A * A", "A ** 2"}, {kNumeric}, 0.5},
      {"sgn", kFamily, kPlain | kZeroDerivative, {"torch.sgn(A)"}, {kComplex}, 0.4},
      {"isnan", kFamily, kExact, {"torch.isnan(A)"}, {kInexact}, 0.15},
      {"isfinite", kFamily, kExact, {"torch.isfinite(A)"}, {kNumeric}, 0.15},
      {"isinf", kFamily, kExact, {"A.isinf()"}, {kNumeric}, 0.15},

      // Where the function is defined for some values only, it gets those.
      {"acos", kFamily, kPlain, {"(A.tanh() / 2).acos()"}, {kFloat}, 0.15},
      {"asin", kFamily, kPlain, {"torch.asin(A.tanh() / 2)"}, {kFloat}, 0.15},
      {"atan", kFamily, kPlain, {"torch.atan(A)"}, {kFloat}, 0.2},
      {"asinh", kFamily, kPlain, {"torch.asinh(A)"}, {kFloat}, 0.15},
      {"acosh", kFamily, kPlain, {"(A.abs() + 2).acosh()"}, {kFloat}, 0.15},
      {"atanh", kFamily, kPlain, {"torch.atanh(A.tanh() / 2)"}, {kFloat}, 0.15},
      {"sqrt", kFamily, kPlain, {"(A.abs() + 1).sqrt()"}, {kFloat}, 0.4},
      {"rsqrt", kFamily, kPlain, {"torch.rsqrt(A.abs() + 1)"}, {kFloat}, 0.3},
      {"reciprocal", kFamily, kPlain, {"torch.reciprocal(A.abs() + 1)", "1 / (A.abs() + 1)"}, {kFloat}, 0.3},
      {"log", kFamily, kPlain, {"torch.log(A.abs() + 1)"}, {kFloat}, 0.4},
      {"log2", kFamily, kPlain, {"torch.log2(A.abs() + 1)"}, {kFloat}, 0.15},
      {"log10", kFamily, kPlain, {"(A.abs() + 1).log10()"}, {kFloat}, 0.15},
      {"log1p", kFamily, kPlain, {"torch.log1p(A.abs())"}, {kFloat}, 0.2},
      {"exp2", kFamily, kPlain, {"torch.exp2(A)"}, {kFloat}, 0.15},
      {"erf", kFamily, kPlain, {"torch.erf(A)"}, {kFloat}, 0.3},
      {"erfc", kFamily, kPlain, {"torch.erfc(A)"}, {kFloat}, 0.15},
      {"erfinv", kFamily, kPlain, {"torch.erfinv(A.tanh() / 2)"}, {kFloat}, 0.15},
      {"lgamma", kFamily, kPlain, {"torch.lgamma(A.abs() + 1)"}, {kFloat}, 0.15},
      {"digamma", kFamily, kPlain, {"torch.digamma(A.abs() + 1)"}, {kFloat}, 0.15},
      {"sinc", kFamily, kPlain, {"torch.sinc(A)"}, {kFloat}, 0.15},
      {"logit", kFamily, kPlain, {"torch.logit(A.sigmoid(), eps=0.125)"}, {kFloat}, 0.15},
      {"deg2rad", kFamily, kPlain, {"torch.deg2rad(A)"}, {kFloat}, 0.1},
      {"rad2deg", kFamily, kPlain, {"torch.rad2deg(A)"}, {kFloat}, 0.1},

      // Steps: their gradients are zero or one.
      {"abs", kFamily, kExact, {"A.abs()", "torch.abs(A)"}, {kReal}, 0.7},
      {"relu", kFamily, kExact, {"torch.relu(A)", "A.relu()", "torch.nn.functional.relu(A)"}, {kReal}},
      {"floor", kFamily, kExact | kZeroDerivative, {"torch.floor(A)", "A.floor()"}, {kReal}, 0.3},
      {"ceil", kFamily, kExact | kZeroDerivative, {"torch.ceil(A)"}, {kReal}, 0.2},
      {"trunc", kFamily, kExact | kZeroDerivative, {"torch.trunc(A)", "A.fix()"}, {kReal}, 0.2},
      {"frac", kFamily, kExact, {"torch.frac(A)"}, {kFloat}, 0.2},
      {"round", kFamily, kExact | kZeroDerivative, {"torch.round(A)"}, {kReal}, 0.3},
      {"round_decimals", kFamily, kPlain | kZeroDerivative, {"torch.round(A, decimals=1)"}, {kFloat}, 0.1},
      {"sign", kFamily, kExact | kZeroDerivative, {"torch.sign(A)", "A.sign()"}, {kReal}, 0.3},
      {"signbit", kFamily, kExact, {"torch.signbit(A)"}, {kReal}, 0.15},
      {"clamp", kFamily, kExact, {"torch.clamp(A, -1, 1)", "A.clamp(min=0)", "A.clamp(max=SCALAR)"}, {kReal}},
      {"clamp_min", kFamily, kExact, {"A.clamp_min(0)", "torch.clamp_max(A, SCALAR)"}, {kReal}, 0.2},
      {"nan_to_num", kFamily, kExact, {"torch.nan_to_num(A)", "A.nan_to_num(nan=1.0)"}, {kReal}, 0.2},
      {"threshold", kFamily, kExact, {"torch.threshold(A, 0.5, 0.25)"}, {kFloat}, 0.2},
      {"logical_not", kFamily, kExact, {"torch.logical_not(A)"}, {kAny}, 0.3},
      {"bitwise_not", kFamily, kExact, {"~A", "torch.bitwise_not(A)"}, {kIntegral}, 0.4},

      // Complex numbers.
      {"conj", kFamily, kExact | kViews, {"A.conj()"}, {kAny}, 0.2},
      {"conj_physical", kFamily, kExact, {"torch.conj_physical(A)"}, {kComplex}, 0.4},
      {"resolve_conj", kFamily, kExact, {"A.conj().resolve_conj()", "A.resolve_neg()"}, {kInexact}, 0.15},
      {"real", kFamily, kExact | kViews, {"torch.real(A)", "A.real"}, {kInexact}, 0.15},
      {"imag", kFamily, kExact | kViews, {"torch.imag(A)", "A.imag"}, {kComplex}, 0.5},
      {"view_as_real", kFamily, kExact | kViews, {"torch.view_as_real(A)"}, {kComplex}, 0.5, 0, 3},
      {"view_as_complex", kFamily, kExact | kViews, {"torch.view_as_complex(torch.stack([A, A], -1))"}, {kFloat},
       0.15, 0, 3},
      {"angle", kFamily, kPlain, {"torch.angle(A)"}, {kInexact}, 0.2},
      {"complex_abs", kFamily, kPlain, {"torch.abs(A)", "A.abs()"}, {kComplex}, 0.5},
  };
  return kTable;
}
// clang-format on

} // namespace touchstone::catalogue
