#include "tests/backends/CompiledCalls.h"

#include "backends/decompositions/DecompositionTable.h"
#include "graph/ir/GraphText.h"
#include "graph/ir/Stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace touchstone::tests {
namespace {

/// The Graphs that the stages of one compile leave.
std::map<std::string, ir::Graph> stagesOf(const char* body, aot_autograd::AotOptions options) {
  std::map<std::string, ir::Graph> graphs;
  options.observers.push_back(
      backends::visitGraphs([&](const std::string& stage, const ir::StageArtifacts&, const ir::Graph& graph) {
        graphs.insert_or_assign(stage, graph);
      }));
  CompiledCalls calls("x, w", body, std::move(options));
  calls({leaf({3}), leaf({3}, 2)})[0].sum().backward();
  return graphs;
}

/// `aten::leaky_relu_backward at 2`, of each operator that came of another.
std::set<std::string> originsOf(const ir::Graph& graph, int firstLine, bool backward) {
  std::set<std::string> origins;
  for (const ir::Node& node : graph.nodes()) {
    if (node.kind == ir::NodeKind::kOperator && node.backward == backward) {
      EXPECT_NE(node.original, "") << node.name;
      if (node.original != node.target) {
        origins.insert(node.original + " at " + std::to_string(node.line - firstLine));
      }
    }
  }
  return origins;
}

} // namespace

TEST(NodeMetadataTest, DecompositionsFunctionalizationAndPartitionsKeepWhatANodeCameOf) {
  const auto graphs = stagesOf(
      "y = torch.nn.functional.leaky_relu(x, 0.2)\ny.add_(w)\nreturn y * w",
      {.partition = aot_autograd::AotPartition::kMinCut, .decompositions = decompositions::inductorDecompositions()});
  const ir::Graph& captured = graphs.at(ir::kCapturedStage);
  const std::map<int64_t, int> lines = ir::linesBySequence(captured);
  const auto first = std::ranges::find(captured.nodes(), "aten::leaky_relu", &ir::Node::target);
  ASSERT_NE(first, captured.nodes().end());
  const std::set<std::string> forward{"aten::leaky_relu at 0", "aten::add_.Tensor at 1"};
  EXPECT_EQ(originsOf(graphs.at(ir::kForwardStage), first->line, false), forward);
  for (const char* stage : {ir::kJointStage, ir::kFunctionalStage, ir::kMergedStage, ir::kBackwardStage}) {
    int known = 0;
    for (const ir::Node& node : graphs.at(stage).nodes()) {
      if (node.kind == ir::NodeKind::kOperator && node.backward) {
        ASSERT_TRUE(lines.contains(node.sequence)) << node.name << " of " << stage;
        EXPECT_EQ(node.line, lines.at(node.sequence)) << node.name << " of " << stage;
        ++known;
      }
    }
    EXPECT_GE(known, 2) << stage;
  }
  const std::set<std::string> backward = originsOf(graphs.at(ir::kBackwardStage), first->line, true);
  EXPECT_TRUE(backward.contains("aten::leaky_relu_backward at 0")) << ir::printGraph(graphs.at(ir::kBackwardStage));
}

TEST(NodeMetadataTest, TextsShowItWhereTheyAreAskedTo) {
  const auto graphs = stagesOf("return x.sin() * w", {});
  ir::GraphTextOptions options;
  options.showMetadata = true;
  options.source.resize(100, "    a statement");
  const std::string text = ir::graphCode(graphs.at(ir::kBackwardStage), options);
  EXPECT_NE(text.find("# of aten::cos, line "), std::string::npos) << text;
  EXPECT_NE(text.find(": a statement, number "), std::string::npos) << text;
  options.showMetadata = false;
  EXPECT_EQ(ir::graphCode(graphs.at(ir::kBackwardStage), options).find("# of aten::cos"), std::string::npos);
}

} // namespace touchstone::tests
