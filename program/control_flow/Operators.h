#pragma once

#include "program/control_flow/Region.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace touchstone::control_flow {

/// The operator of libtorch's dispatcher that runs such regions: `cond`, `cond_backward` and so on, in a namespace that says that
/// a Case's functions run in it (`graph/ir/CaseOperators.h`). Registered when it is first asked for.
c10::OperatorHandle operatorOf(const Region& region);
/// Wherever it runs, it does so with autocast as it is now, and so does its backward.
torch::jit::Stack stackOf(const std::shared_ptr<const Region>& region, const TensorList& arguments);
TensorList resultsOf(const torch::jit::Stack& stack);

/// Calls it here and now, as a backward does that a region has made.
TensorList call(const std::shared_ptr<const Region>& region, const TensorList& arguments);

} // namespace touchstone::control_flow
