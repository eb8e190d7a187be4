#pragma once

#include "graph/runtime/CallMode.h"

namespace touchstone::runtime {

/// A mode that sees operators and callables in one form. Callables that register a hook or a region pass unseen: their handles are no
/// values of a stack.
class StackMode : public CallMode {
 public:
  /// `stack` holds what CallMode::onOperator() says. Of a callable it holds the arguments that the Graph gives (what is no tensor,
  /// number, string, or list or tuple of these is None), afterwards one value. `next()` calls it with what the Graph
  /// gives, whatever was put there. A value of another kind that is left as its result is a TypeError (c10::TypeError).
  virtual void onCall(const ir::Node& node, torch::jit::Stack& stack, const std::function<void()>& next) = 0;

  void onOperator(const ir::Node& node, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                  const std::function<void()>& next) final;
  values::Value onCallable(const ir::Node& node, const CallableCall& call, const values::ValueList& arguments,
                           const std::function<values::Value()>& next) final;
};

} // namespace touchstone::runtime
