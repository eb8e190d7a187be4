#include "program/language/PythonConstructs.h"
#include "tests/graph/ComparedFolders.h"

#include <gtest/gtest.h>

#include <set>

namespace touchstone::tests {
namespace {

const std::vector<std::string> kKinds = {"attention",  "classes",    "compiling",        "containers",
                                         "layers",     "modules",    "parametrizations", "randomness",
                                         "statements", "subclasses", "training"};

std::string folderOf(const std::string& kind) {
  return "python/" + kind;
}

TEST(PythonCasesTest, ArePrintedAsTheyAreRead) {
  for (const std::string& kind : kKinds) {
    comparison::expectPrintedAsRead(folderOf(kind));
  }
}

TEST(PythonCasesTest, TellWhatTheyNeedPythonFor) {
  std::set<std::string> constructs;
  for (const std::string& kind : kKinds) {
    for (const auto& entry : comparison::filesOf(folderOf(kind))) {
      const std::vector<std::string> needed =
          language::needsPython(parser::parseCase(comparison::textOf(entry.path())));
      EXPECT_FALSE(needed.empty()) << entry.path();
      constructs.insert(needed.begin(), needed.end());
    }
  }
  EXPECT_GE(constructs.size(), 40u);
}

TEST(PythonCasesTest, WhatTheEvaluatorRunsNeedsNone) {
  for (const char* folder : {"attention", "functions", "custom_functions"}) {
    for (const auto& entry : comparison::filesOf(folder)) {
      const std::vector<std::string> needed =
          language::needsPython(parser::parseCase(comparison::textOf(entry.path())));
      EXPECT_TRUE(needed.empty()) << entry.path() << ": " << needed.front();
    }
  }
}

TEST(PythonCasesTest, AFunctionNeedsWhatItReaches) {
  const language::Case theCase = parser::parseCase(R"(# touchstone: 1
import torch

SCALE = 2.0


def scaled(x):
    return x * SCALE


def plain(x):
    return sum([x, x])


def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return scaled(plain(x))


CALLS = [dict(inputs="inputs")]
)");
  EXPECT_EQ(language::needsPython(theCase), std::vector<std::string>{"constant"});
  EXPECT_EQ(language::needsPython(theCase, *theCase.find("scaled")), std::vector<std::string>{"constant"});
  EXPECT_EQ(language::needsPython(theCase, theCase.program()), std::vector<std::string>{"constant"});
  EXPECT_TRUE(language::needsPython(theCase, *theCase.find("plain")).empty());
  EXPECT_TRUE(language::needsPython(theCase, *theCase.find("inputs")).empty());
}

TEST(PythonCasesTest, ADecoratedFunctionNeedsPython) {
  const language::Case theCase = parser::parseCase(R"(# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind)
    return (x,), ()


@torch.no_grad()
def quiet(x):
    return x * 2


def program(x):
    return quiet(x)


CALLS = [dict(inputs="inputs")]
)");
  EXPECT_EQ(language::needsPython(theCase), std::vector<std::string>{"decorator"});
}

TEST(PythonCasesTest, ADecoratorThatDisablesSaysHowAndWhyAlone) {
  const auto isRead = [](const std::string& arguments) {
    try {
      parser::parseCase(
          "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n    return (), ()\n\n\n"
          "@torch.compiler.disable(" +
          arguments +
          ")\ndef outside():\n    return 1\n\n\ndef program():\n    return outside()\n\n\n"
          "CALLS = [dict(inputs=\"inputs\")]\n");
    } catch (const parser::ParseError&) {
      return false;
    }
    return true;
  };
  for (const char* good : {"", "recursive=False", "reason=\"slow\"", "recursive=True, reason=\"slow\""}) {
    EXPECT_TRUE(isRead(good)) << good;
  }
  for (const char* wrong : {"outside", "wrapping=True", "reason=torch.manual_seed(1)", "recursive=outside()"}) {
    EXPECT_FALSE(isRead(wrong)) << wrong;
  }
}

TEST(PythonCasesTest, AVariableMayBeCalledAsABuiltin) {
  const language::Case theCase = parser::parseCase(R"(# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(map):
    filter = map * 2
    return filter


CALLS = [dict(inputs="inputs")]
)");
  EXPECT_TRUE(language::needsPython(theCase).empty());
}

/// A `try` without what is gone.
std::string tryWithout(size_t clause) {
  const language::Function function = parser::parseFunction(
      "def f():\n    try:\n        x = 1\n    except ValueError:\n        x = 2\n    else:\n        x = 3\n    finally:\n"
      "        x = 4\n");
  language::Statement edited = *function.body.front();
  edited.orElse.erase(edited.orElse.begin() + static_cast<std::ptrdiff_t>(clause));
  return language::printStatement(edited);
}

TEST(PythonCasesTest, WhatIsLeftOfATryIsOne) {
  EXPECT_EQ(tryWithout(0), "try:\n    x = 1\n    x = 3\nfinally:\n    x = 4\n");
  EXPECT_EQ(tryWithout(1), "try:\n    x = 1\nexcept ValueError:\n    x = 2\nfinally:\n    x = 4\n");
  EXPECT_EQ(tryWithout(2), "try:\n    x = 1\nexcept ValueError:\n    x = 2\nelse:\n    x = 3\n");
}

} // namespace
} // namespace touchstone::tests
