#include "harness/reducer/Reducer.h"

#include "base/Interrupt.h"
#include "harness/reducer/ReductionPasses.h"
#include "harness/worker/Progress.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace touchstone::tests {

namespace {

const char* const kLarge = R"(# touchstone: 1
import torch


def inputs(seed, kind):
    base = data((24,), torch.float32, (seed, 0), kind)
    x = torch.as_strided(base, (2, 3), (4, 1), 5)
    w = data((3, 3), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((7,), torch.float32, (seed, 2), kind)
    return (x, w, b), (base,)


def program(x, w, b):
    y = torch.mm(x.clone(), w)
    u = b.sin()
    v = torch.cat([u, b])
    with torch.no_grad():
        x.add_(1)
        u.mul_(2)
    z = y.t()
    r = torch.relu(z)
    return y, v, r, x


def touch(args, outs):
    args[0].mul_(2)


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8, kind="special", backward=[0, 2], tangent_seed=11, tangent_layout="transposed"),
    dict(inputs="inputs", seed=7, grad_mode="no_grad"),
    dict(inputs="inputs", seed=7, backward=[2], between="touch"),
]
)";

language::Case readLarge() {
  parser::ParseOptions options;
  options.checkMainPart = false;
  std::string text = kLarge;
  text.insert(text.find("\n\ndef inputs"), "\n\n" + language::dataPreamble());
  return parser::parseCase(text, options);
}

bool has(const language::Case& theCase, const std::string& what) {
  std::string text = language::printDefinitions(theCase);
  text.erase(0, text.find("def inputs"));
  for (const language::CallSpec& call : theCase.calls) {
    text += language::printCall(call) + "\n";
  }
  return text.find(what) != std::string::npos;
}

reducer::CandidateJudge judgeBy(std::function<bool(const language::Case&)> keeps) {
  return [keeps](const std::vector<language::Case>& candidates) -> std::optional<reducer::Sighting> {
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (keeps(candidates[i])) {
        return reducer::Sighting{i, {}};
      }
    }
    return std::nullopt;
  };
}

language::Case smallestOf(language::Case start, const reducer::GuiltyPlace& place, const reducer::CandidateJudge& judge,
                          const reducer::ReducerOptions& options = {}) {
  return reducer::reduceCase(std::move(start), place, judge, options).best();
}

std::string programText(const language::Case& theCase) {
  return language::printFunction(theCase.program());
}

} // namespace

TEST(ReducerTest, KeepsOnlyWhatTheJudgeNeeds) {
  const language::Case reduced =
      smallestOf(readLarge(), {}, judgeBy([](const language::Case& theCase) {
                   return has(theCase, ".t()\n") && has(theCase, "return (x") && has(theCase, "backward=");
                 }));
  EXPECT_EQ(reduced.calls.size(), 1u);
  EXPECT_FALSE(has(reduced, "mm")) << programText(reduced);
  EXPECT_FALSE(has(reduced, "add_")) << programText(reduced);
  EXPECT_FALSE(has(reduced, "touch"));
  EXPECT_LE(reduced.program().body.size(), 2u) << programText(reduced); // `x.t()` and a return
  EXPECT_EQ(reduced.program().parameters.size(), 1u) << programText(reduced);
  EXPECT_EQ(reduced.calls[0].backward->size(), 1u);
  EXPECT_EQ(reduced.calls[0].kind, "grid");
  EXPECT_FALSE(reduced.calls[0].between.has_value());
}

TEST(ReducerTest, RemovingAParameterRemovesItFromTheInputs) {
  const language::Case reduced =
      smallestOf(readLarge(), {}, judgeBy([](const language::Case& theCase) { return has(theCase, "torch.mm(x"); }));
  for (const language::Function& function : reduced.functions) {
    if (function.name == "inputs") {
      EXPECT_EQ(language::printStatement(*function.body.back()).find(", b"), std::string::npos)
          << language::printFunction(function);
    }
  }
  EXPECT_EQ(programText(reduced).find("sin"), std::string::npos) << programText(reduced);
}

TEST(ReducerTest, TheResultDoesNotDependOnHowManyAreJudgedAtOnce) {
  const auto judge = judgeBy([](const language::Case& theCase) { return has(theCase, "cat") && has(theCase, "mul_"); });
  std::vector<std::string> results;
  for (size_t atOnce : {1, 3, 8}) {
    reducer::ReducerOptions options;
    options.candidatesAtOnce = atOnce;
    results.push_back(standalone::printCase(smallestOf(readLarge(), {}, judge, options)));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(ReducerTest, ContainersOfOutputsAndSeveralTargetsAreNoObstacle) {
  language::Case nested = readLarge();
  for (language::Function& function : nested.functions) {
    if (function.name == "program") {
      function = parser::parseFunction(
          "def program(x, w, b):\n    y, z = torch.chunk(x, 2, 1)\n    r = torch.relu(z)\n"
          "    return {\"a\": r, \"b\": [y, w.t()]}\n");
    }
  }
  const language::Case reduced = smallestOf(nested, {}, judgeBy([](const language::Case& theCase) {
                                              return programText(theCase).find(".t()") != std::string::npos;
                                            }));
  EXPECT_EQ(programText(reduced).find("chunk"), std::string::npos) << programText(reduced);
  EXPECT_EQ(programText(reduced).find("{"), std::string::npos) << programText(reduced);
}

TEST(ReducerTest, LeavesTheBestSoFarWhenTimeIsUpOrTheUserStops) {
  reducer::ReducerOptions none;
  none.seconds = -1;
  const auto all = judgeBy([](const language::Case&) { return true; });
  EXPECT_EQ(standalone::printCase(smallestOf(readLarge(), {}, all, none)), standalone::printCase(readLarge()));

  int rounds = 0;
  const language::Case stopped = smallestOf(readLarge(), {}, [&](const std::vector<language::Case>&) {
    if (++rounds == 3) {
      throw base::Interrupted();
    }
    return reducer::Sighting{};
  });
  EXPECT_LT(standalone::printCase(stopped).size(), standalone::printCase(readLarge()).size());
}

TEST(ReducerTest, NearTheEndOfItsTimeNoMoreAreJudgedThanAreInTime) {
  reducer::ReducerOptions options;
  options.seconds = 1;
  const double end = worker::wallSeconds() + options.seconds;
  double each = 0; // that the last took
  size_t most = 0, last = 0;
  const reducer::CandidateJudge judge =
      [&](const std::vector<language::Case>& candidates) -> std::optional<reducer::Sighting> {
    const double begin = worker::wallSeconds();
    if (each > 0) {
      EXPECT_LE(static_cast<double>(candidates.size()), std::max(1.0, (end - begin) / each + 1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50) * candidates.size());
    each = (worker::wallSeconds() - begin) / static_cast<double>(candidates.size());
    most = std::max(most, candidates.size());
    last = candidates.size();
    return std::nullopt;
  };
  reducer::reduceCase(readLarge(), {}, judge, options);
  EXPECT_GT(most, last) << "eight at once before";
}

TEST(ReducerTest, EveryPassProposesCasesThatPrintAndParseAgain) {
  const language::Case large = readLarge();
  parser::ParseOptions options;
  options.checkMainPart = false;
  for (const reducer::ReductionPass& pass : reducer::reductionPasses()) {
    size_t parsed = 0;
    const std::vector<language::Case> candidates = pass.candidates(large, {1, "output 0"});
    for (const language::Case& candidate : candidates) {
      const std::string text = standalone::printCase(candidate);
      try {
        EXPECT_EQ(standalone::printCase(parser::parseCase(text, options)), text) << pass.name;
        ++parsed;
      } catch (const parser::ParseError&) { // may be invalid; most are not
      }
    }
    EXPECT_GE(parsed * 2, candidates.size()) << pass.name;
  }
}

TEST(ReducerTest, TheGuiltyCallIsTriedAloneFirstAndThenWithWhatItMayNeed) {
  language::Case large = readLarge();
  const std::vector<language::Case> candidates = reducer::keepFewerCalls(large, {2, "output 0"});
  ASSERT_GE(candidates.size(), 2u);
  ASSERT_EQ(candidates[0].calls.size(), 1u);
  EXPECT_EQ(candidates[0].calls[0], large.calls[2]);
  EXPECT_EQ(candidates[0].find("touch"), nullptr); // of a call that is gone
  EXPECT_EQ(candidates[1].calls, (std::vector<language::CallSpec>{large.calls[0], large.calls[2]}));

  large.calls[2].inputs.reset(); // the objects of the call before
  EXPECT_EQ(reducer::keepFewerCalls(large, {2, ""})[0].calls,
            (std::vector<language::CallSpec>{large.calls[1], large.calls[2]}));

  large = readLarge();
  large.calls[3].backwardAfter = {1}; // the second call's backward runs after the fourth's forward
  const language::Case both = reducer::keepFewerCalls(large, {1, "leaf 0"})[1];
  ASSERT_EQ(both.calls.size(), 2u);
  EXPECT_EQ(both.calls[0], large.calls[1]);
  EXPECT_EQ(both.calls[1].backwardAfter, std::vector<int>{0});
}

TEST(ReducerTest, AnOutputIsCutDownToWhatItDependsOn) {
  const language::Case sliced = reducer::keepWhatIsGuilty(readLarge(), {0, "output 1"}).at(0);
  EXPECT_EQ(programText(sliced), "def program(b):\n    u = b.sin()\n    v = torch.cat([u, b])\n    return v\n");
  EXPECT_FALSE(has(sliced, "as_strided"));
  EXPECT_FALSE(has(sliced, "requires_grad_"));
  EXPECT_FALSE(has(sliced, "backward="));
}

TEST(ReducerTest, AMutatedInputIsCutDownToItsWrites) {
  for (const char* where : {"arg 0", "watched 0"}) {
    const language::Case sliced = reducer::keepWhatIsGuilty(readLarge(), {0, where}).at(0);
    EXPECT_EQ(programText(sliced), "def program(x):\n    with torch.no_grad():\n        x.add_(1)\n    return\n")
        << where;
    EXPECT_TRUE(has(sliced, "(x,), (base,)")) << where;
  }
}

TEST(ReducerTest, AGradientKeepsTheBackwardOfOneRoot) {
  const language::Case sliced = reducer::keepWhatIsGuilty(readLarge(), {1, "leaf 0"}).at(0);
  EXPECT_EQ(programText(sliced), "def program(x, w):\n    y = torch.mm(x.clone(), w)\n    return y\n");
  ASSERT_TRUE(sliced.calls[1].backward.has_value());
  EXPECT_EQ(*sliced.calls[1].backward, std::vector<language::BackwardRoot>{language::BackwardRoot{}});
}

TEST(ReducerTest, WhatIsDeadGoesAtOnce) {
  language::Case large = readLarge();
  for (language::Function& function : large.functions) {
    if (function.name == "program") {
      function = parser::parseFunction("def program(x, w, b):\n    y = b.sin()\n    z = y.cos()\n    return w.t()\n");
    }
  }
  const language::Case clean = reducer::withoutDeadParts(large);
  EXPECT_EQ(programText(clean), "def program(w):\n    return w.t()\n");
  EXPECT_FALSE(has(clean, "as_strided"));
  EXPECT_EQ(clean.calls, large.calls);
  EXPECT_NE(clean.find("touch"), nullptr);
}

TEST(ReducerTest, WhereWhatIsDeadMattersItIsLeftFromTheBeginning) {
  language::Case start = readLarge();
  for (language::Function& function : start.functions) {
    if (function.name == "program") {
      function = parser::parseFunction("def program(x, w, b):\n    y = b.sin()\n    z = y.cos()\n    return w.t()\n");
    }
  }
  size_t before = 0; // the first that is taken
  bool isTaken = false;
  reducer::ReducerOptions options;
  options.onJudged = [&](const reducer::ReductionPass&, size_t candidates, bool taken) {
    before += isTaken ? 0 : candidates;
    isTaken = isTaken || taken;
  };
  const auto keeps = [](const language::Case& theCase) { return has(theCase, ".cos()\n"); }; // which nobody reads
  const language::Case reduced = smallestOf(start, {}, judgeBy(keeps), options);
  EXPECT_LE(before, 4u) << "what is dead left out, and the first three of the first pass";
  EXPECT_EQ(reduced.calls.size(), 1u);
  EXPECT_LE(reduced.program().body.size(), 2u) << programText(reduced);
}

TEST(ReducerTest, WhatADeadHelperAloneUsesGoesWithIt) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  const language::Case theCase = parser::parseCase(
      "# touchstone: 1\n# torch: 2.13.0\nimport torch\n\n\n" + language::customFunctionText("Scaled") +
          "\n\ndef inputs(seed, kind):\n    return (), ()\n\n\n"
          "def inner(y):\n    return Scaled.apply(y)\n\n\ndef outer(y):\n    return inner(y)\n\n\n"
          "def program():\n    return\n\n\nCALLS = [\n    dict(inputs=\"inputs\"),\n]\n",
      options);
  ASSERT_EQ(theCase.customFunctions.size(), 1U);
  const language::Case clean = reducer::withoutDeadParts(theCase);
  EXPECT_TRUE(clean.customFunctions.empty()) << standalone::printCase(clean);
  EXPECT_EQ(clean.functions.size(), 2U) << "inputs and program";
}

TEST(ReducerTest, WhatTheMethodsOfAClassDoNotNeedGoes) {
  const language::Case large = parser::parseCase(
      "# touchstone: 1\n# torch: 2.13.0\nimport torch\n\n\nclass F(torch.autograd.Function):\n"
      "    @staticmethod\n    def forward(ctx, x):\n        y = x.sin()\n        ctx.save_for_backward(y)\n"
      "        ctx.n = 12\n        if x.dim() > 1:\n            y = y.cos()\n        return x * 2\n\n"
      "    @staticmethod\n    @torch.autograd.function.once_differentiable\n    def backward(ctx, g):\n"
      "        (y,) = ctx.saved_tensors\n        h = y.cos() * ctx.n\n        return g * 3 + h\n\n\n"
      "class Unused(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x\n\n"
      "    @staticmethod\n    def backward(ctx, g):\n        return g\n\n\n"
      "def inputs(seed, kind):\n    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()\n"
      "    return (x,), ()\n\n\ndef program(x):\n    y = x.sin()\n    return F.apply(y), y\n\n\n"
      "CALLS = [dict(inputs=\"inputs\", seed=1, backward=[0])]\n");
  const auto keeps = [](const language::Case& theCase) {
    const std::string text = language::printDefinitions(theCase);
    try {
      parser::parsePrinted(standalone::printCase(theCase), "candidate"); // as a worker reads it
    } catch (const parser::ParseError&) {
      return false;
    }
    return text.find("g * 3") != std::string::npos && text.find("F.apply(") != std::string::npos;
  };
  const language::Case reduced = smallestOf(large, {}, judgeBy(keeps));
  ASSERT_EQ(reduced.customFunctions.size(), 1u) << standalone::printCase(reduced);
  const language::CustomFunction& function = reduced.customFunctions[0];
  EXPECT_FALSE(function.isOnceDifferentiable);
  EXPECT_EQ(language::printFunction(*function.find("backward")), "def backward(ctx, g):\n    return g * 3\n");
  EXPECT_EQ(function.find("forward")->body.size(), 1u) << language::printCustomFunction(function);
}

TEST(ReducerTest, WhatAnOperatorDoesNotNeedGoes) {
  const std::string unused =
      "@torch.library.custom_op(\"mine::other\", mutates_args=())\ndef other(x: torch.Tensor) -> torch.Tensor:\n"
      "    return x * 2\n\n\n";
  const language::Case large = parser::parseCase(
      "# touchstone: 1\n# torch: 2.13.0\nimport torch\n\n\n" + unused +
      "@torch.library.custom_op(\"mine::scale\", mutates_args=())\ndef scale(x: torch.Tensor) -> torch.Tensor:\n"
      "    y = x.sin()\n    z = y.cos()\n    if x.dim() > 1:\n        z = z + y\n    return x * 3 + z\n\n\n"
      "@scale.register_fake\ndef _(x):\n    return torch.empty_like(x)\n\n\n"
      "def setup(ctx, inputs, output):\n    ctx.n = 12\n\n\ndef backward(ctx, g):\n    return g * ctx.n\n\n\n"
      "scale.register_autograd(backward, setup_context=setup)\n\n\n"
      "def inputs(seed, kind):\n    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()\n"
      "    return (x,), ()\n\n\ndef program(x):\n    y = x.sin()\n    return scale(y), other(y)\n\n\n"
      "CALLS = [dict(inputs=\"inputs\", seed=1, backward=[0])]\n");
  const auto keeps = [](const language::Case& theCase) {
    const std::string text = language::printDefinitions(theCase);
    try {
      parser::parsePrinted(standalone::printCase(theCase), "candidate"); // as a worker reads it
    } catch (const parser::ParseError&) {
      return false;
    }
    return text.find("x * 3") != std::string::npos && text.find("return scale(") != std::string::npos;
  };
  const language::Case reduced = smallestOf(large, {}, judgeBy(keeps));
  ASSERT_EQ(reduced.customOperators.size(), 1u) << standalone::printCase(reduced);
  EXPECT_EQ(language::printCustomOperator(reduced.customOperators[0]),
            "@torch.library.custom_op(\"mine::scale\", mutates_args=())\ndef scale(x: torch.Tensor) -> torch.Tensor:\n"
            "    return x * 3\n");
}

TEST(ReducerTest, AnElseThatIsAliveStays) {
  language::Case large = readLarge();
  const std::string alive =
      "def program(x, w):\n    y = x.sin()\n    if y.numel() > 1:\n        pass\n    else:\n        w.add_(1)\n    "
      "return "
      "w.t()\n";
  for (language::Function& function : large.functions) {
    if (function.name == "program") {
      function = parser::parseFunction("def program(x, w, b)" + alive.substr(alive.find(':')));
    }
  }
  EXPECT_EQ(programText(reducer::withoutDeadParts(large)), alive);
}

TEST(ReducerTest, StatementsAreReplacedByTheirOperandsManyAtATime) {
  language::Case chain = readLarge();
  for (language::Function& function : chain.functions) {
    if (function.name == "program") {
      function = parser::parseFunction("def program(x, w, b):\n    y = x.sin()\n    z = y.cos()\n    return z.t()\n");
    }
  }
  const std::vector<language::Case> candidates = reducer::forwardStatements(chain);
  ASSERT_GE(candidates.size(), 3u);
  EXPECT_EQ(programText(candidates[0]), "def program(x, w, b):\n    return x.t()\n");
  EXPECT_EQ(programText(candidates[1]), "def program(x, w, b):\n    y = x.sin()\n    return y.t()\n");
  EXPECT_EQ(programText(candidates[2]), "def program(x, w, b):\n    z = x.cos()\n    return z.t()\n");
}

TEST(ReducerTest, ACallComesOnceMoreWithOtherValuesWhereThatKeepsTheSymptom) {
  language::Case single = readLarge();
  single.calls = {single.calls[1]};
  const language::Case twice = reducer::withSecondCall(single, judgeBy([](const language::Case&) { return true; }));
  ASSERT_EQ(twice.calls.size(), 2u);
  EXPECT_EQ(twice.calls[0], single.calls[0]);
  language::CallSpec again = twice.calls[1];
  EXPECT_NE(again.seed, single.calls[0].seed);
  again.seed = single.calls[0].seed;
  EXPECT_EQ(again, single.calls[0]) << "nothing but the seed is another";
  EXPECT_EQ(reducer::withSecondCall(single, judgeBy([](const language::Case&) { return false; })).calls.size(), 1u);
  const auto notAsked = [](const language::Case&) -> bool { throw std::logic_error("two calls are enough"); };
  EXPECT_EQ(reducer::withSecondCall(twice, judgeBy(notAsked)).calls.size(), 2u);
  language::Case sameObjects = single;
  sameObjects.calls.push_back(single.calls[0]);
  sameObjects.calls[1].inputs.reset();
  const language::Case third =
      reducer::withSecondCall(sameObjects, judgeBy([](const language::Case&) { return true; }));
  ASSERT_EQ(third.calls.size(), 3u);
  EXPECT_TRUE(third.calls[2].inputs.has_value()) << "the objects of a call before have its values";
}

TEST(ReducerTest, ALargeCaseTakesFewQuestions) {
  size_t judged = 0;
  reducer::ReducerOptions options;
  options.onJudged = [&](const reducer::ReductionPass&, size_t candidates, bool) { judged += candidates; };
  const auto isProduct = [](const language::Case& theCase) {
    const std::string text = programText(theCase);
    return text.find("torch.mm(x, w)") != std::string::npos || text.find("torch.mm(x.clone(), w)") != std::string::npos;
  };
  ASSERT_TRUE(isProduct(readLarge()));
  const language::Case reduced = smallestOf(readLarge(), {1, "output 0"}, judgeBy(isProduct), options);
  EXPECT_EQ(programText(reduced), "def program(x, w):\n    return torch.mm(x, w)\n") << programText(reduced);
  EXPECT_LE(judged, 60u);
}

} // namespace touchstone::tests
