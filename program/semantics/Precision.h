#pragma once

#include <c10/core/ScalarType.h>

namespace touchstone::semantics {

/// Whether functions run one precision up (EvaluatorOptions::inDouble).
struct Precision {
  bool inDouble = false;

  /// What the dtype is then: `float64` for `float32`.
  at::ScalarType of(at::ScalarType dtype) const {
    switch (dtype) {
      case at::kHalf:
      case at::kBFloat16:
      case at::kFloat: return inDouble ? at::kDouble : dtype;
      case at::kComplexHalf:
      case at::kComplexFloat: return inDouble ? at::kComplexDouble : dtype;
      default: return dtype;
    }
  }
};

} // namespace touchstone::semantics
