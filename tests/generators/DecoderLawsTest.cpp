#include "generators/catalogue/Catalogue.h"
#include "generators/catalogue/Draw.h"
#include "generators/decoder/Continuation.h"
#include "generators/decoder/Decoder.h"
#include "generators/features/CaseFeatures.h"
#include "program/evaluator/Evaluator.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace touchstone::tests {
namespace {

struct Decoded {
  catalogue::Recipe recipe;
  language::Case theCase;
  decoder::DecodeStatistics statistics;
};

Decoded decodeIndex(uint64_t seed, uint64_t index, catalogue::Parts parts = catalogue::kDefaultParts) {
  Decoded decoded;
  decoder::DecodeOptions options;
  options.features = catalogue::featuresOf(seed, index, parts);
  options.statistics = &decoded.statistics;
  decoded.recipe = catalogue::makeRecipe(seed, index, options.features);
  decoded.theCase = decoder::decode(decoded.recipe, options);
  return decoded;
}

class DecoderLawsTest : public testing::Test {
 protected:
  void SetUp() override { at::set_num_threads(1); }

  /// A law that holds whatever Cases are drawn with: with no part, and with each.
  static void forNoPartAndForAll(const std::function<void(catalogue::Parts parts)>& law) {
    for (const char* name : {"no-all", "all"}) {
      SCOPED_TRACE(name);
      law(catalogue::partsOf({name}));
    }
  }
};

TEST_F(DecoderLawsTest, TheSameRecipeGivesTheSameCaseWhateverWasDecodedBefore) {
  forNoPartAndForAll([](catalogue::Parts parts) {
    std::vector<std::string> first;
    for (uint64_t index = 0; index < 60; ++index) {
      first.push_back(standalone::printCase(decodeIndex(3, index, parts).theCase));
    }
    for (uint64_t index = 60; index-- > 0;) {
      EXPECT_EQ(standalone::printCase(decodeIndex(3, index, parts).theCase), first[index]) << "case " << index;
    }
  });
}

TEST_F(DecoderLawsTest, ABranchOnWhatIsDrawnAtRandomIsTheSameEveryTime) {
  const std::string first = standalone::printCase(decodeIndex(5, 903).theCase); // asks for the sum of a dropout
  for (int again = 0; again < 12; ++again) {
    EXPECT_EQ(standalone::printCase(decodeIndex(5, 903).theCase), first);
  }
}

TEST_F(DecoderLawsTest, TheOverloadsAreThoseThatTheProgramCalls) {
  forNoPartAndForAll([](catalogue::Parts parts) {
    for (uint64_t index = 0; index < 60; ++index) {
      decoder::DecodeStatistics statistics;
      decoder::DecodeOptions options;
      options.features = catalogue::featuresOf(9, index, parts);
      options.statistics = &statistics;
      options.wantUses = true;
      const language::Case theCase = decoder::decode(catalogue::makeRecipe(9, index, options.features), options);
      std::set<std::string> called;
      bool inProgram = false;
      evaluator::EvaluatorOptions watched;
      watched.onOperation = [&](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
        if (inProgram) {
          called.insert(c10::toString(op.operator_name()));
        }
        op.callBoxed(stack);
        return true;
      };
      evaluator::Evaluator evaluator(theCase, watched);
      const evaluator::InputSet inputs = evaluator.makeInputs("inputs", 7, theCase.calls.front().kind);
      inProgram = true;
      try {
        evaluator.call("program", inputs.arguments);
      } catch (const std::exception&) { // raised on purpose
      }
      EXPECT_EQ(std::set<std::string>(statistics.overloads.begin(), statistics.overloads.end()), called)
          << standalone::printCase(theCase);
    }
  });
}

TEST_F(DecoderLawsTest, PrintedCasesParseBackToTheSameText) {
  forNoPartAndForAll([](catalogue::Parts parts) {
    for (uint64_t index = 0; index < 200; ++index) {
      const std::string text = standalone::printCase(decodeIndex(5, index, parts).theCase);
      EXPECT_EQ(standalone::printCase(parser::parseCase(text)), text) << "case " << index;
    }
  });
}

TEST_F(DecoderLawsTest, DeletingAStatementLeavesTheOtherOperatorsInOrder) {
  // Operators are chosen by their own records, so what is accepted after a deletion, but for operands that are gone or
  // new, is what was accepted before. Whether a record is accepted may change; which operator it asks for may not.
  int kept = 0, changed = 0;
  for (uint64_t index = 0; index < 60; ++index) {
    Decoded whole = decodeIndex(11, index, {}); // the parts make statements that no record names
    const catalogue::Features features = catalogue::featuresOf(11, index, {});
    std::vector<std::string> asked;
    std::vector<size_t> statements;
    for (size_t position = 0; position < whole.recipe.size(); ++position) {
      if (whole.recipe[position].section() == catalogue::Section::kStatement) {
        statements.push_back(position);
      }
    }
    ASSERT_FALSE(statements.empty());
    const size_t victim = statements[catalogue::mix(index) % statements.size()];
    catalogue::Recipe shorter = whole.recipe;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(victim));
    for (size_t position : statements) {
      if (position != victim) {
        asked.emplace_back(catalogue::chooseOperator(whole.recipe[position].key, features)->name);
      }
    }
    decoder::DecodeStatistics statistics;
    decoder::DecodeOptions options;
    options.features = features;
    options.statistics = &statistics;
    decoder::decode(shorter, options);
    // What was accepted is a subsequence of what the remaining records ask for, in their order.
    size_t next = 0;
    for (const std::string& name : statistics.accepted) {
      while (next < asked.size() && asked[next] != name) {
        ++next;
      }
      ASSERT_LT(next, asked.size()) << "case " << index << ": `" << name << "` was asked for by no remaining record";
      ++next;
    }
    std::map<std::string, int> difference;
    for (const std::string& name : whole.statistics.accepted) {
      ++difference[name];
    }
    for (const std::string& name : statistics.accepted) {
      --difference[name];
    }
    for (const auto& [name, count] : difference) {
      changed += std::abs(count);
    }
    kept += static_cast<int>(statistics.accepted.size());
  }
  EXPECT_LT(changed, kept / 3) << "one deletion changes few of the other statements";
}

TEST_F(DecoderLawsTest, AnyBytesDecodeWithinTheLimits) {
  forNoPartAndForAll([](catalogue::Parts parts) {
    const uint64_t strings = parts == catalogue::Parts() ? 10'000 : 2'000; // slices of a million
    for (uint64_t string = 0; string < strings; ++string) {
      catalogue::Draw draw(catalogue::mix(string), "bytes");
      std::vector<uint8_t> bytes(static_cast<size_t>(draw.below(string % 200 == 0 ? 6000 : 320)));
      for (uint8_t& byte : bytes) {
        byte = static_cast<uint8_t>(draw.next());
      }
      decoder::DecodeOptions options;
      options.features = catalogue::featuresOf(string, string, parts);
      const language::Case decoded = decoder::decode(catalogue::recipeFromBytes(bytes), options);
      ASSERT_NE(decoded.find("program"), nullptr);
      ASSERT_GE(decoded.calls.size(), 2U);
      ASSERT_LE(decoded.calls.size(), static_cast<size_t>(language::kMaximumCalls));
      ASSERT_LE(decoded.program().body.size(), 2 * catalogue::kMaximumRecords + 1);
    }
  });
}

TEST_F(DecoderLawsTest, FinishedCasesRunFromFreshInputs) {
  forNoPartAndForAll([](catalogue::Parts parts) {
    int raised = 0;
    constexpr int kCases = 400;
    for (uint64_t index = 0; index < kCases; ++index) {
      const language::Case theCase = decodeIndex(17, index, parts).theCase;
      try {
        evaluator::Evaluator evaluator(theCase);
        const evaluator::InputSet inputs = evaluator.makeInputs("inputs", theCase.calls[0].seed, theCase.calls[0].kind);
        evaluator.call("program", inputs.arguments);
      } catch (const std::exception&) {
        ++raised;
      }
    }
    EXPECT_GT(raised, 0) << "some Cases keep a rejected operation on purpose";
    EXPECT_LT(raised, kCases * 8 / 100);
  });
}

TEST_F(DecoderLawsTest, ACaseThatGoesOnHasNoMoreCallsThanOneMayHave) {
  size_t most = 0;
  for (uint64_t index = 0; index < 60; ++index) {
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(31, index, {catalogue::Part::kTraining});
    if (options.features.style != catalogue::Style::kTraining) {
      continue;
    }
    options.sameCalls = decoder::kMaximumSameCalls;
    const catalogue::Recipe recipe = catalogue::makeRecipe(31, index, options.features);
    const language::Case start = decoder::decode(recipe, options);
    if (const std::optional<language::Case> goneOn = decoder::continueCase(start, nullptr, recipe, options)) {
      most = std::max(most, goneOn->calls.size());
    }
  }
  EXPECT_EQ(most, static_cast<size_t>(language::kMaximumCalls));
}

TEST_F(DecoderLawsTest, EveryOperatorIsAccepted) {
  // Some need the results of rare ones, and both in the swarm: it is looked until all are there.
  constexpr uint64_t kMostCases = 12'000;
  std::map<std::string, int> accepted;
  for (uint64_t index = 0; index < kMostCases && accepted.size() < catalogue::operators().size(); ++index) {
    for (const std::string& name :
         decodeIndex(23, index, {catalogue::Part::kDense, catalogue::Part::kCustomOperators}).statistics.accepted) {
      ++accepted[name];
    }
  }
  for (const catalogue::OperatorInfo& info : catalogue::operators()) {
    EXPECT_GT(accepted[std::string(info.name)], 0) << "`" << info.name << "` is in no Case";
  }
}

TEST_F(DecoderLawsTest, CampaignsAreValid) {
  constexpr int kCases = 600;
  int aliased = 0, mutated = 0, backward = 0, changed = 0, tried = 0, rejected = 0;
  std::vector<int> reaching;
  for (uint64_t index = 0; index < kCases; ++index) {
    const Decoded decoded = decodeIndex(29, index);
    const features::CaseFeatures features = features::describeCase(decoded.theCase);
    aliased += features.aliasedInputs;
    mutated += features.mutation;
    backward += features.backward;
    changed += features.changedCall;
    reaching.push_back(features.operationsReachingOutput);
    tried += decoded.statistics.tried;
    rejected += decoded.statistics.rejected;
  }
  std::nth_element(reaching.begin(), reaching.begin() + kCases / 2, reaching.end());
  EXPECT_GE(reaching[kCases / 2], 8);
  EXPECT_GE(aliased, kCases / 5);
  EXPECT_GE(mutated, kCases / 5);
  EXPECT_GE(backward, kCases / 5);
  EXPECT_GE(changed, kCases / 5);
  EXPECT_LT(rejected, tried / 5) << "rejections are dear: prechecks come first";
}

} // namespace
} // namespace touchstone::tests
