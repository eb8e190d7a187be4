// The bound of a value has the precision in which it was computed; where numerics are strict more is compared.
#include "PlantedProgram.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/as_strided.h>

#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

constexpr const char* kHalfInputs = R"(
def inputs(seed, kind):
    x = data((4, 8), torch.bfloat16, (seed, 0), kind)
    w = data((8, 8), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


)";
constexpr const char* kUniformBackward =
    R"(    dict(inputs="inputs", seed=1, kind="uniform", backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, kind="uniform", backward=[0], tangent_seed=4),)";

/// Gradients as a backward in bfloat16 would give them.
void roundGradients(observe::CallObservation& call) {
  for (observe::GradientObservation& each : call.gradients) {
    if (each.gradient) {
      each.gradient->values = each.gradient->values.to(at::kBFloat16).to(at::kFloat);
    }
  }
}

TEST(StrictNumericsTest, AnInputInHalfPrecisionWidensNoBoundOfWhatIsComputedInSingle) {
  const language::Case theCase = caseOf(std::string(kHalfInputs) + R"(
def program(x, w):
    return (x.float() @ (w * 1.001).t(),)
)",
                                        kUniformBackward);
  EXPECT_EQ(verdictOnEdited(theCase, roundGradients).text(), "Differs/gradient_values/call 0 leaf 0");
}

TEST(StrictNumericsTest, AStepInHalfPrecisionWidensTheBoundsOfWhatComesOfIt) {
  const language::Case theCase = caseOf(std::string(kHalfInputs) + R"(
def program(x, w):
    return (x @ (w * 1.001).to(torch.bfloat16).t(),)
)",
                                        kUniformBackward);
  EXPECT_EQ(verdictOnEdited(theCase,
                            [](observe::CallObservation& call) {
                              for (observe::GradientObservation& each : call.gradients) {
                                each.gradient->values = each.gradient->values * (1 + 0x1p-9);
                              }
                            })
                .text(),
            "Agreed");
}

TEST(StrictNumericsTest, WiderResultsOfHalfOperandsAreMovedByTheirOwnLastPlace) {
  // Sixteen times as far in relation as its argument, whose last place is a 2^-23rd.
  const language::Case theCase = caseOf(R"(
def inputs(seed, kind):
    x = data((8,), torch.bfloat16, (seed, 0), kind)
    return (x.abs() + 1,), ()


def program(x):
    return (torch.exp(x.float() * 16),)
)",
                                        R"(    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),)");
  const auto movedBy = [&](double part) {
    return verdictOnEdited(theCase,
                           [&](observe::CallObservation& call) {
                             call.outputs.at(0).values = call.outputs.at(0).values * (1 + part);
                           })
        .text();
  };
  EXPECT_EQ(movedBy(3e-6), "Agreed");
  EXPECT_EQ(movedBy(1e-3), "Differs/values/call 0 output 0") << "a last place of bfloat16 is 4e-3";
}

compare::CaseVerdict verdict(const language::Case& theCase, bool strict, const PlantedProgram::Plant& plant) {
  PlantedProgram program(theCase, plant);
  return verdictOn(theCase, program, ir::RuleSet::kInductor, nullptr, strict);
}

TEST(StrictNumericsTest, CompareSignsOfZeros) {
  const language::Case theCase = caseOf(R"(
def inputs(seed, kind):
    a = data((5,), torch.float32, (seed, 0), kind)
    return (a * -0.0, a * 0.0), ()


def program(a, b):
    return (torch.minimum(a, b),)
)",
                                        R"(    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),)");
  const PlantedProgram::Plant plant = changeOutput(0, [](const at::Tensor& zeros) { return -zeros; });
  EXPECT_EQ(verdict(theCase, false, plant).text(), "Agreed");
  EXPECT_EQ(verdict(theCase, true, plant).text(), "Differs/values/call 0 output 0");
}

TEST(StrictNumericsTest, CompareSignsOfZerosInGradientsOfCompiledGraphs) {
  const auto judged = [](const std::string& returned, ir::RuleSet set, bool strict) {
    const language::Case theCase = caseOf(R"(
def inputs(seed, kind):
    x = data((5,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return )" + returned + "\n",
                                          R"(    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),)");
    const auto negate = [](observe::CallObservation& call) {
      call.gradients.at(0).gradient->values = -call.gradients.at(0).gradient->values;
    };
    return verdictOnEdited(theCase, negate, set, strict).text();
  };
  constexpr const char* kDiffers = "Differs/gradient_values/call 0 leaf 0";
  const std::string two = "x * 0, x + 1"; // the second has no gradient
  EXPECT_EQ(judged(two, ir::RuleSet::kAot, false), "Agreed");
  EXPECT_EQ(judged(two, ir::RuleSet::kAot, true), kDiffers);
  EXPECT_EQ(judged(two, ir::RuleSet::kNativeFunctional, false), kDiffers);
  for (const char* without : {"(x * 0,)", "x * 0, x.detach() + 1"}) {
    EXPECT_EQ(judged(without, ir::RuleSet::kAot, false), kDiffers) << without;
  }
}

TEST(StrictNumericsTest, CompareStridesOfDimensionsOfSizeOne) {
  const language::Case theCase = caseOf(R"(
def inputs(seed, kind):
    x = data((5, 1), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return (x + 1,)
)",
                                        R"(    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),)");
  const PlantedProgram::Plant plant = changeOutput(0, [](const at::Tensor& tensor) {
    return tensor.as_strided({5, 1}, {1, 5});
  });
  EXPECT_EQ(verdict(theCase, false, plant).text(), "Agreed");
  EXPECT_EQ(verdict(theCase, true, plant).text(), "Differs/strides/call 0 output 0");
}

TEST(StrictNumericsTest, NameCastsThatWereLeftOut) {
  const language::Case theCase = caseOf(R"(
def inputs(seed, kind):
    x = data((6, 4), torch.float32, (seed, 0), kind)
    return (x * 0.1,), ()


def program(x):
    return ((x.to(torch.float16) + 0.5) * 1.5,)
)",
                                        R"(    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),)");
  const PlantedProgram::Plant rounded = [](values::Callable&, values::ValueList& arguments) {
    const at::Tensor& x = arguments.at(0).tensor();
    return values::Value::tuple({values::Value(((x.to(at::kDouble) + 0.5) * 1.5).to(at::kHalf))});
  };
  EXPECT_EQ(verdict(theCase, false, rounded).text(), "Agreed");
  EXPECT_EQ(verdict(theCase, true, rounded).text(), "Differs/precision/call 0 output 0");
  // Rounding otherwise than that is what A7 is for.
  const PlantedProgram::Plant up =
      changeOutput(0, [](const at::Tensor& tensor) { return (tensor.to(at::kDouble) * (1 + 0x1p-10)).to(at::kHalf); });
  EXPECT_EQ(verdict(theCase, true, up).text(), "Agreed");
}

TEST(StrictNumericsTest, NameCastsThatWereLeftOutOfGradients) {
  const language::Case theCase =
      caseOf(R"(
def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    w = data((6,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x * 0.1, w), ()


def program(x, w):
    return ((x.to(torch.float16).float() * w).sum(),)
)",
             R"(    dict(inputs="inputs", seed=1, kind="uniform", backward=[0], tangent_layout="none"),
    dict(inputs="inputs", seed=2, kind="uniform", backward=[0], tangent_layout="none"),)");
  const auto unrounded = [](observe::CallObservation& call) {
    call.gradients.at(0).gradient->values = call.arguments.at(0).values;
  };
  EXPECT_EQ(verdictOnEdited(theCase, unrounded).text(), "Agreed");
  EXPECT_EQ(verdictOnEdited(theCase, unrounded, ir::RuleSet::kAot, /*strictNumerics=*/true).text(),
            "Differs/precision/call 0 leaf 0");
}

} // namespace
} // namespace touchstone::tests
