#include "backends/fake/DispatchMode.h"

#include "backends/fake/OperatorTraits.h"
#include "backends/fake/Tracer.h"

#include <ATen/core/LegacyTypeDispatch.h>

#include <optional>

namespace touchstone::fake {

namespace {

thread_local DispatchMode* currentDispatchMode = nullptr;

} // namespace

DispatchMode::Scope::Scope(DispatchMode& mode) : include_(c10::DispatchKey::Fake), outer_(currentDispatchMode) {
  linkFakeKernel();
  currentDispatchMode = &mode;
}

DispatchMode::Scope::~Scope() {
  currentDispatchMode = outer_;
}

bool DispatchMode::handle(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  if (currentDispatchMode == nullptr) {
    return false;
  }
  if (isCompositeCall(op, *stack)) {
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack); // its kernel calls the operators that count
    return true;
  }
  c10::impl::ExcludeDispatchKeyGuard unseen(c10::DispatchKey::Fake);
  const at::AutoDispatchBelowAutograd below;
  std::optional<at::AutoDispatchBelowADInplaceOrView> uncounted;
  if (!traitsOf(op).writesEntryByEntry) { // else what the kernel calls counts the writes
    uncounted.emplace();
  }
  currentDispatchMode->call(op, stack);
  return true;
}

} // namespace touchstone::fake
