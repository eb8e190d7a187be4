// What is tainted is excused; its neighbours, and all that does not depend on it, are still compared.
#include "oracles/taint/TaintedValues.h"

#include "PlantedProgram.h"
#include "program/language/CasePrinter.h"

#include <ATen/TensorOperators.h>

#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

constexpr const char* kInputs = R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((2, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


)";

/// Two calls with other values.
language::Case caseFor(const std::string& program, const std::string& settings = "") {
  const std::string rest = settings.empty() ? ")," : ", " + settings + "),";
  return caseOf(kInputs + program,
                "    dict(inputs=\"inputs\", seed=7" + rest + "\n    dict(inputs=\"inputs\", seed=8" + rest);
}

PlantedProgram::Plant gradientTimes100(size_t output) {
  return changeOutput(output, [](const at::Tensor& each) {
    each.register_hook([](at::Tensor grad) { return grad * 100; });
    return each;
  });
}

/// Changes one element of a returned tensor in place, unseen by autograd.
PlantedProgram::Plant changeElement(size_t output, int64_t element) {
  return changeOutput(output, [element](const at::Tensor& each) {
    each.detach().view(-1).select(0, element).add_(1);
    return each;
  });
}

std::string kindFor(const std::string& program, const PlantedProgram::Plant& plant, const std::string& settings = "",
                    ir::RuleSet set = ir::RuleSet::kAot) {
  return kindOf(verdictOn(caseFor(program, settings), plant, set));
}

constexpr const char* kSortBeside =
    "def program(x, y):\n    v, i = torch.sort(torch.ones(3))\n    return torch.exp(x), i\n";

TEST(TaintedValuesTest, AGradientThatDoesNotDependOnATiedSortIsCompared) {
  EXPECT_EQ(kindFor(kSortBeside, gradientTimes100(0), "backward=[0]"), "Differs/gradient_values");
  EXPECT_EQ(kindFor(kSortBeside, changeElement(1, 0)), "Agreed");
}

TEST(TaintedValuesTest, OnlyTiedElementsOfASortAreUnspecified) {
  const std::string sort =
      "def program(x, y):\n    v, i = torch.sort(torch.tensor([3.0, 1.0, 1.0, 2.0]))\n    return v, i, i * 2\n";
  EXPECT_EQ(kindFor(sort, changeElement(1, 0)), "Agreed");
  EXPECT_EQ(kindFor(sort, changeElement(1, 1)), "Agreed");
  EXPECT_EQ(kindFor(sort, changeElement(1, 2)), "Differs/values");
  EXPECT_EQ(kindFor(sort, changeElement(0, 0)), "Differs/values") << "tied values are the same whichever comes first";
  EXPECT_EQ(kindFor(sort, changeElement(2, 0)), "Agreed") << "computed from an unspecified element";
  EXPECT_EQ(kindFor(sort, changeElement(2, 3)), "Differs/values");
  const std::string apart =
      "def program(x, y):\n    z = torch.tensor([[3.0, 1.0, 2.0]])\n    return z.gather(1, z.argsort(1)), "
      "z.topk(2)[1]\n";
  EXPECT_EQ(kindFor(apart, changeElement(0, 1)), "Differs/values");
  EXPECT_EQ(kindFor(apart, changeElement(1, 0)), "Differs/values");
  const std::string stable = "def program(x, y):\n    v, i = torch.sort(torch.ones(3), stable=True)\n    return v, i\n";
  EXPECT_EQ(kindFor(stable, changeElement(1, 0)), "Differs/values");
}

TEST(TaintedValuesTest, GradientsThroughATiedSortAreUnspecified) {
  const std::string through =
      "def program(x, y):\n    z = x * 0\n    v, i = torch.sort(z, 1)\n    return v, torch.exp(x)\n";
  EXPECT_EQ(kindFor(through, gradientTimes100(0), "backward=[0]"), "Agreed");
  EXPECT_EQ(kindFor(through, gradientTimes100(1), "backward=[1]"), "Differs/gradient_values");
  const std::string untied = "def program(x, y):\n    v, i = torch.sort(x, 1)\n    return (v,)\n";
  EXPECT_EQ(kindFor(untied, gradientTimes100(0), "kind=\"uniform\", backward=[0]"), "Differs/gradient_values");
}

TEST(TaintedValuesTest, OnlyPlacesThatAreWrittenTwiceAreUnspecified) {
  const std::string inRows =
      "def program(x, y):\n    i = torch.tensor([[0, 1, 2], [2, 1, 0]])\n    return (torch.zeros(2, 3).scatter(1, i, "
      "y),)\n";
  EXPECT_EQ(kindFor(inRows, changeElement(0, 0)), "Differs/values") << "no place of a row is written twice";
  const std::string self =
      "def program(x, y):\n    z = torch.zeros(2, 3, dtype=torch.int64)\n    return (z.scatter(1, torch.tensor([[0, 1, "
      "2]]), z[:1] + 1),)\n";
  EXPECT_EQ(kindFor(self, changeElement(0, 1)), "Differs/values") << "repeated values are not repeated places";
  const std::string twice =
      "def program(x, y):\n    i = torch.tensor([[0, 0, 2], [2, 1, 0]])\n    return (torch.zeros(2, 3).scatter(1, i, "
      "y),)\n";
  EXPECT_EQ(kindFor(twice, changeElement(0, 0)), "Agreed");
  EXPECT_EQ(kindFor(twice, changeElement(0, 2)), "Differs/values");
  const std::string put =
      "def program(x, y):\n    z = torch.zeros(4, 3)\n    z[torch.tensor([1, 1])] = y\n    return (z,)\n";
  EXPECT_EQ(kindFor(put, changeElement(0, 4)), "Agreed");
  EXPECT_EQ(kindFor(put, changeElement(0, 7)), "Differs/values");
}

TEST(TaintedValuesTest, WhichOfTwoZerosIsTheLargerIsUnspecified) {
  const auto kindOfProgram = [](const std::string& body, int64_t element) {
    return kindFor(
        "def program(x, y):\n    z = torch.tensor([0.0, -0.0, 0.0, 1.0])\n    w = torch.tensor([-0.0, "
        "-0.0, -1.0, 2.0])\n" +
            body,
        changeElement(0, element));
  };
  for (const std::string name : {"maximum", "fmax", "max"}) {
    const std::string body = "    return torch." + name + "(z, w), y\n";
    EXPECT_EQ(kindOfProgram(body, 0), "Agreed");
    EXPECT_EQ(kindOfProgram(body, 1), "Differs/values") << "both have one sign";
    EXPECT_EQ(kindOfProgram(body, 2), "Differs/values") << "one alone is a zero";
    EXPECT_EQ(kindOfProgram(body, 3), "Differs/values");
  }
  const std::string over = "    torch.minimum(z, w, out=w)\n    return w, y\n";
  EXPECT_EQ(kindOfProgram(over, 0), "Agreed");
  EXPECT_EQ(kindOfProgram(over, 2), "Differs/values");
}

TEST(TaintedValuesTest, TheSignOfAZeroThatAProductIsAddedToIsUnspecified) {
  const auto kindOfProgram = [](const std::string& body, int64_t element) {
    return kindFor(
        "def program(x, y):\n    z = torch.tensor([[0.0, 1.0]])\n    a = torch.zeros(1, 1)\n"
        "    b = torch.ones(1, 2)\n" +
            body,
        changeElement(0, element));
  };
  EXPECT_EQ(kindOfProgram("    z.addmm_(a, b)\n    return z.view(2), y\n", 0), "Agreed");
  EXPECT_EQ(kindOfProgram("    z.addmm_(a, b)\n    return z.view(2), y\n", 1), "Differs/values") << "no zero";
  EXPECT_EQ(kindOfProgram("    z.sub_(b).addmm_(a + 1, b)\n    return z.view(2), y\n", 1), "Differs/values")
      << "terms cancel";
  EXPECT_EQ(kindOfProgram("    return torch.addmm(z, a, b).view(2), y\n", 0), "Differs/values") << "not in place";
}

TEST(TaintedValuesTest, TheSignOfANanIsUnspecified) {
  const auto kindOfProgram = [](const std::string& body, int64_t element) {
    return kindFor("def program(x, y):\n    z = torch.tensor([float('nan'), -1.0])\n" + body,
                   changeElement(0, element));
  };
  EXPECT_EQ(kindOfProgram("    return torch.signbit(z) * 1, y\n", 0), "Agreed");
  EXPECT_EQ(kindOfProgram("    return torch.signbit(z) * 1, y\n", 1), "Differs/values");
  EXPECT_EQ(kindOfProgram("    return torch.copysign(torch.ones(2), z), y\n", 0), "Agreed");
  EXPECT_EQ(kindOfProgram("    return torch.copysign(torch.ones(2), z), y\n", 1), "Differs/values");
  EXPECT_EQ(kindOfProgram("    return torch.copysign(z, torch.ones(2)), y\n", 1), "Differs/values");
}

TEST(TaintedValuesTest, ACustomFunctionTaintsWhatAnOverlappingWriteMayReachAndNothingWithoutOne) {
  const std::string function = language::customFunctionText("Scaled") + "\n\n";
  const std::string overlapping = "    y.view(-1).as_strided((2, 2), (1, 1)).add_(1)\n";
  const auto kindOfProgram = [](const std::string& functions, const std::string& body) {
    return kindOf(verdictOn(caseOf(functions + kInputs + "def program(x, y):\n" + body,
                                   "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=\"inputs\", seed=8),"),
                            changeElement(0, 5)));
  };
  EXPECT_EQ(kindOfProgram(function, overlapping + "    return Scaled.apply(x), y\n"), "Agreed");
  EXPECT_EQ(kindOfProgram(function, "    y.add_(1)\n    return Scaled.apply(x), y\n"), "Differs/values");
  EXPECT_EQ(kindOfProgram("", overlapping + "    return x * 2, y\n"), "Differs/values");
}

TEST(TaintedValuesTest, WhatALaterCallLeavesUnspecifiedIsUnspecifiedAtTheLateLook) {
  const language::Case theCase =
      caseOf(kInputs + std::string("def program(x, y):\n"
                                   "    y.t_()\n"
                                   "    y[torch.tensor([0, 0])] = x.detach().reshape(y.shape)[:1]\n"
                                   "    return (y,)\n"),
             "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=None),");
  const auto kindWith = [&](int64_t element) {
    const auto calls = std::make_shared<int>(0);
    return kindOf(verdictOn(theCase, changeOutput(0, [=](const at::Tensor& each) {
                              if ((*calls)++ > 0) { // it is 2 x 3 again, and its first row was written twice
                                each.detach().view(-1).select(0, element).add_(1);
                              }
                              return each;
                            })));
  };
  EXPECT_EQ(kindWith(2), "Agreed");
  EXPECT_EQ(kindWith(4), "Differs/values");
}

/// Multiplies the gradient by 100 in one call.
PlantedProgram::Plant gradientTimes100InCall(int call) {
  const auto calls = std::make_shared<int>(0);
  return changeOutput(0, [=](const at::Tensor& each) {
    if ((*calls)++ == call) {
      each.register_hook([](at::Tensor grad) { return grad * 100; });
    }
    return each;
  });
}

TEST(TaintedValuesTest, ALaterCallDoesNotTaintTheGradientOfAnEarlierOne) {
  const language::Case theCase = caseOf(kInputs + std::string("def program(x, y):\n"
                                                              "    v, i = torch.sort(x, 1)\n"
                                                              "    x.detach().zero_()\n"
                                                              "    return (v,)\n"),
                                        "    dict(inputs=\"inputs\", seed=7, kind=\"uniform\", backward=[0]),\n"
                                        "    dict(inputs=None, backward=[0], tangent_seed=3),");
  EXPECT_EQ(kindOf(verdictOn(theCase, gradientTimes100InCall(0))), "Differs/gradient_values");
  EXPECT_EQ(kindOf(verdictOn(theCase, gradientTimes100InCall(1))), "Agreed") << "its own values are tied";
}

TEST(TaintedValuesTest, AnEarlierCallTaintsWhatIsAddedToItsGradient) {
  const std::string program =
      "def program(x, y):\n"
      "    v, i = torch.sort(x * (y[0, 0] > 100), 1)\n"
      "    y.add_(1000)\n"
      "    return (v,)\n";
  const auto kindWith = [&](const std::string& settings) {
    return kindOf(verdictOn(caseOf(kInputs + program,
                                   "    dict(inputs=\"inputs\", seed=7, kind=\"uniform\", backward=[0]),\n"
                                   "    dict(inputs=None, backward=[0], tangent_seed=3" +
                                       settings + "),"),
                            gradientTimes100InCall(1)));
  };
  EXPECT_EQ(kindWith(""), "Agreed");
  EXPECT_EQ(kindWith(", via=\"grad\""), "Differs/gradient_values");
}

TEST(TaintedValuesTest, NumbersAreUnspecifiedOnlyWhenTheyDependOnATaintedElement) {
  const auto changeNumber = [](size_t index) {
    return changeReturned([index](values::ValueList& items) { items.at(index) = values::Value(int64_t{77}); });
  };
  const std::string beside = "def program(x, y):\n    v, i = torch.sort(torch.ones(3))\n    return i, y.dim()\n";
  EXPECT_EQ(kindFor(beside, changeNumber(1)), "Differs/non_tensor");
  const std::string read =
      "def program(x, y):\n    v, i = torch.sort(torch.ones(3))\n    n = i[0].item() + 1\n    return n, y.dim()\n";
  EXPECT_EQ(kindFor(read, changeNumber(0)), "Agreed");
  EXPECT_EQ(kindFor(read, changeNumber(1)), "Differs/non_tensor");
}

TEST(TaintedValuesTest, OneFlippedBoolExcusesOnlyWhatIsComputedFromIt) {
  const std::string program =
      "def program(x, y):\n    edge = torch.floor(x.detach() * 4).to(torch.int64)\n"
      "    return torch.exp(x), torch.exp(x) * edge, edge\n";
  EXPECT_EQ(kindFor(program, gradientTimes100(0), "backward=[0]"), "Differs/gradient_values");
  EXPECT_EQ(kindFor(program, gradientTimes100(1), "backward=[1]"), "IllConditioned");
  EXPECT_EQ(kindFor(program, changeElement(0, 0), "", ir::RuleSet::kInductor), "Differs/values");
  EXPECT_EQ(kindFor(program, changeElement(2, 0), "", ir::RuleSet::kInductor), "IllConditioned");
}

} // namespace
} // namespace touchstone::tests
