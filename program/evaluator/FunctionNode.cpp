#include "program/evaluator/FunctionNode.h"

#include "graph/ir/Unsupported.h"
#include "program/values/RaiseError.h"

#include <algorithm>

namespace touchstone::evaluator {

using torch::autograd::variable_list;

variable_list FunctionNode::apply(variable_list&& gradients) {
  if (isPassedBy(gradients)) {
    return variable_list(num_outputs());
  }
  at::OptionalDeviceGuard device;
  values::ValueList given;
  for (size_t i = 0; i < gradients.size(); ++i) {
    at::Tensor gradient = std::move(gradients[i]);
    if (!gradient.defined() && context.materializesGrads) {
      gradient = outputs.at(i).zeros(device);
    }
    given.push_back(gradient.defined() ? values::Value(std::move(gradient)) : values::Value());
  }
  Evaluator evaluator(program_);
  const values::Value returned = evaluator.backward(function_, std::move(given), context);
  const bool isTuple = returned.is<values::TuplePtr>();
  values::ValueList results = isTuple ? *returned.items() : values::ValueList{returned};
  const auto extra = results.begin() + static_cast<std::ptrdiff_t>(std::min(results.size(), isTensor.size()));
  if (std::all_of(extra, results.end(), [](const values::Value& each) { return each.isNone(); })) {
    results.erase(extra, results.end());
  }
  if (results.size() != isTensor.size()) {
    values::raiseError("RuntimeError", "function {} returned an incorrect number of gradients (expected {}, got {})",
                       name(), isTensor.size(), results.size());
  }
  variable_list wanted;
  for (size_t i = 0; i < results.size(); ++i) {
    const values::Value& result = results[i];
    if (!isTensor[i]) {
      if (!result.isNone()) {
        values::raiseError("RuntimeError",
                           "function {} returned a gradient different than None at position {}, but the corresponding "
                           "forward input was not a Variable",
                           name(), i + 1);
      }
    } else if (result.isNone() || result.isTensor()) {
      wanted.push_back(result.isNone() ? at::Tensor() : result.tensor());
    } else {
      values::raiseError("RuntimeError", "expected Variable or None (got {})", result.typeName());
    }
  }
  return wanted;
}

void FunctionNode::release_variables() {
  context.saved.clear();
  context.isFreed = true;
}

void FunctionNode::release_resources() {
  Node::release_resources();
  context = FunctionContext{.node = this};
}

void FunctionNode::compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const {
  args.collect(name());
}

variable_list FunctionNode::apply_with_saved(const variable_list&, torch::dynamo::autograd::SwapSavedVariables&) {
  throw ir::Unsupported("the custom function " + name() + " is not traceable");
}

} // namespace touchstone::evaluator
