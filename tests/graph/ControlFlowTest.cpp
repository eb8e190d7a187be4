#include "tests/graph/ComparedFolders.h"

namespace touchstone::tests {
namespace {

TEST(ControlFlowTest, ControlFlowDoesWhatPythonDoes) {
  const std::vector<comparison::ComparedCase> cases = comparison::casesOfFolder("control_flow");
  EXPECT_GE(cases.size(), 25u);
  comparison::PythonComparison("control_flow", {{"folder", cases}}).compare("folder");
}

TEST(ControlFlowTest, ControlFlowIsPrintedAsItIsRead) {
  comparison::expectPrintedAsRead("control_flow");
}

} // namespace
} // namespace touchstone::tests
