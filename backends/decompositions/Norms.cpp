#include "backends/decompositions/Families.h"

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/sum.h>

#include <c10/core/WrapDimMinimal.h>

#include <algorithm>
#include <cmath>

namespace touchstone::decompositions {

namespace {

bool reducesAlongOne(const at::Tensor& self, at::OptionalIntArrayRef dim) {
  if (!dim || dim->empty()) {
    return self.numel() == 1;
  }
  return self.dim() == 0 || std::all_of(dim->begin(), dim->end(), [&](int64_t each) { return self.size(each) == 1; });
}

at::Tensor squares(const at::Tensor& x) {
  const at::Tensor real = x.is_complex() ? x.abs() : x; // infinite where a part is
  return real * real;
}

at::Tensor extremum(const at::Tensor& absolute, bool isMost, at::OptionalIntArrayRef dim, bool keepdim) {
  const at::IntArrayRef dimensions = dim ? *dim : at::IntArrayRef();
  return isMost ? at::amax(absolute, dimensions, keepdim) : at::amin(absolute, dimensions, keepdim);
}

at::Tensor normOf(const at::Tensor& x, double order, at::OptionalIntArrayRef dim, bool keepdim) {
  const auto sum = [&](const at::Tensor& terms) { return at::sum(terms, dim, keepdim); };
  if (order == 0) {
    return sum(x.ne(0).to(at::toRealValueType(x.scalar_type())));
  }
  if (std::isinf(order)) {
    return extremum(x.abs(), order > 0, dim, keepdim);
  }
  // What is alone is not squared: it may be too large.
  if (order == 1 || reducesAlongOne(x, dim)) {
    return sum(x.abs());
  }
  return order == 2 ? sum(squares(x)).sqrt() : sum(x.abs().pow(order)).pow(1 / order);
}

at::Tensor vectorNorm(const at::Tensor& self, const at::Scalar& order, at::OptionalIntArrayRef dim, bool keepdim,
                      std::optional<at::ScalarType> dtype) {
  if (self.numel() == 0 && (order.toDouble() < 0 || std::isinf(order.toDouble()))) {
    throw NotDecomposed("the operation has no identity");
  }
  const at::ScalarType computed = dtype.value_or(self.scalar_type());
  const at::Tensor x = self.to(computed).to(at::toOpMathType(computed));
  return normOf(x, order.toDouble(), dim, keepdim).to(at::toRealValueType(computed));
}

using NormOrder = std::optional<at::Scalar>;

} // namespace

void addNorms(DecompositionTable& table) {
  table.add("aten::linalg_vector_norm", vectorNorm);
  table.add("aten::norm.Scalar",
            [](const at::Tensor& self, const at::Scalar& order) { return at::linalg_vector_norm(self, order); });
  table.add("aten::norm.ScalarOpt_dtype", [](const at::Tensor& self, const NormOrder& order, at::ScalarType dtype) {
    return at::linalg_vector_norm(self, order.value_or(2), std::nullopt, false, dtype);
  });
  table.add("aten::norm.ScalarOpt_dim",
            [](const at::Tensor& self, const NormOrder& order, at::IntArrayRef dim, bool keepdim) {
              return at::linalg_vector_norm(self, order.value_or(2), dim, keepdim);
            });
  table.add("aten::norm.ScalarOpt_dim_dtype",
            [](const at::Tensor& self, const NormOrder& order, at::IntArrayRef dim, bool keepdim,
               at::ScalarType dtype) { return at::linalg_vector_norm(self, order.value_or(2), dim, keepdim, dtype); });
  table.add("aten::dist", [](const at::Tensor& self, const at::Tensor& other, const at::Scalar& order) {
    return at::linalg_vector_norm(self - other, order);
  });
}

} // namespace touchstone::decompositions
