// Programs that write to what they are given, through AOT autograd. The suite's other themes are in files of their own:
// `AotAutogradFallbackTests.THEME.cpp`.
#include "tests/backends/FallbackPrograms.h"

#include <ATen/ops/arange.h>

namespace touchstone::tests {
namespace {

// A leaf is written to under no_grad, which must not raise. (The language of case files has no `try … finally`.)
TEST(AotAutogradFallbackTests, mutation) {
  const Optimized fn(fallbackCase("def program(param, y):\n"
                                  "    prev_grad = torch.is_grad_enabled()\n"
                                  "    torch.set_grad_enabled(False)\n"
                                  "    param.add_(y)\n"
                                  "    torch.set_grad_enabled(prev_grad)\n"
                                  "    return y\n"),
                     aot_autograd::aotCompiler());
  const at::Tensor y = at::randn({4}), x = at::randn({4}).requires_grad_();
  const at::Tensor expected = x.detach() + y;
  const values::Value result = fn({x, y});
  EXPECT_TRUE(result.tensor().is_same(y));
  EXPECT_TRUE(at::equal(x, expected));
  EXPECT_TRUE(x.is_leaf() && x.requires_grad());
  EXPECT_TRUE(at::GradMode::is_enabled());
  EXPECT_EQ(fn.compiled->report().graphs, 1);
}

constexpr const char* kChunkedAttention =
    "    getitem = scores[:, :, :256, :257]\n"
    "SIN"
    "    stack0[:, :-1, :, 256:] = getitem\n"
    "    view = stack0.view(1, 12, 1024, 513)\n"
    "    return (view,)\n";

void expectChunkedAttention(const std::string& line, bool writesToInput) {
  const Optimized fn(
      fallbackCase("def program(stack0, scores):\n" + std::regex_replace(kChunkedAttention, std::regex("SIN"), line)),
      aot_autograd::aotCompiler());
  const at::Tensor x = at::randn({12, 4, 256, 513}), y = at::randn({12, 3, 512, 513});
  const at::Tensor forEager = x.clone(), before = x.clone();
  const values::Value expected = Optimized::call(*fn.eager, {forEager, y});
  expectSame(expected, fn({x, y}));
  EXPECT_TRUE(at::equal(x, forEager));
  EXPECT_EQ(at::equal(x, before), !writesToInput);
}

TEST(AotAutogradFallbackTests, mutation1) {
  expectChunkedAttention("", true);
}

TEST(AotAutogradFallbackTests, negative_testing_mutation) {
  expectChunkedAttention("    stack0 = torch.sin(stack0)\n", false);
}

TEST(AotAutogradFallbackTests, negative_testing) {
  const Optimized fn(fallbackCase("def program(x, y):\n    return torch.sin(x).add_(y)\n"),
                     aot_autograd::aotCompiler());
  const at::Tensor x = at::randn({4}), y = at::randn({4}), before = x.clone();
  expectSame(Optimized::call(*fn.eager, {x, y}), fn({x, y}));
  EXPECT_TRUE(at::equal(x, before));
}

// Inputs that are written to and then found to be one object are in the theme Recompiles. Here a list of constants, its
// views and a branch on its values: the graph breaks, and `b` follows the writes before and after.
TEST(AotAutogradFallbackTests, alias_inputs) {
  const Optimized fn(fallbackCase("def program():\n"
                                  "    a = torch.tensor([1])\n"
                                  "    a = a[0:1]\n"
                                  "    b = a.squeeze()\n"
                                  "    a[0] = 0\n"
                                  "    if a[0] < 1e5:\n"
                                  "        pass\n"
                                  "    a[0] = 2\n"
                                  "    return b\n"),
                     aot_autograd::aotCompiler());
  const values::Value expected = Optimized::call(*fn.eager, {}), actual = fn({});
  expectSame(expected, actual);
  EXPECT_EQ(actual.tensor().item<int64_t>(), 2);
  EXPECT_EQ(fn.compiled->report().breaks.size(), 1u);
}

// `set_` on a leaf raises what it raises in eager. The seed compiles with the default backend; capture sees the error
// first, whatever the compiler is.
TEST(AotAutogradFallbackTests, aot_autograd_raises_invalid_leaf_set) {
  for (const backends::GraphCompiler& compiler :
       {backends::GraphCompiler(backends::compileToInterpreter), aot_autograd::aotCompiler()}) {
    const Optimized fn(fallbackCase("def program(x):\n    torch.ops.aten.set_.source_Tensor(x, torch.ones(2))\n"),
                       compiler);
    const at::Tensor x = at::ones({2}).requires_grad_();
    const std::string expected = raisedBy([&] { Optimized::call(*fn.eager, {x}); });
    const std::string raised = raisedBy([&] { fn({x}); });
    EXPECT_TRUE(contains(raised, "is being used in an in-place operation")) << raised;
    EXPECT_EQ(raised, expected);
  }
}

TEST(AotAutogradFallbackTests, aot_autograd_expand_mutation_functionalizes) {
  const Optimized fn(fallbackCase("def program(x):\n"
                                  "    y = x.expand(3, *x.shape)\n"
                                  "    y[0, 0].add_(5)\n"
                                  "    return y\n"),
                     aot_autograd::aotCompiler());
  const at::Tensor x = at::arange(6), compiled = x.clone();
  expectSame(Optimized::call(*fn.eager, {x}), fn({compiled}));
  EXPECT_TRUE(at::equal(x, compiled));
  EXPECT_EQ(compiled[0].item<int64_t>(), 5);
}

TEST(AotAutogradFallbackTests, aot_autograd_expand_mutation_backwards) {
  const Optimized fn(fallbackCase("def program(x, z):\n"
                                  "    y = x.expand(3, *x.shape)\n"
                                  "    y[1, 1].mul_(5)\n"
                                  "    ret = y * z\n"
                                  "    return ret\n"),
                     aot_autograd::aotCompiler());
  const at::Tensor x = at::arange(6, at::kFloat), z = x.clone().requires_grad_();
  const at::Tensor compiledX = x.clone(), compiledZ = z.detach().clone().requires_grad_();
  const values::Value expected = Optimized::call(*fn.eager, {x, z}), actual = fn({compiledX, compiledZ});
  expectSame(expected, actual);
  expected.tensor().sum().backward();
  actual.tensor().sum().backward();
  EXPECT_TRUE(at::equal(x, compiledX));
  EXPECT_TRUE(at::equal(z.grad(), compiledZ.grad()));
}

// The seed expects this to fail: PyTorch's functionalization does not see that one memory is written to several times, so
// the compiled program does not raise where eager does. The native pipeline raises as eager does.
TEST(AotAutogradFallbackTests, aot_autograd_expand_mutation_error) {
  const Optimized fn(fallbackCase("def program(x):\n"
                                  "    y = x.expand(3, *x.shape)\n"
                                  "    y[0:3, 0].add_(5)\n"
                                  "    return y\n"),
                     aot_autograd::aotCompiler());
  const at::Tensor x = at::arange(6), compiled = x.clone();
  const std::string expected = raisedBy([&] { Optimized::call(*fn.eager, {x}); });
  EXPECT_TRUE(contains(expected, "more than one element of the written-to tensor")) << expected;
  EXPECT_EQ(raisedBy([&] { fn({compiled}); }), expected);
  EXPECT_TRUE(at::equal(x, compiled));
}

} // namespace
} // namespace touchstone::tests
