#include "tests/backends/DebuggingCalls.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/debugging/BoxedNop.h"
#include "backends/debugging/DebugInterpreter.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/RaisedException.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

/// Counts which of some storages are alive before each call.
class Watching final : public runtime::CallMode {
 public:
  void watch(const at::Tensor& tensor) {
    watched_.emplace_back(c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr()));
  }
  void onOperator(const ir::Node& node, const c10::OperatorHandle&, torch::jit::Stack& stack,
                  const std::function<void()>& next) override {
    std::string alive = node.target + ":";
    for (const auto& tensor : watched_) {
      alive += tensor.use_count() > 0 ? " alive" : " freed";
    }
    seen.push_back(std::move(alive));
    next();
    watch(stack.at(0).toTensor());
  }
  std::vector<std::string> seen;

 private:
  std::vector<c10::weak_intrusive_ptr<c10::TensorImpl>> watched_;
};

TEST(BoxedNopTest, EachTensorIsFreedWhenNothingReadsItAnyMore) {
  const auto watching = std::make_shared<Watching>();
  const auto compiled = debugging::boxedNop(watching)(chainGraph({"aten::exp", "aten::neg", "aten::sin"}), {});
  at::Tensor x = numbers({50});
  watching->watch(x);
  std::vector<at::Tensor> inputs;
  inputs.push_back(std::move(x));
  const at::Tensor result = compiled->run(std::move(inputs)).at(0);
  EXPECT_EQ(watching->seen,
            (std::vector<std::string>{"aten::exp: alive", "aten::neg: freed alive", "aten::sin: freed freed alive"}));
  EXPECT_TRUE(at::equal(result, numbers({50}).exp().neg().sin()));
}

TEST(BoxedNopTest, WhatNothingReadsIsFreedAtOnce) {
  const auto watching = std::make_shared<Watching>();
  ir::Graph graph = chainGraph({"aten::exp"});
  graph.addPlaceholder("unread");
  graph.addOperator("aten::neg", {ir::nodeArgument(0)});
  const ir::NodeId last = graph.addOperator("aten::sin", {ir::nodeArgument(0)});
  graph.output = {
      ir::Argument::Container{.kind = ir::Argument::Container::Kind::kTuple, .items = {ir::nodeArgument(last)}}};
  const auto compiled = debugging::boxedNop(watching)(std::move(graph), {});
  std::vector<at::Tensor> inputs{numbers({10}), numbers({10})};
  watching->watch(inputs[1]);
  compiled->run(std::move(inputs));
  EXPECT_EQ(watching->seen,
            (std::vector<std::string>{"aten::exp: alive", "aten::neg: freed freed", "aten::sin: freed freed freed"}));
}

TEST(BoxedNopTest, TheCallersGradModeHoldsWhateverWasRecorded) {
  const at::Tensor x = numbers({3}).requires_grad_();
  ir::Graph graph = chainGraph({"aten::exp"});
  graph.node(1).state.gradEnabled = false;
  EXPECT_TRUE(debugging::boxedNop()(graph, {})->run({x}).at(0).requires_grad());
  EXPECT_FALSE(backends::compileToInterpreter(graph, {})->run({x}).at(0).requires_grad());
}

ir::Graph graphWithMetadata(ir::TensorMetadata metadata) {
  ir::Graph graph = chainGraph({"aten::neg"});
  graph.node(1).metadata = std::move(metadata);
  return graph;
}

TEST(BoxedNopTest, TheDebugInterpreterHoldsEachNodeAgainstWhatWasTraced) {
  const backends::GraphCompiler checking = debugging::debugNop();
  const at::Tensor x = numbers({3, 1, 4});
  const ir::TensorMetadata right = runtime::metadataOf(x);
  EXPECT_TRUE(at::equal(checking(graphWithMetadata(right), {})->run({x}).at(0), x.neg()));
  ir::TensorMetadata insignificant = right;
  insignificant.strides[1] = 77;
  EXPECT_EQ(thrownText([&] { checking(graphWithMetadata(insignificant), {})->run({x}); }), "");

  ir::TensorMetadata dtype = right, sizes = right, strides = right;
  dtype.dtype = {static_cast<int64_t>(at::kDouble)};
  sizes.sizes = {3, 4, 1};
  strides.strides = {1, 12, 3};
  EXPECT_EQ(thrownText([&] { checking(graphWithMetadata(dtype), {})->run({x}); }),
            "AssertionError: node `neg` (`aten::neg`): dtype: expected float64, as traced, got float32");
  EXPECT_EQ(thrownText([&] { checking(graphWithMetadata(sizes), {})->run({x}); }),
            "AssertionError: node `neg` (`aten::neg`): size: expected [3, 4, 1], as traced, got [3, 1, 4]");
  EXPECT_EQ(thrownText([&] { checking(graphWithMetadata(strides), {})->run({x}); }),
            "AssertionError: node `neg` (`aten::neg`): stride: expected [1, 12, 3], as traced, got [4, 4, 1]");
  EXPECT_EQ(thrownText([&] { debugging::boxedNop()(graphWithMetadata(sizes), {})->run({x}); }), "")
      << "not without the switch";
}

TEST(BoxedNopTest, AotAutogradTakesCompilersOfForwardAndBackward) {
  std::vector<std::string> compiled;
  const auto noting = [&](const char* which) -> backends::GraphCompiler {
    return [&compiled, which](ir::Graph graph, const std::vector<at::Tensor>& examples) {
      std::string text = which;
      EXPECT_EQ(examples.size(), graph.placeholders().size());
      for (const at::Tensor& example : examples) {
        EXPECT_TRUE(example.defined() && example.is_meta());
        text += " " + std::to_string(example.dim());
      }
      compiled.push_back(text);
      return debugging::boxedNop()(std::move(graph), examples);
    };
  };
  DebuggingCalls calls(
      "def program(x, w):\n    return torch.mm(x, w).sin().sum()\n",
      aot_autograd::aotCompiler({.forwardCompiler = noting("forward"), .backwardCompiler = noting("backward")}));
  const at::Tensor x = numbers({3, 4}), w = numbers({4, 2}).requires_grad_();
  const at::Tensor y = calls({x, w}).at(0);
  EXPECT_EQ(compiled.size(), 2u);
  EXPECT_EQ(compiled.at(0), "forward 2 2");
  EXPECT_EQ(compiled.at(1).substr(0, 8), "backward");
  y.backward();
  const at::Tensor eagerW = numbers({4, 2}).requires_grad_();
  DebuggingCalls::call(*calls.eager, {x, eagerW}).at(0).backward();
  EXPECT_TRUE(at::equal(w.grad(), eagerW.grad()));
}

TEST(BoxedNopTest, WhatTheCompilersOfForwardAndBackwardMakeIsWhatRuns) {
  class Doubled final : public backends::CompiledGraph {
   public:
    explicit Doubled(ir::Graph graph) : interpreter_(std::move(graph), runtime::NodeState::kCallers) {}
    std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
      std::vector<at::Tensor> outputs = interpreter_.runFlat(std::move(inputs));
      outputs.at(0) = outputs.at(0).mul(2);
      return outputs;
    }

   private:
    runtime::Interpreter interpreter_;
  };
  const backends::GraphCompiler doubling = [](ir::Graph graph, const std::vector<at::Tensor>&) {
    return std::make_shared<const Doubled>(std::move(graph));
  };
  DebuggingCalls calls("def program(x):\n    return x.sin()\n",
                       aot_autograd::aotCompiler({.forwardCompiler = doubling, .backwardCompiler = doubling}));
  const at::Tensor x = numbers({3}).requires_grad_();
  const at::Tensor y = calls({x}).at(0);
  EXPECT_TRUE(at::equal(y, numbers({3}).sin().mul(2)));
  y.backward(at::ones({3}));
  EXPECT_TRUE(at::equal(x.grad(), numbers({3}).cos().mul(2)));
}

} // namespace
} // namespace touchstone::tests
