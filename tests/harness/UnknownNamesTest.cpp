#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace touchstone::tests {

TEST(UnknownNamesTest, TheNearestCommandIsProposedAboveTheList) {
  const BinaryRun run = runBinary({"fidnings"});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(run.errors.starts_with("There is no command `fidnings`. Did you mean `findings`? These are"))
      << run.errors;
  EXPECT_EQ(runBinary({"elephant"}).errors.find("Did you mean"), std::string::npos);
}

TEST(UnknownNamesTest, EveryCommandStandsApartFromItsDescription) {
  std::istringstream lines(runBinary({"bogus"}).errors);
  int commands = 0;
  size_t column = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ")) {
      continue;
    }
    const size_t gap = line.find("  ", 2);
    ASSERT_NE(gap, std::string::npos) << line;
    const size_t description = line.find_first_not_of(' ', gap);
    column = column == 0 ? description : column;
    EXPECT_EQ(description, column) << line;
    ++commands;
  }
  EXPECT_GT(commands, 15);
}

TEST(UnknownNamesTest, TheNearestBackendIsProposed) {
  const BinaryRun run = runBinary({"fuzz", "--cases", "1", "--backends", "inductor"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.errors.find("Did you mean `torch:inductor`?"), std::string::npos) << run.errors;
}

} // namespace touchstone::tests
