#include "generators/features/EvaluationState.h"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace touchstone::features {

EvaluationState::EvaluationState() : autograd_(c10::AutogradState::get_tls_state()) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(0);
}

} // namespace touchstone::features
