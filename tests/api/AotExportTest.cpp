#include "tests/api/Comparison.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>

namespace touchstone::aot {
namespace {

Tensors twoLayers(const Tensors& x) {
  const at::Tensor hidden = at::relu(at::linear(x[0], x[1], x[2]));
  return {at::addcmul(hidden, hidden, hidden), hidden.detach() * 2};
}

Tensors leaves() {
  return {at::randn({5, 3}), at::randn({4, 3}).requires_grad_(), at::randn({4}).requires_grad_()};
}

TEST(AotExportTest, TheJointGraphGivesOutputsAndGradients) {
  const Tensors inputs = leaves();
  const ir::Graph joint = aotExportJointSimple(twoLayers, inputs, true);
  EXPECT_EQ(joint.placeholders().size(), 4u); // a tangent for the output that requires grad
  const Tensors expected = twoLayers(inputs);
  const at::Tensor tangent = at::randn({5, 4});
  const Tensors gradients = torch::autograd::grad({expected[0]}, {inputs[1], inputs[2]}, {tangent});
  const c10::AutoGradMode off(false);
  expectSame(interpret(joint)({inputs[0], inputs[1], inputs[2], tangent}),
             {expected[0], expected[1], at::Tensor(), gradients[0], gradients[1]});
}

TEST(AotExportTest, TangentsComeInTheOrderOfTheOutputs) {
  const Function function = [](const Tensors& x) -> Tensors { return {x[0].sin(), x[1] * 3, x[0].cos()}; };
  const Tensors inputs{at::randn({2}).requires_grad_(), at::randn({3}).requires_grad_()},
      tangents{at::randn({2}), at::randn({3}), at::randn({2})}, expected = function(inputs);
  const Tensors gradients = torch::autograd::grad(expected, inputs, tangents);
  const ir::Graph joint = aotExportJointSimple(function, inputs, true);
  const c10::AutoGradMode off(false);
  expectSame(interpret(joint)({inputs[0], inputs[1], tangents[0], tangents[1], tangents[2]}),
             {expected[0], expected[1], expected[2], gradients[0], gradients[1]});
}

TEST(AotExportTest, TheInferenceGraphGivesOutputsAlone) {
  const Tensors inputs = leaves();
  const ir::Graph forward = aotExportJointSimple(twoLayers, inputs, false);
  EXPECT_EQ(forward.placeholders().size(), 3u);
  expectSame(interpret(forward)(inputs), twoLayers(inputs));
  for (const ir::Node& node : forward.nodes()) {
    EXPECT_FALSE(node.backward) << node.name;
  }
}

TEST(AotExportTest, NothingInItWrites) {
  const Function function = [](const Tensors& x) -> Tensors { return {x[0].clone().add_(x[1]).mul_(3)}; };
  const Tensors inputs{at::randn({3}).requires_grad_(), at::randn({3})};
  const ir::Graph joint = aotExportJointSimple(function, inputs, true);
  for (const ir::Node& node : joint.nodes()) {
    EXPECT_TRUE(node.target != "aten::add_.Tensor" && node.target != "aten::mul_.Tensor" && node.writes.empty())
        << codeOf(joint);
  }
  const c10::AutoGradMode off(false);
  expectSame({interpret(joint)({inputs[0], inputs[1], at::ones({3})})[1]}, {at::ones({3}) * 3});
}

TEST(AotExportTest, OperatorsAreDecomposed) {
  const Tensors inputs = leaves();
  SeenGraphs plain{{aotExportJointSimple(twoLayers, inputs, true)}, {}};
  SeenGraphs simple{{aotExportJointSimple(twoLayers, inputs, true, {.decompositions = Decompositions::all()})}, {}};
  EXPECT_EQ(plain.count("aten::addcmul"), 1u);
  EXPECT_EQ(plain.count("aten::threshold_backward"), 1u);
  EXPECT_EQ(simple.count("aten::addcmul"), 0u);
  EXPECT_EQ(simple.count("aten::threshold_backward"), 0u);
}

TEST(AotExportTest, TheGraphOfACapturedOneIsTheSame) {
  const Tensors inputs = leaves();
  const ir::Graph captured = capture(twoLayers, inputs);
  EXPECT_EQ(codeOf(aotExportJointSimple(captured, inputs, true)),
            codeOf(aotExportJointSimple(twoLayers, inputs, true)));
  EXPECT_EQ(codeOf(aotExportJointSimple(twoLayers, inputs, true)),
            codeOf(aotExportJointSimple(twoLayers, inputs, true, {.traceWithValues = false})));
}

TEST(AotExportTest, WhatIsReadNowhereIsAPlaceholder) {
  const Tensors inputs{at::randn({3}).requires_grad_(), at::randn({2}).requires_grad_(), at::randn({3})};
  const ir::Graph joint = aotExportJointSimple([](const Tensors& x) -> Tensors { return {x[2] * x[0]}; }, inputs, true);
  EXPECT_EQ(joint.placeholders().size(), 4u);
  const c10::AutoGradMode off(false);
  expectSame(interpret(joint)({inputs[0], inputs[1], inputs[2], at::ones({3})}),
             {inputs[2] * inputs[0], inputs[2], at::Tensor(), at::Tensor()});
}

TEST(AotExportTest, MutationAndAliasingAreRefused) {
  const at::Tensor x = at::ones({3}), y = at::ones({3});
  const auto refusal = [&](const Function& function, const Tensors& inputs) {
    return thrownBy<ir::Unsupported>([&] { aotExportJointSimple(function, inputs, true); });
  };
  const Function add = [](const Tensors& x) -> Tensors { return {x[0] + x[1]}; };
  EXPECT_TRUE(contains(refusal([](const Tensors& x) -> Tensors { return {x[0].add_(x[1]) + 1}; }, {x, y}),
                       "changes its input `x0`"));
  EXPECT_TRUE(contains(refusal(
                           [](const Tensors& x) -> Tensors {
                             return {x[1] + 1, x[0].view({3, 1})};
                           },
                           {x, y}),
                       "output 1 shares memory with an input"));
  EXPECT_TRUE(contains(refusal([](const Tensors& x) -> Tensors { return {x[0]}; }, {x, y}), "output 0"));
  EXPECT_TRUE(contains(refusal(
                           [](const Tensors& x) -> Tensors {
                             const at::Tensor sum = x[0] + x[1];
                             return {sum, sum.view({3, 1})};
                           },
                           {x, y}),
                       "another output"));
  EXPECT_TRUE(contains(refusal(add, {x, x.view({3})}), "share memory"));
  EXPECT_TRUE(contains(refusal(add, {x, x}), "inputs 0 and 1 are one tensor"));
  EXPECT_EQ(refusal(add, {x, y}), "");
  EXPECT_TRUE(contains(thrownBy<c10::ValueError>([&] {
                         aotExportJointSimple(capture(add, {x, y}), {x}, true);
                       }),
                       "2 placeholders; got 1 examples"));
  EXPECT_TRUE(contains(thrownBy<c10::ValueError>([&] { capture(nullptr, {x}); }), "no function"));
  EXPECT_TRUE(contains(thrownBy<ir::Unsupported>([&] {
                         capture(
                             [](const Tensors& x) -> Tensors {
                               at::GradMode::set_enabled(false);
                               return {x[0] + 1};
                             },
                             {x});
                       }),
                       "leaves another grad mode behind"));
  EXPECT_TRUE(at::GradMode::is_enabled());
}

} // namespace
} // namespace touchstone::aot
