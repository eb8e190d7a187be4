#include "harness/suppressions/Pattern.h"

#include "harness/triage/PatternRefinement.h"
#include "program/parser/CaseParser.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

/// The Program with this body over `x` and `w`, which the lines of `inputs` make, called as the lines of `calls` say.
language::Case caseOf(const std::string& body, const std::string& functions = "",
                      const std::string& inputs =
                          "    x = data((2, 2), torch.float32, (seed, 0), kind)\n"
                          "    w = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()\n",
                      const std::string& calls = "    dict(inputs=\"inputs\"),\n") {
  parser::ParseOptions options;
  options.checkMainPart = false;
  return parser::parseCase("# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n" + inputs +
                               "    return (x, w), ()\n\n\n" + functions + "def program(x, w):\n" + body +
                               "\n\nCALLS = [\n" + calls + "]\n",
                           options);
}

bool holds(const std::vector<std::string>& lines, const language::Case& theCase) {
  return suppressions::matches(suppressions::readPattern(lines), analysis::flatten(theCase));
}

std::string complaintOf(const std::vector<std::string>& lines) {
  try {
    suppressions::readPattern(lines);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

const std::string kDropout =
    "    y = torch.nn.functional.dropout(x, p=0.5, training=False)\n"
    "    z = y.view(4)\n    z.add_(1)\n    return x\n";

} // namespace

TEST(PatternTest, AnOperationIsFoundWhateverItsSpelling) {
  for (const char* spelled : {"torch.mm(x, w)", "x.mm(w)", "torch.ops.aten.mm.default(x, w)"}) {
    EXPECT_TRUE(holds({"mm(_, _)"}, caseOf("    return " + std::string(spelled) + "\n"))) << spelled;
  }
  EXPECT_TRUE(holds({"add_(_)"}, caseOf("    x += 1\n    return x\n")));
  EXPECT_TRUE(holds({"'+='(x)"}, caseOf("    x.add_(1)\n    return x\n")));
  EXPECT_TRUE(holds({"relu_(_)"}, caseOf("    return torch.nn.functional.relu(x, inplace=True)\n")));
  EXPECT_TRUE(holds({"'sub|add'(_)"}, caseOf("    return x + w\n")));
  EXPECT_TRUE(holds({"'*_'(x)"}, caseOf("    x.add_(1)\n    return x\n"))) << "a star is any letters";
  EXPECT_TRUE(holds({"mul(_)"}, caseOf("    return x * w\n")));
  for (const char* spelled : {"x.sin()", "torch.nn.functional.silu(x)", "x + w", "torch.maximum(x, w)"}) {
    EXPECT_TRUE(holds({"elementwise(x)"}, caseOf("    return " + std::string(spelled) + "\n"))) << spelled;
  }
  for (const char* spelled : {"x.t()", "torch.mm(x, w)", "x.sum()", "x.sin_()"}) {
    EXPECT_FALSE(holds({"elementwise(x)"}, caseOf("    return " + std::string(spelled) + "\n"))) << spelled;
  }
  EXPECT_TRUE(holds({"'[]'(_)"}, caseOf("    return x[0]\n")));
  EXPECT_FALSE(holds({"mm(_, _)"}, caseOf("    return torch.mul(x, w)\n")));
  EXPECT_FALSE(holds({"mm(_, _, _)"}, caseOf("    return torch.mm(x, w)\n"))) << "it has two operands";
}

TEST(PatternTest, StepsStandInTheirOrderWithAnythingBetween) {
  const language::Case theCase = caseOf("    y = x.sin()\n    z = y * 2\n    return z.cos()\n");
  EXPECT_TRUE(holds({"sin(_)", "cos(_)"}, theCase));
  EXPECT_FALSE(holds({"cos(_)", "sin(_)"}, theCase));
  EXPECT_FALSE(holds({"sin(_)", "sin(_)"}, theCase)) << "one operation is one step";
}

TEST(PatternTest, OperandsHangOnValuesInThreeWays) {
  const language::Case views = caseOf(kDropout);
  EXPECT_TRUE(holds({"y = dropout(x)", "add_(alias(y))"}, views));
  EXPECT_FALSE(holds({"y = dropout(x)", "add_(y)"}, views)) << "a view is between";
  EXPECT_TRUE(holds({"y = dropout(x)", "z = view(y)", "add_(z)"}, views));
  const language::Case computed = caseOf("    y = x.sin()\n    z = y * 2\n    z.add_(1)\n    return z\n");
  EXPECT_TRUE(holds({"y = sin(x)", "add_(derived(y))"}, computed));
  EXPECT_FALSE(holds({"y = sin(x)", "add_(alias(y))"}, computed)) << "it has memory of its own";
  EXPECT_FALSE(holds({"y = sin(x)", "add_(derived(y))"}, caseOf("    y = x.sin()\n    w.add_(1)\n    return y\n")));
}

TEST(PatternTest, WhatWasWrittenToMemoryIsASourceOfWhatIsReadThere) {
  const language::Case theCase = caseOf("    v = x.t()\n    v.mul_(w)\n    return x.sum()\n");
  EXPECT_TRUE(holds({"mul_(_, w)", "sum(derived(w))"}, theCase));
  EXPECT_FALSE(
      holds({"mul_(_, w)", "sum(derived(w))"}, caseOf("    v = x.clone()\n    v.mul_(w)\n    return x.sum()\n")));
}

TEST(PatternTest, ListsHoldTheirItemsAndKeywordsTheirWords) {
  EXPECT_TRUE(holds({"y = sin(_)", "cat(y)"}, caseOf("    y = x.sin()\n    return torch.cat([w, y])\n")));
  EXPECT_FALSE(holds({"y = sin(_)", "cat(y)"}, caseOf("    y = x.sin()\n    return torch.cat([w, w])\n")));
  EXPECT_TRUE(holds({"dropout(_, training=False)"}, caseOf(kDropout)));
  EXPECT_FALSE(holds({"dropout(_, training=True)"}, caseOf(kDropout)));
}

TEST(PatternTest, PiecesAreTheResultsOfWhatMadeThem) {
  const language::Case theCase = caseOf("    a, b = x.unbind(0)\n    b.add_(1)\n    return a\n");
  EXPECT_TRUE(holds({"y = unbind(_)", "add_(y)"}, theCase));
  EXPECT_TRUE(holds({"y, z = unbind(_)", "add_(z)"}, theCase));
  EXPECT_FALSE(holds({"y, z = unbind(_)", "add_(y)"}, theCase));
  EXPECT_TRUE(holds({"y, z = unbind(_)", "add_(alias(y))"}, theCase));
}

TEST(PatternTest, FunctionsThatAreCalledStandInThePlaceOfTheCall) {
  const language::Case theCase =
      caseOf("    y = twice(x.sin())\n    return y.add_(1)\n", "def twice(a):\n    b = a * 2\n    return b\n\n\n");
  EXPECT_TRUE(holds({"y = sin(_)", "z = mul(y, _)", "add_(z)"}, theCase));
  EXPECT_FALSE(holds({"twice(_)"}, theCase));
  const language::Case hook =
      caseOf("    w.register_hook(negate)\n    return w * 2\n", "def negate(g):\n    return -g\n\n\n");
  EXPECT_TRUE(holds({"with hook:", "    neg(_)"}, hook));
  EXPECT_FALSE(holds({"with no_grad:", "    neg(_)"}, hook));
}

TEST(PatternTest, ConditionsSayWhatStepsCannot) {
  const language::Case region = caseOf("    with torch.no_grad():\n        y = x.unbind(0)[1]\n    return y\n");
  EXPECT_TRUE(holds({"with no_grad:", "    y = unbind(x)", "return is_argument(x), is_returned(alias(y))"}, region));
  EXPECT_FALSE(holds({"y = unbind(x)", "return is_argument(y)"}, region));
  EXPECT_TRUE(holds({"y = unbind(x)", "return is_argument(alias(y))"}, region));
  const language::Case written = caseOf("    y = w * 2\n    x.copy_(y)\n    z = y * 3\n    return\n");
  EXPECT_TRUE(holds({"y = mul(w)", "copy_(_)", "return is_seen(derived(y))"}, written));
  EXPECT_FALSE(holds({"copy_(_)", "z = mul(_)", "return is_seen(derived(z))"}, written));
  EXPECT_FALSE(holds({"y = mul(w)", "copy_(_)", "return is_returned(derived(y))"}, written));
  const language::Case facts = caseOf("    return torch.mul(x, w)\n");
  EXPECT_TRUE(holds({"mul(a, b)", "return requires_grad(b), not requires_grad(a), has_dtype(a, 'float*')"}, facts));
  EXPECT_FALSE(holds({"mul(a, b)", "return requires_grad(a)"}, facts));
  EXPECT_FALSE(holds({"mul(a, b)", "return has_dtype(a, 'int64')"}, facts));
  EXPECT_FALSE(holds({"mul(a, b)", "return is_expanded(a)"}, facts));
  EXPECT_FALSE(holds({"mul(a, b)", "return is_empty(a)"}, facts));
  const std::string shared = "    x = data((2, 0), torch.float32, (seed, 0), kind)\n    w = x.t().expand((0, 2))\n";
  const language::Case aliased = caseOf("    return torch.mul(x, w)\n", "", shared);
  EXPECT_TRUE(holds({"mul(a, b)", "return share_memory(a, b), is_expanded(b), is_empty(a)"}, aliased));
  EXPECT_TRUE(holds({"mul(_)", "return arguments_share_memory()"}, aliased));
  EXPECT_FALSE(holds({"mul(a, b)", "return share_memory(a, b)"}, facts));
}

TEST(PatternTest, CallsAskForThings) {
  const std::string calls =
      "    dict(inputs=\"inputs\", backward=[0]),\n    dict(inputs=\"inputs\", grad_mode=\"no_grad\"),\n";
  const language::Case theCase = caseOf("    y = x * w\n    return y, x\n", "",
                                        "    x = data((2,), torch.float32, (seed, 0), kind)\n"
                                        "    w = data((2,), torch.float32, (seed, 1), kind).requires_grad_()\n",
                                        calls);
  EXPECT_TRUE(
      holds({"mul(_)", "return calls_ask_for('backward'), calls_ask_for('no_grad'), calls_ask_for('other grad mode')"},
            theCase));
  EXPECT_FALSE(holds({"mul(_)", "return calls_ask_for('inference')"}, theCase));
  EXPECT_TRUE(holds({"y = mul(x, _)", "return is_differentiated(y), is_returned(x)"}, theCase));
  EXPECT_FALSE(holds({"mul(x, _)", "return is_differentiated(x)"}, theCase));
}

TEST(PatternTest, LinesAreReadAsTheyArePrinted) {
  const std::vector<std::string> lines{
      "with no_grad:",
      "    y, z = 'unbind|split'(x, _, dim=0)",
      "    '*_'(alias(y), derived(z), False)",
      "'if'(x)",
      "with 'no inference_mode':",
      "    '[]='(x)",
      "return is_argument(x), not is_returned(derived(y)), not share_memory(y, z), has_dtype(x, "
      "'int*'), not calls_ask_for('backward'), arguments_share_memory()"};
  EXPECT_EQ(suppressions::patternLines(suppressions::readPattern(lines)), lines);
}

TEST(PatternTest, AnOperationMayBeWrittenAsAProgramWritesIt) {
  const language::Case theCase =
      caseOf("    y = x @ w\n    with torch.no_grad():\n        z = y.t()\n    return z[0]\n");
  EXPECT_TRUE(
      holds({"y = a @ _", "with torch.no_grad():", "    z = y.t()", "u = z[_]", "return is_returned(u)"}, theCase));
  EXPECT_TRUE(holds({"y = torch.ops.aten.matmul.default(a, b)", "t(y)"}, theCase));
  EXPECT_FALSE(holds({"y = a * _"}, theCase));
  EXPECT_TRUE(holds({"y = a * _"}, caseOf("    return x * w\n")));
  EXPECT_TRUE(holds({"y = a | _"}, caseOf("    return x | w\n")));
  EXPECT_TRUE(holds({"'|'(a)"}, caseOf("    return x | w\n")));
}

TEST(PatternTest, WrongLinesAreRefusedWithWhatIsAllowed) {
  const auto says = [](const std::vector<std::string>& lines, const std::string& what) {
    EXPECT_NE(complaintOf(lines).find(what), std::string::npos) << complaintOf(lines);
  };
  says({"return arguments_share_memory()"}, "needs one operation");
  says({}, "needs one operation");
  says({"mm(x)", "return is_argument(y)"}, "`return is_argument(y)`: no operation above names `y`");
  says({"mm(x)", "return is_an_argument(x)"}, "\n  is_argument(alias(x))");
  says({"mm(x)", "return is_argument(x, x)"}, "\n  is_argument(alias(x))");
  says({"mm(x)", "is_argument(x)"}, "stands behind `return`");
  says({"mm(x)", "return calls_ask_for('bakward')"}, "`backward`");
  says({"mm(x)", "return has_dtype(x, 'float33')"}, "float33");
  says({"mm(x)", "return is_empty(alias(x))"}, "something like `x`");
  says({"mm(x)", "return is_argument(False)"}, "something like `alias(x)`");
  says({"mm(alias(2))"}, "`alias(x)`");
  says({"sin(x)", "y = x"}, "`y = x`: this is no operation");
  says({"x.y = mm(x)"}, "the name of a value");
  says({"if x:", "    mm(x)"}, "made of operations");
  says({"sin(x)", "mm(x", "cos(x)"}, "`mm(x`");
  says({"*_(alias(y))"}, "`*_(alias(y))`");
}

/// Whatever can be said of a stored Case holds of it.
TEST(PatternTest, TheTightestPatternOfEachStoredCaseMatchesIt) {
  int checked = 0;
  for (const char* folder : {"found", "edge_classes", "features"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(TOUCHSTONE_SOURCE_DIR) + "/corpus/" + folder)) {
      if (entry.path().extension() != ".py") {
        continue;
      }
      const analysis::FlatProgram program = analysis::flatten(parser::readCase(entry.path(), {}));
      if (program.operations.empty()) {
        continue;
      }
      const suppressions::Pattern pattern = triage::tightestPattern(program);
      EXPECT_TRUE(suppressions::matches(pattern, program)) << entry.path();
      EXPECT_EQ(suppressions::readPattern(suppressions::patternLines(pattern)), pattern) << entry.path();
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}

} // namespace touchstone::tests
