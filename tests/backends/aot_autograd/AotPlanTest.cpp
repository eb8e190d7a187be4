#include "backends/aot_autograd/ViewAndMutationMetadata.h"

#include "tests/backends/AotPrograms.h"
#include "tests/backends/WholeCapture.h"

#include "program/evaluator/Evaluator.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace touchstone::tests {
namespace {

/// The plan of a program for inputs of seed 1.
struct Planned {
  Planned(const char* inputs, const char* parameters, const char* body)
      : theCase(caseOfProgram({"", inputs, parameters, body})),
        whole(theCase, evaluator::Evaluator(theCase).makeInputs("inputs", 1, "uniform").arguments),
        frame(*whole.frame),
        plan(frame.plan()) {}
  const aot_autograd::InputPlan& input(size_t position) const { return plan.inputs.at(position); }

  language::Case theCase;
  WholeFrame whole;
  const aot_autograd::CompiledAotGraph& frame;
  const aot_autograd::ViewAndMutationMetadata& plan;
};

TEST(AotPlanTest, AnInputThatIsOnlyRead) {
  for (const char* argument : {"F(3, 4)", "F(3, 4).requires_grad_()", "F(3, 4).t()"}) {
    const Planned planned(argument, "x", "return x.sin(), x[1]");
    const aot_autograd::InputPlan& input = planned.input(0);
    EXPECT_EQ(input.name, "x");
    EXPECT_FALSE(input.dataMutated || input.mutationHidden || input.versionBumped || input.storageReplaced);
    EXPECT_FALSE(input.moved || input.requiresGrad || input.detached || input.isHidden || input.retainsGrad);
    EXPECT_EQ(input.root, -1);
    EXPECT_NE(planned.plan.text().find("input x: only read"), std::string::npos) << planned.plan.text();
  }
}

TEST(AotPlanTest, DataMutatedInSightOfAutograd) {
  const Planned planned("F(3, 4).requires_grad_() * 1, F(4)", "x, y", "x.mul_(y)\nreturn x + 1");
  EXPECT_TRUE(planned.input(0).dataMutated);
  EXPECT_FALSE(planned.input(0).mutationHidden);
  EXPECT_TRUE(planned.input(0).versionBumped);
  EXPECT_GE(planned.input(0).root, 0) << "the input is an output of the backward node from now on";
  EXPECT_FALSE(planned.input(1).dataMutated);
}

TEST(AotPlanTest, DataMutatedHiddenFromAutograd) {
  for (const char* body : {"with torch.no_grad():\n    x.mul_(2)\nreturn x + 1", "x.detach().mul_(2)\nreturn x + 1"}) {
    for (const char* argument : {"F(3, 4).requires_grad_()", "F(3, 4).requires_grad_() * 1"}) {
      const Planned planned(argument, "x", body);
      EXPECT_TRUE(planned.input(0).dataMutated) << body;
      EXPECT_TRUE(planned.input(0).mutationHidden) << body;
      EXPECT_EQ(planned.input(0).root, -1) << body;
    }
  }
}

TEST(AotPlanTest, AWriteThatAutogradSeesAndIgnoresIsNotHidden) {
  const Planned planned("F(3, 4)", "x", "x.mul_(2)\nreturn x + 1");
  EXPECT_TRUE(planned.input(0).dataMutated);
  EXPECT_FALSE(planned.input(0).mutationHidden) << planned.plan.text();
}

TEST(AotPlanTest, MetadataMutated) {
  const Planned planned("F(3, 4)", "x", "x.t_()\nreturn x + 1");
  const aot_autograd::InputPlan& input = planned.input(0);
  EXPECT_FALSE(input.dataMutated);
  EXPECT_FALSE(input.storageReplaced);
  ASSERT_TRUE(input.moved.has_value());
  EXPECT_EQ(input.moved->geometry.sizes, (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(input.moved->geometry.strides, (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(input.moved->inputStorage, 0);
  EXPECT_NE(planned.plan.text().find("metadata mutated"), std::string::npos) << planned.plan.text();
}

TEST(AotPlanTest, StorageReplaced) {
  const Planned planned("F(3, 4), F(6)", "x, y", "torch.ops.aten.set_.source_Tensor(x, y)\nreturn x + 1");
  EXPECT_TRUE(planned.input(0).storageReplaced);
  ASSERT_TRUE(planned.input(0).moved.has_value());
  EXPECT_EQ(planned.input(0).moved->inputStorage, 1);
  EXPECT_EQ(planned.input(0).moved->geometry.sizes, std::vector<int64_t>{6});
  EXPECT_FALSE(planned.input(1).storageReplaced);
}

TEST(AotPlanTest, StartsToRequireGrad) {
  const Planned planned("F(3, 4)", "x", "x.requires_grad_()\nreturn x.sin()");
  EXPECT_EQ(planned.input(0).requiresGrad, std::optional<bool>(true));
  EXPECT_EQ(planned.plan.wanted, std::vector<int>{0});
  EXPECT_FALSE(planned.input(0).dataMutated);
}

TEST(AotPlanTest, TheBaseOfAViewIsAnInputToo) {
  const Planned planned("b = F(3, 4).requires_grad_() * 1\nb[1]", "x", "x.mul_(2)\nreturn x + 1");
  ASSERT_EQ(planned.plan.inputs.size(), 2u);
  EXPECT_FALSE(planned.input(0).isHidden);
  EXPECT_TRUE(planned.input(1).isHidden);
  EXPECT_TRUE(planned.plan.inputStorages.at(0).isFlat || planned.plan.inputStorages.size() == 1);
}

TEST(AotPlanTest, KindsOfOutputs) {
  struct Kind {
    const char* body;
    std::vector<aot_autograd::OutputKind> kinds;
  };
  const std::vector<Kind> table = {
      {"return x[1], x.t(), x",
       {aot_autograd::OutputKind::kAliasOfInput,
        aot_autograd::OutputKind::kAliasOfInput}}, // x is no output of the Graph
      {"return x.sin()", {aot_autograd::OutputKind::kFresh}},
      {"y = x.sin()\nreturn y, y[0]",
       {aot_autograd::OutputKind::kBase, aot_autograd::OutputKind::kAliasOfIntermediate}},
      {"y = x.sin()\nreturn y[1], y[0]",
       {aot_autograd::OutputKind::kAliasOfIntermediate, aot_autograd::OutputKind::kAliasOfIntermediate}},
      {"y = x.sin()\nreturn y[1]", {aot_autograd::OutputKind::kAliasOfIntermediate}},
      {"y = x.sin()\nreturn y, y", {aot_autograd::OutputKind::kFresh}}, // one output of the Graph
      {"y = x.sin()\nreturn y, y.detach()",
       {aot_autograd::OutputKind::kSharesMemory, aot_autograd::OutputKind::kSharesMemory}},
      {"return x.detach()", {aot_autograd::OutputKind::kAliasOfInput}},
  };
  for (const Kind& entry : table) {
    const Planned planned("F(3, 4).requires_grad_()", "x", entry.body);
    ASSERT_EQ(planned.plan.outputs.size(), entry.kinds.size());
    for (size_t i = 0; i < entry.kinds.size(); ++i) {
      EXPECT_EQ(static_cast<int>(planned.plan.outputKind(i)), static_cast<int>(entry.kinds[i]))
          << entry.body << "\noutput " << i << "\n"
          << planned.plan.text();
    }
  }
}

TEST(AotPlanTest, TheTextTellsHowViewsWereMade) {
  const std::pair<const char*, const char*> table[] = {
      {"return x.unbind()[0]", "one of several views made at once"},
      {"with torch.no_grad():\n    y = x[0]\nreturn y", "view of x, made under no_grad"},
      {"return torch.matmul(x.unsqueeze(0), torch.ones(4, 2))",
       "fresh, float32[1, 3, 2] strides [6, 2, 1], an unsafe view"},
  };
  for (const auto& [body, text] : table) {
    const Planned planned("F(3, 4).requires_grad_() * 1", "x", body);
    EXPECT_NE(planned.plan.text().find(text), std::string::npos) << body << "\n" << planned.plan.text();
  }
  EXPECT_EQ(Planned("F(3, 4) * 1", "x", "return x[0]").plan.text().find("made"), std::string::npos);
}

TEST(AotPlanTest, AHiddenBaseIsMadeForViewsOfAnIntermediate) {
  const Planned planned("F(3, 4).requires_grad_()", "x", "y = x.sin()\nreturn y[1], y[0]");
  ASSERT_EQ(planned.plan.made.size(), 3u) << planned.plan.text();
  int hidden = 0;
  for (size_t i = 0; i < planned.plan.made.size(); ++i) {
    const std::vector<int>& outputs = planned.plan.outputs;
    const int number = static_cast<int>(planned.plan.inputs.size() + i);
    const bool isHidden = std::find(outputs.begin(), outputs.end(), number) == outputs.end();
    hidden += isHidden ? 1 : 0;
    EXPECT_EQ(planned.plan.made[i].base < 0, isHidden);
  }
  EXPECT_EQ(hidden, 1);
  EXPECT_EQ(planned.plan.memories.size(), 1u) << "one memory holds all three";
}

TEST(AotPlanTest, NoneOutputsAndConstantsAreNoTensors) {
  const Planned planned("F(3)", "x", "return x + 1, None, 3, x.shape");
  EXPECT_EQ(planned.plan.outputs.size(), 1u);
  EXPECT_TRUE(planned.plan.roots.empty());
  EXPECT_TRUE(planned.plan.wanted.empty());
}

TEST(AotPlanTest, WhatBackwardTakesAndGives) {
  const Planned planned("F(3).requires_grad_(), F(3), F(3).requires_grad_()", "x, n, w",
                        "return x * n, n + 1, w.sin(), (x * w).long()");
  EXPECT_EQ(planned.plan.roots.size(), 2u);
  EXPECT_EQ(planned.plan.wanted, (std::vector<int>{0, 2}));
  ASSERT_EQ(planned.plan.nodes.size(), 2u) << "graphs that do not meet";
  EXPECT_EQ(planned.plan.tangents.at(0).sizes, std::vector<int64_t>{3});
}

TEST(AotPlanTest, NoBackwardWithoutGrad) {
  const Planned planned("F(3).requires_grad_()", "x",
                        "with torch.no_grad():\n    y = x.sin()\nreturn y, x.detach() * 2");
  EXPECT_TRUE(planned.plan.roots.empty());
  EXPECT_EQ(planned.frame.saved().nodes.size(), 0u);
}

} // namespace
} // namespace touchstone::tests
