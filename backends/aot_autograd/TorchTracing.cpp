#include "backends/aot_autograd/TorchTracing.h"

#include "backends/decompositions/TracingDecompositions.h"
#include "backends/fake/OperatorTraits.h"

#include <ATen/autocast_mode.h>
#include <c10/core/AutogradState.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <torch/library.h>

#include <memory>

namespace touchstone::aot_autograd {

namespace {

/// Above autocast and autograd; PyTorch itself has nothing registered on it.
constexpr c10::DispatchKey kTracingKey = c10::DispatchKey::TESTING_ONLY_GenericWrapper;

/// A mode that is there, and that nobody asks: operators do not come to the keys that would. Real tensors, which do ask it when
/// they are copied, are only dealt with where ModeUnseen is.
void pushMode() {
  using Mode = c10::impl::PyObject_TorchDispatchMode;
  c10::impl::TorchDispatchModeTLS::push_non_infra_mode_onto_stack(std::make_shared<Mode>(nullptr, nullptr));
  c10::impl::tls_set_dispatch_key_included(c10::DispatchKey::Python, false);
  c10::impl::tls_set_dispatch_key_included(c10::DispatchKey::PythonTLSSnapshot, false);
}

bool isForAutocast(const c10::OperatorHandle& op, c10::DispatchKeySet keys) {
  const c10::DispatchKey highest = keys.highestPriorityTypeId();
  return c10::autocast_dispatch_keyset.has(highest) && op.hasKernelForDispatchKey(highest);
}

void traceCall(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const c10::DispatchKeySet below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kTracingKey);
  const fake::OperatorTraits& traits = fake::traitsOf(op);
  if (isForAutocast(op, below)) {
    op.redispatchBoxed(below, stack); // calls the operator again, of what it has cast
    return;
  }
  const decompositions::DecompositionTable& table = *decompositions::tracingDecompositions();
  if (below.has_any(c10::autograd_dispatch_keyset) && table.contains(traits.target)) {
    torch::jit::Stack arguments(stack->end() - static_cast<std::ptrdiff_t>(op.schema().arguments().size()),
                                stack->end());
    try {
      table.call(traits.target, arguments);
      stack->erase(stack->end() - static_cast<std::ptrdiff_t>(op.schema().arguments().size()), stack->end());
      stack->insert(stack->end(), arguments.begin(), arguments.end());
      return;
    } catch (const decompositions::NotDecomposed&) {
    }
  }
  if (fake::isCompositeCall(op, *stack)) {
    op.redispatchBoxed(below, stack); // its kernel calls others, which come here
    return;
  }
  const c10::impl::ExcludeDispatchKeyGuard backing(kTracingKey);
  op.redispatchBoxed(below, stack);
}

} // namespace

TorchTracing::TorchTracing(bool isOn) {
  if (isOn) {
    replayedViews_ = c10::AutogradState::get_tls_state().get_view_replay_enabled();
    c10::AutogradState::get_tls_state().set_view_replay_enabled(true);
    pushMode();
    included_.emplace(kTracingKey);
  }
}

TorchTracing::~TorchTracing() {
  if (included_) {
    c10::impl::TorchDispatchModeTLS::pop_stack();
    c10::AutogradState::get_tls_state().set_view_replay_enabled(replayedViews_);
  }
}

} // namespace touchstone::aot_autograd

// The only registration on this key.
TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericWrapper, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&touchstone::aot_autograd::traceCall>());
}
