#include "graph/ir/ExplainOutput.h"

#include <gtest/gtest.h>

namespace touchstone::tests {

TEST(ExplainOutputTest, ABreakWithoutAStackHasNoHeadingForOne) {
  ir::ExplainOutput output;
  output.breakReasons = {{"print", {}}};
  EXPECT_NE(output.text().find("    Reason: print\n"), std::string::npos) << output.text();
  EXPECT_EQ(output.text().find("User Stack"), std::string::npos) << output.text();
}

TEST(ExplainOutputTest, TheTextOfEveryField) {
  ir::ExplainOutput output;
  output.graphCount = 3;
  output.graphBreakCount = 2;
  output.opCount = 4;
  output.breakReasons = {{"print", {{.line = 2, .function = "program"}}},
                         {"Tensor.item", {{.line = 3, .function = "program"}, {.line = 1, .function = "helper"}}}};
  output.opsPerGraph = {{"aten::sin"}, {"aten::cos", "aten::add.Tensor"}, {"aten::exp"}};
  output.outGuards = {{"tensor L['x']: float32"}};
  output.compileTimes = "0.5 s";
  output.specializations = {"L['x']: it is a view"};
  output.givenUp = {"cat is called otherwise", "what is returned", "cat is called otherwise"};
  EXPECT_EQ(output.text(),
            "Graph Count: 3\n"
            "Graph Break Count: 2\n"
            "Op Count: 4\n"
            "Break Reasons:\n"
            "  Break Reason 1:\n"
            "    Reason: print\n"
            "    User Stack:\n"
            "      <FrameSummary file case.py, line 2 in program>\n"
            "  Break Reason 2:\n"
            "    Reason: Tensor.item\n"
            "    User Stack:\n"
            "      <FrameSummary file case.py, line 3 in program>\n"
            "      <FrameSummary file case.py, line 1 in helper>\n"
            "Ops per Graph:\n"
            "  Ops 1:\n"
            "    aten::sin\n"
            "  Ops 2:\n"
            "    aten::cos\n"
            "    aten::add.Tensor\n"
            "  Ops 3:\n"
            "    aten::exp\n"
            "Out Guards:\n"
            "  Guard 1:\n"
            "    tensor L['x']: float32\n"
            "Specializations:\n"
            "  L['x']: it is a view\n"
            "Graphs Given Up: 3\n"
            "  cat is called otherwise (2 times)\n"
            "  what is returned\n"
            "Compile Times: 0.5 s\n");
}

TEST(ExplainOutputTest, WhatIsNotKnownIsLeftOut) {
  EXPECT_EQ(ir::ExplainOutput().text(), "Graph Count: 0\nGraph Break Count: 0\nOp Count: 0\nBreak Reasons:\n");
}

TEST(ExplainOutputTest, LinesOfTheSourceFollowTheirPlaces) {
  ir::ExplainOutput output;
  output.breakReasons = {{"print", {{.line = 2, .function = "f"}, {.line = 9, .function = "g"}}}};
  const std::string text = output.text({"def f():", "    print(x)"});
  EXPECT_NE(text.find("line 2 in f>\n        print(x)\n      <FrameSummary file case.py, line 9 in g>\n"),
            std::string::npos)
      << text;
}

TEST(ExplainOutputTest, DetailsOfGraphsAccumulate) {
  ir::Graph broken;
  const ir::NodeId x = broken.addPlaceholder("x");
  broken.addElement(broken.addOperator("aten::sort", {ir::Argument{ir::NodeReference{x}}}), 0);
  broken.brokenBy = ir::GraphBreakReport{"print", {{.line = 4, .function = "program"}}};
  ir::Graph whole;
  whole.addOperator("aten::sin", {ir::Argument{ir::NodeReference{whole.addPlaceholder("x")}}});
  ir::ExplainOutput output;
  ir::addGraphDetail(broken, output);
  ir::addGraphDetail(whole, output);
  EXPECT_EQ(output.graphCount, 2);
  EXPECT_EQ(output.graphs.size(), 2U);
  EXPECT_EQ(output.opCount, 2) << "an element of a result is no operation";
  const std::vector<std::vector<std::string>> operations{{"aten::sort"}, {"aten::sin"}};
  EXPECT_EQ(output.opsPerGraph, operations);
  ASSERT_EQ(output.breakReasons.size(), 1U);
  EXPECT_EQ(output.breakReasons[0].reason, "print");
  EXPECT_EQ(output.graphBreakCount, 1);
}

} // namespace touchstone::tests
