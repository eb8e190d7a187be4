#include "tests/backends/DebuggingCalls.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/debugging/CallTrace.h"
#include "backends/debugging/CompilerRegistry.h"
#include "backends/debugging/InvokeSubgraph.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones_like.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

namespace touchstone::tests {
namespace {

constexpr const char* kSubgraphProgram = "def program(x, w):\n    return torch.mm(x, w).sin().sum()\n";

/// A Program's forward and backward as one function: what make_fx is given.
struct TrainingStep {
  explicit TrainingStep(backends::GraphCompiler compiler) : calls(kSubgraphProgram, std::move(compiler)) {}
  std::vector<at::Tensor> operator()(const std::vector<at::Tensor>& inputs) {
    std::vector<at::Tensor> results = calls(inputs);
    results.push_back(torch::autograd::grad({results.at(0)}, {inputs.at(1)}).at(0));
    return results;
  }
  DebuggingCalls calls;
};

int64_t count(const ir::Graph& graph, const std::string& target) {
  return std::count_if(graph.nodes().begin(), graph.nodes().end(),
                       [&](const ir::Node& node) { return node.target == target; });
}

TEST(InvokeSubgraphTest, TracedAgainForwardAndBackwardAreOneCallEach) {
  TrainingStep step(debugging::lookUpCompiler("invoke_subgraph"));
  const at::Tensor x = numbers({3, 4}), w = numbers({4, 2}).requires_grad_();
  step({x, w}); // compiled
  const ir::Graph traced =
      debugging::traceCalls([&](const std::vector<at::Tensor>& inputs) { return step(inputs); }, {x, w});
  std::vector<const ir::Graph*> subgraphs;
  for (const ir::Node& node : traced.nodes()) {
    if (const ir::Graph* subgraph = debugging::invokedSubgraph(traced, node)) {
      EXPECT_EQ(node.target, "invoke_subgraph");
      subgraphs.push_back(subgraph);
    }
  }
  ASSERT_EQ(subgraphs.size(), 2u) << ir::printGraph(traced);
  EXPECT_EQ(count(traced, "aten::mm") + count(traced, "aten::sin") + count(traced, "aten::cos"), 0)
      << ir::printGraph(traced);
  EXPECT_EQ(count(*subgraphs[0], "aten::sin"), 1) << "the forward";
  EXPECT_EQ(count(*subgraphs[0], "aten::cos"), 0);
  EXPECT_EQ(count(*subgraphs[1], "aten::cos"), 1) << "the backward";
}

TEST(InvokeSubgraphTest, TheTracedGraphComputesWhatEagerComputes) {
  TrainingStep step(debugging::lookUpCompiler("invoke_subgraph"));
  const at::Tensor x = numbers({3, 4}), w = numbers({4, 2}).requires_grad_();
  ir::Graph traced = debugging::traceCalls([&](const std::vector<at::Tensor>& inputs) { return step(inputs); }, {x, w});
  const at::Tensor otherX = numbers({3, 4}, 1), otherW = numbers({4, 2}, 3);
  const runtime::Interpreter interpreter(std::move(traced), runtime::NodeState::kCallers);
  const auto results = interpreter.runFlat({otherX, otherW});
  const at::Tensor leaf = numbers({4, 2}, 3).requires_grad_();
  const at::Tensor expected = DebuggingCalls::call(*step.calls.eager, {otherX, leaf}).at(0);
  EXPECT_TRUE(at::equal(results.at(0), expected));
  EXPECT_TRUE(at::allclose(results.at(1), torch::autograd::grad({expected}, {leaf}).at(0)));
}

/// The Graphs of forward and backward of a chain of three operators on an input, as a trace of both shows them.
std::vector<ir::Graph> subgraphsOfChain(backends::GraphCompiler compiler) {
  DebuggingCalls calls("def program(x):\n    return x.sin().exp().cos()\n", std::move(compiler));
  const auto step = [&](const std::vector<at::Tensor>& inputs) {
    const at::Tensor result = calls(inputs).at(0);
    return torch::autograd::grad({result}, {inputs.at(0)}, {at::ones_like(result)});
  };
  const at::Tensor x = numbers({3, 4}).requires_grad_();
  step({x}); // compiled
  const ir::Graph traced = debugging::traceCalls(step, {x});
  std::vector<ir::Graph> subgraphs;
  for (const ir::Node& node : traced.nodes()) {
    if (const ir::Graph* subgraph = debugging::invokedSubgraph(traced, node)) {
      subgraphs.push_back(*subgraph);
    }
  }
  return subgraphs;
}

struct Cut {
  size_t given = 0; // to the backward, the tangent included
  int64_t sines = 0, exponentials = 0; // computed in the backward
  bool operator==(const Cut&) const = default;
};
std::ostream& operator<<(std::ostream& stream, const Cut& cut) {
  return stream << cut.given << " given, " << cut.sines << " sines, " << cut.exponentials << " exponentials";
}

Cut cutOf(const std::vector<ir::Graph>& subgraphs) {
  EXPECT_EQ(subgraphs.size(), 2u);
  const ir::Graph &forward = subgraphs.at(0), &backward = subgraphs.at(1);
  EXPECT_EQ(count(forward, "aten::sin"), 1) << ir::printGraph(forward);
  EXPECT_EQ(count(forward, "aten::exp"), 1) << ir::printGraph(forward);
  return {backward.placeholders().size(), count(backward, "aten::sin"), count(backward, "aten::exp")};
}

// The backward reads x (cos of it), exp (as a factor) and sin of exp; one sine of its own is that of the cosine's formula.
TEST(InvokeSubgraphTest, ForwardAndBackwardAreCutAsAsked) {
  const auto cutBy = [](aot_autograd::AotOptions options) {
    return cutOf(subgraphsOfChain(debugging::invokeSubgraphCompiler(std::move(options))));
  };
  EXPECT_EQ(cutBy({.partition = aot_autograd::AotPartition::kDefault}), (Cut{3, 1, 0})) << "x, exp, the tangent";
  EXPECT_EQ(cutBy({.partition = aot_autograd::AotPartition::kMinCut}), (Cut{2, 2, 1})) << "x, the tangent";
  const auto saveSine = [](const ir::Graph& joint, const partitioners::PartitionInputs&) {
    std::vector<ir::NodeId> saved;
    for (const ir::Node& node : joint.nodes()) {
      if (node.target == "aten::sin" && !node.backward) {
        saved.push_back(static_cast<ir::NodeId>(&node - joint.nodes().data()));
      }
    }
    return saved;
  };
  EXPECT_EQ(cutBy({.partition = aot_autograd::AotPartition::kChosen, .chooseSaved = saveSine}), (Cut{3, 1, 1}))
      << "x, sin, the tangent";
  EXPECT_EQ(cutOf(subgraphsOfChain(debugging::lookUpCompiler("invoke_subgraph"))), (Cut{2, 2, 1}))
      << "as in PyTorch, by the min-cut partition";
}

TEST(InvokeSubgraphTest, WritesToInputsStayInTheForwardWhereNoGradientIsTraced) {
  DebuggingCalls calls("def program(x):\n    x.mul_(2)\n    return x.sin()\n",
                       debugging::lookUpCompiler("invoke_subgraph"));
  const at::Tensor x = numbers({3, 4});
  calls({numbers({3, 4})}); // compiled
  const ir::Graph traced =
      debugging::traceCalls([&](const std::vector<at::Tensor>& inputs) { return calls(inputs); }, {x});
  EXPECT_TRUE(at::equal(x, numbers({3, 4}).mul(2)));
  int64_t writes = 0;
  for (const ir::Node& node : traced.nodes()) {
    if (const ir::Graph* subgraph = debugging::invokedSubgraph(traced, node)) {
      writes += count(*subgraph, "aten::copy_");
    }
  }
  EXPECT_EQ(writes, 1) << ir::printGraph(traced);
  EXPECT_EQ(count(traced, "aten::copy_"), 0) << "none by the runtime\n" << ir::printGraph(traced);
  const at::Tensor other = numbers({3, 4}, 1);
  const auto results = runtime::Interpreter(traced).runFlat({other});
  EXPECT_TRUE(at::equal(other, numbers({3, 4}, 1).mul(2)));
  EXPECT_TRUE(at::equal(results.at(0), numbers({3, 4}, 1).mul(2).sin()));
}

TEST(InvokeSubgraphTest, AWriteInInferenceModeToMemoryThatInputsShareBumpsTheirVersion) {
  DebuggingCalls calls("def program(x, y):\n    y.mul_(2)\n    return x.tanh()\n",
                       debugging::lookUpCompiler("invoke_subgraph"));
  const at::Tensor base = numbers({3}), eagerBase = numbers({3});
  const at::Tensor view = base.view({3}), eagerView = eagerBase.view({3});
  const c10::InferenceMode inference;
  const auto results = calls({view, base}), expected = DebuggingCalls::call(*calls.eager, {eagerView, eagerBase});
  EXPECT_TRUE(at::equal(base, eagerBase));
  EXPECT_TRUE(at::equal(results.at(0), expected.at(0)));
  EXPECT_GT(base._version(), 0u);
}

TEST(InvokeSubgraphTest, OtherCompilersAreTracedIntoTheirOperators) {
  TrainingStep step(aot_autograd::aotCompiler());
  const at::Tensor x = numbers({3, 4}), w = numbers({4, 2}).requires_grad_();
  step({x, w});
  const ir::Graph traced =
      debugging::traceCalls([&](const std::vector<at::Tensor>& inputs) { return step(inputs); }, {x, w});
  EXPECT_EQ(count(traced, "invoke_subgraph"), 0);
  EXPECT_EQ(count(traced, "aten::sin"), 1) << ir::printGraph(traced);
  EXPECT_EQ(count(traced, "aten::cos"), 1);
}

TEST(InvokeSubgraphTest, UntracedItRunsAsAotAutograd) {
  TrainingStep step(debugging::lookUpCompiler("invoke_subgraph")), plain(aot_autograd::aotCompiler());
  const at::Tensor x = numbers({3, 4}), w = numbers({4, 2}).requires_grad_();
  const auto results = step({x, w}), expected = plain({x, w});
  EXPECT_TRUE(at::equal(results.at(0), expected.at(0)));
  EXPECT_TRUE(at::equal(results.at(1), expected.at(1)));
  EXPECT_EQ(debugging::CallTrace::current(), nullptr);
}

TEST(InvokeSubgraphTest, ATraceKeepsWritesAndRandomCallsAndNamesViewsByTheirMemory) {
  const at::Tensor x = numbers({3, 4});
  const ir::Graph traced = debugging::traceCalls(
      [](const std::vector<at::Tensor>& inputs) {
        inputs.at(0).neg(); // nothing reads it
        at::Tensor view = inputs.at(0).t();
        view.add_(1);
        return std::vector<at::Tensor>{view, at::Tensor()};
      },
      {x});
  EXPECT_EQ(count(traced, "aten::neg"), 0);
  EXPECT_EQ(count(traced, "aten::add_.Tensor") + count(traced, "aten::add_.Scalar"), 1) << ir::printGraph(traced);
  const at::Tensor other = numbers({3, 4}, 5);
  const auto results = runtime::Interpreter(traced).runFlat({other});
  EXPECT_TRUE(at::equal(other, numbers({3, 4}, 6)));
  EXPECT_TRUE(results.at(0).is_alias_of(other));
  EXPECT_FALSE(results.at(1).defined());
}

} // namespace
} // namespace touchstone::tests
