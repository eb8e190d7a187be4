#pragma once

#include "program/transforms/Transforms.h"

#include <optional>
#include <string>

/// What grad, vjp and jvp do alike with what goes into a function and comes out of it.

namespace touchstone::transforms {

/// Every tensor in it, wrapped for a layer.
values::Value wrapAll(const values::Value& value, int64_t level);
values::ValueList wrapAll(values::ValueList arguments, int64_t level);
/// Every tensor in it, no longer wrapped; RuntimeError for anything else.
values::Value unwrapAll(const values::Value& value, int64_t level);
/// Makes each leaf, a wrapped tensor, require grad; ValueError for anything else.
void makeDifferentiable(const values::Value& value);

/// `(output, aux)` of a function that returned it, taken apart; RuntimeError `API: output of function f should be …` for
/// anything else.
struct WithAux {
  values::Value output;
  values::Value aux;
};
WithAux withAux(const values::Value& returned, const char* api);

/// RuntimeError unless there are leaves and all are tensors.
void checkOutputs(const values::ValueList& leaves, const char* api);

/// `torch.autograd.grad` of the outputs that require grad; zeros for what is not reached. Without `cotangents` they are ones.
values::ValueList gradientsOf(const AutogradGrad& autogradGrad, const values::ValueList& outputs,
                              const values::ValueList& inputs, const std::optional<values::ValueList>& cotangents,
                              bool retainGraph, bool createGraph);

} // namespace touchstone::transforms
