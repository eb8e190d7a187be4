#include "generators/decoder/Decoder.h"
#include "program/analysis/ExactOperators.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones_like.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <optional>
#include <string>

namespace touchstone::tests {
namespace {

/// What is drawn with no part, and with each but what eager refuses: no value comes of that.
class ExactModeTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { at::set_num_threads(1); }
  static constexpr uint64_t kCases = 1600;

  /// The Case of an index; none: it is no exact one.
  static std::optional<language::Case> exactCase(uint64_t seed, uint64_t index) {
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(seed, index, catalogue::partsOf({GetParam(), "no-wrong-arguments"}));
    if (!options.features.exactOnly) {
      return std::nullopt;
    }
    return decoder::decode(catalogue::makeRecipe(seed, index, options.features), options);
  }
};
INSTANTIATE_TEST_SUITE_P(Parts, ExactModeTest, testing::Values("no-all", "all"),
                         [](const auto& info) { return info.param == "all" ? "All" : "None"; });

struct Results {
  std::vector<at::Tensor> outputs, gradients;
};

/// Outputs and the gradients of all leaves, tangents of one, as doubles.
Results runOnce(const language::Case& theCase, int64_t seed, bool inDouble) {
  evaluator::EvaluatorOptions options;
  options.inDouble = inDouble;
  evaluator::Evaluator evaluator(theCase, options);
  const evaluator::InputSet inputs = evaluator.makeInputs("inputs", seed, "grid");
  Results run;
  values::collectTensors(evaluator.call("program", inputs.arguments), run.outputs);
  std::vector<at::Tensor> leaves, roots, tangents;
  for (const values::ValueList* list : {&inputs.arguments, &inputs.watched}) {
    for (const values::Value& value : *list) {
      if (value.isTensor() && value.tensor().requires_grad() && value.tensor().is_leaf()) {
        leaves.push_back(value.tensor());
      }
    }
  }
  for (const at::Tensor& output : run.outputs) {
    if (output.requires_grad()) {
      roots.push_back(output);
      tangents.push_back(at::ones_like(output.detach()));
    }
  }
  if (!leaves.empty() && !roots.empty()) {
    try {
      run.gradients = torch::autograd::grad(roots, leaves, tangents, false, false, /*allow_unused=*/true);
    } catch (const std::exception&) {
      run.gradients.clear(); // a saved value was written to
    }
  }
  return run;
}

/// Values in double precision: views of other dtypes do not come up in exact mode.
bool sameValues(const at::Tensor& left, const at::Tensor& right) {
  const auto widened = [](const at::Tensor& tensor) {
    const at::Tensor resolved = tensor.detach().resolve_conj().resolve_neg();
    return resolved.to(tensor.is_complex() ? at::kComplexDouble : at::kDouble);
  };
  return left.defined() == right.defined() && (!left.defined() || at::equal(widened(left), widened(right)));
}

// What float32 computes without rounding, double computes alike: exact mode promises that for every seed.
TEST_P(ExactModeTest, FloatAndDoubleAgreeBitForBit) {
  int compared = 0, gradients = 0;
  for (uint64_t index = 0; index < kCases; ++index) {
    const std::optional<language::Case> drawn = exactCase(41, index);
    if (!drawn) {
      continue;
    }
    const language::Case& theCase = *drawn;
    // A cast between float32 and float64 copies in one run and is the tensor itself in the other.
    std::string text;
    for (const language::Function& function : theCase.functions) {
      text += language::printFunction(function);
    }
    if (text.find(".to(") != std::string::npos || text.find(".double()") != std::string::npos ||
        text.find(".float()") != std::string::npos) {
      continue;
    }
    for (int64_t seed : {7, 8, 9}) {
      Results single, twice;
      try {
        single = runOnce(theCase, seed, false);
        twice = runOnce(theCase, seed, true);
      } catch (const std::exception&) {
        continue; // a rejection kept on purpose
      }
      ASSERT_EQ(single.outputs.size(), twice.outputs.size());
      for (size_t output = 0; output < single.outputs.size(); ++output) {
        EXPECT_TRUE(sameValues(single.outputs[output], twice.outputs[output]))
            << "case " << index << " seed " << seed << " output " << output << "\n"
            << text;
        ++compared;
      }
      if (single.gradients.size() != twice.gradients.size()) {
        continue;
      }
      for (size_t leaf = 0; leaf < single.gradients.size(); ++leaf) {
        EXPECT_TRUE(sameValues(single.gradients[leaf], twice.gradients[leaf]))
            << "case " << index << " seed " << seed << " leaf " << leaf << "\n"
            << text;
        ++gradients;
      }
    }
  }
  EXPECT_GT(compared, 2000);
  EXPECT_GT(gradients, 300);
}

// What the generator makes as exact is judged as exact: both read program/analysis/ExactOperators.
TEST_P(ExactModeTest, EveryExactCaseUsesOperatorsOfTheListOnly) {
  for (uint64_t index = 0; index < kCases; ++index) {
    if (const std::optional<language::Case> theCase = exactCase(7, index)) {
      EXPECT_TRUE(analysis::usesExactOperatorsOnly(*theCase)) << "case " << index << "\n"
                                                              << language::printFunction(theCase->program());
    }
  }
}

// Autocast's dtype keeps too few digits.
TEST_P(ExactModeTest, NoExactCaseHasACallUnderAutocast) {
  for (uint64_t index = 0; index < kCases; ++index) {
    if (const std::optional<language::Case> theCase = exactCase(7, index)) {
      for (const language::CallSpec& call : theCase->calls) {
        EXPECT_FALSE(call.autocast.has_value()) << "case " << index;
      }
    }
  }
}

} // namespace
} // namespace touchstone::tests
