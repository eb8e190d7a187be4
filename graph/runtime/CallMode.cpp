#include "graph/runtime/CallMode.h"

namespace touchstone::graph {

namespace {

/// Hands a call to the modes from the last one to the first, then to what they surround.
template <class Result, class Enter>
Result passThrough(size_t count, const std::function<Result()>& last, const Enter& enter) {
  if (count == 0) {
    return last();
  }
  return enter(count - 1, std::function<Result()>([&, count] { return passThrough<Result>(count - 1, last, enter); }));
}

} // namespace

void CallMode::onOperator(const Node&, const c10::OperatorHandle&, torch::jit::Stack&,
                          const std::function<void()>& next) {
  next();
}

Value CallMode::onCallable(const Node&, const CallableCall&, const ValueList&, const std::function<Value()>& next) {
  return next();
}

at::Tensor CallMode::onConstant(const Node&, const at::Tensor&, const std::function<at::Tensor()>& next) {
  return next();
}

void CallMode::onResult(const Node&, const c10::IValue&) {}

void CallModeStack::onOperator(const Node& node, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                               const std::function<void()>& next) {
  passThrough<void>(modes_.size(), next, [&](size_t mode, const std::function<void()>& outside) {
    modes_[mode]->onOperator(node, op, stack, outside);
  });
}

Value CallModeStack::onCallable(const Node& node, const CallableCall& call, const ValueList& arguments,
                                const std::function<Value()>& next) {
  return passThrough<Value>(modes_.size(), next, [&](size_t mode, const std::function<Value()>& outside) {
    return modes_[mode]->onCallable(node, call, arguments, outside);
  });
}

at::Tensor CallModeStack::onConstant(const Node& node, const at::Tensor& constant,
                                     const std::function<at::Tensor()>& next) {
  return passThrough<at::Tensor>(modes_.size(), next, [&](size_t mode, const std::function<at::Tensor()>& outside) {
    return modes_[mode]->onConstant(node, constant, outside);
  });
}

void CallModeStack::onResult(const Node& node, const c10::IValue& value) {
  for (auto mode = modes_.rbegin(); mode != modes_.rend(); ++mode) {
    (*mode)->onResult(node, value);
  }
}

} // namespace touchstone::graph
