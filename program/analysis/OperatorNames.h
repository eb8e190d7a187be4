#pragma once

#include "program/language/Ast.h"

#include <string>
#include <string_view>
#include <vector>

namespace touchstone::analysis {

/// The last part of what is called, without the overload: `torch.ops.aten.mm.default`, `torch.mm` and `x.mm` are `mm`.
std::string calleeName(const language::Expr& callee);

/// In a mask: any operator that computes each element from those at its place.
inline constexpr std::string_view kElementwise = "elementwise";
bool isElementwise(const std::string& name);
/// Those with one operand, beside numbers: `sin`, `clamp`.
const std::vector<std::string>& elementwiseOfOne();

} // namespace touchstone::analysis
