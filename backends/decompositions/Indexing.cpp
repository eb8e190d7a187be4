#include "backends/decompositions/AdvancedIndexing.h"
#include "backends/decompositions/Families.h"

#include <ATen/ExpandUtils.h>
#include <ATen/OpMathType.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/scatter_reduce.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace touchstone::decompositions {
namespace {

/// `self` with what is at `index` along a dimension replaced by `source`, or added to; numbers are treated as vectors.
at::Tensor putAlong(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
                    bool accumulate) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  const at::Tensor put =
      at::index_put(atLeastVector(self), indicesFrom(dim, {atLeastVector(index)}), source, accumulate);
  return put.reshape(self.sizes());
}

at::Tensor indexAdd(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
                    const at::Scalar& alpha) {
  TORCH_CHECK(source.scalar_type() == self.scalar_type(), "index_add: self and source expected to have the same dtype");
  const bool isPlain = alpha.equal(1);
  const at::Tensor scaled = isPlain ? source : at::mul(source, alpha).to(self.scalar_type());
  return putAlong(self, dim, index, atLeastVector(scaled), true);
}

at::Tensor indexCopy(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source) {
  TORCH_CHECK(source.scalar_type() == self.scalar_type(),
              "index_copy: self and source expected to have the same dtype");
  return putAlong(self, dim, index, atLeastVector(source), false);
}

at::Tensor indexSelect(const at::Tensor& self, int64_t dim, const at::Tensor& index) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  const at::Tensor chosen = at::index(atLeastVector(self), indicesFrom(dim, {atLeastVector(index)}));
  return self.dim() == 0 ? chosen.reshape({}) : chosen;
}

at::Tensor indexReduce(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source,
                       c10::string_view reduction, bool includeSelf) {
  if (self.dim() == 0 || source.dim() != self.dim()) {
    throw NotDecomposed("of numbers");
  }
  dim = c10::maybe_wrap_dim(dim, self.dim());
  const at::Tensor everywhere = alongDimension(index.to(at::kLong), dim, self.dim()).expand(source.sizes());
  return at::scatter_reduce(self, dim, everywhere, source, reduction, includeSelf);
}

at::Tensor put(const at::Tensor& self, const at::Tensor& index, const at::Tensor& source, bool accumulate) {
  TORCH_CHECK(source.scalar_type() == self.scalar_type(), "put: self and source expected to have the same dtype");
  return at::index_put(self.reshape({-1}), indicesFrom(0, {index.reshape({-1})}), source.reshape({-1}), accumulate)
      .reshape(self.sizes());
}

/// The n-th true element of the mask takes the n-th element of the source.
at::Tensor maskedScatter(const at::Tensor& self, const at::Tensor& mask, const at::Tensor& source) {
  if (mask.scalar_type() != at::kBool || source.scalar_type() != self.scalar_type() || source.numel() == 0) {
    throw NotDecomposed("of a mask that is not of bools, of other dtypes and from nothing");
  }
  const std::vector<at::Tensor> expanded = at::expand_outplace({self, mask});
  const at::Tensor ordinal = at::cumsum(expanded[1].reshape({-1}), 0, at::kLong).sub(1);
  const at::Tensor taken = at::index(source.reshape({-1}), indicesFrom(0, {ordinal}));
  return at::where(expanded[1], taken.reshape(expanded[1].sizes()), expanded[0]);
}

/// Rows of the gradient are added in their order, in its dtype; padding and indices out of range get nothing.
at::Tensor embeddingBackward(const at::Tensor& grad, const at::Tensor& indices, int64_t count, int64_t padding,
                             bool scaleByFrequency) {
  const int64_t width = grad.size(-1);
  const at::Tensor index = indices.reshape({-1}).to(at::kLong);
  at::Tensor rows = grad.reshape({index.numel(), width});
  const at::Tensor zeros = at::zeros({count, width}, grad.options());
  if (count == 0 || index.numel() == 0) {
    return zeros;
  }
  const at::Tensor isInRange = at::logical_and(index.ge(0), index.lt(count));
  const at::Tensor inRange = at::where(isInRange, index, 0);
  if (scaleByFrequency) {
    const at::Tensor counts =
        at::index_put(at::zeros({count}, index.options()), indicesFrom(0, {inRange}), isInRange.to(at::kLong), true);
    const at::Tensor frequency = at::index(counts, indicesFrom(0, {inRange})).to(at::kDouble);
    rows = at::mul(rows.to(at::toOpMathType(grad.scalar_type())),
                   at::reciprocal(frequency).unsqueeze(-1).to(at::toOpMathType(grad.scalar_type())));
    rows = rows.to(grad.scalar_type());
  }
  const at::Tensor counted = at::logical_and(isInRange, index.ne(padding)).unsqueeze(-1);
  return at::index_put(zeros, indicesFrom(0, {inRange}), at::where(counted, rows, at::zeros({}, rows.options())), true);
}

void addFills(DecompositionTable& table) {
  table.add("aten::index_fill.int_Scalar",
            [](const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Scalar& value) {
              TORCH_CHECK(self.is_complex() || !value.isComplex(), "index_fill: a complex value for real numbers");
              return putAlong(self, dim, index, at::full({}, value, self.options()), false);
            });
  table.add("aten::index_fill.int_Tensor",
            [](const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& value) {
              const bool isNarrower = self.is_complex() || (self.is_floating_point() && !value.is_complex()) ||
                                      self.scalar_type() == value.scalar_type();
              if (value.dim() != 0 || !isNarrower) {
                throw NotDecomposed("with a value that may not be in the range of the dtype");
              }
              return putAlong(self, dim, index, value.to(self.scalar_type()), false);
            });
}

} // namespace

void addIndexing(DecompositionTable& table) {
  table.add("aten::index_add", indexAdd);
  table.add("aten::index_copy", indexCopy);
  table.add("aten::index_select", indexSelect);
  table.add("aten::index_reduce", indexReduce);
  table.add("aten::put", put);
  table.add("aten::take", [](const at::Tensor& self, const at::Tensor& index) {
    return at::index(self.reshape({-1}), indicesFrom(0, {index}));
  });
  table.add("aten::masked_scatter", maskedScatter);
  table.add("aten::embedding_dense_backward", embeddingBackward);
  addFills(table);
  for (const char* target : {"aten::_unsafe_index.Tensor", "aten::_unsafe_index_put", "aten::_unsafe_masked_index",
                             "aten::_unsafe_masked_index_put_accumulate"}) {
    table.addComposite(target);
  }
}

} // namespace touchstone::decompositions
