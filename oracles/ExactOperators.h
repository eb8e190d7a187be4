#pragma once

#include "graph/program/Case.h"

#include <string_view>

namespace touchstone::oracles {

/// True when the Python name (`torch.mm`, `x.mm`: `mm`) computes without rounding on small exact values, forward and
/// backward, in whatever order.
bool isExactOperator(std::string_view name);

/// True when every operator that the Case's functions use is exact, and every call's inputs are of kind `grid`, `zeros`
/// or `ones` without autocast. Reads the text only; runs nothing.
bool usesExactOperatorsOnly(const graph::Case& theCase);

/// In which way an operator's documentation leaves the result open (rule A15).
enum class Nondeterminism {
  kNone,
  kTiedIndices, // which index of several equal elements: integer results
  kRepeatedWrites, // which of several writes to one place, where an index is repeated
  kOneOfSeveral, // a vector up to sign or phase
};
/// By the operator's name without namespace and overload: `scatter_`.
Nondeterminism nondeterminismOf(std::string_view name);

/// True for in-place operators that change sizes and strides but no data: `t_`, `unsqueeze_`, … (rule A1).
bool changesMetadataOnly(std::string_view name);

} // namespace touchstone::oracles
