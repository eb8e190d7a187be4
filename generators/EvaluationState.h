#pragma once

#include <ATen/core/ATen_fwd.h>
#include <c10/core/AutogradState.h>
#include <c10/core/ScalarType.h>
#include <c10/util/typeid.h>

namespace touchstone::generators {

/// What holds for the whole process and Programs may switch: modes of autograd, autocast, the default dtype. Restored at the
/// end. The default generator is seeded at the beginning, so that what is decided does not depend on what ran before.
class EvaluationState {
 public:
  EvaluationState();
  ~EvaluationState();
  EvaluationState(const EvaluationState&) = delete;
  EvaluationState& operator=(const EvaluationState&) = delete;

 private:
  c10::AutogradState autograd_;
  caffe2::TypeMeta defaultDtype_;
  bool autocast_;
  at::ScalarType autocastDtype_;
};

} // namespace touchstone::generators
