#include "program/evaluator/ModuleHooks.h"

#include "program/evaluator/ModuleBackwardHooks.h"

#include <array>
#include <utility>

// After `torch/nn/modules/module.py`.

namespace touchstone::evaluator {

namespace {

using Kind = values::ModuleHook::Kind;

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
