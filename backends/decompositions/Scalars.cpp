#include "backends/decompositions/Scalars.h"

#include <ATen/core/Reduction.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/ScalarType.h>

namespace touchstone::decompositions {

at::Tensor tensorOf(const at::Scalar& value, at::ScalarType dtype, const at::Tensor& like) {
  return at::scalar_tensor(scalarIn(value, dtype), like.options().dtype(dtype));
}

at::Scalar scalarIn(const at::Scalar& value, at::ScalarType dtype) {
  const bool isCut = c10::isIntegralType(dtype, false) && !value.isIntegral(true);
  return isCut ? at::Scalar(value.toLong()) : value;
}

at::ScalarType floatingOf(at::ScalarType dtype) {
  return c10::isIntegralType(dtype, true) ? c10::typeMetaToScalarType(c10::get_default_dtype()) : dtype;
}

at::Tensor reducedLoss(const at::Tensor& loss, int64_t reduction) {
  switch (reduction) {
    case at::Reduction::Mean: return loss.mean();
    case at::Reduction::Sum: return loss.sum();
    default: return loss;
  }
}

} // namespace touchstone::decompositions
