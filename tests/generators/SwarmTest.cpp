#include "generators/catalogue/Catalogue.h"
#include "generators/catalogue/Draw.h"
#include "generators/catalogue/Recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace touchstone::tests {
namespace {

size_t partOf(const catalogue::Features& features) {
  size_t taking = 0;
  for (const catalogue::CatalogueEntry& entry : catalogue::catalogue()) {
    taking += catalogue::isInSwarm(entry, features) ? 1 : 0;
  }
  return taking;
}

TEST(SwarmTest, ACaseDrawsAPartOfTheCatalogueAndEachOperatorIsInSomeAndOutOfSome) {
  std::map<std::string_view, int> in;
  std::map<catalogue::OperatorFamily, int> familyIn;
  int whole = 0, small = 0;
  constexpr int kCases = 400;
  for (uint64_t index = 0; index < kCases; ++index) {
    const catalogue::Features features = catalogue::featuresOf(3, index);
    const size_t part = partOf(features);
    whole += part == catalogue::catalogue().size() ? 1 : 0;
    small += part < catalogue::catalogue().size() / 3 ? 1 : 0;
    std::set<catalogue::OperatorFamily> families;
    for (const catalogue::CatalogueEntry& entry : catalogue::catalogue()) {
      if (catalogue::isInSwarm(entry, features)) {
        ++in[entry->name];
        families.insert(entry->family);
      }
    }
    for (const catalogue::OperatorFamily family : families) {
      ++familyIn[family];
    }
  }
  EXPECT_GT(whole, kCases / 4);
  EXPECT_GT(small, kCases / 10);
  for (const catalogue::CatalogueEntry& entry : catalogue::catalogue()) {
    if (entry->family == catalogue::OperatorFamily::kCustom) {
      continue; // Cases with custom operators are drawn by a part of their own
    }
    EXPECT_GT(in[entry->name], kCases / 3) << entry->name;
    EXPECT_LT(in[entry->name], kCases * 9 / 10) << entry->name;
    EXPECT_LT(familyIn[entry->family], kCases) << catalogue::familyName(entry->family);
  }
}

TEST(SwarmTest, FewOperatorsComeUpOften) {
  // How often the commonest operator of a Case is asked for: more often where few take part.
  const auto commonest = [](const catalogue::Features& features) {
    std::map<std::string_view, int> asked;
    for (const catalogue::Record& record : catalogue::makeRecipe(1, 2, features)) {
      if (record.section() == catalogue::Section::kStatement) {
        ++asked[catalogue::chooseOperator(record.key, features)->name];
      }
    }
    return std::max_element(asked.begin(), asked.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->second;
  };
  catalogue::Features features;
  features.minimumOperations = features.maximumOperations = 400;
  const int all = commonest(features);
  int dense = 0;
  for (uint64_t swarm = 1; swarm <= 50; ++swarm) {
    features.swarm = catalogue::mix(swarm);
    dense += commonest(features) >= 2 * all ? 1 : 0;
  }
  EXPECT_GT(dense, 10);
}

TEST(SwarmTest, WithoutAnyOperatorInTheSwarmAllTakePart) {
  catalogue::Features features;
  features.exactOnly = true;
  int empty = 0;
  for (uint64_t seed = 1; seed <= 100000; ++seed) {
    const catalogue::Swarm swarm(catalogue::mix(seed));
    const bool isEmpty = std::none_of(
        catalogue::catalogue().begin(), catalogue::catalogue().end(), [&](const catalogue::CatalogueEntry& entry) {
          return catalogue::takesPart(*entry.description, features) && swarm.has(entry->family, entry.hash);
        });
    if (isEmpty) {
      ++empty;
      features.swarm = catalogue::mix(seed);
      std::set<std::string_view> chosen;
      for (uint64_t key = 0; key < 20; ++key) {
        const catalogue::CatalogueEntry& entry =
            catalogue::chooseOperator(static_cast<uint32_t>(catalogue::mix(seed ^ key)), features);
        EXPECT_TRUE(catalogue::takesPart(*entry.description, features));
        chosen.insert(entry->name);
      }
      EXPECT_GT(chosen.size(), 5U);
    }
  }
  EXPECT_GE(empty, 3);
}

TEST(SwarmTest, TheNumberOfOperationsVaries) {
  std::set<int> most;
  for (uint64_t index = 0; index < 200; ++index) {
    most.insert(catalogue::featuresOf(5, index).maximumOperations);
  }
  EXPECT_GE(most.size(), 4U);
}

} // namespace
} // namespace touchstone::tests
