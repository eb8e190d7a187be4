#include "generators/decoder/CallTrial.h"

#include "generators/features/AutogradCycles.h"
#include "program/evaluator/Evaluator.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace touchstone::decoder {

namespace {

using language::CallSpec;
using language::GradMode;
using values::Value;

std::vector<at::Tensor> leavesOf(const evaluator::InputSet& inputs) {
  std::vector<at::Tensor> leaves;
  for (const values::ValueList* list : {&inputs.arguments, &inputs.watched}) {
    for (const Value& value : *list) {
      if (value.isTensor() && value.tensor().requires_grad() && value.tensor().is_leaf()) {
        leaves.push_back(value.tensor());
      }
    }
  }
  return leaves;
}

/// Throws what eager throws; false: a root is not there or has no graph.
bool runBackward(const CallSpec& call, const evaluator::InputSet& inputs, const Value& result) {
  std::vector<at::Tensor> outputs, roots, tangents;
  values::collectTensors(result, outputs);
  for (const language::BackwardRoot& root : *call.backward) {
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

/// Eager, with the objects of the call before at hand.
class CallTrial {
 public:
  explicit CallTrial(const language::Case& theCase, evaluator::EvaluatorOptions options = {})
      : evaluator_(theCase, watched(std::move(options))) {}

  /// New ones, or those of the call before; null: it had none. Throws what eager throws.
  evaluator::InputSet* inputsFor(const CallSpec& call) {
    if (call.inputs) {
      inputs_.reset();
      inputs_ = evaluator_.makeInputs(*call.inputs, call.seed, call.kind);
    }
    return inputs_ ? &*inputs_ : nullptr;
  }
  void forgetInputs() { inputs_.reset(); }
  Value call(evaluator::InputSet& inputs) { return evaluator_.call("program", inputs.arguments); }

 private:
  evaluator::EvaluatorOptions watched(evaluator::EvaluatorOptions options) {
    options.onOperation = cycles_.hook();
    return options;
  }

  features::AutogradCycles cycles_; // outlives the values
  evaluator::Evaluator evaluator_;
  std::optional<evaluator::InputSet> inputs_;
};

} // namespace

std::vector<CallSpec> callsPythonSurvives(const language::Case& theCase) {
  if (!theCase.mentions("register_hook")) {
    return theCase.calls;
  }
  std::vector<size_t> surviving;
  bool endsPython = false;
  evaluator::EvaluatorOptions hooks;
  hooks.onCallable = [&](const runtime::CallableCall& call) {
    endsPython = endsPython || (call.isHook && isWrittenView(call.arguments.at(0).tensor()));
    return call.run(call.arguments);
  };
  CallTrial trial(theCase, hooks);
  for (size_t position = 0; position < theCase.calls.size(); ++position) {
    const CallSpec& call = theCase.calls[position];
    endsPython = endsPython && !call.inputs; // else the objects are those of the call before
    try {
      if (evaluator::InputSet* inputs = trial.inputsFor(call)) {
        const GradModeScope mode(call.gradMode);
        trial.call(*inputs);
      }
    } catch (const std::exception&) { // both sides may raise
    }
    if (!endsPython) {
      surviving.push_back(position);
    }
  }
  return language::keptCalls(theCase.calls, surviving);
}

std::vector<CallSpec> callsThatRun(const language::Case& theCase) {
  std::vector<size_t> running;
  CallTrial trial(theCase);
  for (size_t position = 0; position < theCase.calls.size(); ++position) {
    const CallSpec& call = theCase.calls[position];
    try {
      evaluator::InputSet* inputs = trial.inputsFor(call);
      if (inputs == nullptr) {
        continue;
      }
      const GradModeScope mode(call.gradMode);
      const Value result = trial.call(*inputs);
      if (!call.backward || runBackward(call, *inputs, result)) {
        running.push_back(position);
      }
    } catch (const std::exception&) {
      trial.forgetInputs(); // what is left of the objects is not what the next call was made for
    }
  }
  return language::keptCalls(theCase.calls, running);
}

} // namespace touchstone::decoder
