#include "generators/catalogue/Catalogue.h"

namespace touchstone::catalogue {

// clang-format off
/// Custom operators, whose bodies are drawn with each Case (`generators/decoder/DrawnOperators.cpp`).
std::span<const Operator> customOperators() {
  using enum OperandConstraint;
  constexpr auto kFamily = OperatorFamily::kCustom;
  static const std::vector<Operator> kTable = {
      {"op_of_one", kFamily, kCustom, {"op_of_one(A)", "torch.ops.drawn.op_of_one(A)", "torch.ops.drawn.op_of_one.default(A)"}, {kFloat}, 160},
      {"op_of_two", kFamily, kCustom, {"op_of_two(A, B)", "op_of_two(x=A, y=B)"}, {kFloat, kSameKind}, 160},
      {"op_plain", kFamily, kCustom | kNoGradient, {"op_plain(A)"}, {kFloat}, 60},
      {"op_pair", kFamily, kCustom, {"op_pair(A)"}, {kFloat}, 100},
      {"op_of_list", kFamily, kCustom, {"op_of_list([A, B], 2)", "op_of_list((A, B), by=0.5)"}, {kFloat, kSameKind}, 100},
      {"op_into_", kFamily, kCustom | kMutates, {"op_into_(A, B)", "torch.ops.drawn.op_into_(A, B)"}, {kFloatTarget, kApart}, 240},
      {"op_step_", kFamily, kCustom | kMutates, {"op_step_(A, B)"}, {kFloatTarget, kApart}, 160},
  };
  return kTable;
}
// clang-format on

} // namespace touchstone::catalogue
