#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

namespace touchstone::decompositions {

/// A Scalar as a tensor without dimensions where `like` is; what whole numbers cannot hold is cut off.
at::Tensor tensorOf(const at::Scalar& value, at::ScalarType dtype, const at::Tensor& like);
/// The Scalar as kernels of this dtype take it: without what follows the point where they compute in whole numbers.
at::Scalar scalarIn(const at::Scalar& value, at::ScalarType dtype);
/// What functions of real numbers give for operands of `dtype`: the default dtype for whole numbers.
at::ScalarType floatingOf(at::ScalarType dtype);
/// What is left of a loss per element: at::Reduction::None, Mean or Sum.
at::Tensor reducedLoss(const at::Tensor& loss, int64_t reduction);

} // namespace touchstone::decompositions
