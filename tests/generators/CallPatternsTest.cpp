#include "generators/decoder/CallPatterns.h"

#include "generators/decoder/Decoder.h"
#include "oracles/observe/CallRunner.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace touchstone::tests {
namespace {

using catalogue::Part;
using language::CallSpec;

constexpr uint64_t kPatternSeed = 77;
constexpr uint64_t kPatternCases = 150;

language::Case decodedWithParts(uint64_t index, catalogue::Parts parts) {
  decoder::DecodeOptions options;
  options.features = catalogue::featuresOf(kPatternSeed, index, parts);
  return decoder::decode(catalogue::makeRecipe(kPatternSeed, index, options.features), options);
}

/// What only a pattern of this part draws.
struct Shown {
  Part part;
  std::function<bool(const CallSpec& call)> asks;
};

const std::vector<Shown>& shownByParts() {
  static const std::vector<Shown> kShown = {
      {Part::kPendingBackwards, [](const CallSpec& call) { return !call.backwardAfter.empty(); }},
      {Part::kAccumulation, [](const CallSpec& call) { return !call.inputs && call.backward.has_value(); }},
      {Part::kFeedback, [](const CallSpec& call) { return !call.feed.empty(); }},
      {Part::kSecondDerivatives, [](const CallSpec& call) { return call.derivatives > 1; }},
      {Part::kChangedModes, [](const CallSpec& call) { return call.autocast.has_value(); }},
      {Part::kWritesBetween, [](const CallSpec& call) { return call.between && call.between->starts_with("write_"); }},
      {Part::kCompiledTwice, [](const CallSpec& call) { return call.instance == 1; }},
  };
  return kShown;
}

TEST(CallPatternsTest, EachPartDrawsItsPatternsAndLeavesTheRestAsItIs) {
  for (const Shown& shown : shownByParts()) {
    int drawn = 0;
    for (uint64_t index = 0; index < kPatternCases || (drawn < 5 && index < 20 * kPatternCases);
         ++index) { // rare ones longer
      const language::Case without = decodedWithParts(index, {}), with = decodedWithParts(index, {shown.part});
      if (shown.part != Part::kChangedModes) { // which has regions of autocast in Programs, too
        ASSERT_LE(without.calls.size(), with.calls.size());
        ASSERT_TRUE(std::equal(without.calls.begin(), without.calls.end(), with.calls.begin())) << index;
        ASSERT_EQ(language::printFunction(without.program()), language::printFunction(with.program())) << index;
      }
      drawn += std::ranges::any_of(with.calls, shown.asks) ? 1 : 0;
      ASSERT_FALSE(std::ranges::any_of(without.calls, shown.asks)) << index;
    }
    EXPECT_GE(drawn, 5) << static_cast<int>(shown.part);
  }
}

TEST(CallPatternsTest, WhichOtherPartsAreOnChangesNothingOfWhatAPartDraws) {
  const catalogue::Parts all{Part::kPendingBackwards, Part::kAccumulation, Part::kFeedback, Part::kSecondDerivatives,
                             Part::kCompiledTwice};
  int compared = 0;
  for (const Shown& shown : shownByParts()) {
    for (uint64_t index = 0; index < kPatternCases && all.has(shown.part); ++index) {
      std::vector<CallSpec> alone = decodedWithParts(index, {shown.part}).calls;
      for (CallSpec& call : alone) {
        call.backwardAfter.clear(); // numbers of calls before
      }
      for (CallSpec call : decodedWithParts(index, all).calls) {
        const bool isOfAnotherPart = call.instance == 1 && shown.part != Part::kCompiledTwice; // which waits, too
        if (shown.asks(call) && call.seed >= 300 && !isOfAnotherPart) {
          call.backwardAfter.clear();
          EXPECT_NE(std::ranges::find(alone, call), alone.end()) << index;
          ++compared;
        }
      }
    }
  }
  EXPECT_GE(compared, 20);
}

TEST(CallPatternsTest, BackwardsAreListedOutOfOrderToo) {
  bool reversed = false, several = false;
  for (uint64_t index = 0; index < kPatternCases; ++index) {
    for (const CallSpec& call : decodedWithParts(index, {Part::kPendingBackwards}).calls) {
      several = several || call.backwardAfter.size() > 1;
      reversed = reversed || !std::ranges::is_sorted(call.backwardAfter);
    }
  }
  EXPECT_TRUE(several);
  EXPECT_TRUE(reversed);
}

TEST(CallPatternsTest, RegionsTurnAutocastOffAndItsCacheToo) {
  bool off = false, uncached = false;
  for (uint64_t index = 0; index < kPatternCases; ++index) {
    const std::string text = language::printFunction(decodedWithParts(index, {Part::kChangedModes}).program());
    off = off || text.find("\"cpu\", enabled=False") != std::string::npos;
    uncached = uncached || text.find("cache_enabled=False") != std::string::npos;
  }
  EXPECT_TRUE(off);
  EXPECT_TRUE(uncached);
}

TEST(CallPatternsTest, EagerTakesThemAndTheirFilesAreRead) {
  const catalogue::Parts all{Part::kPendingBackwards,  Part::kAccumulation, Part::kFeedback,
                             Part::kSecondDerivatives, Part::kChangedModes, Part::kWritesBetween,
                             Part::kCompiledTwice};
  int backwards = 0;
  for (uint64_t index = 0; index < kPatternCases; ++index) {
    const language::Case drawn = decodedWithParts(index, all);
    const auto isDrawn = [](const CallSpec& call) { return call.inputs == "inputs" && call.seed >= 300; };
    const auto first = static_cast<size_t>(std::ranges::find_if(drawn.calls, isDrawn) - drawn.calls.begin());
    const std::string text = standalone::printCase(drawn);
    const language::Case read = parser::parseCase(text);
    ASSERT_EQ(standalone::printCase(read), text);
    ASSERT_EQ(read.calls, drawn.calls);
    const observe::CaseObservation observed = observe::runCalls(read, *evaluator::eagerProgram(read));
    for (size_t call = first; call < read.calls.size(); ++call) {
      ASSERT_FALSE(observed.calls[call].exception) << index << ": " << observed.calls[call].exception->message;
      const auto& raised = observed.calls[call].backwardException;
      ASSERT_TRUE(!raised || raised->message.find("modified by an inplace operation") != std::string::npos)
          << index << ": " << raised->message;
      backwards += observed.calls[call].gradients.empty() ? 0 : 1;
    }
  }
  EXPECT_GE(backwards, 40);
}

} // namespace
} // namespace touchstone::tests
