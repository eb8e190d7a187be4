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

namespace touchstone::oracles {
namespace {

using graph::Argument;
using graph::Graph;
using graph::NodeId;

/// What each compile left, one after the other.
class CompilesKept final : public graph::StageHook {
 public:
  void after(const std::string& stage, graph::StageArtifacts& artifacts) override {
    if (stage == "captured" || compiles.empty()) {
      compiles.emplace_back();
    }
    compiles.back() = artifacts;
  }
  std::vector<graph::StageArtifacts> compiles;
};

std::vector<at::Tensor> numbersFor(graph::StageArtifacts& artifacts) {
  return inputsFor(*artifacts.graph("functional"), 1);
}

/// A compile of a program of two inputs that saves an input, draws, and computes something again.
graph::StageArtifacts compileOf(const char* body, backends::AotPartition partition) {
  const auto hook = std::make_shared<CompilesKept>();
  backends::CompiledCalls calls("x, w", body, {.hooks = {hook}, .partition = partition});
  calls({backends::leaf({3, 4}), backends::leaf({3, 4}, 5)});
  EXPECT_EQ(hook->compiles.size(), 1U);
  return hook->compiles.at(0);
}

std::set<PartitionLaw> brokenLaws(graph::StageArtifacts& artifacts) {
  std::set<PartitionLaw> laws;
  for (const PartitionBreach& breach : partitionBreaches(artifacts, numbersFor(artifacts))) {
    EXPECT_GT(breach.message.size(), 20U);
    laws.insert(breach.law);
  }
  return laws;
}

NodeId firstNode(const Graph& graph, const std::string& target) {
  const auto found = std::find_if(graph.nodes().begin(), graph.nodes().end(),
                                  [&](const graph::Node& node) { return node.target == target; });
  EXPECT_NE(found, graph.nodes().end()) << target << graph::printGraph(graph);
  return static_cast<NodeId>(found - graph.nodes().begin());
}

const char* kBody =
    "y = torch.nn.functional.dropout(x.sin(), 0.5, True)\nreturn (y.exp() * w).sin(), y.sin() * y.sin()";

} // namespace

class PartitionLawsTest : public testing::TestWithParam<backends::AotPartition> {};

TEST_P(PartitionLawsTest, HoldOfWhatTheCompilerDoes) {
  for (const char* body : {kBody, "return x.sin().exp().cos()", "w.detach().mul_(2)\nreturn (x * 3).exp()",
                           "return x.sin().sum(0), w.exp()", "return x.detach().sin() * w"}) {
    graph::StageArtifacts artifacts = compileOf(body, GetParam());
    for (const PartitionBreach& breach : partitionBreaches(artifacts, numbersFor(artifacts))) {
      ADD_FAILURE() << body << ": " << partitionLawName(breach.law) << ": " << breach.message;
    }
  }
}

TEST_P(PartitionLawsTest, HoldOfRandomPrograms) {
  backends::registerNativeBackends();
  int judged = 0, raised = 0;
  std::vector<std::string> refused; // why
  for (uint64_t index = 0; index < 60; ++index) {
    generators::DecodeOptions options;
    options.features = generators::featuresOf(23, index);
    const graph::Case theCase = generators::decode(generators::makeRecipe(23, index, options.features), options);
    const auto hook = std::make_shared<CompilesKept>();
    const char* name = GetParam() == backends::AotPartition::kMinCut ? "aot_eager" : "aot_eager_default_partitioner";
    const auto backend = backends::makeNativeBackend(backends::backendInfo(name), {hook});
    const auto compiled = backend->compile(theCase);
    runCalls(theCase, *compiled);
    for (graph::StageArtifacts& artifacts : hook->compiles) {
      if (artifacts.graph("forward") == nullptr) {
        ++raised; // when it was compiled
        continue;
      }
      std::vector<PartitionBreach> breaches;
      try {
        breaches = partitionBreaches(artifacts, numbersFor(artifacts));
      } catch (const std::exception&) {
        refused.push_back(
            backends::firstLine(std::current_exception())); // these numbers are not what an operator wants
        continue;
      }
      ++judged;
      for (const PartitionBreach& breach : breaches) {
        ADD_FAILURE() << "Case " << index << ": " << partitionLawName(breach.law) << ": " << breach.message << "\n"
                      << graph::printGraph(*artifacts.graph("functional"))
                      << graph::printGraph(*artifacts.graph("forward"));
      }
    }
  }
  EXPECT_GT(judged, 40);
  EXPECT_LT(raised, judged / 10);
  EXPECT_LT(refused.size(), static_cast<size_t>(judged) / 10) << testing::PrintToString(refused);
}

INSTANTIATE_TEST_SUITE_P(Both, PartitionLawsTest,
                         testing::Values(backends::AotPartition::kDefault, backends::AotPartition::kMinCut),
                         [](const auto& partition) {
                           return partition.param == backends::AotPartition::kMinCut ? "MinCut" : "Default";
                         });

TEST(PartitionLawsTest, SavedValuesThatAreMixedUpDoNotCompose) {
  graph::StageArtifacts artifacts = compileOf("return x.mul(w).sin()", backends::AotPartition::kDefault);
  ASSERT_EQ(artifacts.partition.saved.size(), 3U);
  std::swap(artifacts.partition.saved[0], artifacts.partition.saved[1]);
  EXPECT_TRUE(brokenLaws(artifacts).contains(PartitionLaw::kComposes));
}

TEST(PartitionLawsTest, ABackwardThatComputesSomethingElseDoesNotCompose) {
  graph::StageArtifacts artifacts = compileOf("return x.exp()", backends::AotPartition::kMinCut);
  Graph& backward = *artifacts.graph("backward");
  backward.node(firstNode(backward, "aten::mul.Tensor")).target = "aten::div.Tensor";
  EXPECT_EQ(brokenLaws(artifacts), std::set<PartitionLaw>{PartitionLaw::kComposes});
}

TEST(PartitionLawsTest, WhatIsSavedHasACapacity) {
  graph::StageArtifacts artifacts = compileOf("return x.exp()", backends::AotPartition::kMinCut);
  ASSERT_EQ(artifacts.partition.saved.size(), 1U);
  EXPECT_EQ(artifacts.partition.capacities.erase(artifacts.partition.saved[0]), 1U);
  EXPECT_EQ(brokenLaws(artifacts), std::set<PartitionLaw>{PartitionLaw::kCostsNoMore});
}

TEST(PartitionLawsTest, ABackwardThatTakesWhatIsNotSavedDoesNotCompose) {
  graph::StageArtifacts artifacts = compileOf("return x.exp()", backends::AotPartition::kMinCut);
  artifacts.partition.saved.back() = "another";
  EXPECT_TRUE(brokenLaws(artifacts).contains(PartitionLaw::kComposes));
}

TEST(PartitionLawsTest, AWriteToASavedInputBreaksALaw) {
  graph::StageArtifacts artifacts = compileOf("return x.sin()", backends::AotPartition::kMinCut);
  Graph& forward = *artifacts.graph("forward");
  ASSERT_EQ(artifacts.partition.saved, std::vector<std::string>{"x"});
  forward.addOperator("aten::add_.Scalar",
                      {graph::nodeArgument(forward.placeholders()[0]), Argument{int64_t{1}}, Argument{int64_t{1}}});
  EXPECT_TRUE(brokenLaws(artifacts).contains(PartitionLaw::kSavesNothingMutated));
}

TEST(PartitionLawsTest, ABackwardThatWritesToWhatItIsGivenBreaksALaw) {
  graph::StageArtifacts artifacts = compileOf("return x.sin()", backends::AotPartition::kMinCut);
  Graph& backward = *artifacts.graph("backward");
  const NodeId write = backward.addOperator("aten::add_.Scalar", {graph::nodeArgument(backward.placeholders()[0]),
                                                                  Argument{int64_t{1}}, Argument{int64_t{1}}});
  backward.node(write).backward = true;
  EXPECT_EQ(brokenLaws(artifacts), std::set<PartitionLaw>{PartitionLaw::kSavesNothingMutated});
}

TEST(PartitionLawsTest, AWriteThatHasCrossedBreaksALaw) {
  graph::StageArtifacts artifacts = compileOf("return x.sin().exp()", backends::AotPartition::kMinCut);
  Graph& backward = *artifacts.graph("backward");
  const NodeId write = backward.addOperator("aten::add_.Scalar", {graph::nodeArgument(firstNode(backward, "aten::cos")),
                                                                  Argument{int64_t{0}}, Argument{int64_t{1}}});
  EXPECT_TRUE(brokenLaws(artifacts).contains(PartitionLaw::kMutationStays));
  backward.node(write).backward = true;
  EXPECT_EQ(brokenLaws(artifacts), std::set<PartitionLaw>{});
}

TEST(PartitionLawsTest, ADrawThatIsMadeAgainBreaksALaw) {
  graph::StageArtifacts artifacts = compileOf(kBody, backends::AotPartition::kMinCut);
  Graph& backward = *artifacts.graph("backward");
  backward.addOperator("aten::rand_like", {graph::nodeArgument(backward.placeholders()[0]), Argument{}, Argument{},
                                           Argument{}, Argument{}, Argument{}});
  EXPECT_TRUE(brokenLaws(artifacts).contains(PartitionLaw::kDrawsOnce));
}

TEST(PartitionLawsTest, ACutThatSavesEverythingCostsMore) {
  graph::StageArtifacts artifacts = compileOf("return x.sin() * x.sin().exp()", backends::AotPartition::kMinCut);
  Graph& merged = *artifacts.graph("merged");
  Graph& forward = *artifacts.graph("forward");
  Graph& backward = *artifacts.graph("backward");
  std::vector<NodeId> outputs = graph::outputNodes(forward);
  graph::PartitionDecision& partition = artifacts.partition;
  for (NodeId id = 0; id < static_cast<NodeId>(merged.nodes().size()); ++id) {
    graph::Node& node = merged.node(id);
    if (!node.backward && node.kind == graph::NodeKind::kOperator &&
        std::find(partition.saved.begin(), partition.saved.end(), node.name) == partition.saved.end()) {
      const std::string name = "saved_" + node.name; // the backward has nodes of the plain names
      partition.capacities[name] = partition.capacities.at(node.name);
      node.name = name;
      partition.saved.push_back(name);
      outputs.push_back(firstNode(forward, node.target));
      backward.addPlaceholder(name);
    }
  }
  forward.output = graph::nodeTuple(outputs);
  EXPECT_EQ(brokenLaws(artifacts), std::set<PartitionLaw>{PartitionLaw::kCostsNoMore});
}

} // namespace touchstone::oracles
