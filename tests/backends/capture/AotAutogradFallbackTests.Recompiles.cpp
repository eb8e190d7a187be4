// Which calls are compiled anew, and the guard that says so.
#include "tests/backends/FallbackPrograms.h"

#include "backends/capture/CallableCapture.h"

#include <ATen/ops/trunc.h>

namespace touchstone::tests {
namespace {

at::Tensor leafOfRandom() {
  return at::randn({3, 3}).requires_grad_();
}

constexpr const char* kModule =
    "m = torch.nn.Module()\n"
    "m.mean = torch.nn.Parameter(torch.randn(3, 3))\n"
    "return (m,), ()";

/// A module record with the parameter `mean`.
values::Value moduleWithMean() {
  return argumentsOf(fallbackCase("def program(m):\n    return m.mean\n", kModule))[0];
}

/// Calls once with each list of arguments; both must have been compiled, the second because the guard did not hold.
void expectRecompiles(const std::string& program, const values::ValueList& first, const values::ValueList& second,
                      const std::string& guard, const debugging::CountingCompiler& compiler) {
  const Optimized fn(fallbackCase(program, kModule), backends::GraphCompiler(compiler));
  fn(first);
  EXPECT_EQ(fn.failureReason, "");
  fn(second);
  EXPECT_EQ(compiler.count().frames, 2);
  EXPECT_TRUE(contains(fn.failureReason, guard)) << fn.failureReason;
}

TEST(AotAutogradFallbackTests, requires_grad_fake_via_dynamo_recompiles) {
  const std::string program = "def program(x, y):\n    return (x + y,)\n";
  const at::Tensor x = leafOfRandom(), y = leafOfRandom(), z = at::randn({3, 3});
  const debugging::CountingCompiler cc = countingAotWithAssertions();
  const Optimized fxy(fallbackCase(program), backends::GraphCompiler(cc));
  expectEqualOutputsAndGradients(fxy, {x, y});
  expectEqualOutputsAndGradients(fxy, {x, z});
  EXPECT_TRUE(contains(fxy.failureReason, "tensor 'L['y']' requires_grad mismatch. expected requires_grad=1"))
      << fxy.failureReason;
  EXPECT_EQ(cc.count().frames, 2);

  const debugging::CountingCompiler again = countingAotWithAssertions();
  const Optimized fxz(fallbackCase(program), backends::GraphCompiler(again));
  expectEqualOutputsAndGradients(fxz, {x, z});
  expectEqualOutputsAndGradients(fxz, {x, z});
  EXPECT_EQ(again.count().frames, 1);
  EXPECT_EQ(fxz.failureReason, "");
}

TEST(AotAutogradFallbackTests, arg_dupe_via_dynamo_recompiles) {
  const std::string program =
      "def program(x, y):\n"
      "    x = x.trunc_()\n"
      "    y = y.trunc_()\n"
      "    return (x + y,)\n";
  const at::Tensor x = leafOfRandom(), y = leafOfRandom();
  const debugging::CountingCompiler cc = countingAotWithAssertions();
  const Optimized fxy(fallbackCase(program), backends::GraphCompiler(cc));
  fxy({x.clone(), y.clone()});
  fxy({x.clone(), y.clone()});
  EXPECT_EQ(fxy.failureReason, "");
  EXPECT_EQ(cc.count().frames, 1);

  const at::Tensor x3 = x.clone();
  expectRecompiles(program, {x3, x3}, {x.clone(), y.clone()}, "L['x'] is L['y']", countingAotWithAssertions());
}

TEST(AotAutogradFallbackTests, arg_dupe_via_dynamo_recompiles_many_args_param_non_tensor_arg) {
  const std::string program =
      "def program(self, a, b, e, f):\n"
      "    a.trunc_()\n"
      "    b.trunc_()\n"
      "    return (a + b + self.mean) * e * f\n";
  for (int64_t number : {2, 3}) {
    const values::Value self = moduleWithMean(), constant{values::Value::Payload(number)};
    const at::Tensor a1 = leafOfRandom().clone(), a2 = leafOfRandom().clone(), b2 = leafOfRandom().clone();
    expectRecompiles(program, {self, a1, a1, constant, constant}, {self, a2, b2, constant, constant},
                     "L['a'] is L['b']", countingAot());
  }
}

// `z` is no argument: a C++ function holds it, as the seed's closure does.
TEST(AotAutogradFallbackTests, arg_dupe_via_dynamo_recompiles_many_with_global) {
  const at::Tensor mean = leafOfRandom(), a = leafOfRandom(), b = leafOfRandom(), z = a;
  const int64_t e = 2, f = 2;
  capture::CallableProgram program;
  program.function = [=](const std::vector<at::Tensor>& arguments) -> std::vector<at::Tensor> {
    arguments[0].trunc_();
    arguments[1].trunc_();
    return {(arguments[0] + arguments[1] + z + mean) * e * f};
  };
  program.parameters = {"a", "b"};
  program.held = {{"z", z}, {"mean", mean}};
  std::string failureReason;
  const debugging::CountingCompiler cc = countingAotWithAssertions();
  const auto compiled = capture::captureCallable(
      program, {.compiler = cc,
                .onGuardFailure = [&](const capture::GuardFailure& failure) { failureReason = failure.reason; }});
  const at::Tensor a1 = a.clone(), a2 = a.clone(), b2 = b.clone(), b3 = b.clone();
  Optimized::call(*compiled, {a1, a1});
  EXPECT_EQ(failureReason, "");
  const values::Value result = Optimized::call(*compiled, {a2, b2});
  EXPECT_EQ(cc.count().frames, 2);
  EXPECT_TRUE(contains(failureReason, "L['a'] is L['b']")) << failureReason;
  expectSame(values::Value((at::trunc(a) + at::trunc(b) + z + mean) * e * f), result);
  // What it holds is an input: it gets a gradient.
  tensorsOf(result)[0].sum().backward();
  EXPECT_TRUE(at::equal(z.grad(), at::full({3, 3}, 4)));
}

TEST(AotAutogradFallbackTests, arg_dupe_via_dynamo_recompiles_many_args_param_non_tensor_arg_list) {
  const std::string program =
      "def program(self, e, f, a, b):\n"
      "    a.trunc_()\n"
      "    b.trunc_()\n"
      "    return (a + b + self.mean) * e[0] * f[0]\n";
  auto list = [](std::vector<int64_t> numbers) {
    values::ValueList items;
    for (int64_t number : numbers) {
      items.emplace_back(values::Value::Payload(number));
    }
    return values::Value::list(std::move(items));
  };
  for (int i = 0; i < 2; ++i) {
    const values::Value self = moduleWithMean();
    const at::Tensor a1 = leafOfRandom().clone(), a2 = leafOfRandom().clone(), b2 = leafOfRandom().clone();
    expectRecompiles(program, {self, list({3, 2, 1}), list({4, 5, 6}), a1, a1},
                     {self, list({3, 2, 1}), list({4, 5, 6}), a2, b2}, "L['a'] is L['b']", countingAot());
  }
}

TEST(AotAutogradFallbackTests, arg_dupe_via_dynamo_recompiles_many_args_param) {
  const std::string program =
      "def program(self, a, b):\n"
      "    a.trunc_()\n"
      "    b.trunc_()\n"
      "    return a + b + self.mean\n";
  for (int i = 0; i < 2; ++i) {
    const values::Value self = moduleWithMean();
    const at::Tensor a1 = leafOfRandom().clone(), a2 = leafOfRandom().clone(), b2 = leafOfRandom().clone();
    expectRecompiles(program, {self, a1, a1}, {self, a2, b2}, "L['a'] is L['b']", countingAotWithAssertions());
  }
}

TEST(AotAutogradFallbackTests, arg_dupe_via_dynamo_recompiles_many_args) {
  const std::string program =
      "def program(a, b, c, d):\n"
      "    a.trunc_()\n"
      "    b.trunc_()\n"
      "    c.trunc_()\n"
      "    d.trunc_()\n"
      "    return (a + b + c + d,)\n";
  auto fresh = [] { return leafOfRandom().clone(); };
  const at::Tensor a1 = fresh(), b2 = fresh(), c3 = fresh();
  expectRecompiles(program, {a1, a1, a1, a1}, {fresh(), b2, b2, b2}, "L['a'] is L['b']", countingAotWithAssertions());
  expectRecompiles(program, {fresh(), fresh(), c3, c3}, {fresh(), fresh(), fresh(), fresh()}, "L['c'] is L['d']",
                   countingAotWithAssertions());
}

} // namespace
} // namespace touchstone::tests
