#include "oracles/compare/Judge.h"

#include "PlantedProgram.h"
#include "oracles/compare/Comparison.h"
#include "program/analysis/ExactOperators.h"
#include "program/values/RaisedException.h"

#include <ATen/TensorOperators.h>

#include <gtest/gtest.h>

#include <memory>

namespace touchstone::tests {
namespace {

using language::Outcome;

constexpr const char* kFunctions = R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((2, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    y.add_(1)
    return x * y, y.sum()
)";
constexpr const char* kTwoCalls = "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=\"inputs\", seed=8),";

PlantedProgram::Plant wrongFromCall(int first) {
  const auto calls = std::make_shared<int>(0);
  return changeOutput(1, [calls, first](const at::Tensor& sum) { return (*calls)++ >= first ? sum + 1 : sum; });
}

TEST(JudgeTest, ACompiledProgramThatNeverRanCompiledCodeIsVacuous) {
  const language::Case theCase = caseOf(kFunctions, kTwoCalls);
  PlantedProgram program(theCase);
  program.runsCompiledCode = false;
  const compare::CaseVerdict verdict = verdictOn(theCase, program);
  EXPECT_EQ(verdict.text(), "Vacuous");
  EXPECT_FALSE(verdict.calls[0].judged || verdict.calls[1].judged);
  EXPECT_NE(verdict.worst().message.find("Nothing compiled was judged: 1 of 2 calls compiled a graph and 0 ran one"),
            std::string::npos)
      << verdict.worst().message;
}

TEST(JudgeTest, CompiledCodeMustBeUsedAgainWithOtherValues) {
  const language::Case once = caseOf(kFunctions, "    dict(inputs=\"inputs\", seed=7),");
  EXPECT_EQ(verdictOn(once, PlantedProgram::Plant()).text(), "Vacuous");
  const language::Case same =
      caseOf(kFunctions, "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=\"inputs\", seed=7),");
  EXPECT_EQ(verdictOn(same, PlantedProgram::Plant()).text(), "Vacuous");
  const std::string message = verdictOn(same, PlantedProgram::Plant()).worst().message;
  EXPECT_NE(message.find("never called again with other values: of 2 calls 2 ran"), std::string::npos) << message;
  const language::Case zeros = caseOf(kFunctions,
                                      "    dict(inputs=\"inputs\", seed=7, kind=\"zeros\"),\n"
                                      "    dict(inputs=\"inputs\", seed=8, kind=\"zeros\"),");
  EXPECT_EQ(verdictOn(zeros, PlantedProgram::Plant()).text(), "Vacuous");
  const language::Case reset =
      caseOf(kFunctions, "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=\"inputs\", seed=8, reset=True),");
  EXPECT_EQ(verdictOn(reset, PlantedProgram::Plant()).text(), "Vacuous");
  EXPECT_NE(verdictOn(reset, PlantedProgram::Plant()).worst().message.find("each of the 2 calls compiled anew"),
            std::string::npos);
  const language::Case tangents = caseOf(kFunctions,
                                         "    dict(inputs=\"inputs\", seed=7, backward=[0]),\n"
                                         "    dict(inputs=\"inputs\", seed=7, backward=[0], tangent_seed=3),");
  EXPECT_EQ(verdictOn(tangents, PlantedProgram::Plant()).text(), "Agreed");
  const language::Case sameObjects = caseOf(kFunctions, "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=None),");
  EXPECT_EQ(verdictOn(sameObjects, PlantedProgram::Plant()).text(), "Agreed") << "`y` is another in the second call";
}

TEST(JudgeTest, ReferenceBackendsAreJudgedInFullAndNeverVacuous) {
  const language::Case once = caseOf(kFunctions, "    dict(inputs=\"inputs\", seed=7),");
  PlantedProgram program(once);
  program.runsCompiledCode = false;
  const compare::CaseVerdict verdict = verdictOn(once, program, ir::RuleSet::kReference);
  EXPECT_EQ(verdict.text(), "Agreed");
  EXPECT_TRUE(verdict.calls[0].judged);
}

TEST(JudgeTest, TheWorstCallDecides) {
  const language::Case theCase = caseOf(kFunctions, kTwoCalls);
  const compare::CaseVerdict verdict = verdictOn(theCase, wrongFromCall(1));
  EXPECT_EQ(verdict.text(), "Differs/values/call 1 output 1");
  EXPECT_EQ(verdict.symptom(), "Differs/values/output 1");
  EXPECT_EQ(verdict.calls[0].outcome, Outcome::kAgreed);
}

TEST(JudgeTest, ACallThatRaisesUnsupportedSaysWhy) {
  const language::Case theCase = caseOf(kFunctions, kTwoCalls);
  const compare::CaseVerdict verdict = verdictOn(theCase, [](values::Callable&, values::ValueList&) -> values::Value {
    throw ir::Unsupported("no in-place operations");
  });
  EXPECT_EQ(verdict.text(), "Unsupported");
  EXPECT_EQ(verdict.worst().detail, "no in-place operations");
}

TEST(JudgeTest, WhatTheEvaluatorDoesNotRunIsUnsupported) {
  const language::Case theCase = caseOf(R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.cond(x.sum() > 0, lambda a: (a * 2, 1), lambda a: (a * 3, 1), (x,))
)",
                                        kTwoCalls);
  const compare::CaseVerdict verdict =
      verdictOn(theCase, [](values::Callable&, values::ValueList& arguments) { return arguments.at(0); });
  EXPECT_EQ(verdict.text(), "Unsupported");
  EXPECT_EQ(verdict.worst().detail, "a function of control flow returns a number");
}

TEST(JudgeTest, InputsThatRaiseAreNobodysFault) {
  const language::Case theCase = caseOf(R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).view(7)
    return (x,), ()


def program(x):
    return x + 1
)",
                                        kTwoCalls);
  EXPECT_EQ(verdictOn(theCase, PlantedProgram::Plant()).text(), "EagerRejected");
}

TEST(JudgeTest, CallsWithTheObjectsOfACallThatDifferedAreNotJudged) {
  const language::Case theCase = caseOf(kFunctions, "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=None),");
  const compare::CaseVerdict verdict = verdictOn(
      theCase, changeArguments([](const std::vector<at::Tensor>& arguments) { arguments.at(1).select(0, 0).add_(1); }));
  EXPECT_EQ(verdict.text(), "Differs/input_values/call 0 arg 1");
  EXPECT_FALSE(verdict.calls[1].judged);
  EXPECT_NE(verdict.calls[1].message.find("not judged"), std::string::npos);
}

TEST(JudgeTest, OutputsAreNotLookedAtAgainAfterACallThatRaised) {
  const language::Case theCase = caseOf(R"(
def inputs(seed, kind):
    return (data((2, 3), torch.float32, (seed, 0), kind),), ()


def program(x):
    return (x.add_(1),)
)",
                                        "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=None),");
  const auto calls = std::make_shared<int>(0);
  PlantedProgram refusing(theCase, [calls](values::Callable& eager, values::ValueList& arguments) {
    if ((*calls)++ > 0) {
      throw ir::Unsupported("a second call");
    }
    return eager(arguments);
  });
  const compare::CaseVerdict verdict = verdictOn(theCase, refusing);
  EXPECT_EQ(verdict.text(), "Unsupported") << "eager alone changed the output of the first call a second time";
  EXPECT_EQ(verdict.calls.at(0).outcome, Outcome::kAgreed) << verdict.calls.at(0).message;
}

TEST(JudgeTest, WhatTwoEagerRunsDifferInIsNotJudged) {
  const language::Case theCase = caseOf(kFunctions, kTwoCalls);
  compare::EagerOptions options;
  const auto runs = std::make_shared<int>(0);
  options.factory = [runs](const language::Case& each,
                           evaluator::EvaluatorOptions evaluator) -> std::unique_ptr<values::Callable> {
    const std::shared_ptr<values::Callable> eager = evaluator::eagerProgram(each, std::move(evaluator));
    const int run = (*runs)++;
    return std::make_unique<ProgramOf>([eager, run](values::ValueList& arguments) {
      values::ValueList items = *(*eager)(arguments).items();
      items[1] = values::Value(items[1].tensor() + run);
      return values::Value::tuple(std::move(items));
    });
  };
  const compare::EagerReference eager(theCase, options);
  ASSERT_TRUE(eager.unstable().at(0).differences.contains({language::Property::kValues, "output 1"}));
  PlantedProgram faithful(theCase);
  const compare::CaseVerdict unstable = verdictOn(theCase, faithful, ir::RuleSet::kAot, &eager);
  EXPECT_EQ(unstable.text(), "EagerUnstable");
  EXPECT_EQ(unstable.worst().detail, "values");
  PlantedProgram cut(theCase, changeOutput(0, [](const at::Tensor& product) { return product.detach(); }));
  EXPECT_EQ(kindOf(verdictOn(theCase, cut, ir::RuleSet::kAot, &eager)), "Differs/requires_grad");
  PlantedProgram wrong(theCase, changeOutput(0, [](const at::Tensor& product) { return product * 2; }));
  EXPECT_EQ(verdictOn(theCase, wrong, ir::RuleSet::kAot, &eager).text(), "Differs/values/call 0 output 0")
      << "the other output is stable";
}

TEST(JudgeTest, ValuesThatOneSideAloneCanReadDiffer) {
  const language::Case theCase = caseOf(kFunctions,
                                        "    dict(inputs=\"inputs\", seed=7, backward=[0]),\n"
                                        "    dict(inputs=\"inputs\", seed=8, backward=[0]),");
  const auto leak = [](observe::TensorObservation& tensor) {
    tensor.values = at::Tensor();
    tensor.valuesError = "it stands for another tensor";
  };
  const auto gradient = [&](observe::CallObservation& call) { leak(*call.gradients.at(0).gradient); };
  EXPECT_EQ(kindOf(verdictOnEdited(theCase, gradient)), "Differs/gradient_values");
  EXPECT_EQ(kindOf(verdictOnEdited(theCase, [&](observe::CallObservation& call) { leak(call.arguments.at(1)); })),
            "Differs/input_values");
  const auto late = [](observe::CallObservation& call) {
    call.changes.push_back({observe::LaterChange::Of::kOutput, 0, 1, call.outputs.at(0).values.view(-1)});
  };
  EXPECT_EQ(kindOf(verdictOnEdited(theCase, late)), "Differs/values");
}

TEST(JudgeTest, WithoutALeniencyRuleAcceptingWhatEagerRefusesDiffers) {
  const std::string inputs =
      "def inputs(seed, kind):\n    return (data((2, 3), torch.float32, (seed, 0), kind),), ()\n\n\n";
  const language::Case theCase = caseOf(inputs + "def program(x):\n    return (torch.mm(x, x),)\n", kTwoCalls);
  const auto accepts = [](values::Callable&, values::ValueList& arguments) {
    return values::Value::tuple({arguments.front()});
  };
  for (ir::RuleSet set : {ir::RuleSet::kReference, ir::RuleSet::kNativeExact}) {
    EXPECT_EQ(kindOf(verdictOn(theCase, accepts, set)), "Differs/structure");
  }
  EXPECT_EQ(verdictOn(theCase, accepts).text(), "MissingRefusal");
}

TEST(JudgeTest, NumbersBeyondFloat32AreComparedAsDoubles) {
  const std::string inputs =
      "def inputs(seed, kind):\n    return (data((3,), torch.float64, (seed, 0), kind),), ()\n\n\n";
  const language::Case theCase =
      caseOf(inputs + "def program(x):\n    return torch.exp(x), (x[0] * 0 + 1e300).item()\n", kTwoCalls);
  const auto doubled =
      changeReturned([](values::ValueList& items) { items.at(1) = values::Value(items.at(1).as<double>() * 2); });
  EXPECT_EQ(kindOf(verdictOn(theCase, doubled, ir::RuleSet::kInductor)), "Differs/non_tensor");
}

TEST(JudgeTest, BothBackwardsRaisingIsAgreement) {
  const language::Case theCase = caseOf(R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x + 1
)",
                                        "    dict(inputs=\"inputs\", seed=7, backward=[0]),\n"
                                        "    dict(inputs=\"inputs\", seed=8, backward=[0]),");
  const compare::CaseVerdict verdict = verdictOn(theCase, PlantedProgram::Plant());
  EXPECT_EQ(verdict.text(), "Agreed") << verdict.worst().message;
  EXPECT_TRUE(verdict.calls[0].backwardBothRejected);
}

TEST(JudgeTest, ARecompileIsNotNeedlessWhereValuesMayBeGuarded) {
  const std::string inputs =
      "def inputs(seed, kind):\n    return (data((3,), torch.float32, (seed, 0), kind),), ()\n\n\n";
  const auto verdictFor = [&](const std::string& program, const std::string& calls) {
    const language::Case theCase = caseOf(inputs + program, calls);
    PlantedProgram compiled(theCase);
    compiled.compilesAlways = true;
    return kindOf(verdictOn(theCase, compiled));
  };
  const std::string plain = "def program(x):\n    return x + 1\n";
  EXPECT_EQ(verdictFor(plain, kTwoCalls), "Differs/recompiles");
  EXPECT_EQ(verdictFor("def program(x):\n    return x + x[0].item()\n", kTwoCalls), "Vacuous");
  EXPECT_EQ(verdictFor("def program(x):\n    return x[x > 0]\n", kTwoCalls), "Vacuous");
  EXPECT_EQ(verdictFor("def program(x):\n    return torch.where(x > 0)\n", kTwoCalls), "Vacuous");
  EXPECT_EQ(
      verdictFor("def program(x):\n    def inner():\n        return x[x > 0]\n    return inner() + 1\n", kTwoCalls),
      "Vacuous");
  EXPECT_EQ(verdictFor("def program(x):\n    return x + float(x[0])\n", kTwoCalls), "Vacuous");
  for (const char* harmless :
       {"torch.where(x > 0, x, x + 1)", "x.int().float()", "x.bool()", "x.repeat_interleave(2, 0)"}) {
    EXPECT_EQ(verdictFor(std::string("def program(x):\n    return ") + harmless + "\n", kTwoCalls),
              "Differs/recompiles")
        << harmless;
  }
  EXPECT_EQ(
      verdictFor(plain,
                 "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=\"inputs\", seed=8, grad_mode=\"no_grad\"),"),
      "Vacuous");
  EXPECT_EQ(verdictFor(plain, "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=\"inputs\", seed=8, reset=True),"),
            "Vacuous");
}

TEST(JudgeTest, AParameterThatAnInnerFunctionBindsAnewIsNotReturnedAsItIs) {
  const auto returnsParameter = [](const std::string& before) {
    const language::Case theCase = caseOf(
        "def inputs(seed, kind):\n    return (data((3,), torch.float32, (seed, 0), kind),), ()\n\n\n"
        "def program(x):\n    def inner():\n        " +
            before + "\n        x = torch.ones(3)\n        return x\n    inner()\n    return x\n",
        kTwoCalls);
    return compare::returnsParameter(theCase, "T", 0);
  };
  EXPECT_FALSE(returnsParameter("nonlocal x"));
  EXPECT_TRUE(returnsParameter("y = 1"));
}

// torch 2.13: native_batch_norm_backward takes a gradient in the order of channels_last for one in the order of its input.
TEST(JudgeTest, AGradientThatEagerGetsWrongForItsLayoutIsEagersOwn) {
  const language::Case theCase = caseOf(
      "def inputs(seed, kind):\n    x = data((2, 2, 2, 1), torch.float32, (seed, 0), kind).requires_grad_()\n"
      "    return (x,), ()\n\n\n"
      "def program(x):\n"
      "    y = torch.nn.functional.batch_norm(x, x.new_zeros(x.shape[1]), x.new_ones(x.shape[1]))\n"
      "    return y.permute(3, 0, 2, 1).neg()\n",
      "    dict(inputs=\"inputs\", seed=7, backward=[0], tangent_layout=\"gapped\"),\n"
      "    dict(inputs=\"inputs\", seed=8, backward=[0], tangent_layout=\"gapped\"),");
  const compare::EagerReference reference(theCase);
  const auto verdictWith = [&](double more) { // where eager is wrong
    int call = 0;
    return verdictOnEdited(theCase, [&](observe::CallObservation& compiled) {
      const at::Tensor eager = compiled.gradients.at(0).gradient.value().values;
      compiled.gradients = reference.withContiguousGradients(call++).gradients;
      at::Tensor& values = compiled.gradients.at(0).gradient.value().values;
      values = values + values.ne(eager) * more;
    });
  };
  EXPECT_EQ(verdictWith(0).text(), "EagerUnstable");
  EXPECT_NE(verdictWith(0).worst().message.find("contiguous gradients"), std::string::npos);
  EXPECT_EQ(kindOf(verdictWith(0.25)), "Differs/gradient_values");
}

TEST(JudgeTest, ExactCasesAreToldByTheirText) {
  const std::string inputs =
      "def inputs(seed, kind):\n    return (data((3,), torch.float32, (seed, 0), kind),), ()\n\n\n";
  const auto exact = [&](const std::string& returned, const std::string& kind = "grid") {
    return analysis::usesExactOperatorsOnly(caseOf(inputs + "def program(x):\n    return " + returned + "\n",
                                                   "    dict(inputs=\"inputs\", seed=7, kind=\"" + kind + "\"),"));
  };
  EXPECT_TRUE(exact("torch.where(x > 0, x * 2, x.sum()).clone()"));
  EXPECT_TRUE(exact("torch.ops.aten.add.Tensor(x, x)"));
  EXPECT_TRUE(exact("x * 0.25"));
  EXPECT_FALSE(exact("x * 0.1"));
  EXPECT_FALSE(exact("x / 2"));
  EXPECT_FALSE(exact("x.mean()"));
  EXPECT_FALSE(exact("torch.exp(x)"));
  EXPECT_FALSE(exact("x * 2", "uniform"));
}

} // namespace
} // namespace touchstone::tests
