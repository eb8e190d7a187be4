#include "backends/arguments/ValueTree.h"
#include "tests/backends/AotPrograms.h"
#include "tests/backends/CallOutcome.h"

#include <ATen/FunctionalTensorWrapper.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

// What the library's own functionalization (the Functionalize dispatch key) makes of the Programs on which ours is judged.
// Where both are right they agree with each other. Where it is not, the test says so, so that a libtorch in which that
// has changed shows.

namespace touchstone::tests {
namespace {

/// Values of outputs, then of inputs; or the error.
struct FunctionalizedCall {
  std::vector<at::Tensor> values;
  std::string error;
};

at::Tensor valueOf(const at::Tensor& tensor) {
  namespace functionalization = at::functionalization::impl;
  if (!tensor.defined() || !functionalization::isFunctionalTensor(tensor)) {
    return tensor;
  }
  functionalization::sync(tensor);
  return functionalization::from_functional_tensor(tensor);
}

FunctionalizedCall runFunctionalized(const language::Case& theCase) {
  FunctionalizedCall result;
  const evaluator::InputSet made = evaluator::Evaluator(theCase).makeInputs("inputs", 2, "uniform");
  std::map<c10::TensorImpl*, at::Tensor> wrapped;
  std::vector<at::Tensor> inputs;
  values::ValueList arguments;
  for (const values::Value& argument : made.arguments) {
    values::collectTensors(argument, inputs);
    arguments.push_back(arguments::mapTree(argument, [&](const at::Tensor& tensor) {
      at::Tensor& wrapper = wrapped[tensor.unsafeGetTensorImpl()];
      if (!wrapper.defined()) {
        wrapper = at::functionalization::impl::to_functional_tensor(tensor.detach());
      }
      return wrapper;
    }));
  }
  try {
    at::NoGradGuard noGrad;
    at::manual_seed(5);
    std::vector<at::Tensor> outputs;
    {
      c10::impl::IncludeDispatchKeyGuard functionalize(c10::DispatchKey::Functionalize);
      values::collectTensors(evaluator::Evaluator(theCase).call("program", arguments), outputs);
    }
    for (const at::Tensor& output : outputs) {
      result.values.push_back(valueOf(output));
    }
    for (const at::Tensor& input : inputs) {
      result.values.push_back(valueOf(wrapped.at(input.unsafeGetTensorImpl())));
    }
  } catch (const std::exception&) {
    result.error = firstLine(std::current_exception());
  }
  return result;
}

enum class Libtorch { kRight, kWrongValues, kThrows };

std::string nameOf(Libtorch kind) {
  return kind == Libtorch::kRight ? "right" : kind == Libtorch::kThrows ? "throws" : "wrong values";
}

/// All others are right.
Libtorch expectationOf(const std::string& program) {
  static const std::map<std::string, Libtorch> known = {
      // A sum over a copied view adds in another order than eager's over the view.
      {"BranchingViews", Libtorch::kWrongValues},
      // Writes through repeating or overlapping memory reach one copy.
      {"FillExpanded", Libtorch::kWrongValues},
      {"MaskedFillExpanded", Libtorch::kWrongValues},
      {"FillOverlappingUnfold", Libtorch::kWrongValues},
      // The inverse of `unfold` is made for gradients: where windows leave gaps, it fills them with zeros.
      {"Unfold", Libtorch::kWrongValues},
      // Memory outside of the view is not there.
      {"AsStridedOfViewOfInput", Libtorch::kThrows},
      {"GapOfAnInput", Libtorch::kThrows},
      // Each input is wrapped alone: a write to one is not seen by the other.
      {"OverlappingInputs", Libtorch::kWrongValues},
      {"BaseAmongInputs", Libtorch::kWrongValues},
      {"TwoDtypesOverOneMemory", Libtorch::kWrongValues},
      // Whether `flatten` copies depends on strides, which copied views do not keep.
      {"FlattenOfGapped", Libtorch::kWrongValues},
      // Statistics that operators write without saying so.
      {"BatchNormStatisticsMadeInside", Libtorch::kWrongValues},
      // All entries of a list are computed from what was there before.
      {"ForeachOnPiecesThatMeet", Libtorch::kWrongValues},
      {"ForeachOnOneTensorTwice", Libtorch::kWrongValues},
      {"ForeachThatReadsWhatItWrote", Libtorch::kWrongValues},
      {"ForeachByATensorThatItWrites", Libtorch::kWrongValues},
      {"ForeachOnAlternateRows", Libtorch::kWrongValues},
      {"ForeachOnParameters", Libtorch::kWrongValues},
      {"ForeachThatIsDifferentiated", Libtorch::kWrongValues},
      {"SplitIntoPiecesOfItself", Libtorch::kWrongValues},
      // Random numbers are drawn in the order of the copy's memory.
      {"RandomOnTransposedInput", Libtorch::kWrongValues},
      {"RandomOnGappedRows", Libtorch::kWrongValues},
      {"NormalOnAnOddNumberOfGappedElements", Libtorch::kWrongValues},
  };
  const auto found = known.find(program);
  return found == known.end() ? Libtorch::kRight : found->second;
}

class LibtorchFunctionalizationTest : public testing::TestWithParam<AotProgram> {
 protected:
  // Else each write runs on the meta device first, where some operators have no kernel. Read once.
  static void SetUpTestSuite() { setenv("TORCH_DISABLE_FUNCTIONALIZATION_META_REFERENCE", "1", 0); }
};

TEST_P(LibtorchFunctionalizationTest, IsRightOrWrongAsKnown) {
  const language::Case theCase = caseOfProgram(GetParam());
  const CallOutcome eager = callProgram(theCase, *evaluator::eagerProgram(theCase), 2, false);
  const FunctionalizedCall functionalized = runFunctionalized(theCase);
  std::string difference = functionalized.error;
  std::vector<at::Tensor> expected = eager.outputs;
  expected.insert(expected.end(), eager.inputs.begin(), eager.inputs.end());
  if (functionalized.error.empty()) {
    ASSERT_EQ(expected.size(), functionalized.values.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      difference += differenceOfValues(expected[i], functionalized.values[i]);
    }
  }
  const Libtorch found = !functionalized.error.empty() ? Libtorch::kThrows
                         : difference.empty()          ? Libtorch::kRight
                                                       : Libtorch::kWrongValues;
  EXPECT_EQ(nameOf(found), nameOf(expectationOf(GetParam().name))) << difference;
}

INSTANTIATE_TEST_SUITE_P(Programs, LibtorchFunctionalizationTest, testing::ValuesIn(writingPrograms()),
                         [](const auto& info) { return info.param.name; });

} // namespace
} // namespace touchstone::tests
