#include "oracles/compare/ExceptionRules.h"

#include <gtest/gtest.h>

namespace touchstone::oracles {
namespace {

TEST(ExceptionRulesTest, VersionsOfTensorsAreNotCompared) {
  const std::string text = "RuntimeError: [torch.FloatTensor [2]] is at version ";
  EXPECT_EQ(comparableLine(text + "1; expected version 0 instead.\nmore"),
            comparableLine(text + "12; expected version 11 instead."));
  EXPECT_NE(comparableLine(text + "1; expected version 0 instead."), comparableLine("another text"));
  EXPECT_NE(comparableLine("size 2"), comparableLine("size 3"));
}

} // namespace
} // namespace touchstone::oracles
