#include "backends/fake/DeviceChoices.h"

#include <gtest/gtest.h>

namespace touchstone::backends {
namespace {

TEST(DeviceChoicesTest, AReplacementShowsAChoiceOnlyWithBothSides) {
  const DeviceChoice* choice =
      choiceShownBy({{"aten::bernoulli_.float", "aten::mul.Tensor"}, {"aten::native_dropout"}});
  ASSERT_NE(choice, nullptr);
  EXPECT_EQ(choice->name, std::string("dropout"));
  EXPECT_EQ(choiceShownBy({{"aten::mul.Tensor"}, {}}), nullptr);
  EXPECT_EQ(choiceShownBy({{}, {"aten::native_dropout"}}), nullptr);
  EXPECT_EQ(choiceShownBy({{"aten::sin"}, {"aten::native_dropout"}}), nullptr);
}

} // namespace
} // namespace touchstone::backends
