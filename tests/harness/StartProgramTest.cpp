#include "harness/campaign/StartProgram.h"

#include "base/AtomicFile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace touchstone::campaign {
namespace {

std::vector<StartCase> casesUnder(const std::string& profile) {
  return startCases(worker::readProfile(profile, "test"));
}

std::string programOf(const StartCase& start) {
  const size_t begin = start.text.find("def program");
  return start.text.substr(begin, start.text.find("\n\nCALLS") - begin);
}

size_t withGradients(const std::vector<StartCase>& cases) {
  return static_cast<size_t>(std::ranges::count_if(
      cases, [](const StartCase& each) { return each.text.find("backward=[0]") != std::string::npos; }));
}

TEST(StartProgramTest, TheProgramsAreThoseThatWorkersStartWith) {
  const std::string warmUp = base::readFile(TOUCHSTONE_SOURCE_DIR "/backends/torch_compile/bridge/warm_up.py");
  const std::vector<StartCase> cases = startCases({});
  ASSERT_EQ(cases.size(), 6);
  EXPECT_EQ(withGradients(cases), 3);
  std::set<std::string> names;
  for (const StartCase& each : cases) {
    EXPECT_NE(warmUp.find(programOf(each)), std::string::npos) << programOf(each);
    names.insert(each.foundBy);
  }
  EXPECT_EQ(names.size(), cases.size()); // findings of one name replace each other
}

TEST(StartProgramTest, WhatTheProfileLeavesOutIsNotAsked) {
  EXPECT_EQ(withGradients(casesUnder(R"({"features": {"backward": false}})")), 0);
  EXPECT_EQ(casesUnder(R"({"features": {"backward": false}})").size(), 3);
  EXPECT_EQ(casesUnder(R"({"features": {"mutation": false}})").size(), 4);
  EXPECT_EQ(casesUnder(R"({"excluded_operators": ["relu"]})").size(), 4);
  EXPECT_EQ(casesUnder(R"({"excluded_operators": ["mm"]})").size(), 2);
  EXPECT_EQ(casesUnder(R"({"compile": {"fullgraph": true}})").size(), 4);
  EXPECT_TRUE(casesUnder(R"({"excluded_dtypes": ["float32"]})").empty());
}

} // namespace
} // namespace touchstone::campaign
