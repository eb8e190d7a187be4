#include "oracles/evidence/OperatorRounding.h"

#include "program/analysis/ExactOperators.h"
#include "program/operators/OperatorFacts.h"

#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>

namespace touchstone::evidence {

bool picksElements(std::string_view name) {
  name = operators::outOfPlaceName(name);
  return operators::factsOf(name).rounding == operators::Rounding::kPicks || name.ends_with("_copy") ||
         name.starts_with("upsample_nearest");
}

bool mayRound(std::string_view name) {
  return !analysis::isExactOperator(operators::outOfPlaceName(name)) && !picksElements(name);
}

bool isExactArithmetic(std::string_view name) {
  return operators::factsOf(name).rounding == operators::Rounding::kExactArithmetic;
}

bool isInNewMemory(const at::Tensor& result, const std::vector<at::Tensor>& operands) {
  return result.has_storage() && std::none_of(operands.begin(), operands.end(), [&](const at::Tensor& operand) {
           return operand.has_storage() && result.is_alias_of(operand);
         });
}

void overwriteUnseen(const at::Tensor& result, const at::Tensor& values) {
  const at::AutoDispatchBelowADInplaceOrView below;
  result.copy_(values);
}

} // namespace touchstone::evidence
