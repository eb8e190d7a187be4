#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

/// A graph that the backend `watched_backends:notes_compiles` was given.
struct NotedCompile {
  std::string process, sizes;
};

/// What was compiled while a Case of tensors of 2 x 3 was judged.
std::vector<NotedCompile> compilesOf(const TemporaryFolder& folder, const std::vector<std::string>& flags) {
  const std::string file = folder.file("case.py", smallCase("torch.sin(x)"));
  const std::string notes = folder.file("compiles.txt", "");
  std::vector<std::string> command{
      "run", file, "--backends", "torch:watched_backends:notes_compiles", "--environment", "WATCHED_COMPILES=" + notes};
  command.insert(command.end(), flags.begin(), flags.end());
  const BinaryRun run = runWithBrokenBackends(command);
  EXPECT_EQ(run.status, 0) << run.output << run.errors;
  std::vector<NotedCompile> compiles;
  std::ifstream lines(notes);
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.find(' ');
    compiles.push_back({line.substr(0, space), line.substr(space + 1)});
  }
  return compiles;
}

} // namespace

TEST(WarmUpTest, AWorkerCompilesBeforeTheFirstCase) {
  const TemporaryFolder folder("warm");
  const std::vector<NotedCompile> compiles = compilesOf(folder, {});
  ASSERT_GE(compiles.size(), 4u) << "a whole small program, the two parts of one that breaks, and the Case";
  EXPECT_EQ(compiles.back().sizes, "[[2, 3]]");
  for (size_t i = 0; i + 1 < compiles.size(); ++i) {
    EXPECT_EQ(compiles[i].sizes.find("[2, 3]"), std::string::npos) << "of the Case, too early: " << compiles[i].sizes;
    EXPECT_NE(compiles[i].sizes.find("[3, 3]"), std::string::npos) << compiles[i].sizes;
    EXPECT_EQ(compiles[i].process, compiles[0].process);
    EXPECT_NE(compiles[i].process, compiles.back().process) << "the Case has a child of its own";
  }
}

TEST(WarmUpTest, WithoutItNothingButTheCaseIsCompiled) {
  const TemporaryFolder folder("cold");
  const std::vector<NotedCompile> compiles = compilesOf(folder, {"--no-warm-up"});
  ASSERT_EQ(compiles.size(), 1u);
  EXPECT_EQ(compiles[0].sizes, "[[2, 3]]");
}

} // namespace touchstone::tests
