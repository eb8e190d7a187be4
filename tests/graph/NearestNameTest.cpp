#include "base/NearestName.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace touchstone::graph {

TEST(NearestNameTest, TheNearestNameIsFirst) {
  const std::vector<std::string> names{"fuzz", "run", "retest", "torch:inductor"};
  EXPECT_EQ(nearestFirst("retset", names)[0], "retest");
  EXPECT_EQ(nearestFirst("nothing like it", names).size(), names.size());
  EXPECT_EQ(nearestFirst("inductor", names)[0], "torch:inductor") << "what stands before the colon may be forgotten";
  EXPECT_EQ(nearestFirst("x", {"ab", "cd"}), (std::vector<std::string>{"ab", "cd"})) << "else the order stays";
}

TEST(NearestNameTest, OnlyWhatIsNearIsProposed) {
  const std::vector<std::string> names{"fuzz", "run", "retest", "torch:inductor"};
  EXPECT_EQ(didYouMean("fuz", names), " Did you mean `fuzz`?");
  EXPECT_EQ(didYouMean("inductr", names), " Did you mean `torch:inductor`?");
  EXPECT_EQ(didYouMean("torch:inducter", names), " Did you mean `torch:inductor`?");
  EXPECT_EQ(didYouMean("elephant", names), "");
  EXPECT_EQ(didYouMean("fuzz", {}), "");
}

} // namespace touchstone::graph
