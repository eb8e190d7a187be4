#include "tests/graph/ComparedFolders.h"

namespace touchstone::tests {
namespace {

TEST(AttentionTest, ScaledDotProductsDoWhatPythonDoes) {
  const std::vector<comparison::ComparedCase> cases = comparison::casesOfFolder("attention");
  EXPECT_GE(cases.size(), 20u);
  comparison::PythonComparison("attention", {{"folder", cases}}).compare("folder");
}

TEST(AttentionTest, TheyArePrintedAsTheyAreRead) {
  comparison::expectPrintedAsRead("attention");
}

} // namespace
} // namespace touchstone::tests
