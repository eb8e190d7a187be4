#include "backends/capture/CallableCapture.h"

#include "tests/backends/FallbackPrograms.h"

#include "backends/capture/OperatorMode.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/linear.h>
#include <torch/csrc/autograd/custom_function.h>

namespace touchstone::tests {
namespace {

using Tensors = std::vector<at::Tensor>;

struct Doubled : torch::autograd::Function<Doubled> {
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& x) { return x * 2; }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list gradients) {
    return {gradients[0] * 7}; // not what the operators in it would have
  }
};

/// Why the function cannot be captured; empty: it can.
std::string refusalOf(const capture::CallableProgram::Function& function, const values::ValueList& arguments) {
  const auto compiled = capture::captureCallable({.function = function, .name = "f"});
  return raisedBy([&] { Optimized::call(*compiled, arguments); });
}

TEST(CallableCaptureTest, OneGraphForEachKindOfArguments) {
  int64_t runs = 0;
  const debugging::CountingCompiler cc = countingAot();
  const auto compiled = capture::captureCallable({.function = [&](const Tensors& x) -> Tensors {
                                                   ++runs;
                                                   return {x[0].sin() * x[1], x[1]};
                                                 }},
                                                 {.compiler = cc});
  for (int64_t size : {3, 3, 5, 3}) {
    const at::Tensor x = at::randn({size}).requires_grad_(), y = at::randn({size});
    const std::vector<at::Tensor> returned = tensorsOf(Optimized::call(*compiled, {x, y}));
    EXPECT_TRUE(at::equal(returned[0], x.sin() * y));
    EXPECT_TRUE(returned[1].is_same(y)); // the very object
    EXPECT_TRUE(returned[0].requires_grad());
  }
  EXPECT_EQ(runs, 2); // on fake tensors
  EXPECT_EQ(cc.count().frames, 2);
  EXPECT_EQ(compiled->report().compiledRuns, 4);
  EXPECT_EQ(compiled->report().recompiles.size(), 1u);
  EXPECT_TRUE(contains(compiled->report().recompiles[0], "L['x0']' size mismatch")) << compiled->report().recompiles[0];
}

TEST(CallableCaptureTest, OperatorsAreRecordedWholeAndAboveAutograd) {
  const debugging::CountingCompiler cc;
  const at::Tensor weight = at::randn({4, 3}).requires_grad_(), bias = at::randn({4}).requires_grad_();
  const auto compiled = capture::captureCallable(
      {.function = [&](const Tensors& x) -> Tensors { return {at::linear(x[0], weight, bias).relu()}; },
       .held = {{"weight", weight}, {"bias", bias}}},
      {.compiler = cc});
  const at::Tensor x = at::randn({2, 3}), out = tensorsOf(Optimized::call(*compiled, {x}))[0];
  EXPECT_EQ(compiled->report().operationsOfGraphs,
            (std::vector<std::vector<std::string>>{{"aten::linear", "aten::relu"}}));
  EXPECT_EQ(cc.count().graphs[0].placeholders().size(), 3u);
  out.sum().backward();
  const at::Tensor eager = at::linear(x, weight, bias).relu().sum();
  EXPECT_TRUE(at::equal(bias.grad(), torch::autograd::grad({eager}, {bias})[0]));
  // What it holds is guarded and may change.
  weight.detach().mul_(2);
  EXPECT_TRUE(at::equal(tensorsOf(Optimized::call(*compiled, {x}))[0], at::linear(x, weight, bias).relu()));
  EXPECT_EQ(cc.count().frames, 1);
  weight.requires_grad_(false);
  Optimized::call(*compiled, {x});
  EXPECT_TRUE(contains(compiled->report().recompiles.at(0), "L['self'].weight' requires_grad mismatch"))
      << compiled->report().recompiles[0];
}

TEST(CallableCaptureTest, WhatNoGraphHoldsIsRefusedByName) {
  const at::Tensor x = at::ones({3}), outside = at::ones({3});
  auto expectRefused = [&](const capture::CallableProgram::Function& function, const char* why,
                           const values::ValueList& arguments) {
    const std::string text = refusalOf(function, arguments);
    EXPECT_TRUE(contains(text, why)) << text;
    EXPECT_TRUE(contains(text, "cannot be resumed")) << text;
  };
  expectRefused([](const Tensors& x) -> Tensors { return {x[0].sum().item<float>() > 0 ? x[0] + 1 : x[0]}; },
                "`aten::item`", {x});
  expectRefused([](const Tensors& x) -> Tensors { return {at::equal(x[0], x[0]) ? x[0] + 1 : x[0]}; }, "`aten::equal`",
                {x});
  expectRefused([](const Tensors& x) -> Tensors { return {x[0].nonzero()}; }, "`aten::nonzero`", {x});
  expectRefused(
      [](const Tensors& x) -> Tensors {
        static_cast<const float*>(x[0].data_ptr());
        return {x[0] + 1};
      },
      "Cannot access data pointer", {x});
  expectRefused([&](const Tensors& x) -> Tensors { return {x[0] + outside}; }, "not declared", {x});
  expectRefused([](const Tensors& x) -> Tensors { return {Doubled::apply(x[0]) + 1}; }, "custom autograd function",
                {at::ones({3}).requires_grad_()});
  expectRefused([](const Tensors& x) -> Tensors { return {Doubled::apply(x[0])}; }, "custom autograd function",
                {at::ones({3}).requires_grad_()});
  expectRefused(
      [](const Tensors& x) -> Tensors {
        (x[0] + 1).sum().backward();
        return {x[0] + 1};
      },
      "`.grad` of a tensor was written", {at::ones({3}).requires_grad_()});
  // Also when the function makes nothing of it.
  expectRefused(
      [](const Tensors& x) -> Tensors {
        try {
          x[0].sum().item<float>();
        } catch (const std::exception&) {
        }
        return {x[0] + 1};
      },
      "`aten::item`", {x});
}

TEST(CallableCaptureTest, ErrorsOfTheFunctionAreItsOwn) {
  const auto compiled =
      capture::captureCallable({.function = [](const Tensors& x) -> Tensors { return {x[0].mm(x[0])}; }});
  const std::string raised = raisedBy([&] { Optimized::call(*compiled, {at::ones({2, 3})}); });
  EXPECT_EQ(raised, raisedBy([] { at::ones({2, 3}).mm(at::ones({2, 3})); }));
}

TEST(CallableCaptureTest, WritesStayInTheCallsAndModesAreRestored) {
  const auto compiled = capture::captureCallable({.function = [](const Tensors& x) -> Tensors {
                                                   const c10::AutoGradMode off(false);
                                                   x[0].add_(1);
                                                   return {x[0].t()};
                                                 }},
                                                 {.compiler = aot_autograd::aotCompiler()});
  const at::Tensor x = at::ones({2, 3}).requires_grad_();
  for (double expected : {2.0, 3.0}) {
    const at::Tensor view = tensorsOf(Optimized::call(*compiled, {x}))[0];
    EXPECT_TRUE(at::equal(x, at::full({2, 3}, expected)));
    EXPECT_TRUE(view.is_alias_of(x));
    EXPECT_TRUE(at::GradMode::is_enabled());
    EXPECT_EQ(capture::OperatorMode::current(), nullptr);
  }
}

TEST(CallableCaptureTest, TheInnermostModeIsAsked) {
  std::vector<std::string> outer, inner;
  auto noting = [](std::vector<std::string>& names) {
    return [&names](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
      names.push_back(op.schema().name());
      op.callBoxed(&stack);
    };
  };
  const at::Tensor x = at::ones({3});
  {
    const capture::OperatorMode first(noting(outer));
    x.sin();
    {
      const capture::OperatorMode second(noting(inner));
      x.softmax(0); // whole
    }
    x.cos();
  }
  x.exp();
  EXPECT_EQ(outer, (std::vector<std::string>{"aten::sin", "aten::cos"}));
  EXPECT_EQ(inner, std::vector<std::string>{"aten::softmax"});
}

} // namespace
} // namespace touchstone::tests
