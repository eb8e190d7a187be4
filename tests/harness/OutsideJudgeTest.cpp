#include "harness/reducer/OutsideJudge.h"

#include "BinaryRun.h"
#include "harness/worker/Progress.h"
#include "program/parser/CaseParser.h"

#include <gtest/gtest.h>

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace touchstone::tests {

namespace {

language::Case returning(const std::string& result) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  return parser::parseCase(smallCase(result), options);
}

} // namespace

TEST(OutsideJudgeTest, TheFirstThatTheCommandAcceptsIsTaken) {
  for (const int jobs : {1, 3}) {
    const reducer::OutsideJudge judge({.command = "grep -q cos", .jobs = jobs});
    const std::vector<language::Case> candidates{returning("x.sin()"), returning("x.cos()"),
                                                 returning("x.cos().sin()")};
    const auto sighting = judge(candidates);
    ASSERT_TRUE(sighting.has_value());
    EXPECT_EQ(sighting->candidate, 1u);
    EXPECT_FALSE(judge({returning("x.sin()"), returning("x.tan()")}).has_value());
  }
}

TEST(OutsideJudgeTest, ThePathTakesThePlaceOfBraces) {
  const reducer::OutsideJudge judge({.command = "test -f {} && grep -q 'x.sin()' {} && true", .fileName = "it's.py"});
  EXPECT_EQ(judge.refusalOf(returning("x.sin()")), "");
  EXPECT_EQ(judge.refusalOf(returning("x.cos()")), "exit status 1");
}

TEST(OutsideJudgeTest, ARunThatTakesTooLongSaysNo) {
  const double begin = worker::wallSeconds();
  const reducer::OutsideJudge judge({.command = "sleep 30; true", .secondsPerRun = 0.2});
  EXPECT_EQ(judge.refusalOf(returning("x.sin()")), "no answer in 0.2 seconds");
  EXPECT_LT(worker::wallSeconds() - begin, 10);
}

TEST(OutsideJudgeTest, TheDeadlineEndsAllRuns) {
  const double begin = worker::wallSeconds();
  const TemporaryFolder folder("deadline");
  const std::string pids = folder.path() / "pids";
  const reducer::OutsideJudge judge({.command = "echo $$ >> '" + pids + "'; sleep 30; true", .jobs = 2});
  EXPECT_FALSE(judge({returning("x.sin()"), returning("x.cos()"), returning("x.tan()")}, begin + 0.5).has_value());
  EXPECT_LT(worker::wallSeconds() - begin, 10);
  std::ifstream file(pids);
  int running = 0, begun = 0;
  for (pid_t pid = 0; file >> pid; ++begun) {
    running += kill(pid, 0) == 0 ? 1 : 0;
  }
  EXPECT_EQ(begun, 2);
  EXPECT_EQ(running, 0);
  EXPECT_FALSE(reducer::OutsideJudge({.command = "true"})({returning("x.sin()")}, begin).has_value()) << "it is over";
}

TEST(OutsideJudgeTest, WhatIsNoCaseIsNotAskedAbout) {
  const reducer::OutsideJudge judge({.command = "true"});
  language::Case broken = returning("x.sin()");
  broken.calls.clear();
  EXPECT_EQ(judge.refusalOf(broken), "it is no valid case file");
}

TEST(OutsideJudgeTest, ItsFilesGoWithIt) {
  const TemporaryFolder folder("outside_judge");
  const std::string seen = folder.path() / "seen";
  {
    const reducer::OutsideJudge judge({.command = "echo {} > '" + seen + "'"});
    EXPECT_EQ(judge.refusalOf(returning("x.sin()")), "");
  }
  std::string path;
  std::getline(std::ifstream(seen), path);
  EXPECT_NE(path.find("touchstone_check_"), std::string::npos) << path;
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path().parent_path())) << path;
}

} // namespace touchstone::tests
