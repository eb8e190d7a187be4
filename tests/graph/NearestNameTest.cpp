#include "base/NearestName.h"

#include "base/EditDistance.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace touchstone::tests {

TEST(NearestNameTest, TheNearestNameIsFirst) {
  const std::vector<std::string> names{"fuzz", "run", "retest", "torch:inductor"};
  EXPECT_EQ(base::nearestFirst("retset", names)[0], "retest");
  EXPECT_EQ(base::nearestFirst("nothing like it", names).size(), names.size());
  EXPECT_EQ(base::nearestFirst("inductor", names)[0], "torch:inductor")
      << "what stands before the colon may be forgotten";
  EXPECT_EQ(base::nearestFirst("x", {"ab", "cd"}), (std::vector<std::string>{"ab", "cd"})) << "else the order stays";
}

TEST(NearestNameTest, OnlyWhatIsNearIsProposed) {
  const std::vector<std::string> names{"fuzz", "run", "retest", "torch:inductor"};
  EXPECT_EQ(base::didYouMean("fuz", names), " Did you mean `fuzz`?");
  EXPECT_EQ(base::didYouMean("inductr", names), " Did you mean `torch:inductor`?");
  EXPECT_EQ(base::didYouMean("torch:inducter", names), " Did you mean `torch:inductor`?");
  EXPECT_EQ(base::didYouMean("elephant", names), "");
  EXPECT_EQ(base::didYouMean("fuzz", {}), "");
}

TEST(NearestNameTest, NamesWithinADistanceAreNear) {
  const std::vector<std::string> names{"relu6", "selu", "relu", "gelu", "sin"};
  EXPECT_EQ(base::namesNear("relu", names, 1, 9), (std::vector<std::string>{"relu", "gelu", "relu6", "selu"}));
  EXPECT_EQ(base::namesNear("relu", names, 1, 2), (std::vector<std::string>{"relu", "gelu"}));
  EXPECT_EQ(base::namesNear(std::string(1000, 'x'), {std::string(1000, 'x')}, 9, 9), std::vector<std::string>());
}

} // namespace touchstone::tests
