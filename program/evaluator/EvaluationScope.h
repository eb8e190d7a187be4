#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/semantics/Precision.h"

#include <c10/core/DefaultDtype.h>
#include <c10/core/ScalarTypeToTypeMeta.h>
#include <c10/util/Exception.h>

#include <optional>

namespace touchstone::evaluator {

using namespace semantics;

class SilentWarnings : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

/// What holds while functions of a file run: no warnings on the terminal, and one precision up as the default.
class EvaluationScope {
 public:
  EvaluationScope(const EvaluatorOptions& options, Precision& precision)
      : precision_(precision), before_(precision), guard_(&silent()) {
    precision.inDouble = options.inDouble;
    if (options.inDouble) {
      defaultDtype_ = c10::get_default_dtype();
      c10::set_default_dtype(c10::scalarTypeToTypeMeta(at::kDouble));
    }
  }
  ~EvaluationScope() {
    precision_ = before_;
    if (defaultDtype_) {
      c10::set_default_dtype(*defaultDtype_);
    }
  }
  EvaluationScope(const EvaluationScope&) = delete;
  EvaluationScope& operator=(const EvaluationScope&) = delete;

 private:
  static SilentWarnings& silent() {
    static SilentWarnings handler;
    return handler;
  }
  Precision& precision_;
  Precision before_;
  std::optional<caffe2::TypeMeta> defaultDtype_;
  c10::WarningUtils::WarningHandlerGuard guard_;
};

} // namespace touchstone::evaluator
