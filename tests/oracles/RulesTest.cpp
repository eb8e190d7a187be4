// For every rule: what it allows is excused and counted, and the neighbouring real bug is still found.
#include "oracles/compare/Rules.h"

#include "RuleCases.h"
#include "program/language/CasePrinter.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <gtest/gtest.h>

#include <cmath>

namespace touchstone::tests {
namespace {

using ir::RuleSet;
using language::Outcome;

TEST(RulesTest, TheTableIsInOrderAndWhole) {
  for (size_t index = 0; index < compare::ruleTable().size(); ++index) {
    const compare::RuleEntry& entry = compare::ruleTable()[index];
    EXPECT_EQ(static_cast<size_t>(entry.rule), index);
    EXPECT_EQ(entry.name, "A" + std::to_string(index + 1));
    EXPECT_EQ(compare::ruleFromName(entry.name), entry.rule);
    EXPECT_FALSE(entry.allowed.empty() || entry.evidence.empty() || entry.title.empty());
  }
  EXPECT_FALSE(compare::ruleFromName("A18"));
}

TEST(RulesTest, A1VersionsAreComparedOneWay) {
  const language::Case reading = twice("def program(x, y, v):\n    return (y + 1,)\n");
  const auto bump = changeArguments([](const std::vector<at::Tensor>& arguments) { arguments.at(1).add_(0); });
  expectAllowed(verdictOn(reading, bump), compare::Rule::kA1);
  EXPECT_EQ(kindOf(verdictOn(reading, bump, RuleSet::kNativeExact)), "Differs/version");

  const auto withoutBump = [](observe::CallObservation& call) { call.arguments.at(1).versionBumped = false; };
  const language::Case metadata =
      twice("def program(x, y, v):\n    y.unsqueeze_(0)\n    y.squeeze_(0)\n    return (y + 1,)\n");
  expectAllowed(verdictOnEdited(metadata, withoutBump), compare::Rule::kA1);
  const language::Case writing = twice("def program(x, y, v):\n    y.add_(1)\n    return (y + 1,)\n");
  EXPECT_EQ(kindOf(verdictOnEdited(writing, withoutBump)), "Differs/version");
}

TEST(RulesTest, A2TheTypeOfGradFnIsFreeItsPresenceIsNot) {
  const language::Case theCase = twice("def program(x, y, v):\n    return (x * y,)\n");
  const auto viewed = changeOutput(0, [](const at::Tensor& output) { return output.view({2, 3}); });
  EXPECT_EQ(verdictOn(theCase, viewed, RuleSet::kReference).text(), "Agreed");
  const auto cut = changeOutput(0, [](const at::Tensor& output) { return output.detach(); });
  EXPECT_EQ(kindOf(verdictOn(theCase, cut)), "Differs/requires_grad");
}

/// Eager whose backward raises; the compiled side's does not.
compare::CaseVerdict againstRaisingBackward(const language::Case& theCase, const std::string& message) {
  compare::EagerOptions options;
  options.factory = [message](const language::Case& each,
                              evaluator::EvaluatorOptions evaluator) -> std::unique_ptr<values::Callable> {
    const std::shared_ptr<values::Callable> eager = evaluator::eagerProgram(each, std::move(evaluator));
    return std::make_unique<ProgramOf>([eager, message](values::ValueList& arguments) {
      values::Value result = (*eager)(arguments);
      result.items()->at(0).tensor().register_hook(
          [message](at::Tensor grad) -> at::Tensor { throw values::RaisedException("RuntimeError", message); });
      return result;
    });
  };
  const compare::EagerReference eager(theCase, options);
  PlantedProgram program(theCase);
  return verdictOn(theCase, program, RuleSet::kAot, &eager);
}

TEST(RulesTest, A3ErrorsOnPiecesOfIntermediatesMayBeMissing) {
  const std::string message =
      "Output 0 of UnbindBackward0 is a view and is being modified inplace. This view is the output of a function that "
      "returns multiple views.";
  const language::Case intermediate =
      twice("def program(x, y, v):\n    a, b = (x * y).unbind(0)\n    return a, b\n", "backward=[0]");
  expectAllowed(againstRaisingBackward(intermediate, message), compare::Rule::kA3);
  EXPECT_EQ(againstRaisingBackward(intermediate, "another text").text(), "BackendAccepts");
  const language::Case ofInput =
      twice("def program(x, y, v):\n    a, b = x.unbind(0)\n    return a, b\n", "backward=[0]");
  EXPECT_EQ(againstRaisingBackward(ofInput, message).text(), "BackendAccepts");
}

TEST(RulesTest, A4StridesOfGradResultsAreFreeThoseOfGradAreNot) {
  const std::string program = "def program(x, y, v):\n    return (x * y,)\n";
  const auto transposed = [](observe::CallObservation& call) { call.gradients.at(0).gradient->strides = {1, 2}; };
  const compare::CaseVerdict viaGrad = verdictOnEdited(twice(program, "backward=[0], via=\"grad\""), transposed);
  expectAllowed(viaGrad, compare::Rule::kA4);
  EXPECT_EQ(kindOf(verdictOnEdited(twice(program, "backward=[0]"), transposed)), "Differs/gradient_values");
}

TEST(RulesTest, A5NoneMayBecomeZero) {
  const language::Case unused =
      twice("def program(x, y, v):\n    z = v.clone().requires_grad_()\n    return (z * 2,)\n", "backward=[0]");
  const auto becomes = [](float value) {
    return [value](observe::CallObservation& call) {
      observe::TensorObservation gradient;
      gradient.values = at::full({2, 3}, value);
      call.gradients.at(0).gradient = gradient;
    };
  };
  const compare::CaseVerdict zero = verdictOnEdited(unused, becomes(0));
  EXPECT_EQ(zero.text(), "NoneBecameZero");
  EXPECT_EQ(zero.worst().where, "leaf 0");
  EXPECT_EQ(zero.worst().message, "leaf 0 gradient: eager None, compiled a tensor of zeros");
  EXPECT_EQ(allowedBy(zero, compare::Rule::kA5), 2);
  EXPECT_EQ(kindOf(verdictOnEdited(unused, becomes(1))), "Differs/gradient_presence");
  EXPECT_EQ(kindOf(verdictOnEdited(unused, becomes(0), RuleSet::kNativeExact)), "Differs/gradient_presence");
  const language::Case used = twice("def program(x, y, v):\n    return (x * y,)\n", "backward=[0]");
  const auto none = [](observe::CallObservation& call) { call.gradients.at(0).gradient.reset(); };
  EXPECT_EQ(kindOf(verdictOnEdited(used, none)), "Differs/gradient_presence");
}

TEST(RulesTest, A6InsignificantStridesAreFree) {
  const language::Case theCase = twice("def program(x, y, v):\n    return y[0:1] + 1, y + 1\n");
  const auto insignificant = changeOutput(0, [](const at::Tensor& output) {
    return at::as_strided(output, {1, 3}, {77, 1});
  });
  expectAllowed(verdictOn(theCase, insignificant), compare::Rule::kA6);
  EXPECT_EQ(kindOf(verdictOn(theCase, insignificant, RuleSet::kNativeExact)), "Differs/strides");
  const auto significant = changeOutput(1, [](const at::Tensor& output) { return output.t().contiguous().t(); });
  EXPECT_EQ(kindOf(verdictOn(theCase, significant, RuleSet::kInductor)), "Differs/strides");

  compare::JudgeOptions options;
  options.rules = compare::rulesOf(RuleSet::kDecomposed);
  const compare::EagerReference eager(theCase, options);
  for (const std::optional<bool> known :
       {std::optional<bool>(true), std::optional<bool>(false), std::optional<bool>()}) {
    options.baseHasEagerStrides = [known](int) { return known; };
    PlantedProgram program(theCase, significant);
    const compare::CaseVerdict verdict = compare::judge(theCase, eager, program, infoOf(RuleSet::kDecomposed), options);
    EXPECT_EQ(kindOf(verdict), known == true ? "Agreed" : "Differs/strides");
  }
}

TEST(RulesTest, A7RoundingIsBoundedByEvidence) {
  const std::string program = "def program(x, y, v):\n    z = torch.exp(x * y)\n    return (z.sum(1),)\n";
  const language::Case forward = twice(program, "kind=\"uniform\"");
  const auto scaledBy = [](float factor) {
    return changeOutput(0, [factor](const at::Tensor& output) {
      const at::Tensor scaled = output * 1;
      scaled.detach().mul_(factor);
      return scaled;
    });
  };
  const auto gradientBy = [](float factor) {
    return changeOutput(0, [factor](const at::Tensor& output) {
      output.register_hook([factor](at::Tensor grad) { return grad * factor; });
      return output;
    });
  };
  constexpr float kUlp = 1.0000002F, kWrong = 1.001F;
  expectAllowed(verdictOn(forward, scaledBy(kUlp), RuleSet::kInductor), compare::Rule::kA7);
  EXPECT_EQ(kindOf(verdictOn(forward, scaledBy(kWrong), RuleSet::kInductor)), "Differs/values");
  expectAllowed(verdictOn(forward, scaledBy(kUlp), RuleSet::kAot),
                compare::Rule::kA7); // another layout, another rounding
  EXPECT_EQ(kindOf(verdictOn(forward, scaledBy(kWrong), RuleSet::kAot)), "Differs/values");
  EXPECT_EQ(kindOf(verdictOn(forward, scaledBy(kUlp), RuleSet::kNativeExact)), "Differs/values");
  EXPECT_EQ(kindOf(verdictOn(forward, scaledBy(kUlp), RuleSet::kNativeFunctional)), "Differs/values");
  const language::Case writing =
      twice("def program(x, y, v):\n    x.detach().mul_(2)\n    return (torch.exp(x * y),)\n", "kind=\"uniform\"");
  expectAllowed(verdictOn(writing, scaledBy(kUlp), RuleSet::kNativeFunctional), compare::Rule::kA7);
  EXPECT_EQ(kindOf(verdictOn(writing, scaledBy(kWrong), RuleSet::kNativeFunctional)), "Differs/values");
  EXPECT_EQ(kindOf(verdictOn(writing, scaledBy(kUlp), RuleSet::kNativeExact)), "Differs/values");

  const language::Case backward = twice(program, "kind=\"uniform\", backward=[0]");
  expectAllowed(verdictOn(backward, gradientBy(kUlp), RuleSet::kAot), compare::Rule::kA7);
  expectAllowed(verdictOn(backward, gradientBy(kUlp), RuleSet::kNativeExact), compare::Rule::kA7);
  EXPECT_EQ(kindOf(verdictOn(backward, gradientBy(kWrong), RuleSet::kAot)), "Differs/gradient_values");
  EXPECT_EQ(kindOf(verdictOn(backward, gradientBy(kUlp), RuleSet::kReference)), "Differs/gradient_values");

  const language::Case exact = twice("def program(x, y, v):\n    return ((x * y).sum(1) + 1000.0,)\n");
  EXPECT_EQ(kindOf(verdictOn(exact, scaledBy(kUlp), RuleSet::kInductor)), "Agreed") << "1000.0 is no small number";
  const language::Case small = twice("def program(x, y, v):\n    return ((x * y).sum(1) + 40,)\n");
  EXPECT_EQ(kindOf(verdictOn(small, scaledBy(kUlp), RuleSet::kInductor)), "Differs/values");
  EXPECT_EQ(kindOf(verdictOn(small, scaledBy(kUlp), RuleSet::kAot)), "Differs/values");
}

TEST(RulesTest, A7WhereRoundingDecidesAboutADiscreteValue) {
  const auto offByOne = changeOutput(0, [](const at::Tensor& output) { return output - 1; });
  // Each element stands on the edge of floor(); exp() takes the Case out of exact mode.
  const language::Case edge =
      twice("def program(x, y, v):\n    return torch.floor(v * 4).to(torch.int64), torch.exp(v)\n");
  EXPECT_EQ(verdictOn(edge, offByOne, RuleSet::kInductor).text(), "IllConditioned");
  EXPECT_EQ(verdictOn(edge, offByOne, RuleSet::kAot).text(), "IllConditioned");
  EXPECT_EQ(kindOf(verdictOn(edge, offByOne, RuleSet::kNativeExact)), "Differs/values");
  const language::Case middle =
      twice("def program(x, y, v):\n    return torch.floor(v * 4 + 0.5).to(torch.int64), torch.exp(v)\n");
  EXPECT_EQ(kindOf(verdictOn(middle, offByOne, RuleSet::kInductor)), "Differs/values");
}

TEST(RulesTest, A8AnErrorOfTheFullBackwardMayComeEarly) {
  const auto refuses = raises("RuntimeError", "cannot trace the backward");
  const language::Case broken =
      twice("def program(x, y, v):\n    s = torch.exp(x)\n    t = s * 1\n    s.add_(1)\n    return x * 2, t\n",
            "backward=[0]");
  const compare::CaseVerdict verdict = verdictOn(broken, refuses);
  EXPECT_EQ(verdict.text(), "Limit/A8") << verdict.worst().message;
  EXPECT_EQ(verdict.worst().exceptionClass, "RuntimeError");
  const language::Case sound =
      twice("def program(x, y, v):\n    s = torch.exp(x)\n    t = s * 1\n    return x * 2, t\n", "backward=[0]");
  EXPECT_EQ(verdictOn(sound, refuses).text(), "BackendRejected/compile");
  const auto wrong = changeOutput(0, [](const at::Tensor& output) { return output + 1; });
  EXPECT_EQ(kindOf(verdictOn(broken, wrong)), "Differs/values");
  EXPECT_EQ(verdictOn(broken, raises("AssertionError", "no tangent")).text(), "InternalError/compile");
}

TEST(RulesTest, A8KnowsTheErrorsOfGradientsThatTheProgramTakes) {
  const auto refuses = raises("RuntimeError", "one of the variables has been modified", "forward");
  const auto partly = [](const char* write) {
    return twice("def program(x, y, v):\n    u = y.clone().requires_grad_()\n    s = torch.exp(u)\n" +
                 std::string(write) + "    g = torch.autograd.grad((x * 2 + s).sum(), x)\n    return g[0].detach()\n");
  };
  EXPECT_EQ(verdictOn(partly("    s.detach().add_(1)\n"), refuses).text(), "Limit/A8") << "of `u` it raises";
  EXPECT_EQ(verdictOn(partly(""), refuses).text(), "BackendRejected/forward");
}

TEST(RulesTest, A8OwesTheWordsOfTheFullBackwardWhereNothingElseExplainsTheError) {
  const std::string program =
      "def program(x, y, v):\n    s = torch.exp(x)\n    t = s * 1\n    s.add_(1)\n    return x * 2, t\n";
  const language::Case partly = twice(program, "backward=[0]"), forwardOnly = twice(program);
  const auto own = raises("RuntimeError", "The expanded size of the tensor (8) must match the existing size (3)");
  const auto same = raises("RuntimeError",
                           "one of the variables needed for gradient computation has been modified by an inplace "
                           "operation: [torch.FloatTensor [2, 3]], which is output 0 of ExpBackward0, is at version 9; "
                           "expected version 0 instead. Hint: enable anomaly detection to find the operation that "
                           "failed to compute its gradient, with torch.autograd.set_detect_anomaly(True).");
  const auto inAnomalyMode =
      raises("RuntimeError",
             "one of the variables needed for gradient computation has been modified by an inplace "
             "operation: [torch.FloatTensor [2, 3]], which is output 0 of ExpBackward0, is at version "
             "9; expected version 0 instead. Hint: the backtrace further above shows the operation "
             "that failed to compute its gradient.");
  EXPECT_EQ(verdictOn(forwardOnly, inAnomalyMode).text(), "Limit/A8");
  EXPECT_EQ(verdictOn(partly, own, RuleSet::kNativeExact).text(), "BackendRejected/compile");
  EXPECT_EQ(verdictOn(partly, same, RuleSet::kNativeExact).text(), "Limit/A8");
  EXPECT_EQ(verdictOn(forwardOnly, own, RuleSet::kNativeExact).text(), "BackendRejected/compile");
  EXPECT_EQ(verdictOn(forwardOnly, same, RuleSet::kNativeExact).text(), "Limit/A8");
  EXPECT_EQ(verdictOn(forwardOnly, own).text(), "BackendRejected/compile");
  EXPECT_EQ(verdictOn(forwardOnly, same).text(), "Limit/A8");
}

TEST(RulesTest, A9PoisonedOutputsHaveNoAutogradMetadata) {
  const language::Case poisoned = twice(
      "def program(x, y, v):\n    c = y * 1\n    with torch.no_grad():\n        w = c.view(6)\n    c.mul_(x)\n    "
      "return (w,)\n");
  EXPECT_EQ(verdictOn(poisoned, raises("RuntimeError", "no")).text(), "Limit/A9");
  EXPECT_EQ(verdictOn(poisoned, raises("RuntimeError", "x INTERNAL ASSERT FAILED at y")).text(),
            "InternalError/compile");
  const auto detached = changeOutput(0, [](const at::Tensor& output) { return output.detach(); });
  expectAllowed(verdictOn(poisoned, detached), compare::Rule::kA9);
  const auto wrong = changeOutput(0, [](const at::Tensor& output) { return output.detach() + 1; });
  EXPECT_EQ(kindOf(verdictOn(poisoned, wrong)), "Differs/values");
  const language::Case sound = twice("def program(x, y, v):\n    c = y * 1\n    c.mul_(x)\n    return (c.view(6),)\n");
  EXPECT_EQ(verdictOn(sound, raises("RuntimeError", "no")).text(), "BackendRejected/compile");
}

TEST(RulesTest, A10ALenientBackendIsListed) {
  const language::Case rejected = twice("def program(x, y, v):\n    return (torch.mm(x, y),)\n");
  const auto accepts = [](values::Callable&, values::ValueList&) {
    return values::Value::tuple({values::Value(at::zeros({1}))});
  };
  const compare::CaseVerdict verdict = verdictOn(rejected, accepts);
  EXPECT_EQ(verdict.text(), "MissingRefusal") << "an operator refuses the shapes";
  EXPECT_EQ(allowedBy(verdict, compare::Rule::kA10), 2);
  EXPECT_EQ(verdictOn(rejected, accepts, ir::RuleSet::kNativeScript).text(), "BackendAccepts");
  const language::Case leaf =
      twice("def program(x, y, v):\n    z = y.detach().requires_grad_()\n    z.mul_(2)\n    return (z,)\n");
  EXPECT_EQ(verdictOn(leaf, accepts).text(), "BackendAccepts") << "a check of autograd refuses the write";
  const language::Case leafless = twice("def program(x, y, v):\n    return (y * 2,)\n", "backward=[0]");
  const auto wrongGradFn =
      changeOutput(0, [](const at::Tensor& output) { return output.detach().requires_grad_().mul(1); });
  EXPECT_EQ(kindOf(verdictOn(leafless, wrongGradFn)), "Differs/requires_grad");
}

TEST(RulesTest, A11ClassesOfExceptionsMayDifferInternalErrorsMayNot) {
  const language::Case rejected = twice("def program(x, y, v):\n    return (torch.mm(x, y),)\n");
  const compare::CaseVerdict other = verdictOn(rejected, raises("TypeError", "these sizes do not go together"));
  EXPECT_EQ(other.text(), "BothRejected");
  EXPECT_EQ(allowedBy(other, compare::Rule::kA11), 2);
  EXPECT_EQ(verdictOn(rejected, raises("TypeError", "sizes"), RuleSet::kNativeExact).text(), "BackendRejected/compile");
  EXPECT_EQ(verdictOn(rejected, raises("RuntimeError", "another text"), RuleSet::kNativeExact).text(),
            "BackendRejected/compile");
  EXPECT_EQ(verdictOn(rejected, raises("RuntimeError", "another text"), RuleSet::kReference).text(), "BothRejected");
  EXPECT_EQ(verdictOn(rejected, raises("KeyError", "'mm'", "forward")).text(), "InternalError/forward");
  EXPECT_EQ(verdictOn(rejected, raises("RuntimeError", "x INTERNAL ASSERT FAILED at y")).text(),
            "InternalError/compile");
  EXPECT_EQ(verdictOn(rejected, PlantedProgram::Plant(), RuleSet::kNativeExact).text(), "BothRejected");
}

TEST(RulesTest, A12AliasesOfInputsMayBeOtherObjects) {
  const auto alias = changeOutput(0, [](const at::Tensor& output) { return output.view(output.sizes()); });
  const language::Case noOperation = twice("def program(x, y, v):\n    return (y.contiguous(),)\n");
  expectAllowed(verdictOn(noOperation, alias), compare::Rule::kA12);
  EXPECT_EQ(kindOf(verdictOn(noOperation, alias, RuleSet::kNativeExact)), "Differs/identity");
  const language::Case byName = twice("def program(x, y, v):\n    return (y,)\n");
  EXPECT_EQ(kindOf(verdictOn(byName, alias)), "Differs/identity");
  const auto copy = changeOutput(0, [](const at::Tensor& output) { return output.clone(); });
  EXPECT_EQ(kindOf(verdictOn(noOperation, copy)), "Differs/partition");
}

TEST(RulesTest, A13DocumentedRefusalsAreLimits) {
  const language::Case theCase = twice("def program(x, y, v):\n    return (x * y,)\n");
  const std::string documented = "torch.compile with aot_autograd does not currently support double backward";
  EXPECT_EQ(verdictOn(theCase, raises("RuntimeError", documented)).text(), "Limit/A13");
  EXPECT_EQ(verdictOn(theCase, raises("RuntimeError", documented), RuleSet::kNativeFunctional).text(), "Limit/A13");
  const std::string donated =
      "This backward function was compiled with non-empty donated buffers which requires create_graph=False and "
      "retain_graph=False. Please keep";
  EXPECT_EQ(verdictOn(theCase, raises("RuntimeError", donated)).text(), "Limit/A13");
  const auto ofViews =
      raises("AssertionError", "aot_autograd does not yet handle non-differentiable view input mutations.");
  EXPECT_EQ(verdictOn(theCase, ofViews).text(), "Limit/A13");
  EXPECT_EQ(verdictOn(theCase, ofViews, RuleSet::kNativeFunctional).text(), "InternalError/compile");
  EXPECT_EQ(verdictOn(theCase, raises("RuntimeError", "not supported")).text(), "BackendRejected/compile");
}

TEST(RulesTest, A14OverlappedBytesAreUnspecifiedTheirNeighboursAreNot) {
  const language::Case theCase =
      twice("def program(x, y, v):\n    w = v.as_strided((2, 2), (1, 1))\n    w.add_(1)\n    return (y + 1,)\n");
  const auto changed = [](int64_t element) {
    return changeArguments(
        [element](const std::vector<at::Tensor>& arguments) { arguments.at(2).select(0, element).add_(5); });
  };
  expectAllowed(verdictOn(theCase, changed(1)), compare::Rule::kA14);
  EXPECT_EQ(kindOf(verdictOn(theCase, changed(0))), "Differs/input_values");
  EXPECT_EQ(verdictOn(theCase, raises("RuntimeError", "overlaps")).text(), "Limit/A14");
  EXPECT_EQ(verdictOn(theCase, raises("KeyError", "'w'")).text(), "InternalError/compile");
  const language::Case legal =
      twice("def program(x, y, v):\n    w = v.as_strided((1, 3), (0, 1))\n    w.add_(1)\n    return (y + 1,)\n");
  EXPECT_EQ(kindOf(verdictOn(legal, changed(1))), "Differs/input_values");
  EXPECT_EQ(verdictOn(legal, raises("RuntimeError", "overlaps")).text(), "BackendRejected/compile");
}

TEST(RulesTest, A14ANumberFromOverlappedBytesMayLeadTheOtherWay) {
  const auto other = changeOutput(0, [](const at::Tensor& output) { return output.to(at::kLong); });
  const auto going = [](const char* condition) {
    return twice("def program(x, y, v):\n    w = v.as_strided((2, 2), (1, 1))\n    w.add_(1)\n    r = y + 1\n    if " +
                 std::string(condition) + ".sum() > 100:\n        r = (y * 2).long()\n    return (r,)\n");
  };
  EXPECT_EQ(verdictOn(going("v[1]"), other).text(), "EagerUnstable");
  EXPECT_EQ(kindOf(verdictOn(going("v[0]"), other)), "Differs/dtype") << "that element is written once";
  const language::Case straight = twice(
      "def program(x, y, v):\n    w = v.as_strided((2, 2), (1, 1))\n    w.add_(1)\n    v[1].item()\n    return (y + "
      "1,)\n");
  EXPECT_EQ(kindOf(verdictOn(straight, other)), "Differs/dtype") << "the number decides nothing";
}

TEST(RulesTest, A14WhatIsSummedUpOverOverlappingElementsInPlaceIsUnspecifiedAsAWhole) {
  const auto kindAfter = [](const std::string& write) {
    const language::Case theCase =
        twice("def program(x, y, v):\n    v.as_strided((2, 2), (1, 1))." + write + "\n    return (y + 1,)\n");
    return kindOf(verdictOn(theCase, changeArguments([](const std::vector<at::Tensor>& arguments) {
                              arguments.at(2).select(0, 2).add_(5);
                            })));
  };
  EXPECT_EQ(kindAfter("cumsum_(0)"), "Agreed");
  EXPECT_EQ(kindAfter("add_(1)"), "Differs/input_values") << "its last element lies alone";
}

TEST(RulesTest, A14AWriteThatRaisedMidwayLeavesInputsToChance) {
  const auto kindAfter = [](const std::string& body) {
    const language::Case theCase = twice("def program(x, y, v):\n" + body + "    return (y,)\n");
    return verdictOn(theCase,
                     [](values::Callable& eager, values::ValueList& arguments) {
                       const at::Tensor y = arguments.at(1).tensor();
                       try {
                         return eager(arguments);
                       } catch (...) {
                         y.add_(5);
                         throw;
                       }
                     })
        .text();
  };
  // There are more ones in the mask than elements in what is read, a part of what is written.
  EXPECT_EQ(kindAfter("    v.masked_scatter_(v == v, v[:2])\n"), "BothRejected");
  EXPECT_EQ(kindAfter("    v.add_(1)\n    v.masked_scatter_(v == v, x[0, :2])\n"), "Differs/input_values/call 0 arg 1")
      << "no overlap";
}

TEST(RulesTest, A14IsNotForMetadataAndNumbersThatAreReadFirst) {
  const auto refuses = raises("RuntimeError", "overlaps");
  for (const char* statement : {"e = v.expand(2, 3)\n    e.t_()", "torch.ops.aten.set_(v, v[1:])", "y.fill_(y[0, 1])",
                                "y.masked_fill_(y > 0, y[0, 1])", "y.index_fill_(0, torch.tensor([1, 0]), y[0, 1])"}) {
    const language::Case theCase =
        twice("def program(x, y, v):\n    " + std::string(statement) + "\n    return (y + 1,)\n");
    const compare::CaseVerdict verdict = verdictOn(theCase, refuses);
    EXPECT_EQ(verdict.text(), "BackendRejected/compile") << statement << ": " << verdict.worst().message;
    const auto changed = changeArguments([](const std::vector<at::Tensor>& arguments) { arguments.at(1).add_(5); });
    EXPECT_EQ(kindOf(verdictOn(theCase, changed)), "Differs/input_values") << statement;
  }
}

TEST(RulesTest, A15WhatDependsOnANondeterministicOperatorIsUnspecified) {
  const language::Case theCase = twice(
      "def program(x, y, v):\n    i = torch.tensor([1, 1, 0])\n    s = torch.zeros(3).scatter(0, i, v)\n    return s * "
      "2, v + 1\n");
  const auto changed = [](size_t output, int64_t element) {
    return changeOutput(output, [element](const at::Tensor& each) {
      each.detach().select(0, element).add_(1);
      return each;
    });
  };
  expectAllowed(verdictOn(theCase, changed(0, 1)), compare::Rule::kA15);
  EXPECT_EQ(kindOf(verdictOn(theCase, changed(0, 0))), "Differs/values") << "written once";
  EXPECT_EQ(kindOf(verdictOn(theCase, changed(1, 1))), "Differs/values");
  const language::Case unique = twice(
      "def program(x, y, v):\n    i = torch.tensor([1, 2, 0])\n    s = torch.zeros(3).scatter(0, i, v)\n    return s * "
      "2, v + 1\n");
  EXPECT_EQ(kindOf(verdictOn(unique, changed(0, 1))), "Differs/values");
}

TEST(RulesTest, A7WhatIsComputedInOtherStepsRoundsWhereInputsDoNotTell) {
  constexpr double kUlpOfHalf = 0x1p-24; // what moving a result of 0.5 up gives; eager's 0.5 is exact
  // Inputs that move leave no trace, and the difference is far beyond the last place of what is returned.
  const auto subtracts = [](const std::string& half) {
    return twice("def program(x, y, v):\n    return (" + half + " - 0.499,)\n");
  };
  const auto addsUlps = [](double count) {
    return changeOutput(0, [count](const at::Tensor& each) { return each + count * kUlpOfHalf; });
  };
  const language::Case ofSigmoid = subtracts("torch.sigmoid(y * 0)"), ofExact = subtracts("(y * 0 + 0.5)");
  for (const RuleSet set : {RuleSet::kNativeRounding, RuleSet::kDecomposed, RuleSet::kInductor}) {
    expectAllowed(verdictOn(ofSigmoid, addsUlps(4), set), compare::Rule::kA7);
    EXPECT_EQ(kindOf(verdictOn(ofSigmoid, addsUlps(40), set)), "Differs/values");
    EXPECT_EQ(kindOf(verdictOn(ofExact, addsUlps(4), set)), "Differs/values") << "these operators round nothing";
  }
  EXPECT_EQ(kindOf(verdictOn(ofSigmoid, addsUlps(4), RuleSet::kAot)), "Differs/values") << "computed in eager's steps";
  const language::Case onMeta = twice(
      "def program(x, y, v):\n    m = torch.sigmoid(y.to('meta'))\n    return torch.sigmoid(y * 0) - 0.499, m.shape\n");
  expectAllowed(verdictOn(onMeta, addsUlps(4), RuleSet::kInductor), compare::Rule::kA7);
}

TEST(RulesTest, A7RunsInWhichSomethingElseIsDecidedWidenNoBound) {
  // A moved copy, or an inexact result that a comparison asks for, sends the moved runs to the other branch, a whole one away.
  const auto chosenBy = [](const std::string& condition) {
    return twice("def program(x, y, v):\n    return (torch.where(" + condition +
                 ", torch.sigmoid(y), torch.sigmoid(y) + 1),)\n");
  };
  const auto wrong = changeOutput(0, [](const at::Tensor& each) { return each + 0.25; });
  EXPECT_EQ(kindOf(verdictOn(chosenBy("torch.ops.aten.view_copy.default(y, [2, 3]) == y"), wrong, RuleSet::kInductor)),
            "Differs/values");
  EXPECT_EQ(verdictOn(chosenBy("torch.log2(y * 0 + 2) == 1"), wrong, RuleSet::kInductor).outcome,
            language::Outcome::kIllConditioned);
}

TEST(RulesTest, A7ResultsAreMovedBehindAutogradsBack) {
  const language::Case theCase =
      caseOf(std::string(kOneTensor) + "def program(x):\n    return (torch.sigmoid(x * 0).exp(),)\n",
             "    dict(inputs=\"inputs\", seed=7, kind=\"uniform\", backward=[0]),\n"
             "    dict(inputs=\"inputs\", seed=8, kind=\"uniform\", backward=[0]),");
  const compare::EagerReference reference(theCase);
  const auto movedApart = [&](observe::TensorSlot slot, bool decomposed) {
    const evidence::RoundingEvidence evidence = reference.evidence(0, slot, decomposed);
    return std::any_of(evidence.perturbed.begin(), evidence.perturbed.end(),
                       [&](const at::Tensor& each) { return !each.equal(evidence.perturbed.front()); });
  };
  EXPECT_FALSE(movedApart({observe::TensorSlot::Kind::kOutput, 0}, false));
  EXPECT_TRUE(movedApart({observe::TensorSlot::Kind::kOutput, 0}, true));
  const evidence::RoundingEvidence ofGradient = reference.evidence(0, {observe::TensorSlot::Kind::kGradient, 0}, true);
  EXPECT_EQ(ofGradient.perturbed.size(), 14U);
  EXPECT_TRUE(std::all_of(ofGradient.perturbed.begin(), ofGradient.perturbed.end(), [](const at::Tensor& each) {
    return each.defined();
  })) << "exp has saved its result, and no version says that it has moved";
}

TEST(RulesTest, A7GradientsThatCancelHangOnTheOrderOfTheirSum) {
  const language::Case theCase = caseOf(
      "def inputs(seed, kind):\n    x = data((), torch.float32, (seed, 2), kind).requires_grad_()\n"
      "    return (x,), ()\n\n\n"
      "def program(x):\n    y = torch.lerp(x, x, x)\n    return y, y, x\n",
      "    dict(inputs=\"inputs\", seed=11, kind=\"special\", backward=[0, 1, 2], tangent_seed=37),\n"
      "    dict(inputs=\"inputs\", seed=14, kind=\"special\", backward=[0, 1, 2], tangent_seed=37),");
  const auto gradientIs = [](float value) {
    return [value](observe::CallObservation& call) {
      observe::TensorObservation& gradient = *call.gradients.at(0).gradient;
      if (gradient.values.item<float>() == 0) { // of the largest number: the parts are as large and cancel
        gradient.values = at::full({}, value);
      }
    };
  };
  const compare::CaseVerdict ofAnotherOrder = verdictOnEdited(theCase, gradientIs(1));
  EXPECT_EQ(ofAnotherOrder.text(), "Agreed") << ofAnotherOrder.worst().message;
  EXPECT_EQ(allowedBy(ofAnotherOrder, compare::Rule::kA7), 1);
  EXPECT_EQ(kindOf(verdictOnEdited(theCase, gradientIs(9))), "Differs/gradient_values");
  EXPECT_EQ(kindOf(verdictOnEdited(theCase, gradientIs(NAN))), "Differs/gradient_values")
      << "each root alone gives a NaN, which is no evidence for one";
}

TEST(RulesTest, A7BackwardsThatTheCaseBringsAlongSeeTheRootsTogether) {
  // KeepsNone gives g * 2 + h * 3 of both gradients, and nothing of the second alone.
  const std::string custom = language::customFunctionText("KeepsNone");
  const std::string program =
      custom + "\n\n" + kOneTensor + "def program(x):\n    a, b = KeepsNone.apply(x)\n    return torch.relu(a), b\n";
  const language::Case theCase = caseOf(program,
                                        "    dict(inputs=\"inputs\", seed=7, kind=\"uniform\", backward=[0, 1]),\n"
                                        "    dict(inputs=\"inputs\", seed=8, kind=\"uniform\", backward=[0, 1]),");
  const auto wrongRelu = changeOutput(0, [](const at::Tensor& relu) {
    relu.register_hook([](at::Tensor grad) { return grad * 2; });
    return relu;
  });
  EXPECT_EQ(kindOf(verdictOn(theCase, wrongRelu)), "Differs/gradient_values");
  EXPECT_EQ(verdictOn(theCase, PlantedProgram::Plant()).text(), "Agreed");
}

TEST(RulesTest, A7ARaisingBackwardLeavesNoEvidenceOfAnotherOrder) {
  const auto reorderedOf = [](const char* roots) {
    const language::Case theCase =
        caseOf(std::string(kOneTensor) +
                   "def program(x):\n    s = torch.exp(x)\n    t = s * 1\n    s.add_(1)\n    return x * x, t, x * 2\n",
               "    dict(inputs=\"inputs\", seed=7, kind=\"uniform\", backward=" + std::string(roots) +
                   "),\n    dict(inputs=None, backward=[0, 2]),");
    const compare::EagerReference reference(theCase);
    return reference.evidence(1, {observe::TensorSlot::Kind::kGradient, 0}).reordered.size();
  };
  EXPECT_EQ(reorderedOf("[0, 2]"), 2u);
  EXPECT_EQ(reorderedOf("[0, 1]"), 0u) << "`.grad` holds what root 0 left there before root 1 raised";
}

} // namespace
} // namespace touchstone::tests
