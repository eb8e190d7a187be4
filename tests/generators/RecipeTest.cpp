#include "generators/catalogue/Recipe.h"

#include "generators/catalogue/Catalogue.h"
#include "generators/catalogue/Draw.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace touchstone::generators {
namespace {

TEST(RecipeTest, BytesAndTextGiveTheRecipeBack) {
  const Recipe recipe = makeRecipe(1, 2, featuresOf(1, 2));
  ASSERT_GT(recipe.size(), 10U);
  EXPECT_EQ(recipeFromBytes(recipeBytes(recipe)), recipe);
  EXPECT_EQ(recipeFromText(recipeText(recipe)), recipe);
}

TEST(RecipeTest, APartialLastRecordIsDropped) {
  std::vector<uint8_t> bytes = recipeBytes(makeRecipe(1, 2, featuresOf(1, 2)));
  const Recipe whole = recipeFromBytes(bytes);
  bytes.resize(bytes.size() + 15, 7);
  EXPECT_EQ(recipeFromBytes(bytes), whole);
}

TEST(RecipeTest, TextThatIsNoRecipeIsRefused) {
  EXPECT_THROW(recipeFromText("12"), std::invalid_argument);
  EXPECT_THROW(recipeFromText(std::string(32, 'x')), std::invalid_argument);
}

TEST(RecipeTest, SectionsSurviveTheirBits) {
  for (uint32_t key = 0; key < 4096; ++key) {
    for (Section section : {Section::kInput, Section::kStatement, Section::kOutput, Section::kCall}) {
      const Record record{.key = Record::keyIn(section, key * 2654435761U), .operands = 0, .attributes = 0};
      ASSERT_EQ(record.section(), section);
    }
  }
}

TEST(RecipeTest, CasesOfACampaignDiffer) {
  std::set<std::string> texts;
  for (uint64_t index = 0; index < 500; ++index) {
    texts.insert(recipeText(makeRecipe(9, index, featuresOf(9, index))));
    texts.insert(recipeText(makeRecipe(10, index, featuresOf(10, index))));
  }
  EXPECT_EQ(texts.size(), 1000U);
}

TEST(RecipeTest, ModesRotate) {
  int exact = 0, aliased = 0, mutation = 0, backward = 0, changed = 0;
  constexpr int kCases = 512;
  for (uint64_t index = 0; index < kCases; ++index) {
    const Features features = featuresOf(4, index);
    exact += features.exactOnly;
    aliased += features.aliasedInputs;
    mutation += features.mutation;
    backward += features.backward;
    changed += features.changedCalls;
  }
  EXPECT_EQ(exact, kCases / 2) << "half of all Cases are exact";
  for (int count : {aliased, mutation, backward, changed}) {
    EXPECT_GT(count, kCases / 2);
    EXPECT_LT(count, kCases);
  }
}

TEST(RecipeTest, ARendezvousChoiceChangesOnlyWhereFeaturesTakeTheWinnerAway) {
  Features all;
  Features exact;
  exact.exactOnly = true;
  int same = 0, moved = 0;
  for (uint32_t key = 0; key < 4000; ++key) {
    const CatalogueEntry& before = chooseOperator(key << 4, all);
    const CatalogueEntry& after = chooseOperator(key << 4, exact);
    if (takesPart(*before.description, exact)) {
      ASSERT_EQ(before->name, after->name);
      ++same;
    } else {
      ASSERT_TRUE(after->has(kExact));
      ++moved;
    }
  }
  EXPECT_GT(same, moved);
  EXPECT_GT(moved, 0);
}

} // namespace
} // namespace touchstone::generators
