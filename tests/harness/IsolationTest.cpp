#include "backends/Registry.h"
#include "generators/decoder/Decoder.h"
#include "harness/campaign/Campaign.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"
#include "tests/harness/BinaryRun.h"
#include "tests/harness/worker/FaultyKernel.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <tuple>

namespace touchstone::tests {

namespace {

using language::Outcome;

constexpr uint64_t kCases = 6;
constexpr double kMostSeconds = 5; // of a quiet machine

/// A campaign of which one Case, neither the first nor the last, runs the faulty kernel.
struct Chosen {
  uint64_t seed = 0, victim = 0;
};

// A short clock for what hangs only: on a busy machine memory is not used up that fast.
pool::PoolOptions poolOptions(bool hangs = false) {
  const double seconds = hangs ? 0.3 : 10;
  return {1, {"eager"}, {seconds, seconds, 256}, TOUCHSTONE_BINARY_DIR "/tests/faulty-worker"};
}

/// The Case that runs the kernel while it is decoded and keeps the statement, when it is the only one.
std::optional<uint64_t> onlyVictim(uint64_t seed) {
  std::optional<uint64_t> victim;
  for (uint64_t index = 0; index < kCases; ++index) {
    const int64_t before = faultyKernelRuns();
    decoder::DecodeStatistics statistics;
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(seed, index);
    options.statistics = &statistics;
    decoder::decode(catalogue::makeRecipe(seed, index, options.features), options);
    if (faultyKernelRuns() == before) {
      continue;
    }
    const auto& accepted = statistics.accepted;
    if (victim.has_value() || std::find(accepted.begin(), accepted.end(), kFaultyOperator) == accepted.end()) {
      return std::nullopt;
    }
    victim = index;
  }
  return victim;
}

report::Tally judge(uint64_t seed) {
  campaign::FuzzOptions options;
  options.cases = kCases;
  options.backends = {"eager"};
  options.judgeOnly = true;
  const TemporaryFolder folder("isolation_judge");
  pool::WorkerPool pool(poolOptions());
  store::FindingStore store(folder.path());
  campaign::EventLog events("");
  return campaign::Campaign(options, seed, pool, store, events).run().report.tally;
}

/// The first seed with one victim all of whose Cases agree when nothing is broken.
Chosen choose() {
  at::set_num_threads(1);
  for (uint64_t seed = 1; seed < 500; ++seed) {
    const std::optional<uint64_t> victim = onlyVictim(seed);
    if (victim.value_or(0) == 0 || *victim + 1 == kCases) {
      continue;
    }
    const report::Tally tally = judge(seed);
    const auto eager = tally.backends.find("eager");
    if (eager != tally.backends.end() && eager->second.count(Outcome::kAgreed) == static_cast<int64_t>(kCases)) {
      return {seed, *victim};
    }
  }
  ADD_FAILURE() << "no campaign has one Case alone with `" << kFaultyOperator << "`";
  return {};
}

std::string onlyFile(const std::filesystem::path& folder) {
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_EQ(path, "") << "a second file: " << entry.path();
    path = entry.path();
  }
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

} // namespace

class IsolationTest : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  static void SetUpTestSuite() {
    unsetenv("TOUCHSTONE_TEST_FAULT");
    chosen = choose();
  }
  void TearDown() override { unsetenv("TOUCHSTONE_TEST_FAULT"); }
  static inline Chosen chosen;
};

TEST_P(IsolationTest, ItCostsOneCaseIsReportedWithThatCaseAndTheRunGoesOn) {
  const auto& [place, deed] = GetParam();
  ASSERT_NE(chosen.seed, 0u);
  setenv("TOUCHSTONE_TEST_FAULT", (place + ":" + deed).c_str(), 1);
  const auto begin = std::chrono::steady_clock::now();
  campaign::FuzzOptions options;
  options.cases = kCases;
  options.backends = {"eager"};
  options.reduceSeconds = 0;
  const TemporaryFolder folder("isolation_" + place + "_" + deed);
  const bool hangs = deed == "hang";
  pool::WorkerPool pool(poolOptions(hangs));
  store::FindingStore store(folder.path());
  campaign::EventLog events("");
  const campaign::CampaignResult result = campaign::Campaign(options, chosen.seed, pool, store, events).run();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;

  const report::Tally& tally = result.report.tally;
  const report::BackendTally& eager = tally.backends.at("eager");
  EXPECT_EQ(tally.cases, static_cast<int64_t>(kCases));
  EXPECT_EQ(eager.count(Outcome::kAgreed), static_cast<int64_t>(kCases) - 1) << "it cost more than one Case";
  const std::string foundBy = "seed " + std::to_string(chosen.seed) + " case " + std::to_string(chosen.victim);
  if (place == "backend") {
    const Outcome expected = hangs               ? Outcome::kTimedOut
                             : deed == "memory"  ? Outcome::kOutOfMemory
                             : deed == "overrun" ? Outcome::kOutOfBounds
                                                 : Outcome::kCrashed;
    EXPECT_EQ(eager.count(expected), 1);
    ASSERT_EQ(result.report.findings.size(), 1u);
    const report::Finding& finding = result.report.findings[0];
    EXPECT_EQ(finding.foundBy, foundBy);
    EXPECT_EQ(finding.result.outcome, expected);
    EXPECT_NE(finding.result.message.find("call "), std::string::npos) << finding.result.message;
    EXPECT_NE(standalone::printCase(parser::readCase(finding.file)).find(kFaultyOperator), std::string::npos);
  } else {
    EXPECT_EQ(eager.count(hangs ? Outcome::kEagerTimedOut : Outcome::kEagerCrashed), 1);
    EXPECT_TRUE(result.report.findings.empty());
    const std::string kept = onlyFile(folder.path() / "eager");
    EXPECT_NE(kept.find("found by " + foundBy), std::string::npos) << kept;
    EXPECT_NE(kept.find("--start " + std::to_string(chosen.victim) + " --cases 1"), std::string::npos) << kept;
    EXPECT_NE(kept.find(hangs               ? "seconds of cpu time"
                        : deed == "kill"    ? "signal 9"
                        : deed == "memory"  ? "used up its 256 MiB"
                        : deed == "overrun" ? "Memory was written outside a tensor: byte 0 behind the end of a block"
                                            : "signal 6"),
              std::string::npos)
        << kept;
    EXPECT_NE(kept.find(place == "decoding" ? "in decode record " : "in call "), std::string::npos) << kept;
    const bool whole = place == "eager" || deed == "overrun"; // the process that decodes it lives on
    EXPECT_EQ(kept.find("def program") != std::string::npos, whole) << kept;
    EXPECT_EQ(tally.unreadable, 0) << "the outcome tells it";
  }
  EXPECT_LT(seconds.count(), 4 * kMostSeconds); // other builds and tests may run beside it
  RecordProperty("seconds", std::to_string(seconds.count()));
}

INSTANTIATE_TEST_SUITE_P(, IsolationTest,
                         testing::Combine(testing::Values("decoding", "eager", "backend"),
                                          testing::Values("kill", "hang", "abort", "memory", "overrun")),
                         [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param); });

} // namespace touchstone::tests
