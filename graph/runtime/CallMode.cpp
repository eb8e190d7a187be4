#include "graph/runtime/CallMode.h"

#include <algorithm>

namespace touchstone::runtime {

namespace {

thread_local const CallModeScope* callModesOfThread = nullptr;

std::shared_ptr<CallMode> unowned(CallMode& mode) {
  return {std::shared_ptr<void>(), &mode};
}

/// Hands a call to the modes from the last one to the first, then to what they surround.
template <class Result, class Enter>
Result passThrough(size_t count, const std::function<Result()>& last, const Enter& enter) {
  if (count == 0) {
    return last();
  }
  return enter(count - 1, std::function<Result()>([&, count] { return passThrough<Result>(count - 1, last, enter); }));
}

} // namespace

void CallMode::onOperator(const ir::Node&, const c10::OperatorHandle&, torch::jit::Stack&,
                          const std::function<void()>& next) {
  next();
}

values::Value CallMode::onCallable(const ir::Node&, const CallableCall&, const values::ValueList&,
                                   const std::function<values::Value()>& next) {
  return next();
}

at::Tensor CallMode::onConstant(const ir::Node&, const at::Tensor&, const std::function<at::Tensor()>& next) {
  return next();
}

void CallModeStack::onOperator(const ir::Node& node, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                               const std::function<void()>& next) {
  passThrough<void>(modes_.size(), next, [&](size_t mode, const std::function<void()>& outside) {
    modes_[mode]->onOperator(node, op, stack, outside);
  });
}

values::Value CallModeStack::onCallable(const ir::Node& node, const CallableCall& call,
                                        const values::ValueList& arguments,
                                        const std::function<values::Value()>& next) {
  return passThrough<values::Value>(modes_.size(), next,
                                    [&](size_t mode, const std::function<values::Value()>& outside) {
                                      return modes_[mode]->onCallable(node, call, arguments, outside);
                                    });
}

at::Tensor CallModeStack::onConstant(const ir::Node& node, const at::Tensor& constant,
                                     const std::function<at::Tensor()>& next) {
  return passThrough<at::Tensor>(modes_.size(), next, [&](size_t mode, const std::function<at::Tensor()>& outside) {
    return modes_[mode]->onConstant(node, constant, outside);
  });
}

CallModeScope::CallModeScope(CallMode& mode) : mode_(mode), outer_(callModesOfThread) {
  callModesOfThread = this;
}

CallModeScope::~CallModeScope() {
  callModesOfThread = outer_;
}

std::unique_ptr<CallMode> CallModeScope::over(CallMode* compiled) {
  std::vector<std::shared_ptr<CallMode>> modes; // from the innermost on
  for (const CallModeScope* scope = callModesOfThread; scope != nullptr; scope = scope->outer_) {
    modes.push_back(unowned(scope->mode_));
  }
  if (modes.empty()) {
    return nullptr;
  }
  if (compiled != nullptr) {
    modes.push_back(unowned(*compiled));
  }
  std::reverse(modes.begin(), modes.end());
  return std::make_unique<CallModeStack>(std::move(modes));
}

} // namespace touchstone::runtime
