#pragma once

#include "program/language/Case.h"
#include "program/evaluator/Evaluator.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace touchstone::oracles {

/// The tangent of a backward root: values of kind `grid` from (seed, graph::kTangentNumber + root), in the root's shape
/// and dtype, laid out as asked. Undefined for TangentLayout::kNone. Layouts that the shape does not allow (a first
/// dimension to expand, a last one to leave gaps in) are contiguous. `onData`, if any, sees the values first.
at::Tensor makeTangent(const at::Tensor& root, graph::TangentLayout layout, int64_t seed, int64_t rootNumber,
                       const graph::DataHook& onData);

} // namespace touchstone::oracles
