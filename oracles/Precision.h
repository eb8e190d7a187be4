#pragma once

#include "graph/program/Evaluator.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace touchstone::oracles {

/// What movedByUlp() moves: finite numbers but zeros; the signs of NaNs and zeros as well; and zeros to the least number of
/// either sign.
enum class Moved { kNumbers, kSigns, kAll };

/// Moves each floating element by one unit in the last place, up or down by bits drawn from `seed`; infinities and other
/// dtypes (8-bit floats too) stay. Complex: both parts. Returns a new tensor of the same shape, dtype and device; a meta
/// tensor as it is.
at::Tensor movedByUlp(const at::Tensor& tensor, uint64_t seed, Moved what = Moved::kNumbers);

/// Whether an operator, by its name without namespace and overload, may give results that are rounded; what is in place goes
/// by the name of what is not. Arithmetic on the exact list counts as exact.
bool mayRound(std::string_view name);

/// In memory that no operand has.
bool isInNewMemory(const at::Tensor& result, const std::vector<at::Tensor>& operands);

/// Autograd may have saved this very tensor, or one over its memory: no version says that it has other values now.
void overwriteUnseen(const at::Tensor& result, const at::Tensor& values);

/// For EvaluatorOptions::onData: each tensor of a run gets a pattern of its own, the same in each run with this seed.
/// One hook serves one run.
graph::DataHook moveDataByUlp(uint64_t seed);

} // namespace touchstone::oracles
