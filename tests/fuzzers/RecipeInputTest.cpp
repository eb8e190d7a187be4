#include "harness/fuzzers/RecipeInput.h"

#include "generators/catalogue/Catalogue.h"
#include "harness/fuzzers/FeatureCounters.h"
#include "program/language/CasePrinter.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace touchstone::fuzzers {
namespace {

using catalogue::Recipe;
using catalogue::Record;

constexpr size_t kMost = 40;

bool operator==(const fuzzers::RecipeInput& left, const fuzzers::RecipeInput& right) {
  return left.features == right.features && left.recipe == right.recipe;
}

/// How a change shows: records more or fewer, and in how many places records differ from what was there.
std::string kindOfChange(const fuzzers::RecipeInput& before, const fuzzers::RecipeInput& after) {
  if (before.features != after.features) {
    return before.recipe == after.recipe ? "features" : "features and records";
  }
  const Recipe &old = before.recipe, &changed = after.recipe;
  if (changed.size() == old.size() + 1) {
    const auto place = std::mismatch(old.begin(), old.end(), changed.begin()).second;
    Recipe without = changed;
    without.erase(without.begin() + (place - changed.begin()));
    const bool isCopy = std::count(changed.begin(), changed.end(), *place) > 1;
    return without == old ? (isCopy ? "duplicated" : "inserted") : "inserted and more";
  }
  if (changed.size() + 1 == old.size()) {
    const auto place = std::mismatch(changed.begin(), changed.end(), old.begin()).second;
    Recipe without = old;
    without.erase(without.begin() + (place - old.begin()));
    return without == changed ? "deleted" : "deleted and more";
  }
  std::set<size_t> places;
  for (size_t i = 0; i < std::min(old.size(), changed.size()); ++i) {
    if (!(old[i] == changed[i])) {
      places.insert(i);
    }
  }
  if (places.size() == 2) {
    return "swapped";
  }
  if (places.size() != 1) {
    return places.empty() ? "none" : "many";
  }
  const Record &was = old[*places.begin()], &is = changed[*places.begin()];
  if (was.section() != is.section()) {
    return "section";
  }
  return was.key != is.key ? "key" : was.operands != is.operands ? "operands" : "attributes";
}

TEST(RecipeInputTest, BytesComeBackWithTheFeatures) {
  for (uint64_t index = 0; index < 600; ++index) {
    const fuzzers::RecipeInput input = fuzzers::seedInput(index);
    ASSERT_EQ(input.features, index % 512) << "each turn of the features";
    ASSERT_FALSE(input.recipe.empty());
    EXPECT_TRUE(fuzzers::inputFromBytes(fuzzers::inputBytes(input)) == input) << index;
  }
  EXPECT_TRUE(fuzzers::inputFromBytes({}) == fuzzers::RecipeInput{});
  const std::vector<uint8_t> few{200, 1, 2};
  EXPECT_TRUE(fuzzers::inputFromBytes(few) == (fuzzers::RecipeInput{(200 + 256) % fuzzers::kFeatureSets, {}}));
}

TEST(RecipeInputTest, EachKindOfMutationIsMadeAndNoOther) {
  std::set<std::string> kinds;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    const fuzzers::RecipeInput before = fuzzers::seedInput(seed % 16);
    kinds.insert(kindOfChange(before, fuzzers::mutated(before, seed, catalogue::kMaximumRecords)));
  }
  kinds.erase("none"); // a swap of a record with itself, an operand that is chosen again
  EXPECT_EQ(kinds, (std::set<std::string>{"features", "inserted", "duplicated", "deleted", "swapped", "section", "key",
                                          "operands", "attributes"}));
}

TEST(RecipeInputTest, TheSameSeedMakesTheSameChange) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const fuzzers::RecipeInput first = fuzzers::seedInput(seed), second = fuzzers::seedInput(seed + 1);
    EXPECT_TRUE(fuzzers::mutated(first, seed, kMost) == fuzzers::mutated(first, seed, kMost));
    EXPECT_TRUE(fuzzers::spliced(first, second, seed, kMost) == fuzzers::spliced(first, second, seed, kMost));
  }
}

TEST(RecipeInputTest, ManyMutationsStayWithinTheLimitAndDecode) {
  at::set_num_threads(1);
  fuzzers::RecipeInput input;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    input = fuzzers::mutated(input, seed, kMost);
    ASSERT_LE(input.recipe.size(), kMost);
    if (seed % 20 == 0) {
      EXPECT_NE(fuzzers::decodeInput(input).find("program"), nullptr);
    }
  }
  EXPECT_GT(input.recipe.size(), 5U) << "they do not only delete";
}

TEST(RecipeInputTest, ASpliceIsCutAtBordersOfRecords) {
  std::set<bool> holdsBothEnds;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const fuzzers::RecipeInput first = fuzzers::seedInput(seed), second = fuzzers::seedInput(seed + 7);
    const fuzzers::RecipeInput joined = fuzzers::spliced(first, second, seed, catalogue::kMaximumRecords);
    const auto isIn = [](const Recipe& recipe, const Record& record) {
      return std::find(recipe.begin(), recipe.end(), record) != recipe.end();
    };
    for (const Record& record : joined.recipe) {
      ASSERT_TRUE(isIn(first.recipe, record) || isIn(second.recipe, record));
    }
    ASSERT_LE(fuzzers::spliced(first, second, seed, 5).recipe.size(), 5U);
    holdsBothEnds.insert(!joined.recipe.empty() && joined.recipe.back() == first.recipe.back());
  }
  EXPECT_EQ(holdsBothEnds.size(), 2U) << "the first's end is sometimes kept";
}

TEST(RecipeInputTest, OtherCasesSetOtherCounters) {
  at::set_num_threads(1);
  fuzzers::clearCounters();
  EXPECT_EQ(fuzzers::countersSet(), 0);
  std::set<int> seen;
  for (uint64_t index = 0; index < 8; ++index) {
    decoder::DecodeStatistics statistics;
    const language::Case theCase = fuzzers::decodeInput(fuzzers::seedInput(index), &statistics);
    fuzzers::countFeatures(theCase, statistics);
    seen.insert(fuzzers::countersSet());
    fuzzers::countFeatures(theCase, statistics);
    EXPECT_EQ(fuzzers::countersSet(), *seen.rbegin()) << "the same again is nothing new";
  }
  EXPECT_EQ(seen.size(), 8U);
  EXPECT_GT(fuzzers::countersSet(), 100);
}

} // namespace
} // namespace touchstone::fuzzers
