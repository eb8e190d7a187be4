#pragma once

#include <c10/core/AutogradState.h>

namespace touchstone::features {

/// What Programs may switch for the whole thread (`torch.set_grad_enabled(False)` as a statement) is put back at the end. The
/// default generator is seeded at the beginning, so that what is decided does not depend on what ran before.
class EvaluationState {
 public:
  EvaluationState();
  ~EvaluationState() { c10::AutogradState::set_tls_state(autograd_); }
  EvaluationState(const EvaluationState&) = delete;
  EvaluationState& operator=(const EvaluationState&) = delete;

 private:
  c10::AutogradState autograd_;
};

} // namespace touchstone::features
