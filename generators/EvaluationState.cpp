#include "generators/EvaluationState.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>

#include <mutex>

namespace touchstone::generators {

EvaluationState::EvaluationState()
    : autograd_(c10::AutogradState::get_tls_state()),
      defaultDtype_(c10::get_default_dtype()),
      autocast_(at::autocast::is_autocast_enabled(at::kCPU)),
      autocastDtype_(at::autocast::get_autocast_dtype(at::kCPU)) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(0);
}

EvaluationState::~EvaluationState() {
  c10::AutogradState::set_tls_state(autograd_);
  c10::set_default_dtype(defaultDtype_);
  at::autocast::set_autocast_enabled(at::kCPU, autocast_);
  at::autocast::set_autocast_dtype(at::kCPU, autocastDtype_);
}

} // namespace touchstone::generators
