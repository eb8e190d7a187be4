#include "program/analysis/NameFlow.h"

#include "program/parser/CaseParser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

language::Function parse(const std::string& body) {
  return parser::parseFunction("def program(x, w):\n" + body);
}

} // namespace

TEST(NameFlowTest, WritesAreToldByTheNameWhoseMemoryTheyGoTo) {
  const language::Function function = parse(
      "    x.add_(1)\n    x[0] = w\n    w += 1\n    torch.add(x, 1, out=w.t())\n    x[0].view(-1).mul_(2)\n"
      "    y = x.sin()\n    with torch.no_grad():\n        torch.relu_(w)\n    return y\n");
  std::vector<std::string> names;
  for (const analysis::StatementFlow& flow : analysis::flowOf(function.body)) {
    names.push_back(flow.mutated.empty() ? "-" : flow.mutated[0]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"x", "x", "w", "w", "x", "-", "w", "-"}));
}

TEST(NameFlowTest, ViewsAndResultsOfInPlaceCallsAreInTheGroupOfTheirTensor) {
  const language::Function function =
      parse("    y = x.t()[0]\n    z = torch.relu_(w)\n    u = x.sin()\n    a, b = y.chunk(2)\n    return u\n");
  analysis::AliasGroups groups(function.body);
  EXPECT_EQ(groups.groupOf("x"), groups.groupOf("y"));
  EXPECT_EQ(groups.groupOf("x"), groups.groupOf("b"));
  EXPECT_EQ(groups.groupOf("w"), groups.groupOf("z"));
  EXPECT_NE(groups.groupOf("x"), groups.groupOf("w"));
  EXPECT_NE(groups.groupOf("x"), groups.groupOf("u"));
}

TEST(NameFlowTest, OverloadsOfAtenWriteAndViewAsTheirPythonNamesDo) {
  const language::Function function = parse(
      "    torch.ops.aten.add_.Tensor(x, w)\n    y = torch.ops.aten.view.default(w, [-1])\n    z = torch.vsplit(x, 2)\n"
      "    return y, z\n");
  EXPECT_EQ(analysis::flowOf(function.body)[0].mutated, std::vector<std::string>{"x"});
  analysis::AliasGroups groups(function.body);
  EXPECT_EQ(groups.groupOf("y"), groups.groupOf("w"));
  EXPECT_EQ(groups.groupOf("z"), groups.groupOf("x"));
}

TEST(NameFlowTest, ArgumentsOfOneMemoryAreInOneGroupAndNumbersInNone) {
  const language::Function inputs = parser::parseFunction(
      "def inputs(seed, kind):\n    b = torch.ones((4,))\n    x, y = b.chunk(2)\n    return (x, y.t(), b.clone(), seed), (b,)\n");
  const std::vector<std::string> groups = analysis::groupsOfInputs(inputs, analysis::InputTuple::kArguments);
  EXPECT_EQ(groups, (std::vector<std::string>{groups[0], groups[0], "", ""}));
  EXPECT_EQ(analysis::groupsOfInputs(inputs, analysis::InputTuple::kWatched), std::vector<std::string>{groups[0]});
  EXPECT_NE(groups[0], "");
}

} // namespace touchstone::tests
