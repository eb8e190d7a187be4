#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>
#include <vector>

namespace touchstone::evidence {

/// Whether an operator, by its name without namespace and overload, may give results that are rounded also in exact mode;
/// what is in place goes by the name of what is not.
bool mayRound(std::string_view name);
/// Whether it picks or copies elements as they are.
bool picksElements(std::string_view name);

/// Whether it is arithmetic on the exact list: it rounds on other numbers than those of exact mode.
bool isExactArithmetic(std::string_view name);

/// In memory that no operand has.
bool isInNewMemory(const at::Tensor& result, const std::vector<at::Tensor>& operands);

/// Autograd may have saved this very tensor, or one over its memory: no version says that it has other values now.
void overwriteUnseen(const at::Tensor& result, const at::Tensor& values);

} // namespace touchstone::evidence
