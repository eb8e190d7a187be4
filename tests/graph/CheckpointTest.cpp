#include "tests/graph/ComparedFolders.h"

namespace touchstone::tests {
namespace {

TEST(CheckpointTest, CheckpointsDoWhatPythonDoes) {
  const std::vector<comparison::ComparedCase> cases = comparison::casesOfFolder("checkpoint");
  EXPECT_GE(cases.size(), 20u);
  comparison::PythonComparison("checkpoint", {{"folder", cases}}).compare("folder");
}

TEST(CheckpointTest, CheckpointsArePrintedAsTheyAreRead) {
  comparison::expectPrintedAsRead("checkpoint");
}

} // namespace
} // namespace touchstone::tests
