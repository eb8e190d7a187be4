#include "generators/catalogue/Recipe.h"

#include "generators/catalogue/Catalogue.h"
#include "generators/catalogue/Draw.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace touchstone::tests {
namespace {

TEST(RecipeTest, BytesAndTextGiveTheRecipeBack) {
  const catalogue::Recipe recipe = catalogue::makeRecipe(1, 2, catalogue::featuresOf(1, 2));
  ASSERT_GT(recipe.size(), 10U);
  EXPECT_EQ(catalogue::recipeFromBytes(catalogue::recipeBytes(recipe)), recipe);
  EXPECT_EQ(catalogue::recipeFromText(catalogue::recipeText(recipe)), recipe);
}

TEST(RecipeTest, APartialLastRecordIsDropped) {
  std::vector<uint8_t> bytes = catalogue::recipeBytes(catalogue::makeRecipe(1, 2, catalogue::featuresOf(1, 2)));
  const catalogue::Recipe whole = catalogue::recipeFromBytes(bytes);
  bytes.resize(bytes.size() + 15, 7);
  EXPECT_EQ(catalogue::recipeFromBytes(bytes), whole);
}

TEST(RecipeTest, TextThatIsNoRecipeIsRefused) {
  EXPECT_THROW(catalogue::recipeFromText("12"), std::invalid_argument);
  EXPECT_THROW(catalogue::recipeFromText(std::string(32, 'x')), std::invalid_argument);
}

TEST(RecipeTest, SectionsSurviveTheirBits) {
  for (uint32_t key = 0; key < 4096; ++key) {
    for (catalogue::Section section : {catalogue::Section::kInput, catalogue::Section::kStatement,
                                       catalogue::Section::kOutput, catalogue::Section::kCall}) {
      const catalogue::Record record{
          .key = catalogue::Record::keyIn(section, key * 2654435761U), .operands = 0, .attributes = 0};
      ASSERT_EQ(record.section(), section);
    }
  }
}

TEST(RecipeTest, CasesOfACampaignDiffer) {
  std::set<std::string> texts;
  for (uint64_t index = 0; index < 500; ++index) {
    texts.insert(catalogue::recipeText(catalogue::makeRecipe(9, index, catalogue::featuresOf(9, index))));
    texts.insert(catalogue::recipeText(catalogue::makeRecipe(10, index, catalogue::featuresOf(10, index))));
  }
  EXPECT_EQ(texts.size(), 1000U);
}

TEST(RecipeTest, ModesRotate) {
  int exact = 0, aliased = 0, mutation = 0, backward = 0, changed = 0;
  constexpr int kCases = 512;
  for (uint64_t index = 0; index < kCases; ++index) {
    const catalogue::Features features = catalogue::featuresOf(4, index, {});
    exact += features.exactOnly;
    aliased += features.aliasedInputs;
    mutation += features.mutation;
    backward += features.backward;
    changed += features.changedCalls;
  }
  EXPECT_EQ(exact, kCases / 4) << "of loose Cases";
  for (int count : {aliased, mutation, backward, changed}) {
    EXPECT_GT(count, kCases / 2);
    EXPECT_LT(count, kCases);
  }
}

TEST(RecipeTest, IdiomsAreDealtOutEvenly) {
  constexpr size_t kParts = 200;
  std::vector<int> times(kParts);
  int statements = 0, places = 0;
  for (uint64_t index = 0; index < 300; ++index) {
    for (const catalogue::Record& record : catalogue::makeRecipe(4, index, catalogue::featuresOf(4, index))) {
      if (record.section() == catalogue::Section::kStatement) {
        ++statements;
        if (record.isIdiom()) {
          ++places;
          ++times[static_cast<size_t>(record.idiomPlace() * kParts)];
        }
      }
    }
  }
  EXPECT_NEAR(static_cast<double>(places) / statements, 0.5, 0.1);
  const auto [least, most] = std::ranges::minmax(times);
  EXPECT_GE(least, places / static_cast<int>(kParts) / 2) << "by chance some would come up a third as often as others";
  EXPECT_LE(most, 2 * places / static_cast<int>(kParts));
}

TEST(RecipeTest, ARendezvousChoiceChangesOnlyWhereFeaturesTakeTheWinnerAway) {
  catalogue::Features all;
  catalogue::Features exact;
  exact.exactOnly = true;
  int same = 0, moved = 0;
  for (uint32_t key = 0; key < 4000; ++key) {
    const catalogue::CatalogueEntry& before = catalogue::chooseOperator(key << 4, all);
    const catalogue::CatalogueEntry& after = catalogue::chooseOperator(key << 4, exact);
    if (catalogue::takesPart(*before.description, exact)) {
      ASSERT_EQ(before->name, after->name);
      ++same;
    } else {
      ASSERT_TRUE(after->has(catalogue::kExact));
      ++moved;
    }
  }
  EXPECT_GT(same, moved);
  EXPECT_GT(moved, 0);
}

} // namespace
} // namespace touchstone::tests
