#include "program/evaluator/Hooks.h"

#include "program/evaluator/CaseHooks.h"
#include "program/values/AutogradNodes.h"
#include "program/values/CompiledProgram.h"
#include "program/values/RaiseError.h"

#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <utility>

// Functions of a case file as hooks of autograd, after `torch/_tensor.py` and `torch/csrc/autograd/python_hook.cpp`.

namespace touchstone::evaluator {

using namespace std::string_view_literals; // their sizes are compared first

/// Runs functions of a Case for hooks, which may outlive the Evaluator and the Case.
struct HookRunner {
  HookRunner(const language::Case& original, const EvaluatorOptions& options)
      : theCase(original), evaluator(theCase, options) {}
  language::Case theCase;
  Evaluator evaluator;
};

namespace {

// What a hook gave back, checked against the gradient that it was given.
at::Tensor checkedGradient(const at::Tensor& gradient, const values::Value& result, const std::string& name) {
  if (result.isNone()) {
    return gradient;
  }
  if (!result.isTensor()) {
    values::raiseError("TypeError", "expected Variable, but hook returned '{}'", result.typeName());
  }
  if (!gradient.defined()) {
    values::raiseError("RuntimeError", "can't replace a None gradient with a non-None value");
  }
  torch::autograd::check_variable_result(gradient, result.tensor(), name);
  return result.tensor();
}

at::Tensor runHook(const ProgramHook& hook, const at::Tensor& gradient) {
  if (!hook.active) {
    return gradient;
  }
  return checkedGradient(gradient, hook.call(gradient.defined() ? values::Value(gradient) : values::Value()),
                         hook.name);
}

// A compiled Program's node stands for many of eager's: there a hook is not asked when no gradient comes to its tensor.
class CompiledTensorHook final : public ProgramTensorHook {
 public:
  explicit CompiledTensorHook(size_t position) : ProgramTensorHook(position), output_(position) {}

  torch::autograd::variable_list operator()(const torch::autograd::variable_list& gradients) override {
    return gradients.at(output_).defined() ? ProgramTensorHook::operator()(gradients) : gradients;
  }

 private:
  size_t output_;
};

bool isOfCompiledNode(const at::Tensor& tensor) {
  return tensor.grad_fn() && dynamic_cast<const CompiledNode*>(tensor.grad_fn().get()) != nullptr;
}

// A leaf has room for one object of hooks, which stays with it from call to call; a grad_fn takes any number.
void addTensorHook(const at::Tensor& tensor, std::shared_ptr<ProgramHook> hook) {
  if (!tensor.grad_fn()) {
    for (const auto& present : torch::autograd::impl::hooks(tensor)) {
      if (auto* hooks = dynamic_cast<ProgramTensorHook*>(present.get())) {
        return hooks->add(std::move(hook));
      }
    }
  }
  refusePartialGradient(tensor);
  const size_t position = tensor.grad_fn() ? tensor.output_nr() : 0;
  std::unique_ptr<ProgramTensorHook> hooks = isOfCompiledNode(tensor) ? std::make_unique<CompiledTensorHook>(position)
                                                                      : std::make_unique<ProgramTensorHook>(position);
  hooks->add(std::move(hook));
  if (tensor.grad_fn()) {
    tensor.grad_fn()->add_tensor_pre_hook(std::move(hooks));
  } else {
    torch::autograd::impl::add_hook(tensor, std::move(hooks));
  }
}

std::shared_ptr<ProgramHook> hookOf(const std::shared_ptr<HookRunner>& runner, const std::string& function) {
  auto hook = std::make_shared<ProgramHook>();
  hook->name = function;
  hook->call = [runner, function](const values::Value& gradient) {
    return runner->evaluator.call(function, {gradient});
  };
  return hook;
}

void checkHook(const at::Tensor& tensor, HookKind kind) {
  if (!tensor.requires_grad()) {
    values::raiseError("RuntimeError", "cannot register a hook on a tensor that doesn't require gradient");
  }
  if (kind == HookKind::kAfterAccumulation && tensor.grad_fn()) {
    values::raiseError("RuntimeError", "post accumulate grad hooks cannot be registered on non-leaf tensors");
  }
}

} // namespace

bool isHookRegistration(const std::string& method) {
  return method == "register_hook"sv || method == "register_post_accumulate_grad_hook"sv;
}

torch::autograd::variable_list ProgramTensorHook::operator()(const torch::autograd::variable_list& gradients) {
  torch::autograd::variable_list changed = gradients;
  at::Tensor& gradient = changed.at(position_);
  if (passedBy_.take(gradients)) {
    return changed;
  }
  const std::vector<std::shared_ptr<ProgramHook>> hooks = hooks_; // a hook may register another
  for (const std::shared_ptr<ProgramHook>& hook : hooks) {
    gradient = runHook(*hook, gradient);
  }
  return changed;
}

void ProgramTensorHook::compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const {
  for (const std::shared_ptr<ProgramHook>& hook : hooks_) {
    const auto run = [hook](const at::TensorBase& gradient) -> at::TensorBase {
      return runHook(*hook, at::Tensor(gradient));
    };
    args.add_cpp_single_tensor_pre_hook(run, static_cast<int>(position_));
  }
}

void ProgramAccumulateHooks::operator()(const torch::autograd::Variable& tensor) {
  for (const std::shared_ptr<ProgramHook>& hook : hooks_) {
    if (!hook->active) {
      continue;
    }
    const values::Value result = hook->call(tensor);
    if (!result.isNone()) {
      values::raiseError("RuntimeError", "Tensor post accumulate grad hooks should return None.");
    }
  }
}

std::shared_ptr<ProgramHook> hookOf(const language::Case& theCase, const std::string& function) {
  const auto runner = std::make_shared<HookRunner>(theCase, EvaluatorOptions());
  if (!runner->theCase.find(function)) {
    throw std::invalid_argument("the Case has no function `" + function + "`");
  }
  return hookOf(runner, function);
}

bool PassedBy::take(const torch::autograd::variable_list& gradients) {
  return std::exchange(task_, kNever) == torch::autograd::get_current_graph_task_id() &&
         std::ranges::none_of(gradients, [](const at::Tensor& gradient) { return gradient.defined(); });
}

void CompiledNode::leadNowhere(const torch::autograd::edge_list& edges, const torch::autograd::edge_list& others) {
  if (edges.empty()) {
    return;
  }
  const int task = torch::autograd::get_current_graph_task_id();
  const auto behind = [](const torch::autograd::edge_list& these) {
    std::vector<torch::autograd::Node*> open;
    for (const torch::autograd::Edge& edge : these) {
      open.push_back(edge.function.get());
    }
    return values::nodesBehind(std::move(open));
  };
  const auto behindOthers = behind(others);
  for (torch::autograd::Node* node : behind(edges)) {
    if (behindOthers.contains(node)) {
      continue;
    }
    if (auto* runs = dynamic_cast<RunsWithoutGradient*>(node)) {
      runs->passedBy_.markIn(task);
    }
    for (const auto& hook : node->tensor_pre_hooks()) {
      if (auto* ofProgram = dynamic_cast<ProgramTensorHook*>(hook.get())) {
        ofProgram->passedBy_.markIn(task);
      }
    }
  }
}

void refusePartialGradient(const at::Tensor& tensor) {
  const auto* node = tensor.grad_fn() ? dynamic_cast<const CompiledNode*>(tensor.grad_fn().get()) : nullptr;
  if (node && node->isPartial(tensor.output_nr())) {
    throw ir::Unsupported(
        "the gradient of a value of compiled code, to which other values of that code add, is looked at");
  }
}

bool hasHooks(const at::Tensor& tensor) {
  if (torch::autograd::impl::get_autograd_meta(tensor) == nullptr) {
    return false;
  }
  if (!torch::autograd::impl::hooks(tensor).empty()) {
    return true;
  }
  if (!tensor.requires_grad() || tensor.is_leaf()) {
    return false;
  }
  const auto& hooks = tensor.grad_fn()->tensor_pre_hooks();
  return std::any_of(hooks.begin(), hooks.end(),
                     [](const auto& hook) { return dynamic_cast<const CompiledNodeHooks*>(hook.get()) == nullptr; });
}

void registerHook(const at::Tensor& tensor, HookKind kind, std::shared_ptr<ProgramHook> hook) {
  checkHook(tensor, kind);
  if (kind == HookKind::kGradient) {
    addTensorHook(tensor, hook);
    return;
  }
  auto& present = torch::autograd::impl::post_acc_grad_hooks(tensor);
  auto* hooks = dynamic_cast<ProgramAccumulateHooks*>(present.get());
  if (!hooks) {
    auto made = std::make_unique<ProgramAccumulateHooks>();
    hooks = made.get();
    torch::autograd::impl::set_post_acc_grad_hooks(tensor, std::move(made));
  }
  hooks->add(std::move(hook));
}

namespace {

values::Value handleOf(std::shared_ptr<ProgramHook> hook) {
  return values::Value(
      std::make_shared<values::HandleObject>(values::HandleObject{[hook = std::move(hook)] { hook->active = false; }}));
}

HookKind kindOf(const std::string& method) {
  return method == "register_hook"sv ? HookKind::kGradient : HookKind::kAfterAccumulation;
}

} // namespace

runtime::CallableCall hookRegistration(const at::Tensor& tensor, HookKind kind,
                                       const std::shared_ptr<ProgramHook>& hook) {
  runtime::CallableCall call;
  call.name = kind == HookKind::kGradient ? "autograd::register_hook" : "autograd::register_post_accumulate_grad_hook";
  call.arguments = {values::Value(tensor)};
  call.isHook = true;
  call.run = [kind, hook](const values::ValueList& values) {
    auto registered = std::make_shared<ProgramHook>(*hook); // each registration can be removed by itself
    registered->active = true;
    const HookTaker* taker = HookTaker::current();
    if (taker == nullptr || !taker->take(values.at(0).tensor(), kind, registered)) {
      registerHook(values.at(0).tensor(), kind, registered);
    }
    return handleOf(std::move(registered));
  };
  return call;
}

namespace {

thread_local const HookTaker* currentTaker = nullptr;

} // namespace

HookTaker::HookTaker(Take take) : take(std::move(take)), outer_(std::exchange(currentTaker, this)) {}

HookTaker::~HookTaker() {
  currentTaker = outer_;
}

const HookTaker* HookTaker::current() {
  return currentTaker;
}

values::Value CaseHooks::add(const at::Tensor& tensor, const std::string& method, const values::FunctionPtr& function) {
  const HookKind kind = kindOf(method);
  checkHook(tensor, kind);
  watchers_.cannotCapture("a hook that is a function with variables around it");
  auto hook = std::make_shared<ProgramHook>(ProgramHook{
      function->name(), [function](const values::Value& gradient) { return function->call({gradient}, {}); }});
  registerHook(tensor, kind, hook);
  return handleOf(std::move(hook));
}

values::Value CaseHooks::add(const at::Tensor& tensor, const std::string& method, const std::string& function) {
  const HookKind kind = kindOf(method);
  checkHook(tensor, kind);
  if (watchers_.takeCallables()) { // whoever takes it may run it much later, when this evaluation is over
    return watchers_.call(hookRegistration(tensor, kind, hookOf(case_, function)));
  }
  if (!runner_ || !runner_->theCase.find(function)) {
    runner_ = std::make_shared<HookRunner>(case_, options_);
  }
  std::shared_ptr<ProgramHook> hook = hookOf(runner_, function);
  registerHook(tensor, kind, hook);
  return handleOf(std::move(hook));
}

const language::Function& CaseHooks::function(const std::string& name) const {
  const language::Function* found = case_.find(name);
  if (found == nullptr) {
    values::raiseError("NameError", "The case has no function `{}`.", name);
  }
  return *found;
}

std::function<values::Value(values::ValueList)> CaseHooks::callable(const std::string& name) {
  function(name);
  if (!runner_ || !runner_->theCase.find(name)) {
    runner_ = std::make_shared<HookRunner>(case_, watchers_.takeCallables() ? EvaluatorOptions() : options_);
  }
  return [runner = runner_, name](values::ValueList arguments) {
    return runner->evaluator.call(name, std::move(arguments));
  };
}

} // namespace touchstone::evaluator
