#include "harness/reducer/ReductionPasses.h"

#include "base/ExitStatus.h"
#include "harness/reducer/CaseSize.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

/// The parts of a small Case, and a part of what a pass makes of it.
struct PassExample {
  const char* pass;
  const char* inputs; // the body, indented by four
  const char* program; // one or more functions
  const char* calls; // an entry a line
  std::vector<const char*> proposed; // a candidate holds all of these
};

const char* const kOne = "    x = data((3,), torch.float32, (seed, 0), kind)\n    return (x,), ()\n";
const char* const kTwo =
    "    x = data((2, 3), torch.float32, (seed, 0), kind)\n"
    "    w = data((3, 3), torch.float64, (seed, 1), kind).requires_grad_()\n"
    "    return (x, w), ()\n";
const char* const kPlain = "    dict(inputs=\"inputs\"),\n";
const char* const kBackward = "    dict(inputs=\"inputs\", backward=[0]),\n";

const std::vector<PassExample>& passExamples() {
  static const std::vector<PassExample> examples{
      {"calls",
       kOne,
       "def program(x):\n    return x.sin()\n",
       "    dict(inputs=\"inputs\"),\n    dict(inputs=\"inputs\", seed=5),\n",
       {"CALLS = [\n    dict(inputs=\"inputs\"),\n]"}},
      {"guilty",
       kOne,
       "def program(x):\n    y = x.sin()\n    z = x.cos()\n    return y, z\n",
       kPlain,
       {"def program(x):\n    y = x.sin()\n    return y\n"}},
      {"gradients",
       kTwo,
       "def program(x, w):\n    return x.double() @ w\n",
       kBackward,
       {"w = data((3, 3), torch.float64, (seed, 1), kind)\n", "    dict(inputs=\"inputs\"),\n"}},
      {"statements",
       kOne,
       "def program(x):\n    y = x.sin()\n    z = x.cos()\n    return z\n",
       kPlain,
       {"def program(x):\n    z = x.cos()\n    return z\n"}},
      {"outputs", kOne, "def program(x):\n    return x.sin(), x.cos()\n", kPlain, {"    return x.sin()\n"}},
      {"forward",
       kOne,
       "def program(x):\n    y = x.sin()\n    return y.cos()\n",
       kPlain,
       {"def program(x):\n    return x.cos()\n"}},
      {"regions",
       kOne,
       "def program(x):\n    if x.numel() > 1:\n        y = x.sin()\n    else:\n        y = x.cos()\n    return y\n",
       kPlain,
       {"def program(x):\n    y = x.cos()\n    return y\n"}},
      {"parameters",
       kTwo,
       "def program(x, w):\n    return x.sin()\n",
       kPlain,
       {"def program(x):\n", "return (x,), ()\n"}},
      {"watched",
       "    x = data((3,), torch.float32, (seed, 0), kind)\n    return (x,), (x,)\n",
       "def program(x):\n    return x.sin()\n",
       kPlain,
       {"return (x,), ()\n"}},
      {"functions",
       kOne,
       "def touch(args, outs):\n    args[0].mul_(2)\n\n\ndef program(x):\n    return x.sin()\n",
       kPlain,
       {"return (x,), ()\n\n\ndef program(x):\n"}},
      {"lift-functions",
       kOne,
       "def program(x):\n    y = x.sin()\n    def inner(z):\n        return z * y\n    return inner(x)\n",
       kPlain,
       {"def inner_(z, y):\n    return z * y\n", "return inner_(x, y)"}},
      {"members",
       kOne,
       "SCALE = 2.0\n\n\nclass Pair:\n    def first(self):\n        return 1\n\n    def second(self):\n        return 2\n\n\n"
       "def program(x):\n    return x * Pair().first()\n",
       kPlain,
       {"class Pair:\n    def first(self):\n        return 1\n\n\n"}},
      {"inline-functions",
       kOne,
       "def helper(y, z):\n    x = y * 2\n    return x + z\n\n\n"
       "def program(x):\n    a = helper(x, x.sin())\n    return a\n",
       kPlain,
       {"def program(x):\n    z = x.sin()\n    x_2 = x * 2\n    a = x_2 + z\n    return a\n"}},
      {"records",
       "    m = torch.nn.Module()\n    m.weight = data((3,), torch.float32, (seed, 0), kind)\n    return (m,), ()\n",
       "def program(m):\n    return m.weight.sin()\n",
       kPlain,
       {"    m = data((3,), torch.float32, (seed, 0), kind)\n    return (m,), ()\n", "return m.sin()\n"}},
      {"modes",
       kOne,
       "def program(x):\n    return x.sin()\n",
       "    dict(inputs=\"inputs\", seed=3, kind=\"special\", grad_mode=\"no_grad\"),\n",
       {"    dict(inputs=\"inputs\", seed=3, kind=\"special\"),\n"}},
      {"marks",
       "    x = data((3,), torch.float32, (seed, 0), kind)\n    torch._dynamo.mark_dynamic(x, 0)\n"
       "    torch._dynamo.mark_static(x, 0)\n    return (x,), ()\n",
       "def program(x):\n    return x.sin()\n",
       kPlain,
       {"kind)\n    torch._dynamo.mark_static(x, 0)\n    return (x,), ()\n"}},
      {"symbols",
       "    x = data((6, 5), torch.float32, (seed, 0), kind)\n    y = data((7, 6), torch.float32, (seed, 1), kind)\n"
       "    return (x, y), ()\n",
       "def program(x, y):\n    return x.size(0) + y.size(1)\n",
       kPlain,
       {"data((4, 5), ", "data((7, 4), "}},
      {"options",
       kOne,
       "def program(x):\n    return x.sin()\n",
       "    dict(inputs=\"inputs\"),\n]\nCOMPILE = dict(dynamic=True, fullgraph=True)\nREST = [\n",
       {"COMPILE = dict(dynamic=True)"}},
      {"operands", kOne, "def program(x):\n    return x.sin().cos()\n", kPlain, {"    return x.sin()\n"}},
      {"inputs",
       kTwo,
       "def program(x, w):\n    y = torch.cos(x)\n    return y.sin() @ w\n",
       kPlain,
       {"def program(x, w):\n    return w.sin() @ w\n"}},
      {"constants",
       kOne,
       "def program(x):\n    return x + x.sin().cos()\n",
       kPlain,
       {"    return x + torch.ones((3,))\n"}},
      {"merge",
       kTwo,
       "def program(x, w):\n    return x.sin() @ w\n",
       kPlain,
       {"def program(x):\n    return x.sin() @ x\n", "return (x,), ()\n"}},
      {"attributes", kOne, "def program(x):\n    return x.sum(0, keepdim=True)\n", kPlain, {"    return x.sum(0)\n"}},
      {"layouts",
       "    b = data((24,), torch.float32, (seed, 0), kind)\n    x = torch.as_strided(b, (2, 3), (7, 2), 5)\n"
       "    return (x,), (b,)\n",
       "def program(x):\n    return x.sin()\n",
       kPlain,
       {"    x = torch.as_strided(b, (2, 3), (3, 1))\n"}},
      {"rank",
       "    b = data((2, 3, 4), torch.float32, (seed, 0), kind)\n    x = b.permute((2, 0, 1))\n    return (x,), ()\n",
       "def program(x):\n    return x.sin()\n",
       kPlain,
       {"b = data((2, 4), torch.float32, (seed, 0), kind)\n    x = b.permute((1, 0))\n"}},
      {"sizes",
       "    x = data((4, 3), torch.float32, (seed, 0), kind)\n    w = data((5,), torch.float32, (seed, 1), kind)\n"
       "    return (x, w), ()\n",
       "def program(x, w):\n    return x.sin(), w\n",
       kPlain,
       {"data((1, 1),", "data((1,),"}},
      {"numbers",
       "    x = data((4, 3), torch.float32, (seed, 0), kind)\n    w = data((4,), torch.float32, (seed, 1), kind)\n"
       "    return (x, w), ()\n",
       "def program(x, w):\n    return x.sin(), w\n",
       kPlain,
       {"data((2, 3),", "data((2,),"}},
      {"dtypes",
       kTwo,
       "def program(x, w):\n    return x.sin() @ w\n",
       kPlain,
       {"w = data((3, 3), torch.float32, (seed, 1), kind)"}},
      {"values",
       kTwo,
       "def program(x, w):\n    return x.sin() @ w\n",
       kPlain,
       {"w = torch.ones((3, 3), dtype=torch.float64).requires_grad_()\n", "x = data("}},
      {"inline-names",
       kOne,
       "def program(x):\n    y = x.sin()\n    z = y.cos()\n    return z\n",
       kPlain,
       {"def program(x):\n    return x.sin().cos()\n"}},
  };
  return examples;
}

language::Case exampleCase(const PassExample& example) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  std::string text = std::string("# touchstone: 1\nimport torch\n\n\n") + language::dataPreamble() +
                     "\n\ndef inputs(seed, kind):\n" + example.inputs + "\n\n" + example.program + "\n\nCALLS = [\n" +
                     example.calls + "]\n";
  if (const size_t rest = text.find("REST = [\n]\n"); rest != std::string::npos) {
    text.erase(rest);
  }
  return parser::parseCase(text, options);
}

const reducer::ReductionPass& passNamed(const std::string& name) {
  return *reducer::choosePasses({.only = {name}}).at(0);
}

} // namespace

TEST(ReductionPassesTest, EveryPassProposesWhatItSays) {
  std::set<std::string> shown;
  for (const PassExample& example : passExamples()) {
    shown.insert(example.pass);
    std::string all;
    bool found = false;
    for (const language::Case& candidate : passNamed(example.pass).candidates(exampleCase(example), {0, "output 0"})) {
      const std::string text = language::printDefinitions(candidate);
      found = found || std::all_of(example.proposed.begin(), example.proposed.end(),
                                   [&](const char* part) { return text.find(part) != std::string::npos; });
      all += text.substr(std::min(text.find("def inputs"), text.size())) + "\n";
    }
    EXPECT_TRUE(found) << example.pass << " proposes:\n" << all;
  }
  EXPECT_EQ(shown.size(), reducer::reductionPasses().size()) << "each pass has an example";
}

TEST(ReductionPassesTest, WhatIsProposedPrintsAndMostOfItParsesAgain) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  for (const PassExample& example : passExamples()) {
    const language::Case theCase = exampleCase(example);
    for (const reducer::ReductionPass& pass : reducer::reductionPasses()) {
      size_t parsed = 0, proposed = 0;
      for (const language::Case& candidate : pass.candidates(theCase, {0, "output 0"})) {
        const std::string text = standalone::printCase(candidate);
        ++proposed;
        try {
          EXPECT_EQ(standalone::printCase(parser::parseCase(text, options)), text) << pass.name;
          ++parsed;
        } catch (const parser::ParseError&) { // may be invalid; most are not
        }
      }
      EXPECT_GE(parsed * 2, proposed) << pass.name << " on the example of " << example.pass;
    }
  }
}

TEST(ReductionPassesTest, PassesAreChosenByName) {
  const std::vector<const reducer::ReductionPass*> two = reducer::choosePasses({.only = {"numbers", "calls"}});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0]->name, "calls") << "in the order of the table";
  EXPECT_EQ(reducer::choosePasses({.without = {"numbers"}}).size(), reducer::reductionPasses().size() - 1);
  try {
    reducer::choosePasses({.only = {"number"}});
    FAIL() << "an unknown name";
  } catch (const base::WrongUse& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("`number`, perhaps `numbers`"), std::string::npos) << message;
    EXPECT_NE(message.find("inline-functions"), std::string::npos) << "all are listed: " << message;
  }
  EXPECT_THROW(reducer::choosePasses({.only = {"calls"}, .without = {"calls"}}), base::WrongUse);
}

TEST(ReductionPassesTest, TheMeasureCountsOperatorsFirstAndThenWhatIsUnusual) {
  const PassExample example{"", kTwo, "def program(x, w):\n    return x.sin() @ w\n", kPlain, {}};
  const reducer::CaseSize size = reducer::sizeOf(exampleCase(example));
  EXPECT_EQ(size.operators, 2u);
  EXPECT_EQ(size.oddities, 3u) << "float64";
  PassExample longer = example;
  longer.program = "def program(x, w):\n    the_only_operator_that_is_left = w.sin()\n    return x\n";
  EXPECT_LT(reducer::sizeOf(exampleCase(longer)), size);
  PassExample odd = example;
  odd.inputs =
      "    x = torch.as_strided(data((9,), torch.int64, (seed, 0), kind), (2, 3), (4, 1), 1)\n"
      "    w = data((3, 3), torch.float64, (seed, 1), kind).requires_grad_()\n    return (x, w), ()\n";
  EXPECT_EQ(reducer::sizeOf(exampleCase(odd)).oddities, 3u + 1u + 2u);
}

TEST(ReductionPassesTest, TheTableInTheDocumentationIsThatOfTheProgram) {
  std::stringstream text;
  text << std::ifstream(TOUCHSTONE_SOURCE_DIR "/docs/reducing.md").rdbuf();
  std::string table;
  for (const reducer::ReductionPass& pass : reducer::reductionPasses()) {
    table += "| `" + pass.name + "` | " + pass.description + " |\n";
  }
  EXPECT_NE(text.str().find(table), std::string::npos) << table;
}

} // namespace touchstone::tests
