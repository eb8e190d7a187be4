#include "backends/torch_compile/StageImport.h"
#include "oracles/stages/PartitionLaws.h"
#include "tests/torch_compile/Programs.h"

#include <ATen/ops/ones.h>

#include <algorithm>
#include <set>

namespace touchstone::backends {

class StageImportTest : public PythonTest {
 protected:
  /// What one compile of a program of two tensors that require grad left.
  static graph::StageArtifacts stagesOf(const std::string& body) {
    const auto program =
        compileInPython("import torch\n\n\ndef program(x, w):\n" + body, "aot_eager", {.keepsStages = true});
    const auto leaf = [] { return graph::Value(at::ones({2, 3}).requires_grad_()); };
    call(*program, {leaf(), leaf()});
    std::vector<graph::StageArtifacts> frames = program->stages();
    EXPECT_EQ(frames.size(), 1U);
    return std::move(frames.at(0));
  }

  static std::set<oracles::PartitionLaw> brokenLaws(const graph::StageArtifacts& frame) {
    std::set<oracles::PartitionLaw> laws;
    for (const oracles::PartitionBreach& breach :
         oracles::partitionBreaches(frame, oracles::inputsFor(*frame.graph("joint"), 1))) {
      laws.insert(breach.law);
    }
    return laws;
  }
};

TEST_F(StageImportTest, TheLawsOfAPartitionHoldOfPyTorchs) {
  for (const char* body : {"    return (x * 2).sin() * w, x.exp()\n",
                           "    y = torch.nn.functional.dropout(x.sin(), 0.5, True)\n    return (y * w).sin(), 1 - y\n",
                           "    w.detach().mul_(2)\n    return (x * 3).exp()\n"}) {
    const graph::StageArtifacts frame = stagesOf(body);
    EXPECT_FALSE(frame.partition.saved.empty()) << body;
    EXPECT_EQ(brokenLaws(frame), std::set<oracles::PartitionLaw>()) << body;
  }
}

TEST_F(StageImportTest, SavedValuesThatAreMixedUpDoNotCompose) {
  graph::StageArtifacts frame = stagesOf("    return x.mul(w).sin()\n");
  ASSERT_GE(frame.partition.saved.size(), 2U);
  std::reverse(frame.partition.saved.begin(), frame.partition.saved.end());
  EXPECT_EQ(brokenLaws(frame), std::set<oracles::PartitionLaw>{oracles::PartitionLaw::kComposes});
}

TEST_F(StageImportTest, ADrawInTheBackwardIsTold) {
  graph::StageArtifacts frame = stagesOf("    return torch.nn.functional.dropout(x, 0.5, True) * w\n");
  const graph::Graph& forward = *frame.graph("forward");
  const auto drawn = std::find_if(forward.nodes().begin(), forward.nodes().end(), [](const graph::Node& node) {
    return node.target.find("native_dropout") != std::string::npos || node.target.find("rand") != std::string::npos ||
           node.target.find("bernoulli") != std::string::npos;
  });
  ASSERT_NE(drawn, forward.nodes().end()) << graph::printGraph(forward);
  frame.graph("forward")->node(static_cast<graph::NodeId>(drawn - forward.nodes().begin())).backward = true;
  EXPECT_TRUE(brokenLaws(frame).contains(oracles::PartitionLaw::kDrawsOnce));
}

TEST_F(StageImportTest, NodesSayWhetherTheyAreOfTheBackward) {
  const graph::StageArtifacts frame = stagesOf("    return (x.sin() * w).exp()\n");
  const auto countOf = [&](const char* stage, bool backward) {
    const std::vector<graph::Node>& nodes = frame.graph(stage)->nodes();
    return std::count_if(nodes.begin(), nodes.end(), [&](const graph::Node& node) {
      return node.kind == graph::NodeKind::kOperator && node.target != "aten::detach" && node.backward == backward;
    });
  };
  EXPECT_EQ(countOf("joint", false), 3);
  EXPECT_EQ(countOf("joint", true), 5); // exp; twice mul; cos, and the product with it
  EXPECT_EQ(countOf("forward", true), 0);
}

TEST_F(StageImportTest, ANumberInATensorsPlaceIsATensor) {
  const graph::StageArtifacts frame = stagesOf("    return x * 2 + w\n");
  const graph::Graph& forward = *frame.graph("forward");
  EXPECT_TRUE(std::any_of(forward.nodes().begin(), forward.nodes().end(), [](const graph::Node& node) {
    return node.kind == graph::NodeKind::kConstant;
  })) << graph::printGraph(forward);
}

} // namespace touchstone::backends
