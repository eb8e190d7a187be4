#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/language/Case.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace touchstone::observe {

/// The tangent of a backward root: values of kind `grid` from (seed, values::kTangentNumber + root), in the root's shape
/// and dtype, laid out as asked. Undefined for TangentLayout::kNone. Layouts that the shape does not allow (a first
/// dimension to expand, a last one to leave gaps in) are contiguous. `onData`, if any, sees the values first.
at::Tensor makeTangent(const at::Tensor& root, language::TangentLayout layout, int64_t seed, int64_t rootNumber,
                       const evaluator::DataHook& onData);

} // namespace touchstone::observe
