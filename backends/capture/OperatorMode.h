#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <functional>

namespace touchstone::capture {

/// While it lives, each operator that C++ code calls on this thread comes to `onCall` before anything else sees it,
/// autograd and autocast included; what an operator calls inside does not. Modes nest: the innermost alone is asked, and
/// what it calls goes on as without any.
class OperatorMode {
 public:
  /// Makes the call (`op.callBoxed(&stack)`) or puts results in the place of the arguments by other means.
  using OnCall = std::function<void(const c10::OperatorHandle& op, torch::jit::Stack& stack)>;

  explicit OperatorMode(OnCall onCall);
  ~OperatorMode();
  OperatorMode(const OperatorMode&) = delete;
  OperatorMode& operator=(const OperatorMode&) = delete;

  /// The innermost of this thread; null: none.
  static OperatorMode* current();
  const OnCall onCall;

 private:
  c10::impl::IncludeDispatchKeyGuard include_;
  OperatorMode* outer_;
};

} // namespace touchstone::capture
