#include "program/evaluator/ModuleHooks.h"

#include "graph/ir/Unsupported.h"
#include "program/evaluator/FunctionNode.h"
#include "program/evaluator/Hooks.h"
#include "program/values/RaiseError.h"

#include <ATen/DeviceGuard.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

// After `torch/nn/modules/module.py`, `torch/utils/hooks.py`, `torch/nn/modules/_functions.py` and `torch/csrc/autograd/python_hook.cpp`.

namespace touchstone::evaluator {

using torch::autograd::variable_list;

namespace {

using Kind = values::ModuleHook::Kind;

/// Hands on what it gets, and asks a hook about it.
class ModuleBoundary final : public RunsWithoutGradient {
 public:
  using Hook = std::function<variable_list(variable_list results, const variable_list& gradients)>;

  variable_list apply(variable_list&& gradients) override {
    if (isPassedBy(gradients)) {
      return variable_list(num_outputs());
    }
    at::OptionalDeviceGuard device;
    variable_list results = gradients;
    for (size_t i = 0; i < results.size(); ++i) {
      if (!results[i].defined()) {
        results[i] = outputs.at(i).zeros(device);
      }
    }
    return hook(std::move(results), gradients);
  }
  std::string name() const override { return "BackwardHookFunctionBackward"; }
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs&) const override { refuse(); }
  variable_list apply_with_saved(const variable_list&, torch::dynamo::autograd::SwapSavedVariables&) override {
    refuse();
  }

  std::vector<torch::autograd::VariableInfo> outputs;
  Hook hook;

 private:
  [[noreturn]] static void refuse() {
    throw ir::Unsupported("a hook of a module is part of a backward that is compiled");
  }
};

/// By `len` and subscripts.
values::ValueList itemsOf(const values::Value& value) {
  if (const values::ValueList* items = value.items()) {
    return *items;
  }
  if (!value.isTensor()) {
    values::raiseError("TypeError", "object of type '{}' has no len()", value.typeName());
  }
  if (value.tensor().dim() == 0) {
    values::raiseError("TypeError", "len() of a 0-d tensor");
  }
  values::ValueList rows;
  for (int64_t row = 0; row < value.tensor().size(0); ++row) {
    rows.emplace_back(value.tensor().select(0, row));
  }
  return rows;
}

values::Value orNone(const at::Tensor& tensor) {
  return tensor.defined() ? values::Value(tensor) : values::Value();
}

/// A tuple with these at the positions, None elsewhere.
values::Value packed(const std::vector<size_t>& positions, const variable_list& tensors, size_t count) {
  values::ValueList items(count);
  for (size_t i = 0; i < positions.size(); ++i) {
    items.at(positions[i]) = orNone(tensors.at(i));
  }
  return values::Value::tuple(std::move(items));
}

/// What a hook made of results, checked as autograd checks it.
variable_list replaced(const variable_list& results, const std::vector<size_t>& positions, const values::Value& by) {
  const values::ValueList items = itemsOf(by);
  variable_list made;
  for (size_t i = 0; i < results.size(); ++i) {
    const values::Value& item = items.at(positions[i]);
    if (item.isNone()) {
      made.emplace_back();
      continue;
    }
    if (!item.isTensor()) {
      values::raiseError("TypeError", "expected Variable, but hook returned '{}'", item.typeName());
    }
    torch::autograd::check_variable_result(results[i], item.tensor(), "hook");
    made.push_back(item.tensor());
  }
  return made;
}

bool isNoneOrNones(const values::Value& value) {
  return value.isNone() ||
         (value.is<values::TuplePtr>() &&
          std::all_of(value.items()->begin(), value.items()->end(), [](const auto& each) { return each.isNone(); }));
}

/// The hooks on the backward of one call of a module: arguments and results go through nodes of autograd's graph that call them,
/// as torch.utils.hooks.BackwardHook has it.
class ModuleBackwardHooks : public std::enable_shared_from_this<ModuleBackwardHooks> {
 public:
  using Call = std::function<values::Value(values::ValueList)>;
  ModuleBackwardHooks(values::Value module, std::vector<Call> hooks, std::vector<Call> preHooks)
      : module_(std::move(module)), hooks_(std::move(hooks)), preHooks_(std::move(preHooks)) {}

  /// What the forward gets.
  values::ValueList inputs(const values::ValueList& positional);
  /// What the call gives.
  values::Value result(const values::Value& returned);

 private:
  using Positions = std::optional<std::vector<size_t>>; // of the tensors; none: no gradient goes through
  using Hook = torch::autograd::variable_list (ModuleBackwardHooks::*)(torch::autograd::variable_list results,
                                                                       const torch::autograd::variable_list& gradients);
  values::ValueList through(const values::ValueList& values, Hook hook, Positions& positions);
  torch::autograd::variable_list behindInputs(torch::autograd::variable_list results,
                                              const torch::autograd::variable_list& gradients);
  torch::autograd::variable_list behindResult(torch::autograd::variable_list results,
                                              const torch::autograd::variable_list& gradients);

  const values::Value module_;
  const std::vector<Call> hooks_, preHooks_;
  values::Value gradOutputs_; // None: no gradient came through the result
  size_t inputCount_ = 0, outputCount_ = 0;
  Positions inputTensors_, outputTensors_;
};

values::ValueList ModuleBackwardHooks::through(const values::ValueList& values, Hook hook, Positions& positions) {
  std::vector<size_t> found;
  variable_list tensors;
  std::vector<std::optional<at::Tensor>> raw;
  std::unordered_set<at::TensorImpl*> nonDifferentiable;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].isTensor()) {
      continue;
    }
    const at::Tensor& tensor = values[i].tensor();
    found.push_back(i);
    tensors.push_back(tensor);
    raw.emplace_back(tensor);
    if (!tensor.requires_grad()) {
      nonDifferentiable.insert(tensor.unsafeGetTensorImpl());
    }
  }
  if (nonDifferentiable.size() == tensors.size() || !c10::GradMode::is_enabled()) {
    return values;
  }
  const auto node = c10::make_intrusive<ModuleBoundary>();
  node->set_next_edges(torch::autograd::collect_next_edges(tensors));
  node->clear_input_metadata();
  node->hook = [self = shared_from_this(), hook](variable_list results, const variable_list& gradients) {
    return ((*self).*hook)(std::move(results), gradients);
  };
  const auto outputs = torch::autograd::_wrap_outputs(tensors, nonDifferentiable, {}, raw, node->getptr(),
                                                      noForwardMode, {}, viewOfItself, /*pure_view=*/false);
  values::ValueList made = values;
  for (size_t i = 0; i < outputs.size(); ++i) {
    node->outputs.emplace_back(*outputs[i]);
    made[found[i]] = values::Value(*outputs[i]);
  }
  positions = std::move(found);
  return made;
}

values::ValueList ModuleBackwardHooks::inputs(const values::ValueList& positional) {
  inputCount_ = positional.size();
  return through(positional, &ModuleBackwardHooks::behindInputs, inputTensors_);
}

values::Value ModuleBackwardHooks::result(const values::Value& returned) {
  const bool isTuple = returned.is<values::TuplePtr>();
  const values::ValueList values = isTuple ? *returned.items() : values::ValueList{returned};
  outputCount_ = values.size();
  values::ValueList made = through(values, &ModuleBackwardHooks::behindResult, outputTensors_);
  return isTuple ? values::Value::tuple(std::move(made)) : made.front();
}

variable_list ModuleBackwardHooks::behindInputs(variable_list results, const variable_list&) {
  if (gradOutputs_.isNone()) { // the gradient did not come through the result, as that of a gradient
    return results;
  }
  values::Value gradients = packed(*inputTensors_, results, inputCount_);
  for (const Call& hook : hooks_) {
    values::Value made = hook({module_, gradients, gradOutputs_});
    if (made.isNone()) {
      continue;
    }
    const size_t count = itemsOf(made).size(), expected = itemsOf(gradients).size();
    if (count != expected) {
      values::raiseError("RuntimeError",
                         "Backward hook returned an invalid number of grad_input, got {}, but expected {}", count,
                         expected);
    }
    gradients = std::move(made);
  }
  gradOutputs_ = values::Value();
  return replaced(results, *inputTensors_, gradients);
}

variable_list ModuleBackwardHooks::behindResult(variable_list results, const variable_list& gradients) {
  gradOutputs_ = packed(*outputTensors_, gradients, outputCount_);
  for (const Call& hook : preHooks_) {
    values::Value made = hook({module_, gradOutputs_});
    if (made.isNone()) {
      continue;
    }
    const size_t count = itemsOf(made).size();
    if (count != outputCount_) {
      values::raiseError("RuntimeError",
                         "Backward pre hook returned an invalid number of grad_output, got {}, but expected {}", count,
                         outputCount_);
    }
    gradOutputs_ = std::move(made);
  }
  const values::Value handedOn = gradOutputs_;
  if (!inputTensors_) { // no argument takes a gradient: nobody else calls the hooks
    const values::Value none = values::Value::tuple(values::ValueList(inputCount_));
    for (const Call& hook : hooks_) {
      if (!isNoneOrNones(hook({module_, none, gradOutputs_}))) {
        values::raiseError("RuntimeError",
                           "Backward hook for Modules where no input requires gradient should always return None or "
                           "None for all gradients.");
      }
    }
    gradOutputs_ = values::Value();
  }
  return replaced(results, *outputTensors_, handedOn);
}

std::vector<std::function<values::Value(values::ValueList)>> laterCalls(const std::vector<std::string>& functions,
                                                                        const HookFunctions& how) {
  std::vector<std::function<values::Value(values::ValueList)>> calls;
  for (const std::string& function : functions) {
    calls.push_back(how.later(function));
  }
  return calls;
}

} // namespace

std::optional<Kind> moduleHookKind(const std::string& method) {
  static constexpr std::array<std::pair<std::string_view, Kind>, 4> kMethods = {
      {{"register_forward_pre_hook", Kind::kForwardPre},
       {"register_forward_hook", Kind::kForward},
       {"register_full_backward_pre_hook", Kind::kBackwardPre},
       {"register_full_backward_hook", Kind::kBackward}}};
  for (const auto& [name, kind] : kMethods) {
    if (method == name) {
      return kind;
    }
  }
  return std::nullopt;
}

values::Value addModuleHook(const values::ModulePtr& module, Kind kind, const std::string& function) {
  const auto hook = std::make_shared<values::ModuleHook>(values::ModuleHook{kind, function});
  module->hooks.push_back(hook);
  return values::Value(std::make_shared<values::HandleObject>(values::HandleObject{[hook] { hook->active = false; }}));
}

values::Value callWithHooks(const values::ModulePtr& module, values::ValueList positional,
                            const HookFunctions& functions,
                            const std::function<values::Value(const values::ValueList& positional)>& forward) {
  const std::vector<std::string> beforeBackward = module->hooksOf(Kind::kBackwardPre),
                                 backward = module->hooksOf(Kind::kBackward);
  const values::Value self(module);
  for (const std::string& hook : module->hooksOf(Kind::kForwardPre)) {
    const values::Value replaced = functions.now(hook, {self, values::Value::tuple(positional)});
    if (!replaced.isNone()) {
      positional = replaced.is<values::TuplePtr>() ? *replaced.items() : values::ValueList{replaced};
    }
  }
  std::shared_ptr<ModuleBackwardHooks> around;
  if (!backward.empty() || !beforeBackward.empty()) {
    around = std::make_shared<ModuleBackwardHooks>(self, laterCalls(backward, functions),
                                                   laterCalls(beforeBackward, functions));
    positional = around->inputs(positional);
  }
  values::Value result = forward(positional);
  for (const std::string& hook : module->hooksOf(Kind::kForward)) {
    values::Value replaced = functions.now(hook, {self, values::Value::tuple(positional), result});
    if (!replaced.isNone()) {
      result = std::move(replaced);
    }
  }
  return around == nullptr ? result : around->result(result);
}

} // namespace touchstone::evaluator
