#include "backends/torch_compile/StageImport.h"
#include "oracles/stages/PartitionLaws.h"
#include "tests/torch_compile/Programs.h"

#include <ATen/ops/ones.h>

#include <algorithm>
#include <set>

namespace touchstone::tests {

class StageImportTest : public PythonTest {
 protected:
  /// What one compile of a program of two tensors that require grad left.
  static ir::StageArtifacts stagesOf(const std::string& body) {
    const auto program = torch_compile::compileInPython("import torch\n\n\ndef program(x, w):\n" + body, "aot_eager",
                                                        {.keepsStages = true});
    const auto leaf = [] { return values::Value(at::ones({2, 3}).requires_grad_()); };
    call(*program, {leaf(), leaf()});
    std::vector<ir::StageArtifacts> frames = program->stages();
    EXPECT_EQ(frames.size(), 1U);
    return std::move(frames.at(0));
  }

  static std::set<stages::PartitionLaw> brokenLaws(const ir::StageArtifacts& frame) {
    std::set<stages::PartitionLaw> laws;
    for (const stages::PartitionBreach& breach :
         stages::partitionBreaches(frame, stages::inputsFor(*frame.graph("joint"), 1))) {
      laws.insert(breach.law);
    }
    return laws;
  }
};

TEST_F(StageImportTest, TheLawsOfAPartitionHoldOfPyTorchs) {
  for (const char* body : {"    return (x * 2).sin() * w, x.exp()\n",
                           "    y = torch.nn.functional.dropout(x.sin(), 0.5, True)\n    return (y * w).sin(), 1 - y\n",
                           "    w.detach().mul_(2)\n    return (x * 3).exp()\n"}) {
    const ir::StageArtifacts frame = stagesOf(body);
    EXPECT_FALSE(frame.partition.saved.empty()) << body;
    EXPECT_EQ(brokenLaws(frame), std::set<stages::PartitionLaw>()) << body;
  }
}

TEST_F(StageImportTest, SavedValuesThatAreMixedUpDoNotCompose) {
  ir::StageArtifacts frame = stagesOf("    return x.mul(w).sin()\n");
  ASSERT_GE(frame.partition.saved.size(), 2U);
  std::reverse(frame.partition.saved.begin(), frame.partition.saved.end());
  EXPECT_EQ(brokenLaws(frame), std::set<stages::PartitionLaw>{stages::PartitionLaw::kComposes});
}

TEST_F(StageImportTest, ADrawInTheBackwardIsTold) {
  ir::StageArtifacts frame = stagesOf("    return torch.nn.functional.dropout(x, 0.5, True) * w\n");
  const ir::Graph& forward = *frame.graph("forward");
  const auto drawn = std::find_if(forward.nodes().begin(), forward.nodes().end(), [](const ir::Node& node) {
    return node.target.find("native_dropout") != std::string::npos || node.target.find("rand") != std::string::npos ||
           node.target.find("bernoulli") != std::string::npos;
  });
  ASSERT_NE(drawn, forward.nodes().end()) << ir::printGraph(forward);
  frame.graph("forward")->node(static_cast<ir::NodeId>(drawn - forward.nodes().begin())).backward = true;
  EXPECT_TRUE(brokenLaws(frame).contains(stages::PartitionLaw::kDrawsOnce));
}

TEST_F(StageImportTest, NodesSayWhetherTheyAreOfTheBackward) {
  const ir::StageArtifacts frame = stagesOf("    return (x.sin() * w).exp()\n");
  const auto countOf = [&](const char* stage, bool backward) {
    const std::vector<ir::Node>& nodes = frame.graph(stage)->nodes();
    return std::count_if(nodes.begin(), nodes.end(), [&](const ir::Node& node) {
      return node.kind == ir::NodeKind::kOperator && node.target != "aten::detach" && node.backward == backward;
    });
  };
  EXPECT_EQ(countOf("joint", false), 3);
  EXPECT_EQ(countOf("joint", true), 5); // exp; twice mul; cos, and the product with it
  EXPECT_EQ(countOf("forward", true), 0);
}

TEST_F(StageImportTest, ANumberInATensorsPlaceIsATensor) {
  const ir::StageArtifacts frame = stagesOf("    return x * 2 + w\n");
  const ir::Graph& forward = *frame.graph("forward");
  EXPECT_TRUE(std::any_of(forward.nodes().begin(), forward.nodes().end(), [](const ir::Node& node) {
    return node.kind == ir::NodeKind::kConstant;
  })) << ir::printGraph(forward);
}

} // namespace touchstone::tests
