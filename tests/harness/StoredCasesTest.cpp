#include "generators/mutation/CaseMutation.h"
#include "harness/campaign/Campaign.h"
#include "program/parser/CaseParser.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

using language::Outcome;

/// The texts of Cases of a campaign, by index.
std::vector<std::string> textsOf(const campaign::FuzzOptions& options, uint64_t seed) {
  std::vector<std::string> errors;
  const std::vector<store::SeedCasePtr> corpus = store::readSeedCases(options.corpus, errors);
  EXPECT_TRUE(errors.empty());
  pool::WorkerPool pool({1, {"eager"}, {}, TOUCHSTONE_BINARY_DIR "/harness/touchstone"});
  campaign::StreamOptions stream;
  stream.wantCases = true;
  stream.starts = [&](uint64_t index) {
    return mutation::isDerived(seed, index, options.corpusShare) ? store::startsAmong(seed, index, corpus)
                                                                 : std::vector<store::SeedCasePtr>{};
  };
  campaign::CaseStream cases(options, seed, stream);
  pool.setSource([&](ir::Family family) { return cases.next(family); });
  std::vector<std::string> texts;
  for (std::vector<worker::JobResult> results = pool.wait(); !results.empty(); results = pool.wait()) {
    for (worker::JobResult& each : results) {
      cases.add(std::move(each));
    }
    for (auto finished = cases.take(); finished.has_value(); finished = cases.take()) {
      texts.push_back(finished->result.caseText);
    }
  }
  return texts;
}

campaign::FuzzOptions optionsWith(const std::vector<std::string>& corpus, double share, uint64_t cases) {
  campaign::FuzzOptions options;
  options.backends = {"eager"};
  options.cases = cases;
  options.corpus = corpus;
  options.corpusShare = share;
  options.reduceSeconds = 0;
  return options;
}

std::string textOf(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

} // namespace

TEST(StoredCasesTest, ACaseDependsOnSeedIndexAndTheContentsOfTheFiles) {
  const TemporaryFolder folder("corpus");
  folder.file("a.py", smallCase("torch.sin(x)"));
  folder.file("b.py", smallCase("torch.cumsum(x, 0)"));
  const std::vector<std::string> texts = textsOf(optionsWith({folder.path()}, 1, 20), 4);
  ASSERT_EQ(texts.size(), 20U);
  const TemporaryFolder other("corpus_renamed"); // other names, another order, a header, the same file twice
  other.file("z.py", smallCase("torch.sin(x)", "# note: the same\n"));
  other.file("y.py", smallCase("torch.cumsum(x, 0)"));
  other.file("x.py", smallCase("torch.cumsum(x, 0)"));
  EXPECT_EQ(textsOf(optionsWith({other.path()}, 1, 20), 4), texts);
  campaign::FuzzOptions one = optionsWith({folder.path()}, 1, 1);
  one.start = 13;
  EXPECT_EQ(textsOf(one, 4).at(0), texts[13]) << "whatever came before";
  other.file("w.py", smallCase("torch.cos(x)"));
  EXPECT_NE(textsOf(optionsWith({other.path()}, 1, 20), 4), texts);
  EXPECT_NE(textsOf(optionsWith({folder.path()}, 0, 20), 4), texts);
}

TEST(StoredCasesTest, TheSummaryTellsHowManyWereDerivedAndAFindingFromWhat) {
  const TemporaryFolder folder("corpus_findings");
  const std::string file = folder.file("relu.py", smallCase("torch.relu(x - 2)"));
  const std::string findings = folder.path() / "findings";
  const BinaryRun run = runBinary({"fuzz", "--cases", "12", "--seed", "3", "--corpus", file, "--corpus-share", "1",
                                   "--backends", "relu_accuracy_error_TESTING_ONLY", "--findings", findings, "--json"});
  const nlohmann::json summary = nlohmann::json::parse(run.output, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(summary.is_object()) << run.output << run.errors;
  EXPECT_GT(summary["derived"]["mutated"], 0) << summary["derived"];
  EXPECT_EQ(summary["derived_from_kept"], 0);
  ASSERT_FALSE(summary["findings"].empty());
  const std::string foundBy = summary["findings"][0]["found_by"];
  EXPECT_EQ(foundBy.rfind("seed 3 case ", 0), 0U) << foundBy;
  EXPECT_NE(foundBy.find(" from " + file + " ("), std::string::npos) << foundBy;
  const std::string stored = textOf(summary["findings"][0]["file"].get<std::string>());
  EXPECT_NE(stored.find("# found-by: " + foundBy), std::string::npos) << stored;
}

TEST(StoredCasesTest, ACorpusWithoutCasesIsAnError) {
  const TemporaryFolder folder("corpus_empty");
  const BinaryRun run = runBinary({"fuzz", "--cases", "1", "--corpus", folder.path()});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.errors.find("There is no Case in"), std::string::npos) << run.errors;
}

TEST(StoredCasesTest, WhatEndsEagerWhileACaseIsDerivedIsKeptAndEndsItAgain) {
  const TemporaryFolder folder("corpus_death");
  folder.file("erf.py", smallCase("torch.erf(x) + torch.erf(x * 2)"));
  setenv("TOUCHSTONE_TEST_FAULT", "deriving:abort", 1);
  const pool::PoolOptions pools{1, {"eager"}, {10, 10, 256}, TOUCHSTONE_BINARY_DIR "/tests/faulty-worker"};
  const auto campaign = [&](const campaign::FuzzOptions& options) {
    pool::WorkerPool pool(pools);
    store::FindingStore store(options.findings);
    campaign::EventLog events("");
    std::vector<std::string> errors;
    return campaign::Campaign(options, /*seed=*/6, pool, store, events,
                              {store::readSeedCases(options.corpus, errors), {}, {}})
        .run();
  };
  campaign::FuzzOptions options = optionsWith({folder.path()}, 1, 3);
  options.findings = folder.path() / "findings";
  const campaign::CampaignResult result = campaign(options);
  unsetenv("TOUCHSTONE_TEST_FAULT");
  EXPECT_EQ(result.report.tally.backends.at("eager").count(Outcome::kEagerCrashed), 3);
  const std::filesystem::path kept = folder.path() / "findings" / "eager";
  const std::string text = textOf(kept / "seed-6-case-1.py");
  EXPECT_NE(text.find("derived from " + (folder.path() / "erf.py").string()), std::string::npos) << text;
  EXPECT_NE(text.find("signal 6"), std::string::npos) << text;
  EXPECT_NE(text.find("--start 1 --cases 1 --corpus " + (kept / "starts-1").string() + " --corpus-share 1"),
            std::string::npos)
      << text;
  // What the file says to type does it again.
  setenv("TOUCHSTONE_TEST_FAULT", "deriving:abort", 1);
  options.corpus = {kept / "starts-1"};
  options.start = 1;
  options.cases = 1;
  options.findings = folder.path() / "again";
  const campaign::CampaignResult again = campaign(options);
  unsetenv("TOUCHSTONE_TEST_FAULT");
  EXPECT_EQ(again.report.tally.backends.at("eager").count(Outcome::kEagerCrashed), 1);
}

} // namespace touchstone::tests
