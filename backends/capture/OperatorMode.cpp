#include "backends/capture/OperatorMode.h"

#include <torch/library.h>

namespace touchstone::capture {

namespace {

/// The key above all that operators have kernels for; PyTorch itself has nothing registered on it.
constexpr c10::DispatchKey kModeKey = c10::DispatchKey::TESTING_ONLY_GenericMode;

thread_local OperatorMode* innermostMode = nullptr;

void modeFallback(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard backing(kModeKey);
  if (innermostMode == nullptr) { // a thread of autograd's that has taken over the keys of another
    op.callBoxed(stack);
  } else {
    innermostMode->onCall(op, *stack);
  }
}

} // namespace

OperatorMode::OperatorMode(OnCall onCall) : onCall(std::move(onCall)), include_(kModeKey), outer_(innermostMode) {
  innermostMode = this;
}

OperatorMode::~OperatorMode() {
  innermostMode = outer_;
}

OperatorMode* OperatorMode::current() {
  return innermostMode;
}

} // namespace touchstone::capture

// The only registration on this key.
TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&touchstone::capture::modeFallback>());
}
