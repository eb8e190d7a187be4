#include "generators/Catalogue.h"

namespace touchstone::generators {

std::span<const Operator> elementwiseOperators() {
  using enum Fit;
  constexpr auto kUnary = OperatorFamily::kUnary;
  constexpr auto kBinary = OperatorFamily::kBinary;
  static const std::vector<Operator> kTable = {
      {"sin", kUnary, kPlain, {"torch.sin(A)", "A.sin()"}, {kInexact}},
      {"cos", kUnary, kPlain, {"A.cos()", "torch.cos(A)"}, {kInexact}, 0, 8, 0.6},
      {"exp", kUnary, kPlain, {"torch.exp(A)", "A.exp()"}, {kInexact}, 0, 8, 0.5},
      {"tanh", kUnary, kPlain, {"torch.tanh(A)", "A.tanh()"}, {kInexact}, 0, 8, 0.7},
      {"sigmoid", kUnary, kPlain, {"torch.sigmoid(A)", "A.sigmoid()"}, {kFloat}, 0, 8, 0.7},
      {"sqrt", kUnary, kPlain, {"(A.abs() + 1).sqrt()"}, {kFloat}, 0, 8, 0.4},
      {"log", kUnary, kPlain, {"torch.log(A.abs() + 1)"}, {kFloat}, 0, 8, 0.4},
      {"erf", kUnary, kPlain, {"torch.erf(A)"}, {kFloat}, 0, 8, 0.3},
      {"gelu", kUnary, kPlain, {"torch.nn.functional.gelu(A)"}, {kFloat}, 0, 8, 0.4},
      {"silu", kUnary, kPlain, {"torch.nn.functional.silu(A)"}, {kFloat}, 0, 8, 0.4},
      {"softplus", kUnary, kPlain, {"torch.nn.functional.softplus(A)"}, {kFloat}, 0, 8, 0.3},
      {"neg", kUnary, kExact, {"-A", "torch.neg(A)", "A.neg()"}, {kNumeric}},
      {"abs", kUnary, kExact, {"A.abs()", "torch.abs(A)"}, {kReal}, 0, 8, 0.7},
      {"relu", kUnary, kExact, {"torch.relu(A)", "A.relu()", "torch.nn.functional.relu(A)"}, {kReal}},
      {"square", kUnary, kExact | kProduct, {"A.square()", "A * A", "A ** 2"}, {kNumeric}, 0, 8, 0.5},
      {"floor", kUnary, kExact, {"torch.floor(A)", "A.floor()"}, {kReal}, 0, 8, 0.3},
      {"round", kUnary, kExact, {"torch.round(A)"}, {kReal}, 0, 8, 0.3},
      {"sign", kUnary, kExact, {"torch.sign(A)", "A.sign()"}, {kReal}, 0, 8, 0.3},
      {"clamp", kUnary, kExact, {"torch.clamp(A, -1, 1)", "A.clamp(min=0)", "A.clamp(max=SCALAR)"}, {kReal}},
      {"leaky_relu", kUnary, kPlain, {"torch.nn.functional.leaky_relu(A, 0.125)"}, {kFloat}, 0, 8, 0.3},
      {"logical_not", kUnary, kExact, {"torch.logical_not(A)"}, {kAny}, 0, 8, 0.3},
      {"bitwise_not", kUnary, kExact, {"~A"}, {kIntegral}, 0, 8, 0.4},
      {"conj", kUnary, kExact | kViews, {"A.conj()"}, {kAny}, 0, 8, 0.2},
      {"real", kUnary, kExact | kViews, {"torch.real(A)"}, {kInexact}, 0, 8, 0.15},

      {"add", kBinary, kExact, {"A + B", "torch.add(A, B)", "A.add(B)"}, {kNumeric, kBroadcast}, 0, 8, 2},
      {"add_scaled",
       kBinary,
       kExact | kProduct,
       {"torch.add(A, B, alpha=2)", "torch.sub(A, B, alpha=3)"},
       {kNumeric, kBroadcast},
       0,
       8,
       0.4},
      {"sub", kBinary, kExact, {"A - B", "torch.sub(A, B)"}, {kNumeric, kBroadcast}, 0, 8, 1.5},
      {"mul", kBinary, kExact | kProduct, {"A * B", "torch.mul(A, B)", "A.mul(B)"}, {kNumeric, kBroadcast}, 0, 8, 2},
      {"div", kBinary, kPlain, {"A / (B.abs() + 1)", "torch.div(A, B.abs() + 1)"}, {kNumeric, kBroadcast}, 0, 8, 0.7},
      {"maximum", kBinary, kExact, {"torch.maximum(A, B)"}, {kReal, kBroadcast}, 0, 8, 0.7},
      {"minimum", kBinary, kExact, {"torch.minimum(A, B)"}, {kReal, kBroadcast}, 0, 8, 0.4},
      {"atan2", kBinary, kPlain, {"torch.atan2(A, B)"}, {kFloat, kBroadcast}, 0, 8, 0.2},
      {"add_scalar", kBinary, kExact, {"A + SCALAR", "SCALAR + A", "torch.add(A, SCALAR)"}, {kNumeric}},
      {"rsub_scalar", kBinary, kExact, {"SCALAR - A", "A - SCALAR"}, {kNumeric}, 0, 8, 0.5},
      {"mul_scalar", kBinary, kExact | kProduct, {"A * SCALAR", "SCALAR * A", "torch.mul(A, SCALAR)"}, {kNumeric}},
      {"div_scalar", kBinary, kPlain, {"A / 3", "torch.div(A, 5)"}, {kNumeric}, 0, 8, 0.4},
      {"floor_divide", kBinary, kExact, {"A // POSITIVE"}, {kInteger}, 0, 8, 0.3},
      {"remainder", kBinary, kExact, {"A % POSITIVE", "torch.remainder(A, POSITIVE)"}, {kReal}, 0, 8, 0.4},
      {"add_number", kBinary, kExact, {"A + B"}, {kNumeric, kNumber}, 0, 8, 0.7},
      {"mul_number", kBinary, kExact | kProduct, {"A * B"}, {kNumeric, kNumber}, 0, 8, 0.7},
      {"lt", kBinary, kExact, {"A < B", "torch.lt(A, B)"}, {kReal, kBroadcast}, 0, 8, 0.5},
      {"ge", kBinary, kExact, {"A >= B"}, {kReal, kBroadcast}, 0, 8, 0.3},
      {"eq", kBinary, kExact, {"A == B"}, {kNumeric, kBroadcast}, 0, 8, 0.3},
      {"gt_scalar", kBinary, kExact, {"A > SCALAR", "A <= SCALAR"}, {kReal}, 0, 8, 0.5},
      {"bitwise_and", kBinary, kExact, {"A & B", "A | B", "A ^ B"}, {kIntegral, kBroadcastIntegral}, 0, 8, 0.4},
      {"where", kBinary, kExact, {"torch.where(A > 0, A, B)", "torch.where(A < B, A, B)"}, {kReal, kBroadcast}},
      {"where_mask", kBinary, kExact, {"torch.where(B, A, 0)", "A.masked_fill(B, SCALAR)"}, {kReal, kMask}, 0, 8, 0.6},
      {"addcmul", kBinary, kExact | kProduct, {"torch.addcmul(A, B, C)"}, {kFloat, kSameKind, kSameKind}, 0, 8, 0.4},
      {"lerp", kBinary, kPlain, {"torch.lerp(A, B, 0.25)"}, {kFloat, kSameKind}, 0, 8, 0.3},
  };
  return kTable;
}

} // namespace touchstone::generators
