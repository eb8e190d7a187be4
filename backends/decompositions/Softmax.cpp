#include "backends/decompositions/Families.h"
#include "backends/decompositions/Precision.h"
#include "backends/decompositions/Scalars.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/real.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>

#include <cmath>

namespace touchstone::decompositions {

namespace {

void requireFloating(const at::Tensor& self, bool isWidening) {
  if (!self.is_floating_point()) {
    throw NotDecomposed("of what eager takes when it is empty alone");
  }
  if (isWidening) {
    throw NotDecomposed("of float16 into float32");
  }
}

/// No sum of exponentials overflows.
at::Tensor shifted(const at::Tensor& x, int64_t dim) {
  return x.numel() == 0 ? x : x - at::amax(x, dim, true);
}

at::Tensor softmax(const at::Tensor& self, int64_t dim, bool isWidening) {
  requireFloating(self, isWidening);
  const Widened in(self);
  const at::Tensor exponentials = shifted(in[0], dim).exp();
  return in.narrow(exponentials / exponentials.sum(dim, true));
}

/// 0 where there is nothing but -inf.
at::Tensor safeSoftmax(const at::Tensor& self, int64_t dim, std::optional<at::ScalarType> dtype) {
  const at::Tensor isMasked = self.eq(-INFINITY).all(dim, true);
  return at::where(isMasked, 0, at::softmax(self, dim, dtype));
}

at::Tensor logSoftmax(const at::Tensor& self, int64_t dim, bool isWidening) {
  requireFloating(self, isWidening);
  const Widened in(self);
  const at::Tensor distances = shifted(in[0], dim);
  return in.narrow(distances - distances.exp().sum(dim, true).log());
}

at::Tensor softmaxBackward(const at::Tensor& grad, const at::Tensor& output, int64_t dim, at::ScalarType dtype) {
  requireFloating(grad, grad.scalar_type() != dtype);
  const Widened in(grad, output);
  return in.narrow((in[0] - (in[0] * in[1]).sum(dim, true)) * in[1]);
}

at::Tensor logSoftmaxBackward(const at::Tensor& grad, const at::Tensor& output, int64_t dim, at::ScalarType dtype) {
  requireFloating(grad, grad.scalar_type() != dtype);
  const Widened in(grad, output);
  return in.narrow(in[0] - in[1].exp() * in[0].sum(dim, true));
}

at::Tensor logsumexp(const at::Tensor& self, at::IntArrayRef dim, bool keepdim) {
  if (dim.empty() && self.dim() != 0) {
    throw NotDecomposed("along no dimension, which eager refuses");
  }
  const at::Tensor x = self.to(floatingOf(self.scalar_type()));
  if (x.numel() == 0) {
    return x.exp().sum(dim, keepdim).log();
  }
  at::Tensor greatest = at::amax(x.is_complex() ? at::real(x) : x, dim, true);
  greatest = at::where(greatest.abs().eq(INFINITY), 0, greatest);
  const at::Tensor sum = (x - greatest).exp().sum(dim, true).log() + greatest;
  if (keepdim) {
    return sum;
  }
  return dim.empty() ? sum.reshape({}) : sum.squeeze(dim);
}

} // namespace

void addSoftmax(DecompositionTable& table) {
  table.add("aten::_softmax", softmax);
  table.add("aten::_log_softmax", logSoftmax);
  table.add("aten::_safe_softmax", safeSoftmax);
  table.add("aten::_softmax_backward_data", softmaxBackward);
  table.add("aten::_log_softmax_backward_data", logSoftmaxBackward);
  table.add("aten::logsumexp", logsumexp);
}

} // namespace touchstone::decompositions
