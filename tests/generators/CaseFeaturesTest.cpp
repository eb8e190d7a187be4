#include "generators/features/CaseFeatures.h"

#include "program/parser/CaseParser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace touchstone::tests {
namespace {

features::CaseFeatures featuresOfFunctions(const std::vector<std::string>& texts) {
  language::Case theCase;
  for (const std::string& text : texts) {
    theCase.functions.push_back(parser::parseFunction(text));
  }
  return features::describeCase(theCase);
}

const std::string kHelper = "def helper_0(x):\n    a = x * 2\n    b = a + 1\n    x.mul_(2)\n    return b\n";

TEST(CaseFeaturesTest, ACallOfAHelperCountsWhatItsBodyDoesWhereverItStands) {
  const features::CaseFeatures straight =
      featuresOfFunctions({kHelper, "def program(x):\n    b = helper_0(x)\n    return b\n"});
  EXPECT_EQ(straight.operations, 3);
  EXPECT_EQ(straight.operationsReachingOutput, 3);
  EXPECT_TRUE(straight.mutation);
  for (const std::string block :
       {"with torch.no_grad():\n        b = helper_0(x)\n", "for i in range(2):\n        b = helper_0(x)\n",
        "if x.dim() == 2:\n        with torch.no_grad():\n            b = helper_0(x)\n"
        "    else:\n        b = x\n"}) {
    const features::CaseFeatures inside =
        featuresOfFunctions({kHelper, "def program(x):\n    " + block + "    return b\n"});
    EXPECT_EQ(inside.operations, 3) << block;
    EXPECT_EQ(inside.operationsReachingOutput, 3) << block;
    EXPECT_TRUE(inside.mutation) << block;
  }
}

TEST(CaseFeaturesTest, AFunctionThatCallsItselfIsOpenedOnce) {
  const features::CaseFeatures features =
      featuresOfFunctions({"def again(x):\n    if x.dim() == 9:\n        again(x)\n    y = x + 1\n    return y\n",
                           "def program(x):\n    y = again(x)\n    return y\n"});
  EXPECT_EQ(features.operations, 2); // the inner call and the sum
}

} // namespace
} // namespace touchstone::tests
