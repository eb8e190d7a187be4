#pragma once

#include "program/language/Case.h"

#include <string_view>

namespace touchstone::analysis {

/// True when the Python name (`torch.mm`, `x.mm`: `mm`) computes without rounding on small exact values, forward and
/// backward, in whatever order, or is no operator (`len`): for the generator's exact mode and for rule A7.
bool isExactOperator(std::string_view name);

/// True when every operator that the Case's functions use is exact, and every call's inputs are of kind `grid`, `zeros`
/// or `ones` without autocast. Reads the text only; runs nothing.
bool usesExactOperatorsOnly(const language::Case& theCase);

} // namespace touchstone::analysis
