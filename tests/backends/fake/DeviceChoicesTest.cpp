#include "backends/fake/DeviceChoices.h"

#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

TEST(DeviceChoicesTest, AReplacementShowsAChoiceOnlyWithBothSides) {
  const fake::DeviceChoice* choice = fake::choiceShownBy(
      ir::GraphDifference::Replacement{{"aten::bernoulli_.float", "aten::mul.Tensor"}, {"aten::native_dropout"}});
  ASSERT_NE(choice, nullptr);
  EXPECT_EQ(choice->name, std::string("dropout"));
  EXPECT_EQ(fake::choiceShownBy(ir::GraphDifference::Replacement{{"aten::mul.Tensor"}, {}}), nullptr);
  EXPECT_EQ(fake::choiceShownBy(ir::GraphDifference::Replacement{{}, {"aten::native_dropout"}}), nullptr);
  EXPECT_EQ(fake::choiceShownBy(ir::GraphDifference::Replacement{{"aten::sin"}, {"aten::native_dropout"}}), nullptr);
}

TEST(DeviceChoicesTest, ResultsThatAreEmptyOnTheCpuAlone) {
  using Detail = ir::GraphDifference::Detail;
  const auto isShownBy = [](const Detail& detail) { return fake::choiceShownBy(detail) != nullptr; };
  EXPECT_TRUE(isShownBy({.resultOf = "aten::native_batch_norm", .index = 2, .isEmptyOnLeft = true}));
  EXPECT_FALSE(isShownBy({.resultOf = "aten::native_batch_norm", .index = 0, .isEmptyOnLeft = true}));
  EXPECT_FALSE(isShownBy({.resultOf = "aten::native_batch_norm", .index = 2, .isEmptyOnLeft = false}));
  EXPECT_FALSE(isShownBy({.resultOf = "aten::sort", .index = 1, .isEmptyOnLeft = true}));
  EXPECT_FALSE(isShownBy({}));
}

} // namespace
} // namespace touchstone::tests
