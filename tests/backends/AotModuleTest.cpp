#include "backends/native/AotModule.h"

#include "tests/backends/FallbackPrograms.h"

#include "backends/capture/ExportedProgram.h"
#include "backends/passes/SplitModule.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/CompiledProgram.h"

namespace touchstone::tests {
namespace {

language::Case moduleProgram(const std::string& body) {
  return fallbackCase("def program(x, y):\n" + indented(body));
}

ir::Graph graphOf(const std::string& body, const std::vector<at::Tensor>& inputs) {
  return capture::exportGraph(moduleProgram(body), values::ValueList(inputs.begin(), inputs.end()))->graph();
}

TEST(AotModuleTest, ForwardAndBackwardCompilersAreUsed) {
  const at::Tensor x = at::randn({3}).requires_grad_(), y = at::randn({3}).requires_grad_();
  const debugging::CountingCompiler forward, backward;
  const auto module =
      native::aotModuleSimplified(graphOf("return x.sin() * y", {x, y}), {x, y},
                                  {.stages = {.forwardCompiler = forward, .backwardCompiler = backward}});
  EXPECT_EQ(forward.count().frames, 1);
  EXPECT_EQ(backward.count().frames, 1);
  const at::Tensor out = module->run({x, y})[0], eager = x.sin() * y;
  EXPECT_TRUE(at::equal(out, eager));
  const auto expected = torch::autograd::grad({eager.sum()}, {x, y}),
             actual = torch::autograd::grad({out.sum()}, {x, y});
  EXPECT_TRUE(at::equal(expected[0], actual[0]) && at::equal(expected[1], actual[1]));
  // A compiler's code is what runs.
  const backends::GraphCompiler wrong = [](ir::Graph graph, const std::vector<at::Tensor>& examples) {
    class Zeros final : public backends::CompiledGraph {
     public:
      explicit Zeros(std::shared_ptr<const backends::CompiledGraph> right) : right_(std::move(right)) {}
      std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
        std::vector<at::Tensor> results = right_->run(std::move(inputs));
        results[0] = results[0] * 0;
        return results;
      }

     private:
      std::shared_ptr<const backends::CompiledGraph> right_;
    };
    return std::make_shared<Zeros>(backends::compileToInterpreter(std::move(graph), examples));
  };
  const auto broken = native::aotModuleSimplified(graphOf("return x.sin() * y", {x, y}), {x, y},
                                                  {.stages = {.forwardCompiler = wrong}});
  EXPECT_TRUE(at::equal(broken->run({x, y})[0], at::zeros({3})));
}

TEST(AotModuleTest, AssertionsSayWhatDiffers) {
  const at::Tensor x = at::randn({3}).requires_grad_(), y = at::randn({3});
  const auto module = native::aotModuleSimplified(graphOf("return x * y", {x, y}), {x, y}, {.debugAssert = true});
  EXPECT_EQ(raisedBy([&] { module->run({x, y}); }), "");
  const std::string raised = raisedBy([&] { module->run({x.detach(), y}); });
  EXPECT_TRUE(contains(raised, "tensor 'L['x']' requires_grad mismatch. expected requires_grad=1")) << raised;
}

TEST(AotModuleTest, TheJointGraphIsData) {
  const at::Tensor x = at::randn({3}).requires_grad_(), y = at::randn({3});
  const ir::Graph graph = graphOf("z = x.sin()\nz.mul_(y)\nreturn z.view(3, 1)", {x, y});
  const runtime::Interpreter joint(aot_autograd::aotExportJointSimple(graph, {x, y}, true));
  EXPECT_EQ(joint.graph().placeholders().size(), 3u);
  const at::Tensor tangent = at::randn({3, 1});
  const c10::AutoGradMode off(false);
  const std::vector<at::Tensor> results = joint.runFlat({x, y, tangent});
  ASSERT_EQ(results.size(), 3u); // the output, two gradients
  EXPECT_TRUE(at::equal(results[0], (x.sin() * y).view({3, 1})));
  EXPECT_TRUE(at::allclose(results[1], tangent.view({3}) * y * x.cos()));
  EXPECT_FALSE(results[2].defined());
  for (const ir::Node& node : joint.graph().nodes()) {
    EXPECT_TRUE(node.writes.empty()) << node.name;
    EXPECT_EQ(contains(node.target, "mul_."), false);
  }
}

TEST(AotModuleTest, WhatCannotBeExportedIsRefused) {
  const at::Tensor x = at::randn({3}), y = at::randn({3});
  auto refusal = [&](const std::string& body, const std::vector<at::Tensor>& inputs) {
    const ir::Graph graph = graphOf(body, inputs);
    try {
      aot_autograd::aotExportJointSimple(graph, inputs, false);
    } catch (const ir::Unsupported& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_TRUE(contains(refusal("x.add_(y)\nreturn x + 1", {x, y}), "changes its input `x`"));
  EXPECT_TRUE(contains(refusal("return x.t(), y + 1", {x.view({1, 3}), y}), "output 0"));
  EXPECT_TRUE(contains(refusal("z = x + y\nreturn z, z.view(1, 3)", {x, y}), "output"));
  EXPECT_TRUE(contains(refusal("return x + y", {x, x.view({3})}), "share memory"));
  EXPECT_EQ(refusal("return x + y", {x, y}), "");
  const std::vector<at::Tensor> written =
      runtime::Interpreter(aot_autograd::aotExportJointSimple(graphOf("x.add_(y)\nreturn x * 2", {x, y}), {x, y}, false,
                                                              fake::Backing::kValues,
                                                              aot_autograd::ExportedWrites::kReturned))
          .runFlat({x, y});
  ASSERT_EQ(written.size(), 2u);
  EXPECT_TRUE(at::equal(written[0], x + y));
  EXPECT_TRUE(at::equal(written[1], (x + y) * 2));
}

TEST(AotModuleTest, ExportSaysWhyOneGraphIsNotEnough) {
  const at::Tensor x = at::ones({3}), y = at::ones({3});
  const std::string raised = raisedBy([&] {
    capture::exportGraph(moduleProgram("if x.sum() > 0:\n    return x + y\nreturn x"), {x, y});
  });
  EXPECT_TRUE(contains(raised, "one graph cannot hold the whole program: it breaks at line")) << raised;
  const auto exported = capture::exportGraph(moduleProgram("return [x + y, x, x.size(0)]"), {x, y});
  const values::Value result = Optimized::call(*exported, {x, y});
  EXPECT_TRUE(result.items()->at(1).tensor().is_same(x));
  EXPECT_EQ(result.items()->at(2).as<int64_t>(), 3);
  const std::string other = raisedBy([&] { Optimized::call(*exported, {at::ones({4}), at::ones({4})}); });
  EXPECT_TRUE(contains(other, "exported for other arguments: tensor 'L['x']' size mismatch")) << other;
}

TEST(AotModuleTest, ASplitGraphDoesWhatTheWholeDoes) {
  const Optimized program(moduleProgram("z = x.sin()\nz.mul_(y)\nw = z.exp()\nx.add_(1)\nreturn w + x, z"),
                          [](ir::Graph graph, const std::vector<at::Tensor>& examples) {
                            auto split = std::make_shared<passes::SplitModule>(
                                std::move(graph),
                                [late = false](const ir::Node& node) mutable {
                                  late = late || contains(node.target, "exp");
                                  return late ? 1 : 0;
                                },
                                aot_autograd::aotCompiler(), examples);
                            EXPECT_EQ(split->parts().size(), 2u);
                            return split;
                          });
  for (int times = 0; times < 2; ++times) {
    const at::Tensor x = at::randn({3}), y = at::randn({3}).requires_grad_(), copy = x.clone();
    const values::Value expected = Optimized::call(*program.eager, {copy, y}), actual = program({x, y});
    expectSame(expected, actual);
    EXPECT_TRUE(at::equal(x, copy));
    const at::Tensor left = torch::autograd::grad({tensorsOf(expected)[0].sum()}, {y})[0];
    EXPECT_TRUE(at::allclose(left, torch::autograd::grad({tensorsOf(actual)[0].sum()}, {y})[0]));
  }
  EXPECT_EQ(program.compiled->report().graphs, 1);
}

} // namespace
} // namespace touchstone::tests
