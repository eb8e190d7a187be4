#include "oracles/stages/PartitionLaws.h"

#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "generators/decoder/Decoder.h"
#include "graph/ir/Arguments.h"
#include "oracles/observe/CallRunner.h"
#include "tests/backends/CompiledCalls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace touchstone::tests {
namespace {

using ir::Argument;
using ir::Graph;
using ir::NodeId;

/// What each compile left, one after the other.
class CompilesKept final : public backends::PipelineObserver {
 public:
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    if (stage == "captured" || compiles.empty()) {
      compiles.emplace_back();
    }
    compiles.back() = artifacts;
  }
  std::vector<ir::StageArtifacts> compiles;
};

std::vector<at::Tensor> numbersFor(ir::StageArtifacts& artifacts) {
  return stages::inputsFor(*artifacts.graph("functional"), 1);
}

/// A compile of a program of two inputs that saves an input, draws, and computes something again.
ir::StageArtifacts compileOf(const char* body, aot_autograd::AotPartition partition) {
  const auto hook = std::make_shared<CompilesKept>();
  CompiledCalls calls("x, w", body, {.observers = {hook}, .partition = partition});
  calls({leaf({3, 4}), leaf({3, 4}, 5)});
  EXPECT_EQ(hook->compiles.size(), 1U);
  return hook->compiles.at(0);
}

std::set<stages::PartitionLaw> brokenLaws(ir::StageArtifacts& artifacts) {
  std::set<stages::PartitionLaw> laws;
  for (const stages::PartitionBreach& breach : stages::partitionBreaches(artifacts, numbersFor(artifacts))) {
    EXPECT_GT(breach.message.size(), 20U);
    laws.insert(breach.law);
  }
  return laws;
}

NodeId firstNode(const Graph& graph, const std::string& target) {
  const auto found = std::find_if(graph.nodes().begin(), graph.nodes().end(),
                                  [&](const ir::Node& node) { return node.target == target; });
  EXPECT_NE(found, graph.nodes().end()) << target << ir::printGraph(graph);
  return static_cast<NodeId>(found - graph.nodes().begin());
}

const char* kBody =
    "y = torch.nn.functional.dropout(x.sin(), 0.5, True)\nreturn (y.exp() * w).sin(), y.sin() * y.sin()";

} // namespace

class PartitionLawsTest : public testing::TestWithParam<aot_autograd::AotPartition> {};

TEST_P(PartitionLawsTest, HoldOfWhatTheCompilerDoes) {
  for (const char* body : {kBody, "return x.sin().exp().cos()", "w.detach().mul_(2)\nreturn (x * 3).exp()",
                           "return x.sin().sum(0), w.exp()", "return x.detach().sin() * w"}) {
    ir::StageArtifacts artifacts = compileOf(body, GetParam());
    for (const stages::PartitionBreach& breach : stages::partitionBreaches(artifacts, numbersFor(artifacts))) {
      ADD_FAILURE() << body << ": " << stages::partitionLawName(breach.law) << ": " << breach.message;
    }
  }
}

TEST_P(PartitionLawsTest, HoldOfRandomPrograms) {
  native::registerNativeBackends();
  int judged = 0, raised = 0;
  std::vector<std::string> refused; // why
  for (uint64_t index = 0; index < 60; ++index) {
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(23, index);
    const language::Case theCase = decoder::decode(catalogue::makeRecipe(23, index, options.features), options);
    const auto hook = std::make_shared<CompilesKept>();
    const char* name =
        GetParam() == aot_autograd::AotPartition::kMinCut ? "aot_eager" : "aot_eager_default_partitioner";
    const auto backend = native::makeNativeBackend(backends::backendInfo(name), {hook});
    const auto compiled = backend->compile(theCase);
    observe::runCalls(theCase, *compiled);
    for (ir::StageArtifacts& artifacts : hook->compiles) {
      if (artifacts.graph("forward") == nullptr) {
        ++raised; // when it was compiled
        continue;
      }
      std::vector<stages::PartitionBreach> breaches;
      try {
        breaches = stages::partitionBreaches(artifacts, numbersFor(artifacts));
      } catch (const std::exception&) {
        refused.push_back(firstLine(std::current_exception())); // these numbers are not what an operator wants
        continue;
      }
      ++judged;
      for (const stages::PartitionBreach& breach : breaches) {
        ADD_FAILURE() << "Case " << index << ": " << stages::partitionLawName(breach.law) << ": " << breach.message
                      << "\n"
                      << ir::printGraph(*artifacts.graph("functional")) << ir::printGraph(*artifacts.graph("forward"));
      }
    }
  }
  EXPECT_GT(judged, 40);
  EXPECT_LT(raised, judged / 10);
  EXPECT_LT(refused.size(), static_cast<size_t>(judged) / 10) << testing::PrintToString(refused);
}

INSTANTIATE_TEST_SUITE_P(Both, PartitionLawsTest,
                         testing::Values(aot_autograd::AotPartition::kDefault, aot_autograd::AotPartition::kMinCut),
                         [](const auto& partition) {
                           return partition.param == aot_autograd::AotPartition::kMinCut ? "MinCut" : "Default";
                         });

TEST(PartitionLawsTest, SavedValuesThatAreMixedUpDoNotCompose) {
  ir::StageArtifacts artifacts = compileOf("return x.mul(w).sin()", aot_autograd::AotPartition::kDefault);
  ASSERT_EQ(artifacts.partition.saved.size(), 3U);
  std::swap(artifacts.partition.saved[0], artifacts.partition.saved[1]);
  EXPECT_TRUE(brokenLaws(artifacts).contains(stages::PartitionLaw::kComposes));
}

TEST(PartitionLawsTest, ABackwardThatComputesSomethingElseDoesNotCompose) {
  ir::StageArtifacts artifacts = compileOf("return x.exp()", aot_autograd::AotPartition::kMinCut);
  Graph& backward = *artifacts.graph("backward");
  backward.node(firstNode(backward, "aten::mul.Tensor")).target = "aten::div.Tensor";
  EXPECT_EQ(brokenLaws(artifacts), std::set<stages::PartitionLaw>{stages::PartitionLaw::kComposes});
}

TEST(PartitionLawsTest, AForwardThatWritesSomethingElseToAnInputDoesNotCompose) {
  for (const char* body : {"x.mul_(2)\nreturn x + w", "x[1].mul_(2)\nw.add_(x)\nreturn x.sum()"}) {
    const auto hook = std::make_shared<CompilesKept>();
    CompiledCalls calls("x, w", body, {.observers = {hook}, .keepInferenceInputMutations = true});
    const at::Tensor memory = leaf({4, 3}).detach();
    calls({memory.t(), leaf({3, 4}, 5).detach()});
    ir::StageArtifacts artifacts = hook->compiles.at(0);
    EXPECT_EQ(brokenLaws(artifacts), std::set<stages::PartitionLaw>{}) << body;
    Graph& forward = *artifacts.graph("forward");
    ir::Node& write = forward.node(firstNode(forward, "aten::copy_"));
    write.arguments[1] = write.arguments[0]; // what it held
    EXPECT_EQ(brokenLaws(artifacts), std::set<stages::PartitionLaw>{stages::PartitionLaw::kComposes}) << body;
  }
}

TEST(PartitionLawsTest, WhatIsSavedHasACapacity) {
  ir::StageArtifacts artifacts = compileOf("return x.exp()", aot_autograd::AotPartition::kMinCut);
  ASSERT_EQ(artifacts.partition.saved.size(), 1U);
  EXPECT_EQ(artifacts.partition.capacities.erase(artifacts.partition.saved[0]), 1U);
  EXPECT_EQ(brokenLaws(artifacts), std::set<stages::PartitionLaw>{stages::PartitionLaw::kCostsNoMore});
}

TEST(PartitionLawsTest, ABackwardThatTakesWhatIsNotSavedDoesNotCompose) {
  ir::StageArtifacts artifacts = compileOf("return x.exp()", aot_autograd::AotPartition::kMinCut);
  artifacts.partition.saved.back() = "another";
  EXPECT_TRUE(brokenLaws(artifacts).contains(stages::PartitionLaw::kComposes));
}

TEST(PartitionLawsTest, AWriteToASavedInputBreaksALaw) {
  ir::StageArtifacts artifacts = compileOf("return x.sin()", aot_autograd::AotPartition::kMinCut);
  Graph& forward = *artifacts.graph("forward");
  ASSERT_EQ(artifacts.partition.saved, std::vector<std::string>{"x"});
  forward.addOperator("aten::add_.Scalar",
                      {ir::nodeArgument(forward.placeholders()[0]), Argument{int64_t{1}}, Argument{int64_t{1}}});
  EXPECT_TRUE(brokenLaws(artifacts).contains(stages::PartitionLaw::kSavesNothingMutated));
}

TEST(PartitionLawsTest, ABackwardThatWritesToWhatItIsGivenBreaksALaw) {
  ir::StageArtifacts artifacts = compileOf("return x.sin()", aot_autograd::AotPartition::kMinCut);
  Graph& backward = *artifacts.graph("backward");
  const NodeId write = backward.addOperator(
      "aten::add_.Scalar", {ir::nodeArgument(backward.placeholders()[0]), Argument{int64_t{1}}, Argument{int64_t{1}}});
  backward.node(write).backward = true;
  EXPECT_EQ(brokenLaws(artifacts), std::set<stages::PartitionLaw>{stages::PartitionLaw::kSavesNothingMutated});
}

TEST(PartitionLawsTest, AWriteThatHasCrossedBreaksALaw) {
  ir::StageArtifacts artifacts = compileOf("return x.sin().exp()", aot_autograd::AotPartition::kMinCut);
  Graph& backward = *artifacts.graph("backward");
  const NodeId write = backward.addOperator("aten::add_.Scalar", {ir::nodeArgument(firstNode(backward, "aten::cos")),
                                                                  Argument{int64_t{0}}, Argument{int64_t{1}}});
  EXPECT_TRUE(brokenLaws(artifacts).contains(stages::PartitionLaw::kMutationStays));
  backward.node(write).backward = true;
  EXPECT_EQ(brokenLaws(artifacts), std::set<stages::PartitionLaw>{});
}

TEST(PartitionLawsTest, ADrawThatIsMadeAgainBreaksALaw) {
  ir::StageArtifacts artifacts = compileOf(kBody, aot_autograd::AotPartition::kMinCut);
  Graph& backward = *artifacts.graph("backward");
  backward.addOperator("aten::rand_like", {ir::nodeArgument(backward.placeholders()[0]), Argument{}, Argument{},
                                           Argument{}, Argument{}, Argument{}});
  EXPECT_TRUE(brokenLaws(artifacts).contains(stages::PartitionLaw::kDrawsOnce));
}

TEST(PartitionLawsTest, ACutThatSavesEverythingCostsMore) {
  ir::StageArtifacts artifacts = compileOf("return x.sin() * x.sin().exp()", aot_autograd::AotPartition::kMinCut);
  Graph& merged = *artifacts.graph("merged");
  Graph& forward = *artifacts.graph("forward");
  Graph& backward = *artifacts.graph("backward");
  std::vector<NodeId> outputs = ir::outputNodes(forward);
  ir::PartitionDecision& partition = artifacts.partition;
  for (NodeId id = 0; id < static_cast<NodeId>(merged.nodes().size()); ++id) {
    ir::Node& node = merged.node(id);
    if (!node.backward && node.kind == ir::NodeKind::kOperator &&
        std::find(partition.saved.begin(), partition.saved.end(), node.name) == partition.saved.end()) {
      const std::string name = "saved_" + node.name; // the backward has nodes of the plain names
      partition.capacities[name] = partition.capacities.at(node.name);
      node.name = name;
      partition.saved.push_back(name);
      outputs.push_back(firstNode(forward, node.target));
      backward.addPlaceholder(name);
    }
  }
  forward.output = ir::nodeTuple(outputs);
  EXPECT_EQ(brokenLaws(artifacts), std::set<stages::PartitionLaw>{stages::PartitionLaw::kCostsNoMore});
}

} // namespace touchstone::tests
