#pragma once

#include "program/language/Case.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <optional>
#include <vector>

namespace touchstone::decoder {

/// The grad mode of a call, while the object lives. (`InferenceMode(false)` would turn grad on again.)
class GradModeScope {
 public:
  explicit GradModeScope(language::GradMode mode);

 private:
  c10::AutoGradMode grad_;
  std::optional<c10::InferenceMode> inference_;
};

/// Where such a view's history is not that of its last write (made under no_grad), a hook on it ends the Python interpreter.
bool isWrittenView(const at::Tensor& tensor);

/// The calls of the Case, in their order, that register no hook on a written view; they may raise.
std::vector<language::CallSpec> callsPythonSurvives(const language::Case& theCase);

/// The calls of the Case, in their order, that eager takes: their forward, and their backward with tangents of one, right after it. What feeds
/// a call is not tried. A call
/// that passes the previous call's objects again goes with it. Autocast and `between` are not made.
std::vector<language::CallSpec> callsThatRun(const language::Case& theCase);

} // namespace touchstone::decoder
