#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

nlohmann::json outputOf(const BinaryRun& run) {
  try {
    return nlohmann::json::parse(run.output);
  } catch (const nlohmann::json::exception&) {
    ADD_FAILURE() << "no JSON: " << run.output << run.errors;
    return {};
  }
}

} // namespace

TEST(FuzzCommandTest, TheSameCampaignWithOneAndTwoWorkers) {
  const TemporaryFolder folder("same");
  nlohmann::json outputs[2];
  for (int i = 0; i < 2; ++i) {
    const BinaryRun run = runBinary({"fuzz", "--cases", "150", "--seed", "7", "--backends", "eager", "--jobs",
                                     std::to_string(i + 1), "--findings", folder.path() / std::to_string(i), "--json"});
    outputs[i] = outputOf(run);
  }
  EXPECT_EQ(outputs[0]["cases"], 150);
  EXPECT_EQ(outputs[0]["seed"], 7);
  EXPECT_EQ(outputs[0]["backends"], outputs[1]["backends"]);
  EXPECT_EQ(outputs[0]["allowed"], outputs[1]["allowed"]);
  EXPECT_EQ(outputs[0]["calls_judged"], outputs[1]["calls_judged"]);
  int64_t sum = 0;
  for (const auto& [outcome, count] : outputs[0]["backends"]["eager"].items()) {
    sum += count.get<int64_t>();
  }
  EXPECT_EQ(sum, 150);
}

TEST(FuzzCommandTest, TheSameClustersWithOneAndTwoWorkers) {
  const TemporaryFolder folder("clusters");
  std::vector<nlohmann::json> clusters, outcomes;
  for (const int jobs : {1, 2}) {
    const std::string findings = folder.path() / std::to_string(clusters.size());
    const BinaryRun run = runWithBrokenBackends(
        {"fuzz", "--cases", "8", "--seed", "14", "--backends", "torch:broken_backends:sin_is_cos", "--operators",
         "sin,mul,add,neg,view", "--part", "no-all", "--jobs", std::to_string(jobs), "--findings", findings, "--json"});
    const nlohmann::json output = outputOf(run);
    outcomes.push_back(output["backends"]);
    clusters.emplace_back();
    for (const auto& finding : output["findings"]) {
      EXPECT_EQ(finding["stage_backend"], "torch:broken_backends:sin_is_cos");
      EXPECT_EQ(finding["phase"], "");
      clusters.back().push_back({finding["id"], finding["symptom"], finding["hits"], finding["found_by"]});
    }
  }
  EXPECT_FALSE(clusters[0].empty());
  EXPECT_EQ(outcomes[0], outcomes[1]);
  EXPECT_EQ(clusters[0], clusters[1]);
}

TEST(FuzzCommandTest, WithoutConfirmingADeathIsBlamedOnTheWeakerBackendThatDiesOfItToo) {
  std::vector<std::string> arguments{
      "fuzz",  "--judge-only", "--cases", "2",          "--seed",
      "1",     "--calls",      "2",       "--backends", "torch:planted_backends:aborts_on_top",
      "--json"};
  const auto countsOf = [&] {
    return outputOf(runWithBrokenBackends(arguments))["backends"]["torch:planted_backends:aborts_on_top"];
  };
  const nlohmann::json alone = countsOf();
  EXPECT_GT(alone.value("Crashed", 0), 0) << alone;
  arguments.insert(arguments.end(), {"--base", "torch:planted_backends:aborts"});
  const nlohmann::json onTop = countsOf();
  EXPECT_EQ(onTop.value("Crashed", 0), 0) << onTop;
  EXPECT_EQ(onTop.value("Upstream", 0), alone.value("Crashed", 0)) << onTop;
}

TEST(FuzzCommandTest, ACaseDependsOnSeedAndIndexOnly) {
  const BinaryRun alone = runBinary({"generate", "--seed", "7", "--start", "41", "--cases", "1"});
  const TemporaryFolder folder("generate");
  ASSERT_EQ(alone.status, 0) << alone.errors;
  ASSERT_EQ(runBinary({"generate", "--seed", "7", "--start", "30", "--cases", "20", "--out", folder.path()}).status, 0);
  std::ostringstream text;
  text << std::ifstream(folder.path() / "case-41.py").rdbuf();
  EXPECT_EQ(alone.output, text.str());
  EXPECT_NE(alone.output.find("def program("), std::string::npos);
}

TEST(FuzzCommandTest, CtrlCEndsWithTheSummary) {
  const TemporaryFolder folder("interrupted");
  const std::string events = folder.path() / "events.jsonl";
  const auto begin = std::chrono::steady_clock::now();
  const BinaryRun run = runBinary(
      {"fuzz", "--seconds", "300", "--backends", "eager", "--findings", folder.path() / "findings", "--events", events},
      /*interruptAfter=*/6);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(run.status, 130) << run.errors;
  EXPECT_LT(seconds.count(), 60);
  EXPECT_NE(run.output.find("Cases in"), std::string::npos) << run.output;
  std::ifstream lines(events);
  std::string first, line, last;
  std::getline(lines, first);
  for (last = first; std::getline(lines, line);) {
    last = line;
  }
  EXPECT_EQ(nlohmann::json::parse(first).at("event"), "start");
  EXPECT_EQ(nlohmann::json::parse(last).at("event"), "end");
}

} // namespace touchstone::tests
