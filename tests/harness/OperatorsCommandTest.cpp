#include "harness/commands/OperatorsCommand.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace touchstone::tests {

TEST(OperatorsCommandTest, CasesThatCouldNotBeMadeAreToldAndNotCounted) {
  std::vector<worker::JobResult> made(3);
  made[1].id = 1;
  made[1].error = "The process died of SIGSEGV.";
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  EXPECT_EQ(commands::listOperators(/*json=*/false, made), base::ExitStatus::kFailed);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("tried in 2 Cases"), std::string::npos);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "Touchstone itself failed on 1 of 3 Cases, which are not counted; the first: Case 1: The process died of "
            "SIGSEGV.\n");
  made.erase(made.begin() + 1);
  testing::internal::CaptureStdout();
  EXPECT_EQ(commands::listOperators(/*json=*/false, made), base::ExitStatus::kNothingNew);
  testing::internal::GetCapturedStdout();
}

} // namespace touchstone::tests
