#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"

#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/add.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>

namespace touchstone::decompositions {
namespace {

/// Whole numbers are weighted by whole numbers.
at::Scalar weightOf(const at::Tensor& self, const at::Scalar& weight) {
  return at::isIntegralType(self.scalar_type(), true) ? at::Scalar(weight.to<int64_t>()) : weight;
}

/// `alpha * product + beta * self`; `self` is not looked at when beta is zero. Throws NotDecomposed where alpha is.
at::Tensor weighted(const at::Tensor& self, const at::Tensor& product, const at::Scalar& beta,
                    const at::Scalar& alpha) {
  if (alpha.equal(0)) {
    throw NotDecomposed("whose product counts nothing: eager looks at none of its factors, be they infinite");
  }
  const at::Scalar ofProduct = weightOf(product, alpha);
  const at::Scalar ofSelf = weightOf(self, beta);
  const at::Tensor scaled = ofProduct.equal(1) ? product : at::mul(product, ofProduct);
  if (ofSelf.equal(0)) {
    return scaled;
  }
  return at::add(scaled, ofSelf.equal(1) ? self : at::mul(self, ofSelf));
}

/// Sums in the dtype of what is added, as products of matrices are.
at::Tensor summed(const at::Tensor& products, int64_t dim, bool keepDimension) {
  return at::sum(products, {dim}, keepDimension, products.scalar_type());
}

/// A row times a matrix, where Inductor multiplies and adds up on a CPU.
at::Tensor smallProduct(const at::Tensor& row, const at::Tensor& matrix) {
  return summed(at::mul(row.t(), matrix), 0, true);
}

/// Inductor takes products apart on the CPU alone.
void requireCpu(const at::Tensor& tensor) {
  if (!tensor.is_cpu()) {
    throw NotDecomposed("of matrices on a device");
  }
}

bool isColumn(const at::Tensor& matrix) {
  return matrix.size(-1) == 1;
}

at::Tensor addedProduct(const at::Tensor& self, const at::Tensor& left, const at::Tensor& right, const at::Scalar& beta,
                        const at::Scalar& alpha) {
  requireCpu(left);
  const bool isSmall = right.size(0) <= 16 && right.size(1) <= 16;
  if (left.size(0) != 1 || !(isColumn(right) || isSmall)) {
    throw NotDecomposed("of matrices that are not small");
  }
  const Widened in(self, left, right);
  return in.narrow(weighted(in[0], smallProduct(in[1], in[2]), beta, alpha));
}

at::Tensor product(const at::Tensor& left, const at::Tensor& right) {
  TORCH_CHECK(left.dim() == 2 && right.dim() == 2 && left.size(1) == right.size(0), "mm: ", left.sizes(), " and ",
              right.sizes());
  requireCpu(left);
  const Widened in(left, right);
  if (left.size(0) == 1 && isColumn(right)) {
    return in.narrow(smallProduct(in[0], in[1]));
  }
  const bool isOuter = left.size(1) == 1 && left.size(0) > 1 && right.size(1) != 1;
  if (isOuter && left.scalar_type() == right.scalar_type() && left.numel() + right.numel() <= 32) {
    return in.narrow(at::mul(in[0], in[1]));
  }
  throw NotDecomposed("of matrices that are not small");
}

at::Tensor productOfEach(const at::Tensor& left, const at::Tensor& right) {
  TORCH_CHECK(left.dim() == 3 && right.dim() == 3 && left.size(0) == right.size(0) && left.size(2) == right.size(1),
              "bmm: ", left.sizes(), " and ", right.sizes());
  requireCpu(left);
  const Widened in(left, right);
  if (left.size(2) == 1) {
    return in.narrow(at::mul(in[0], in[1]).add(0)); // the kernel adds to zero: none is -0
  }
  if (left.size(1) == 1 && isColumn(right)) {
    return in.narrow(summed(at::mul(in[0].transpose(1, 2), in[1]), 1, true));
  }
  throw NotDecomposed("of matrices that have more than a row and a column");
}

at::Tensor crossProduct(const at::Tensor& self, const at::Tensor& other, int64_t dim) {
  TORCH_CHECK(self.dim() == other.dim() && self.scalar_type() == other.scalar_type(),
              "linalg.cross: inputs must have the same number of dimensions and dtype");
  dim = c10::maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK(self.size(dim) == 3 && other.size(dim) == 3, "linalg.cross: vectors have three elements");
  const std::vector<at::Tensor> expanded = at::expand_outplace({self, other});
  const auto component = [&](int64_t first, int64_t second) {
    const auto term = [&](int64_t of, int64_t by) {
      return at::mul(expanded[0].select(dim, of), expanded[1].select(dim, by));
    };
    return at::sub(term(first, second), term(second, first));
  };
  return at::stack({component(1, 2), component(2, 0), component(0, 1)}, dim);
}

} // namespace

void addProducts(DecompositionTable& table) {
  table.add("aten::addmm", addedProduct);
  table.add("aten::mm", product);
  table.add("aten::bmm", productOfEach);
  table.add("aten::addmv", [](const at::Tensor& self, const at::Tensor& matrix, const at::Tensor& vector,
                              const at::Scalar& beta, const at::Scalar& alpha) {
    const Widened in(self, matrix, vector);
    return in.narrow(weighted(in[0], summed(at::mul(in[1], in[2]), 1, false), beta, alpha));
  });
  table.add("aten::baddbmm", [](const at::Tensor& self, const at::Tensor& left, const at::Tensor& right,
                                const at::Scalar& beta, const at::Scalar& alpha) {
    const Widened in(self, left, right);
    return in.narrow(weighted(in[0], at::bmm(in[1], in[2]), beta, alpha));
  });
  table.add("aten::linalg_cross", crossProduct);
  for (const char* target : {"aten::addr", "aten::mv", "aten::_euclidean_dist", "aten::affine_grid_generator",
                             "aten::_foreach_lerp.Scalar", "aten::_foreach_lerp.ScalarList"}) {
    table.addComposite(target);
  }
}

} // namespace touchstone::decompositions
