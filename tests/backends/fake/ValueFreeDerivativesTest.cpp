#include "backends/fake/ValueFreeDerivatives.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

namespace touchstone::tests {
namespace {

using Reduction = std::function<at::Tensor(const at::Tensor&)>;

/// The node of `reduction` gives the gradient that libtorch's own derivative gives: element for element, with the same strides.
void expectAsLibtorch(const char* name, const Reduction& reduction, const std::vector<double>& values,
                      double tolerance = 0, bool isTransposed = false) {
  const auto elements = static_cast<int64_t>(values.size());
  const at::Tensor data = at::tensor(values, at::kDouble).view({2, elements / 2});
  const at::Tensor self = (isTransposed ? data.t() : data).detach().requires_grad_();
  const at::Tensor result = reduction(self);
  const at::Tensor tangent = at::full(result.sizes(), 3.0, result.options());
  const at::Tensor expected = torch::autograd::grad({result}, {self}, {tangent}, /*retain_graph=*/true)[0];
  const at::AutoGradMode noGrad(false);
  const at::Tensor found =
      touchstone::fake::callWithoutReadingValues(*result.grad_fn(), {tangent}).at(0).to(self.scalar_type());
  EXPECT_TRUE(at::allclose(found, expected, tolerance, tolerance, /*equal_nan=*/true)) << name << " of\n"
                                                                                       << data << "\nis\n"
                                                                                       << found << "\nnot\n"
                                                                                       << expected;
  EXPECT_EQ(found.strides(), expected.strides()) << name;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ValueFreeDerivativesTest, EqualElementsShareTheGradientOfAFullReduction) {
  const std::pair<const char*, Reduction> reductions[] = {
      {"max", [](const at::Tensor& self) { return self.max(); }},
      {"min", [](const at::Tensor& self) { return self.min(); }},
      {"median", [](const at::Tensor& self) { return self.median(); }},
      {"nanmedian", [](const at::Tensor& self) { return self.nanmedian(); }},
  };
  for (const auto& [name, reduction] : reductions) {
    for (const std::vector<double>& values : {std::vector<double>{1, 2, 3, 4, 5, 6},
                                              {2, 2, 2, 2, 2, 2},
                                              {4, 1, 4, 1, 4, 1},
                                              {kNan, 1, kNan, 2, 3, 4},
                                              {kInfinity, kInfinity, 1, -kInfinity, 2, 3},
                                              {-0.0, 0.0, -1, 0.0, -2, -3}}) {
      expectAsLibtorch(name, reduction, values);
    }
  }
}

TEST(ValueFreeDerivativesTest, AProductHasItsGradientWithAndWithoutZeros) {
  const std::pair<const char*, Reduction> products[] = {
      {"prod", [](const at::Tensor& self) { return self.prod(); }},
      {"prod of a column", [](const at::Tensor& self) { return self.prod(0); }},
      {"prod of a row, kept", [](const at::Tensor& self) { return self.prod(-1, /*keepdim=*/true); }},
      {"prod of floats", [](const at::Tensor& self) { return self.prod(1, false, at::kFloat); }},
  };
  for (const auto& [name, product] : products) {
    for (const std::vector<double>& values : {std::vector<double>{1, 2, 3, 4, 5, 6},
                                              {0, 2, 3, 4, 5, 6},
                                              {0, 2, 0, 4, 0, 6},
                                              {-1, 2, 0.5, 4, 8, -2},
                                              {kInfinity, 2, 3, 4, 5, 6}}) {
      expectAsLibtorch(name, product, values, 1e-6);
      expectAsLibtorch(name, product, values, 1e-6, /*isTransposed=*/true);
    }
  }
}

TEST(ValueFreeDerivativesTest, OtherNodesRunAsTheyAre) {
  expectAsLibtorch("sin", [](const at::Tensor& self) { return self.sin(); }, {1, 2, 3, 4});
}

} // namespace
} // namespace touchstone::tests
