#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace touchstone::fake {

/// Sees the operators that real tensors are given on this thread, below autograd and autocast: the role of torch's
/// TorchDispatchMode. Operators that are only ever written in terms of others are seen as those.
class DispatchMode {
 public:
  virtual ~DispatchMode() = default;
  /// `stack` holds the arguments, afterwards the results. `op.callBoxed(stack)` performs the call; what a mode calls
  /// meanwhile is not seen by it.
  virtual void call(const c10::OperatorHandle& op, torch::jit::Stack* stack) = 0;

  /// Enters a mode on this thread; an outer one waits.
  class Scope {
   public:
    explicit Scope(DispatchMode& mode);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    c10::impl::IncludeDispatchKeyGuard include_;
    DispatchMode* outer_;
  };

  /// Called by the kernel of the Fake key. False: no mode is entered.
  static bool handle(const c10::OperatorHandle& op, torch::jit::Stack* stack);
};

} // namespace touchstone::fake
