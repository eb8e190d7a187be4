#include "backends/fake/ValueFreeDerivatives.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/generated/Functions.h>

#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <utility>

namespace touchstone::fake {

namespace {

using torch::autograd::Node;
using torch::autograd::variable_list;

/// The gradient goes in equal parts to the elements that are the result.
at::Tensor sharedEvenly(const at::Tensor& gradient, const at::Tensor& self, const at::Tensor& result) {
  const at::Tensor mask = at::where(result.isnan(), self.isnan(), self == result);
  return at::zeros(self.sizes(), self.options()).masked_fill(mask, gradient / mask.sum());
}

/// For each element the product of the others: of those before it and of those behind it.
at::Tensor productOfOthers(const at::Tensor& self, int64_t dim) {
  if (self.size(dim) == 1) {
    return at::ones(self.sizes(), self.options());
  }
  std::vector<int64_t> sizes = self.sizes().vec();
  sizes[static_cast<size_t>(dim)] = 1;
  const at::Tensor one = at::ones(sizes, self.options());
  const int64_t rest = self.size(dim) - 1;
  const at::Tensor before = at::cat({one, self.narrow(dim, 0, rest)}, dim).cumprod(dim);
  const at::Tensor behind = at::cat({one, self.narrow(dim, 1, rest).flip({dim})}, dim).cumprod(dim).flip({dim});
  return before * behind;
}

at::Tensor ofProduct(const at::Tensor& gradient, at::Tensor self, const at::Tensor& result) {
  self = self.to(gradient.scalar_type());
  if (self.dim() == 0) {
    return gradient.clone();
  }
  if (self.numel() == 0) {
    return gradient * (result / self).conj();
  }
  const at::Tensor zeros = (self == 0).sum();
  const at::Tensor withZero = (gradient * productOfOthers(self.contiguous().view({-1}), 0).conj()).view(self.sizes());
  return at::where(zeros == 0, gradient * (result / self).conj(),
                   at::where(zeros == 1, withZero, at::zeros(self.sizes(), self.options())));
}

at::Tensor ofProduct(at::Tensor gradient, at::Tensor self, at::Tensor result, int64_t dim, bool keepsDim) {
  self = self.to(gradient.scalar_type());
  if (self.dim() == 0) {
    return gradient.clone();
  }
  dim = dim < 0 ? dim + self.dim() : dim;
  if (!keepsDim) {
    gradient = gradient.unsqueeze(dim);
    result = result.unsqueeze(dim);
  }
  if (self.numel() == 0) {
    return gradient * (result / self).conj();
  }
  return at::where((self == 0).sum() == 0, gradient * (result / self).conj(),
                   gradient * productOfOthers(self, dim).conj());
}

namespace generated = torch::autograd::generated;

/// The gradient of a function of autograd's, whose very class it is.
using Derivative = at::Tensor (*)(Node& node, const at::Tensor& gradient);

template <class N>
at::Tensor shared(Node& node, const at::Tensor& gradient) {
  auto& known = static_cast<N&>(node);
  return sharedEvenly(gradient, known.self_.unpack(), known.result_.unpack(known.getptr()));
}

at::Tensor wholeProduct(Node& node, const at::Tensor& gradient) {
  auto& known = static_cast<generated::ProdBackward0&>(node);
  return ofProduct(gradient, known.self_.unpack(), known.result_.unpack(known.getptr()));
}

at::Tensor productAlong(Node& node, const at::Tensor& gradient) {
  auto& known = static_cast<generated::ProdBackward1&>(node);
  return ofProduct(gradient, known.self_.unpack(), known.result_.unpack(known.getptr()), known.dim, known.keepdim);
}

/// Null: its own way reads no values.
Derivative derivativeOf(const Node& node) {
  static const std::unordered_map<std::type_index, Derivative> table{
      {typeid(generated::MaxBackward1), &shared<generated::MaxBackward1>},
      {typeid(generated::MinBackward1), &shared<generated::MinBackward1>},
      {typeid(generated::MedianBackward0), &shared<generated::MedianBackward0>},
      {typeid(generated::NanmedianBackward0), &shared<generated::NanmedianBackward0>},
      {typeid(generated::ProdBackward0), &wholeProduct},
      {typeid(generated::ProdBackward1), &productAlong},
  };
  const auto found = table.find(typeid(node));
  return found == table.end() ? nullptr : found->second;
}

} // namespace

variable_list callWithoutReadingValues(Node& node, variable_list gradients) {
  const Derivative derivative = gradients.size() == 1 && gradients[0].defined() ? derivativeOf(node) : nullptr;
  return derivative == nullptr ? node(std::move(gradients)) : variable_list{derivative(node, gradients[0])};
}

} // namespace touchstone::fake
