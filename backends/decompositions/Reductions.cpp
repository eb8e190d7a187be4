#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"
#include "backends/decompositions/Scalars.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/all.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/any.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/var.h>
#include <ATen/ops/var_mean.h>
#include <ATen/ops/where.h>

#include <numeric>
#include <tuple>
#include <vector>

namespace touchstone::decompositions {

namespace {

std::vector<int64_t> everyDimension(const at::Tensor& self) {
  std::vector<int64_t> dimensions(static_cast<size_t>(self.dim()));
  std::iota(dimensions.begin(), dimensions.end(), 0);
  return dimensions;
}

/// uint8 stands for the truth value as it did before there was bool.
at::Tensor negatedAny(const at::Tensor& self, const at::Tensor& anyFalse) {
  const at::Tensor result = anyFalse.logical_not();
  return self.scalar_type() == at::kByte ? result.to(at::kByte) : result;
}

std::vector<int64_t> reducedDimensions(const at::Tensor& self, at::IntArrayRef dim) {
  return dim.empty() ? everyDimension(self) : dim.vec();
}

void requireBool(const at::Tensor& self) {
  if (self.scalar_type() != at::kBool) {
    throw NotDecomposed("nothing is simpler than an extremum of numbers");
  }
}

std::tuple<at::Tensor, at::Tensor> aminmax(const at::Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  const std::vector<int64_t> dimensions = dim ? std::vector<int64_t>{*dim} : everyDimension(self);
  return {at::amin(self, dimensions, keepdim), at::amax(self, dimensions, keepdim)};
}

at::Tensor nansum(const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim,
                  std::optional<at::ScalarType> dtype) {
  const bool mayBeNan = self.is_floating_point();
  return at::sum(mayBeNan ? at::where(self.isnan(), 0, self) : self, dim, keepdim, dtype);
}

/// Squares of float32 fit into float64 alone, in which eager adds them up.
at::Tensor forSquares(const at::Tensor& self) {
  return self.to(self.is_complex() ? at::kComplexDouble : at::kDouble);
}

at::Tensor standardDeviation(const at::Tensor& self, at::OptionalIntArrayRef dim,
                             const std::optional<at::Scalar>& correction, bool keepdim) {
  return at::var(forSquares(self), dim, correction, keepdim).sqrt().to(at::toRealValueType(self.scalar_type()));
}

std::tuple<at::Tensor, at::Tensor> deviationAndMean(const at::Tensor& self, at::OptionalIntArrayRef dim,
                                                    const std::optional<at::Scalar>& correction, bool keepdim) {
  const auto [variance, mean] = at::var_mean(forSquares(self), dim, correction, keepdim);
  return {variance.sqrt().to(at::toRealValueType(self.scalar_type())), mean.to(self.scalar_type())};
}

at::Tensor dot(const at::Tensor& self, const at::Tensor& other) {
  const Widened in(self, other);
  return in.narrow(at::sum(in[0] * in[1], at::OptionalIntArrayRef(), false, in[0].scalar_type()));
}

} // namespace

void addReductions(DecompositionTable& table) {
  table.add("aten::all", [](const at::Tensor& self) { return negatedAny(self, self.logical_not().any()); });
  table.add("aten::all.dim", [](const at::Tensor& self, int64_t dim, bool keepdim) {
    return negatedAny(self, self.logical_not().any(dim, keepdim));
  });
  table.add("aten::all.dims", [](const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim) {
    return negatedAny(self, at::any(self.logical_not(), dim, keepdim));
  });
  table.add("aten::amax", [](const at::Tensor& self, at::IntArrayRef dim, bool keepdim) {
    requireBool(self);
    return at::any(self, reducedDimensions(self, dim), keepdim);
  });
  table.add("aten::amin", [](const at::Tensor& self, at::IntArrayRef dim, bool keepdim) {
    requireBool(self);
    return at::all(self, reducedDimensions(self, dim), keepdim);
  });
  table.add("aten::aminmax", aminmax);
  table.add("aten::count_nonzero", [](const at::Tensor& self, std::optional<int64_t> dim) {
    const at::Tensor isCounted = self.ne(0);
    return dim ? isCounted.sum(*dim) : isCounted.sum();
  });
  table.add("aten::count_nonzero.dim_IntList",
            [](const at::Tensor& self, at::IntArrayRef dim) { return self.ne(0).sum(dim); });
  table.add("aten::sum", [](const at::Tensor& self, std::optional<at::ScalarType> dtype) {
    return at::sum(self, at::IntArrayRef(), false, dtype);
  });
  table.add("aten::nansum", nansum);
  table.add("aten::std.correction", standardDeviation);
  table.add("aten::std_mean.correction", deviationAndMean);
  table.add("aten::trace", [](const at::Tensor& self) { return self.diagonal().sum(); });
  table.add("aten::dot", dot);
  table.add("aten::vdot", [](const at::Tensor& self, const at::Tensor& other) { return at::dot(self.conj(), other); });
}

} // namespace touchstone::decompositions
