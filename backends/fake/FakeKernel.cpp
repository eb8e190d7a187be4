#include "backends/fake/DispatchMode.h"
#include "backends/fake/Tracer.h"

#include <torch/library.h>

namespace touchstone::fake {
namespace {

void fakeFallback(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  if (!DispatchMode::handle(op, stack)) {
    Tracer::callFake(op, stack);
  }
}

} // namespace

void linkFakeKernel() {}

} // namespace touchstone::fake

// The only registration on this key.
TORCH_LIBRARY_IMPL(_, Fake, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&touchstone::fake::fakeFallback>());
}
