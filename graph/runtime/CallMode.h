#pragma once

#include "graph/ir/Graph.h"
#include "graph/runtime/GraphCallable.h"
#include "program/values/Value.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace touchstone::runtime {

/// Sees each call of a Graph that an Interpreter runs, and may replace it or pass it on: the role of torch's
/// TorchFunctionMode. Everything passes a call on unless it is overridden.
class CallMode {
 public:
  virtual ~CallMode() = default;
  /// An operator, in the grad state in which it runs. `stack` holds the arguments of `op` in schema order, and after
  /// `next()` its results; a mode that does not call `next` leaves the results there itself.
  virtual void onOperator(const ir::Node& node, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                          const std::function<void()>& next);
  /// A callable; `arguments` in the order of the node's. Returns its result.
  virtual values::Value onCallable(const ir::Node& node, const CallableCall& call, const values::ValueList& arguments,
                                   const std::function<values::Value()>& next);
  /// A constant of the Graph; `next` gives a copy that the run may write to.
  virtual at::Tensor onConstant(const ir::Node& node, const at::Tensor& constant,
                                const std::function<at::Tensor()>& next);
};

/// Several modes as one: entered in this order, so that the last one sees a call first and passes it on to the one before.
class CallModeStack final : public CallMode {
 public:
  explicit CallModeStack(std::vector<std::shared_ptr<CallMode>> modes) : modes_(std::move(modes)) {}

  void onOperator(const ir::Node& node, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                  const std::function<void()>& next) override;
  values::Value onCallable(const ir::Node& node, const CallableCall& call, const values::ValueList& arguments,
                           const std::function<values::Value()>& next) override;
  at::Tensor onConstant(const ir::Node& node, const at::Tensor& constant,
                        const std::function<at::Tensor()>& next) override;

 private:
  std::vector<std::shared_ptr<CallMode>> modes_;
};

/// While it lives, every Interpreter that begins to run on this thread shows each call to `mode` first, then to those of the
/// scopes around this one from the inside out, then to the mode that its Graph was compiled with. Keeps a reference.
class CallModeScope {
 public:
  explicit CallModeScope(CallMode& mode);
  ~CallModeScope();
  CallModeScope(const CallModeScope&) = delete;
  CallModeScope& operator=(const CallModeScope&) = delete;

  /// The modes of this thread's scopes over `compiled` (null: none); null: there are no scopes.
  static std::unique_ptr<CallMode> over(CallMode* compiled);

 private:
  CallMode& mode_;
  const CallModeScope* outer_;
};

} // namespace touchstone::runtime
