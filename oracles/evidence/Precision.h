#pragma once

#include "program/evaluator/Evaluator.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace touchstone::evidence {

/// What perturbedByUlp() perturbs: finite numbers but zeros; the signs of NaNs and zeros as well; and zeros to the least number of
/// either sign.
enum class Perturbed { kNumbers, kSigns, kAll };

/// Perturbs each floating element by one unit in the last place, up or down by bits drawn from `seed`; infinities and other
/// dtypes (8-bit floats too) stay. Complex: both parts. Returns a new tensor of the same shape, dtype and device; a meta
/// tensor as it is.
at::Tensor perturbedByUlp(const at::Tensor& tensor, uint64_t seed, Perturbed what = Perturbed::kNumbers);

/// Perturbs as adding up one after the other in the tensor's own precision does, which rounds each of the partial sums: the k-th
/// element from the last by a random walk of k steps of one ulp. Otherwise as perturbedByUlp().
at::Tensor perturbedAsAddedUp(const at::Tensor& tensor, uint64_t seed);

/// For EvaluatorOptions::onData: each tensor of a run gets a pattern of its own, the same in each run with this seed.
/// One hook serves one run. `wide`: of float32 and wider dtypes alone.
evaluator::DataHook perturbDataByUlp(uint64_t seed, bool wide = false);

} // namespace touchstone::evidence
