#include "oracles/compare/ExceptionRules.h"

#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

TEST(ExceptionRulesTest, VersionsOfTensorsAreNotCompared) {
  const std::string text = "RuntimeError: [torch.FloatTensor [2]] is at version ";
  EXPECT_EQ(compare::comparableLine(text + "1; expected version 0 instead.\nmore"),
            compare::comparableLine(text + "12; expected version 11 instead."));
  EXPECT_NE(compare::comparableLine(text + "1; expected version 0 instead."), compare::comparableLine("another text"));
  EXPECT_NE(compare::comparableLine("size 2"), compare::comparableLine("size 3"));
}

} // namespace
} // namespace touchstone::tests
