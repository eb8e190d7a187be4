#include "tests/backends/DebuggingCalls.h"

#include "backends/compilers/KnownDefects.h"
#include "backends/compilers/StandIn.h"
#include "backends/compilers/TorchScriptCompilers.h"
#include "backends/compilers/TorchScriptModule.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace touchstone::tests {
namespace {

/// The operators of a Graph as they are written into TorchScript, in order.
std::vector<std::string> written(const ir::Graph& graph) {
  std::vector<std::string> kinds;
  const auto method = compilers::torchScriptModule(graph).get_method("forward").graph();
  for (const torch::jit::Node* node : method->nodes()) {
    const std::string kind = node->kind().toQualString();
    if (kind.rfind("prim::", 0) != 0) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

using Kinds = std::vector<std::string>;

TEST(KnownDefectsTest, WhatIsAvoidedIsWrittenAsAStandInAndTheRestAsItIs) {
  const ir::Graph graph = chainGraph({"aten::hardsigmoid", "aten::exp"});
  EXPECT_EQ(written(graph), (Kinds{"aten::hardsigmoid", "aten::exp"}));
  {
    const compilers::DefectsAvoided avoided({"gradient_of_a_hardsigmoid"});
    EXPECT_EQ(written(graph), (Kinds{"touchstone::aten__hardsigmoid", "aten::exp"}));
    EXPECT_TRUE(avoided.met().contains("gradient_of_a_hardsigmoid"));
    EXPECT_FALSE(avoided.met().contains("unread_draw_is_left_out"));
    const compilers::DefectsAvoided inner(std::set<std::string_view>{});
    EXPECT_EQ(written(graph), (Kinds{"aten::hardsigmoid", "aten::exp"}));
  }
  EXPECT_EQ(written(graph), (Kinds{"aten::hardsigmoid", "aten::exp"}));
}

TEST(KnownDefectsTest, OfAllOperatorsOneMayBeLeftToTorchScript) {
  const auto defect =
      std::find_if(compilers::knownDefects().begin(), compilers::knownDefects().end(),
                   [](const compilers::KnownDefect& each) { return each.name == "gradient_of_a_hardsigmoid"; });
  ASSERT_NE(defect, compilers::knownDefects().end());
  const compilers::DefectsAvoided others = compilers::DefectsAvoided::allBut(defect->concerns);
  EXPECT_EQ(written(chainGraph({"aten::hardsigmoid", "aten::exp"})),
            (Kinds{"aten::hardsigmoid", "touchstone::aten__exp"}));
}

TEST(KnownDefectsTest, AResultThatIsReadIsHandedOnToThoseThatReadIt) {
  ir::Graph graph = chainGraph({"aten::exp", "aten::sin", "aten::cos"});
  const ir::NodeId exp = graph.placeholders().at(0) + 1;
  std::get<ir::Argument::Container>(graph.output.payload).items.push_back(ir::nodeArgument(exp));
  const std::string name = "part_of_the_gradient_of_a_result";
  EXPECT_EQ(written(graph), (Kinds{"aten::exp", "aten::sin", "aten::cos"}));
  {
    const compilers::DefectsAvoided avoided({name});
    EXPECT_EQ(written(graph), (Kinds{"aten::exp", "touchstone::handing_on", "aten::sin", "aten::cos"}));
  }
  // A stand-in is differentiated apart as it is.
  const compilers::DefectsAvoided avoided({name, "result_beside_one_that_requires_grad"});
  EXPECT_EQ(written(graph), (Kinds{"touchstone::aten__exp", "touchstone::aten__sin", "touchstone::aten__cos"}));
}

TEST(KnownDefectsTest, AnOperatorApartReadsAndGivesWhatIsHandedOnAndAsAStandInHasEffects) {
  const ir::Graph graph = chainGraph({"aten::exp"});
  const std::string order = "gradients_added_in_another_order";
  {
    const compilers::DefectsAvoided avoided({order});
    EXPECT_EQ(written(graph), (Kinds{"touchstone::handing_on_in_turn", "aten::exp", "touchstone::handing_on_in_turn"}));
  }
  const compilers::DefectsAvoided avoided({order, "result_beside_one_that_requires_grad"});
  EXPECT_EQ(written(graph), (Kinds{"touchstone::aten__exp__with_effects"}));
}

TEST(KnownDefectsTest, OfLargeGradientsThoseOfAValueThatIsReadThriceAreApart) {
  ir::Graph graph = chainGraph({"aten::exp", "aten::sin", "aten::cos"});
  const ir::NodeId exp = graph.placeholders().at(0) + 1;
  auto& results = std::get<ir::Argument::Container>(graph.output.payload).items;
  const compilers::DefectsAvoided avoided({"large_gradients_in_another_order"});
  results.push_back(ir::nodeArgument(exp));
  EXPECT_EQ(written(graph), (Kinds{"aten::exp", "aten::sin", "aten::cos"}));
  EXPECT_FALSE(avoided.met().contains("large_gradients_in_another_order"));
  results.push_back(ir::nodeArgument(exp));
  EXPECT_EQ(written(graph), (Kinds{"aten::exp", "touchstone::handing_on_in_turn", "aten::sin",
                                   "touchstone::handing_on_in_turn", "aten::cos"}));
}

TEST(KnownDefectsTest, StandInsThatDrawAreNotMadeOne) {
  const std::string program =
      "def program(x):\n    return torch.rand_like(x), torch.rand_like(x), torch.nn.functional.hardsigmoid(x)\n";
  for (const char* name : {"result_beside_one_that_requires_grad", "unread_draw_is_left_out"}) {
    const compilers::DefectsAvoided avoided({name});
    DebuggingCalls calls(program, compilers::torchScriptCompiler(compilers::scriptAlone()));
    for (int i = 0; i < 3; ++i) {
      const std::vector<at::Tensor> outputs = calls({numbers({3, 4})});
      EXPECT_FALSE(at::equal(outputs.at(0), outputs.at(1))) << name;
    }
  }
}

TEST(KnownDefectsTest, ANumberIsOfNoOtherDtype) {
  for (const bool isNumber : {true, false}) {
    const compilers::DefectsAvoided avoided(std::set<std::string_view>{});
    const std::string factor = isNumber ? "1.5" : "torch.tensor([1.5], dtype=torch.float64)";
    DebuggingCalls calls("def program(x):\n    return x * " + factor + "\n",
                         compilers::torchScriptCompiler(compilers::scriptAlone()));
    calls({numbers({3, 4})});
    EXPECT_EQ(avoided.met().contains("gradient_of_another_dtype"), !isNumber) << factor;
  }
}

TEST(KnownDefectsTest, AConstantThatIsAvoidedIsNewInEachCall) {
  const std::string program = "def program(x):\n    return torch.full((2,), 1.0), torch.tensor([1.0, 2.0]) + 1\n";
  for (const bool avoids : {false, true}) {
    const compilers::DefectsAvoided avoided(avoids ? std::set<std::string_view>{"constant_that_is_returned_is_shared"}
                                                   : std::set<std::string_view>{});
    DebuggingCalls calls(program,
                         compilers::torchScriptCompiler(compilers::forCapturedGraphs(compilers::simpleTsCompile())));
    for (int i = 0; i < 3; ++i) {
      for (const at::Tensor& output : calls({numbers({3, 4})})) {
        EXPECT_TRUE(!avoids || at::equal(output, output.clone().fill_(1)) || output[1].item<float>() == 3);
        output.add_(1);
      }
    }
    EXPECT_EQ(calls({numbers({3, 4})}).at(0)[0].item<float>() == 1, avoids);
  }
}

TEST(KnownDefectsTest, ANameIsUsedForOneDefectAndHasASymptomOfItsOwn) {
  for (const compilers::KnownDefect& defect : compilers::knownDefects()) {
    const auto same = std::count_if(
        compilers::knownDefects().begin(), compilers::knownDefects().end(), [&](const compilers::KnownDefect& each) {
          return each.name == defect.name && each.symptom == defect.symptom && each.message == defect.message;
        });
    EXPECT_EQ(same, 1) << defect.name;
    EXPECT_NE(defect.form, compilers::CallForm::kOwn) << defect.name;
  }
}

} // namespace
} // namespace touchstone::tests
