#include "generators/CallTrial.h"

#include "generators/AutogradCycles.h"
#include "graph/program/Evaluator.h"
#include "graph/program/StatementEditing.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <optional>

namespace touchstone::generators {

namespace {

using graph::CallSpec;
using graph::GradMode;
using graph::Value;

std::vector<at::Tensor> leavesOf(const graph::InputSet& inputs) {
  std::vector<at::Tensor> leaves;
  for (const graph::ValueList* list : {&inputs.arguments, &inputs.watched}) {
    for (const Value& value : *list) {
      if (value.isTensor() && value.tensor().requires_grad() && value.tensor().is_leaf()) {
        leaves.push_back(value.tensor());
      }
    }
  }
  return leaves;
}

/// Throws what eager throws; false: a root is not there or has no graph.
bool runBackward(const CallSpec& call, const graph::InputSet& inputs, const Value& result) {
  std::vector<at::Tensor> outputs, roots, tangents;
  graph::collectTensors(result, outputs);
  for (const graph::BackwardRoot& root : *call.backward) {
    const auto index = static_cast<size_t>(root.index);
    const bool isThere = root.isArgument ? index < inputs.arguments.size() && inputs.arguments[index].isTensor()
                                         : index < outputs.size();
    if (!isThere) {
      return false;
    }
    roots.push_back(root.isArgument ? inputs.arguments[index].tensor() : outputs[index]);
    if (!roots.back().requires_grad()) {
      return false;
    }
    tangents.push_back(at::ones_like(roots.back().detach()));
  }
  const std::vector<at::Tensor> leaves = leavesOf(inputs);
  if (roots.empty() || leaves.empty()) {
    return false;
  }
  torch::autograd::grad(roots, leaves, tangents, /*retain_graph=*/false, call.createGraph, /*allow_unused=*/true);
  return true;
}

} // namespace

GradModeScope::GradModeScope(GradMode mode) : grad_(mode == GradMode::kEnable) {
  if (mode == GradMode::kInference) {
    inference_.emplace();
  }
}

bool isWrittenView(const at::Tensor& tensor) {
  return tensor.is_view() && (tensor.is_inference() || tensor._version() > 0);
}

namespace {

bool registersHooks(const graph::Case& theCase) {
  bool found = false;
  for (const graph::Function& function : theCase.functions) {
    graph::rewriteExpressions(function, [&](const graph::ExprPtr& each) {
      found = found || (each->kind == graph::ExprKind::kAttribute && each->text == "register_hook");
      return graph::ExprPtr();
    });
  }
  return found;
}

} // namespace

std::vector<CallSpec> callsPythonSurvives(const graph::Case& theCase) {
  if (!registersHooks(theCase)) {
    return theCase.calls;
  }
  std::vector<CallSpec> surviving;
  AutogradCycles cycles; // outlives the values
  graph::EvaluatorOptions watched;
  watched.onOperation = cycles.hook();
  bool endsPython = false;
  watched.onCallable = [&](const graph::CallableCall& call) {
    endsPython = endsPython || (call.isHook && isWrittenView(call.arguments.at(0).tensor()));
    return call.run(call.arguments);
  };
  graph::Evaluator evaluator(theCase, watched);
  std::optional<graph::InputSet> inputs;
  for (const CallSpec& call : theCase.calls) {
    if (call.inputs) {
      endsPython = false; // else the objects are those of the call before
    }
    try {
      if (call.inputs) {
        inputs.reset();
        inputs = evaluator.makeInputs(*call.inputs, call.seed, call.kind);
      }
      const GradModeScope mode(call.gradMode);
      evaluator.call("program", inputs.value().arguments);
    } catch (const std::exception&) { // both sides may raise
    }
    if (!endsPython) {
      surviving.push_back(call);
    }
  }
  return surviving;
}

std::vector<CallSpec> callsThatRun(const graph::Case& theCase) {
  std::vector<CallSpec> running;
  AutogradCycles cycles; // outlives the values
  graph::EvaluatorOptions watched;
  watched.onOperation = cycles.hook();
  graph::Evaluator evaluator(theCase, watched);
  std::optional<graph::InputSet> inputs;
  for (const CallSpec& call : theCase.calls) {
    try {
      if (call.inputs) {
        inputs.reset();
        inputs = evaluator.makeInputs(*call.inputs, call.seed, call.kind);
      }
      if (!inputs) {
        continue;
      }
      const GradModeScope mode(call.gradMode);
      const Value result = evaluator.call("program", inputs->arguments);
      if (!call.backward || runBackward(call, *inputs, result)) {
        running.push_back(call);
      }
    } catch (const std::exception&) {
      inputs.reset(); // what is left of the objects is not what the next call was made for
    }
  }
  return running;
}

} // namespace touchstone::generators
