#include "generators/decoder/Decoder.h"
#include "program/evaluator/Evaluator.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace touchstone::tests {

namespace {

constexpr uint64_t kSameCallsSeed = 31;
constexpr int kSameCallsCases = 60;

language::Case decodedWith(uint64_t index, int sameCalls) {
  decoder::DecodeOptions options;
  options.features = catalogue::featuresOf(kSameCallsSeed, index, {}); // patterns make calls of their own
  options.sameCalls = sameCalls;
  return decoder::decode(catalogue::makeRecipe(kSameCallsSeed, index, options.features), options);
}

bool changesOnlyValues(const language::CallSpec& call) {
  return call.inputs == "inputs" && call.gradMode == language::GradMode::kEnable && !call.autocast && !call.reset &&
         !call.compiledAutograd;
}

} // namespace

TEST(SameCallsTest, AsManyAsAskedForAndNoTwoAlike) {
  int whole = 0, withBackward = 0;
  for (uint64_t index = 0; index < kSameCallsCases; ++index) {
    const language::Case theCase = decodedWith(index, 22);
    ASSERT_LE(theCase.calls.size(), static_cast<size_t>(language::kMaximumCalls));
    if (theCase.calls.size() == 2) {
      continue; // eager raises in every call
    }
    ++whole;
    ASSERT_GE(theCase.calls.size(), 22u);
    ASSERT_TRUE(std::all_of(theCase.calls.begin(), theCase.calls.begin() + 22, changesOnlyValues)) << index;
    for (size_t call = 0; call < 22; ++call) {
      withBackward += theCase.calls[call].backward.has_value();
      for (size_t earlier = 0; earlier < call; ++earlier) {
        ASSERT_NE(theCase.calls[call].seed, theCase.calls[earlier].seed) << index;
      }
    }
  }
  EXPECT_GT(whole, kSameCallsCases * 3 / 4);
  EXPECT_GT(withBackward, 5 * whole);
}

TEST(SameCallsTest, ASteadyCaseIsCompiledOnce) {
  int steady = 0, others = 0;
  for (uint64_t index = 0; index < kSameCallsCases; ++index) {
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(kSameCallsSeed, index);
    const language::Case theCase =
        decoder::decode(catalogue::makeRecipe(kSameCallsSeed, index, options.features), options);
    const bool changes = std::ranges::any_of(theCase.calls, [](const language::CallSpec& call) {
      return (call.inputs && call.inputs != "inputs") || call.gradMode != language::GradMode::kEnable ||
             call.autocast || call.instance != 0;
    });
    EXPECT_FALSE(options.features.steady && changes) << index;
    steady += options.features.steady;
    others += !options.features.steady && changes;
  }
  EXPECT_GT(steady, kSameCallsCases / 3);
  EXPECT_GT(others, kSameCallsCases / 5);
}

// The backward of a next step would go through this one's, too: of one compiled node also where eager brings nothing there.
TEST(SameCallsTest, NoStepTakesArgumentsThatTheOneBeforeGaveAGraph) {
  int withGraph = 0, withSteps = 0;
  for (uint64_t index = 0; index < 3000; ++index) { // few are of training
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(kSameCallsSeed, index);
    options.features.parts = {}; // patterns have calls with the same objects of their own
    if (options.features.style != catalogue::Style::kTraining) {
      continue;
    }
    const language::Case theCase =
        decoder::decode(catalogue::makeRecipe(kSameCallsSeed, index, options.features), options);
    evaluator::Evaluator evaluator(theCase);
    const evaluator::InputSet made = evaluator.makeInputs("inputs", 7, "uniform");
    std::vector<at::Tensor> arguments;
    try {
      evaluator.call("program", made.arguments);
    } catch (const std::exception&) { // some Programs raise on purpose, at their end
    }
    for (const values::Value& argument : made.arguments) {
      values::collectTensors(argument, arguments);
    }
    const bool haveGraph = std::ranges::any_of(arguments, [](const at::Tensor& each) { return !each.is_leaf(); });
    const bool hasSteps =
        std::ranges::any_of(theCase.calls, [](const auto& call) { return !call.inputs && call.backward; });
    EXPECT_FALSE(haveGraph && hasSteps) << index;
    withGraph += haveGraph;
    withSteps += hasSteps;
  }
  EXPECT_GT(withGraph, 0);
  EXPECT_GT(withSteps, 90);
}

TEST(SameCallsTest, AnInexactCaseHasSpecialValues) {
  int inexact = 0, special = 0;
  for (uint64_t index = 0; index < kSameCallsCases; ++index) {
    if (!catalogue::featuresOf(kSameCallsSeed, index, {}).exactOnly) {
      const language::Case theCase = decodedWith(index, decoder::kSameCalls);
      ++inexact;
      special += std::ranges::any_of(theCase.calls, [](const auto& call) { return call.kind == "special"; });
    }
  }
  EXPECT_GT(special, inexact * 2 / 3) << "where nothing is cast to whole numbers";
}

TEST(SameCallsTest, TheOtherCallsAndTheProgramStayWhatTheyWere) {
  for (uint64_t index = 0; index < kSameCallsCases; ++index) {
    const language::Case few = decodedWith(index, 2), many = decodedWith(index, 22);
    ASSERT_EQ(few.functions.size(), many.functions.size()) << index;
    for (const language::CallSpec& call : few.calls) {
      EXPECT_NE(std::find(many.calls.begin(), many.calls.end(), call), many.calls.end()) << index;
    }
  }
}

} // namespace touchstone::tests
