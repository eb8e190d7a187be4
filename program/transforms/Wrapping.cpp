#include "program/transforms/Wrapping.h"

#include "program/torch_names/HandWritten.h"
#include "program/transforms/Layers.h"
#include "program/transforms/Trees.h"
#include "program/values/RaiseError.h"

#include <ATen/ops/zeros_like.h>
#include <c10/core/ScalarType.h>

#include <algorithm>

namespace touchstone::transforms {

values::Value wrapAll(const values::Value& value, int64_t level) {
  return mapLeaves(value, [level](const values::Value& leaf) {
    return leaf.isTensor() ? values::Value(wrapForGrad(leaf.tensor(), level)) : leaf;
  });
}

values::ValueList wrapAll(values::ValueList arguments, int64_t level) {
  for (values::Value& argument : arguments) {
    argument = wrapAll(argument, level);
  }
  return arguments;
}

values::Value unwrapAll(const values::Value& value, int64_t level) {
  return mapLeaves(value, [level](const values::Value& leaf) {
    if (!leaf.isTensor()) {
      values::raiseError("RuntimeError", "Expected tensors, got unsupported type {}", classText(leaf));
    }
    return values::Value(unwrapForGrad(leaf.tensor(), level));
  });
}

void makeDifferentiable(const values::Value& value) {
  for (const values::Value& leaf : leavesOf(value)) {
    if (!leaf.isTensor()) {
      values::raiseError("ValueError", "Thing passed to transform API must be Tensor, got {}", classText(leaf));
    }
    const at::ScalarType dtype = leaf.tensor().scalar_type();
    if (!at::isFloatingType(dtype) && !at::isComplexType(dtype)) {
      values::raiseError("RuntimeError", "only Tensors of floating point dtype can require gradients");
    }
    leaf.tensor().set_requires_grad(true);
  }
}

WithAux withAux(const values::Value& returned, const char* api) {
  if (!returned.is<values::TuplePtr>() || returned.items()->size() != 2) {
    values::raiseError("RuntimeError", "{}: output of function f should be a tuple: (output, aux) if has_aux is True",
                       api);
  }
  return {(*returned.items())[0], (*returned.items())[1]};
}

void checkOutputs(const values::ValueList& leaves, const char* api) {
  if (leaves.empty() || (leaves.size() == 1 && leaves.front().isNone())) {
    values::raiseError("RuntimeError", "{}: Expected f to be a function that has non-empty output (got output = {})",
                       api, torch_names::shown(values::Value::list(leaves)));
  }
  for (const values::Value& leaf : leaves) {
    if (!leaf.isTensor()) {
      values::raiseError("RuntimeError", "{}: expected f(*primals) to return only tensors, got unsupported type {}",
                         api, classText(leaf));
    }
  }
}

values::ValueList gradientsOf(const AutogradGrad& autogradGrad, const values::ValueList& outputs,
                              const values::ValueList& inputs, const std::optional<values::ValueList>& cotangents,
                              bool retainGraph, bool createGraph) {
  values::ValueList reached;
  values::ValueList tangents;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].tensor().requires_grad()) {
      reached.push_back(outputs[i]);
      tangents.push_back(cotangents ? cotangents->at(i) : values::Value());
    }
  }
  values::ValueList gradients(inputs.size());
  if (!reached.empty()) {
    Keywords options = {{"grad_outputs", values::Value::tuple(std::move(tangents))},
                        {"retain_graph", torch_names::flag(retainGraph)},
                        {"create_graph", torch_names::flag(createGraph)},
                        {"allow_unused", torch_names::flag(true)}};
    const values::Value found =
        autogradGrad({values::Value::tuple(std::move(reached)), values::Value::tuple(inputs)}, options);
    gradients = *found.items();
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].isNone()) {
      gradients[i] = values::Value(at::zeros_like(inputs[i].tensor()));
    }
  }
  return gradients;
}

} // namespace touchstone::transforms
