// A16 and A17: what changes between forward and backward, and what a call that raised leaves.
#include "RuleCases.h"

#include <ATen/TensorOperators.h>

namespace touchstone::tests {
namespace {

using ir::RuleSet;

constexpr const char* kTouched = R"(def program(x, y, v):
    return (x * y,)


def touch(args, outs):
    args[1].add_(1)
)";

TEST(ChangeRulesTest, A16AChangeBetweenForwardAndBackwardMayBeRefusedByOneSide) {
  const language::Case touched = twice(kTouched, "backward=[0], between=\"touch\"");
  const auto savesACopy = [](values::Callable&, values::ValueList& arguments) {
    return values::Value::tuple({values::Value(arguments[0].tensor() * arguments[1].tensor().clone())});
  };
  expectAllowed(verdictOn(touched, savesACopy), compare::Rule::kA16);
  const auto usesTheChangedValue = [](values::Callable&, values::ValueList& arguments) {
    const at::Tensor product = arguments[0].tensor() * arguments[1].tensor().clone();
    product.register_hook([](at::Tensor grad) { return grad * 2; });
    return values::Value::tuple({values::Value(product)});
  };
  EXPECT_EQ(kindOf(verdictOn(touched, usesTheChangedValue)), "Differs/gradient_values");

  const language::Case harmless =
      twice("def program(x, y, v):\n    return (x * y.clone(),)\n\n\ndef touch(args, outs):\n    args[1].add_(1)\n",
            "backward=[0], between=\"touch\"");
  const auto savesTheInput = [](values::Callable&, values::ValueList& arguments) {
    return values::Value::tuple({values::Value(arguments[0].tensor() * arguments[1].tensor())});
  };
  EXPECT_EQ(verdictOn(harmless, savesTheInput).text(), "Limit/A16");
  const auto anotherText = changeOutput(0, [](const at::Tensor& output) {
    output.register_hook([](at::Tensor grad) -> at::Tensor { throw values::RaisedException("RuntimeError", "no"); });
    return output;
  });
  EXPECT_EQ(verdictOn(harmless, anotherText).text(), "BackendRejected/backward");
}

TEST(ChangeRulesTest, A16TheProgramMayMakeTheChangeBehindAGraphBreak) {
  const language::Case theCase =
      twice("def program(x, y, v):\n    z = x * y.clone()\n    y.add_(1)\n    return (z,)\n", "backward=[0]");
  const auto savesTheInput = [](values::Callable&, values::ValueList& arguments) {
    const at::Tensor y = arguments[1].tensor(), z = arguments[0].tensor() * y;
    y.add_(1);
    return values::Value::tuple({values::Value(z)});
  };
  PlantedProgram whole(theCase, savesTheInput), inParts(theCase, savesTheInput);
  inParts.breaks = {"a value is read"};
  EXPECT_EQ(verdictOn(theCase, whole).text(), "BackendRejected/backward");
  EXPECT_EQ(verdictOn(theCase, inParts).text(), "Limit/A16");
  const language::Case reading = twice("def program(x, y, v):\n    return (x * y,)\n", "backward=[0]");
  const auto changesWhatItSaved = [](values::Callable&, values::ValueList& arguments) {
    const at::Tensor copy = arguments[1].tensor().clone(), z = arguments[0].tensor() * copy;
    copy.add_(1);
    return values::Value::tuple({values::Value(z)});
  };
  PlantedProgram ofItsOwn(reading, changesWhatItSaved);
  ofItsOwn.breaks = {"a value is read"};
  EXPECT_EQ(verdictOn(reading, ofItsOwn).text(), "BackendRejected/backward") << "the Program writes nothing";
  const language::Case detached = twice(
      "def program(x, y, v):\n    w = x * 2\n    z = w.square()\n    w.detach_()\n    return (z,)\n", "backward=[0]");
  const auto savesNothing = [](values::Callable&, values::ValueList& arguments) {
    return values::Value::tuple({values::Value((arguments[0].tensor() * 2).square())});
  };
  PlantedProgram accepting(detached, savesNothing), acceptingInParts(detached, savesNothing);
  acceptingInParts.breaks = {"a value is read"};
  EXPECT_EQ(kindOf(verdictOn(detached, accepting, RuleSet::kNativeExact)), "Differs/gradient_presence");
  EXPECT_EQ(verdictOn(detached, acceptingInParts, RuleSet::kNativeExact).text(), "Agreed");
  const language::Case plain =
      twice("def program(x, y, v):\n    w = x * 2\n    z = w * 3\n    w.detach_()\n    return (z,)\n", "backward=[0]");
  const auto refusesTo = [](const char* stage) {
    const char* text = "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()";
    if (std::string(stage) != "backward") {
      return raises("RuntimeError", text, stage);
    }
    return changeOutput(0, [text](const at::Tensor& output) {
      output.register_hook([text](at::Tensor) -> at::Tensor { throw values::RaisedException("RuntimeError", text); });
      return output;
    });
  };
  PlantedProgram refusesWhole(plain, refusesTo("backward")), refusesInParts(plain, refusesTo("backward")),
      refusesEarly(plain, refusesTo("forward"));
  refusesInParts.breaks = refusesEarly.breaks = {"a value is read"};
  EXPECT_EQ(verdictOn(plain, refusesWhole).text(), "BackendRejected/backward");
  EXPECT_EQ(verdictOn(plain, refusesInParts).text(), "Limit/A16");
  EXPECT_EQ(verdictOn(plain, refusesEarly).text(), "BackendRejected/forward");
  PlantedProgram refusing(theCase, raises("RuntimeError", "has been modified by an inplace operation", "forward"));
  refusing.breaks = {"a value is read"};
  EXPECT_EQ(verdictOn(theCase, refusing).text(), "BackendRejected/forward");
}

TEST(ChangeRulesTest, A16LeavesBehindARootMadeAnewAreUnknownOthersAreNot) {
  const language::Case theCase = twice(
      "def program(x, k, y):\n    z = x * 2\n    return z.view(6), k * y\n\n\n"
      "def touch(args, outs):\n    outs[0].mul_(1)\n    args[2].add_(1)\n",
      "backward=[0, 1], between=\"touch\"",
      "def inputs(seed, kind):\n    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()\n"
      "    k = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()\n"
      "    y = data((2, 3), torch.float32, (seed, 2), kind)\n    return (x, k, y), ()\n\n\n");
  const auto times = [](float ofX, float ofK) -> PlantedProgram::Plant {
    return [=](values::Callable&, values::ValueList& arguments) {
      const at::Tensor z = arguments[0].tensor() * 2, product = arguments[1].tensor() * arguments[2].tensor().clone();
      z.register_hook([=](at::Tensor grad) { return grad * ofX; });
      product.register_hook([=](at::Tensor grad) { return grad * ofK; });
      return values::Value::tuple({values::Value(z.view(6)), values::Value(product)});
    };
  };
  for (const RuleSet set : {RuleSet::kAot, RuleSet::kNativeExact}) {
    expectAllowed(verdictOn(theCase, times(1, 1), set), compare::Rule::kA16);
    EXPECT_EQ(verdictOn(theCase, times(3, 1), set).text(), "Limit/A16");
    EXPECT_EQ(verdictOn(theCase, times(1, 3), set).text(), "Differs/gradient_values/call 0 leaf 1");
    const compare::CaseVerdict both = verdictOn(theCase, times(3, 3), set);
    EXPECT_EQ(both.text(), "Differs/gradient_values/call 0 leaf 1");
    EXPECT_EQ(both.worst().differences.size(), 1);
  }
}

TEST(ChangeRulesTest, A16ErrorsOfTheProgramsOwnWritesBlameNoViewThatEagerDoesNot) {
  const language::Case broken = twice(
      "def program(x, y, v):\n    s = torch.exp(x)\n    t = s * 1\n    s.add_(1)\n    return (t,)\n", "backward=[0]");
  const auto raisesInBackward = [](const char* text) {
    return changeOutput(0, [text](const at::Tensor& output) {
      output.register_hook([text](at::Tensor) -> at::Tensor { throw values::RaisedException("RuntimeError", text); });
      return output;
    });
  };
  EXPECT_EQ(
      verdictOn(broken, raisesInBackward("one of the variables has been modified by an inplace operation: another"),
                RuleSet::kNativeExact)
          .text(),
      "Agreed");
  EXPECT_EQ(verdictOn(broken,
                      raisesInBackward("Output 0 of ViewBackward0 is a view and its base or another view of its base "
                                       "has been modified inplace."),
                      RuleSet::kNativeExact)
                .text(),
            "BackendRejected/backward");
}

TEST(ChangeRulesTest, A16TheOtherErrorIsOfOneOfTheCallsOwnRoots) {
  const std::string program =
      "def program(x, y, v):\n    q = (x // x).tril(0)\n    s = torch.exp(x)\n    t = s * 1\n    s.add_(1)\n    return "
      "t, q\n";
  const auto ofFloorDivide = changeOutput(0, [](const at::Tensor& output) {
    output.register_hook([](at::Tensor) -> at::Tensor {
      throw values::RaisedException("RuntimeError", "derivative for aten::floor_divide is not implemented");
    });
    return output;
  });
  EXPECT_EQ(verdictOn(twice(program, "backward=[0, 1]"), ofFloorDivide, RuleSet::kNativeExact).text(), "Agreed");
  EXPECT_EQ(verdictOn(twice(program, "backward=[0]"), ofFloorDivide, RuleSet::kNativeExact).text(),
            "BackendRejected/backward");
}

TEST(ChangeRulesTest, A16TheOtherErrorIsOfANodeOfTheSameRoot) {
  const std::string program =
      "def program(x, y, v):\n    q = (x * 1).acosh_()\n    s = torch.exp(q)\n    t = s * 1\n    s.add_(1)\n    return "
      "t, "
      "x.acosh()\n";
  const auto raises = [](const char* text) {
    return changeOutput(0, [text](const at::Tensor& output) {
      output.register_hook([text](at::Tensor) -> at::Tensor { throw values::RaisedException("RuntimeError", text); });
      return output;
    });
  };
  const language::Case theCase = twice(program, "backward=[0]");
  EXPECT_EQ(verdictOn(theCase, raises("the derivative for 'inplace version of acosh' is not implemented."),
                      RuleSet::kNativeExact)
                .text(),
            "Agreed");
  EXPECT_EQ(verdictOn(theCase, raises("the derivative for 'inplace version of asinh' is not implemented."),
                      RuleSet::kNativeExact)
                .text(),
            "BackendRejected/backward");
}

/// The verdict when the compiled side has the gradients that eager has without the change in between.
compare::CaseVerdict verdictOnUnchanged(const std::string& functions) {
  const language::Case theCase =
      caseOf(kOneTensor + functions,
             "    dict(inputs=\"inputs\", seed=7, kind=\"uniform\", backward=[0], between=\"touch\"),\n"
             "    dict(inputs=\"inputs\", seed=8, kind=\"uniform\", backward=[0], between=\"touch\"),");
  const compare::EagerReference reference(theCase);
  int call = 0;
  return verdictOnEdited(theCase, [&](observe::CallObservation& compiled) {
    const observe::CaseObservation& unchanged = reference.withoutChange(call).first();
    compiled.gradients = unchanged.calls.at(static_cast<size_t>(call++)).gradients;
  });
}

TEST(ChangeRulesTest, A16GradientsOfUnchangedValuesAreRightWhereEagerDoesNotNoticeTheChange) {
  const std::string kron = "def program(x):\n    return (torch.kron(x, x),)\n\n\n";
  const std::string touch = "def touch(args, outs):\n    args[0].mul_(2)\n";
  expectAllowed(verdictOnUnchanged(kron + touch), compare::Rule::kA16);
  EXPECT_EQ(kindOf(verdictOnUnchanged(kron + touch + "    args[0].grad = torch.ones_like(args[0])\n")),
            "Differs/gradient_values")
      << "a gradient that was there before the backward is added to";
  EXPECT_EQ(kindOf(verdictOnUnchanged("def twofold(g):\n    return g * 2\n\n\n"
                                      "def program(x):\n    return (x * x,)\n\n\n"
                                      "def touch(args, outs):\n    outs[0].register_hook(twofold)\n")),
            "Differs/gradient_values")
      << "a hook is no change of what eager saved";
}

TEST(ChangeRulesTest, A16OnlyMemoryThatTheProgramHoldsCountsAsHandedOnUnnoticed) {
  const auto hides = [](const std::string& program) {
    const language::Case theCase = caseOf(kOneTensor + ("def program(x):\n    return (" + program + ",)\n"),
                                          "    dict(inputs=\"inputs\", seed=7, backward=[0]),");
    return compare::EagerReference(theCase).trace(0).hidesSharing;
  };
  EXPECT_TRUE(hides("torch.kron(x, x)"));
  EXPECT_TRUE(hides("torch.ops.aten._unsafe_view.default(x, [1, 2])"));
  EXPECT_FALSE(hides("x.view(1, 2).t().reshape(2) * x.detach()"));
  EXPECT_FALSE(hides("torch.matmul(x.expand(3, 2, 2), x.expand(2, 2))")) << "of what it has just made itself";
}

TEST(ChangeRulesTest, A17InputsMayBeUntouchedAfterACompileThatRaised) {
  const language::Case theCase = twice("def program(x, y, v):\n    y.add_(1)\n    return (torch.mm(y, y),)\n");
  PlantedProgram failsToCompile(theCase, raises("RuntimeError", "mm"));
  failsToCompile.runsCompiledCode = false;
  const compare::CaseVerdict untouched = verdictOn(theCase, failsToCompile);
  EXPECT_EQ(untouched.text(), "BothRejected") << untouched.worst().message;
  EXPECT_EQ(allowedBy(untouched, compare::Rule::kA17), 2);
  const compare::CaseVerdict lost = verdictOn(theCase, raises("RuntimeError", "mm", "forward"));
  EXPECT_EQ(kindOf(lost), "Differs/version") << "what was compiled ran, and its write is not there";
  const auto changesOtherwise = [](values::Callable&, values::ValueList& arguments) -> values::Value {
    arguments[1].tensor().add_(2);
    throw values::RaisedException("RuntimeError", "mm");
  };
  EXPECT_EQ(kindOf(verdictOn(theCase, changesOtherwise)), "Differs/input_values");
  const auto changesUnseen = [](values::Callable&, values::ValueList& arguments) -> values::Value {
    static_cast<float*>(arguments[1].tensor().data_ptr())[0] += 5; // no version counter knows
    throw values::RaisedException("RuntimeError", "mm");
  };
  EXPECT_EQ(kindOf(verdictOn(theCase, changesUnseen)), "Differs/version");
}

} // namespace
} // namespace touchstone::tests
