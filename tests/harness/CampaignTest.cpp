#include "harness/campaign/Campaign.h"
#include "harness/findings/FindingHeaders.h"
#include "harness/store/FindingDatabase.h"
#include "harness/store/StoreSchema.h"
#include "harness/worker/Handshake.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>

namespace touchstone::tests {

namespace {

using language::Outcome;

constexpr const char* kIdToReplace = "424242";

struct Answer {
  std::string returned = "torch.sin(x)";
  Outcome outcome = Outcome::kDiffers;
  std::string text = "Differs/values/call 0 output 0", symptom = "Differs/values/output 0";
};

std::string answerLine(const Answer& given) {
  worker::JobResult answer;
  answer.id = std::stoull(kIdToReplace);
  answer.caseText = smallCase(given.returned);
  worker::BackendResult& backend = answer.backends.emplace_back();
  backend.backend = backend.origin = "eager";
  backend.outcome = given.outcome;
  backend.text = given.text;
  backend.symptom = given.symptom;
  return worker::resultLine(answer) + "\n";
}

/// A worker that hardly looks at its jobs: each is answered with one of two Cases and its difference. Generated ones take turns; a
/// printed one that is the second is answered with the second. Printed ones take it so many seconds.
pool::PoolOptions workerThatDiffersInTurn(const TemporaryFolder& folder, const Answer& first, const Answer& second,
                                          const std::string& seconds = "0") {
  const std::string one = folder.file("first", answerLine(first)), other = folder.file("second", answerLine(second));
  const std::string script = folder.file("worker",
                                         "#!/bin/bash\n"
                                         "eval \"exec 3<&${*: -2:1} 4>&${*: -1}\"\n"
                                         "echo '" +
                                             worker::handshakeLine("") +
                                             "' >&4\n"
                                             "while read -r batch <&3; do\n"
                                             "  case \"$batch\" in *'def program'*) sleep " +
                                             seconds +
                                             ";; esac\n"
                                             "  for id in $(grep -oE '\"id\":[0-9]+' <<<\"$batch\" | cut -d: -f2); do\n"
                                             "    answer=" +
                                             one +
                                             "\n"
                                             "    case \"$batch\" in\n"
                                             "      *'" +
                                             second.returned + "'*) answer=" + other +
                                             ";;\n"
                                             "      *'def program'*) ;;\n"
                                             "      *) if ((id % 2 == 0)); then answer=" +
                                             other +
                                             "; fi;;\n"
                                             "    esac\n"
                                             "    sed s/" +
                                             kIdToReplace +
                                             "/$id/ $answer >&4\n"
                                             "  done\n"
                                             "done\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return {1, {"eager"}, {}, script};
}

pool::PoolOptions workerThatAlwaysDiffers(const TemporaryFolder& folder, const Answer& given = {}) {
  return workerThatDiffersInTurn(folder, given, given);
}

/// The lines of a file of events, but for counts.
std::vector<nlohmann::json> eventsIn(const std::string& file) {
  std::vector<nlohmann::json> events;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json event = nlohmann::json::parse(line);
    if (event.at("event") == "confirmed" || event.at("event") == "finding") {
      events.push_back(std::move(event));
    }
  }
  return events;
}

} // namespace

TEST(CampaignTest, WhatHoldsAClusterOfThisCampaignIsSuppressedAndEachEighthIsReducedAllTheSame) {
  const TemporaryFolder folder("suppressed");
  pool::WorkerPool pool(workerThatAlwaysDiffers(folder));
  store::FindingStore store(folder.path() / "findings");
  campaign::EventLog events("");
  campaign::FuzzOptions options;
  options.backends = {"eager"};
  options.cases = 10;
  options.reduceSeconds = 0;
  const campaign::CampaignResult result = campaign::Campaign(options, /*seed=*/1, pool, store, events).run();
  ASSERT_EQ(result.report.findings.size(), 1u);
  const report::BackendTally& eager = result.report.tally.backends.at("eager");
  EXPECT_EQ(eager.count(Outcome::kSuppressed), 8); // all but the first and the ninth
  EXPECT_EQ(eager.count(Outcome::kDiffers), 2);
  EXPECT_EQ(result.report.findings[0].hits, 2) << "a Suppressed Case is no hit";
  EXPECT_EQ(eager.count(Outcome::kKnown), 0);
  ASSERT_TRUE(result.report.findings[0].stage.has_value());
  EXPECT_EQ(result.report.findings[0].stage->backend, "eager");
}

TEST(CampaignTest, AZeroForANoneIsNotToldAsLongAsSomethingWorseWaits) {
  const TemporaryFolder folder("zero");
  const Answer zero{"torch.sin(x)", Outcome::kNoneBecameZero, "NoneBecameZero", "NoneBecameZero/leaf 0"};
  const Answer values{"torch.cos(x)"};
  pool::WorkerPool pool(workerThatDiffersInTurn(folder, zero, values));
  store::FindingStore store(folder.path() / "findings");
  const std::string file = folder.path() / "events";
  campaign::EventLog events(file);
  campaign::FuzzOptions options;
  options.backends = {"eager"};
  options.cases = 6;
  options.reduceSeconds = 0;
  const campaign::CampaignResult result = campaign::Campaign(options, /*seed=*/1, pool, store, events).run();
  const std::vector<nlohmann::json> told = eventsIn(file);
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].at("event"), "confirmed");
  EXPECT_EQ(told[0].at("class"), "wrong values");
  EXPECT_EQ(told[1].at("event"), "finding");
  EXPECT_EQ(told[1].at("class"), "wrong values");
  EXPECT_EQ(told[2].at("event"), "finding");
  EXPECT_EQ(told[2].at("class"), "None and zero");
  ASSERT_EQ(result.report.findings.size(), 2U);
  EXPECT_EQ(result.report.tally.backends.at("eager").count(Outcome::kNoneBecameZero), 3);
}

TEST(CampaignTest, WhatHoldsAClusterOfAnEarlierCampaignIsKnown) {
  const TemporaryFolder folder("known");
  campaign::FuzzOptions options;
  options.backends = {"eager"};
  options.cases = 2;
  options.reduceSeconds = 0;
  for (const int64_t known : {0, 2}) {
    pool::WorkerPool pool(workerThatAlwaysDiffers(folder));
    store::FindingStore store(folder.path() / "findings");
    campaign::EventLog events("");
    const campaign::CampaignResult result = campaign::Campaign(options, /*seed=*/1, pool, store, events).run();
    EXPECT_EQ(result.report.tally.backends.at("eager").count(Outcome::kKnown), known);
    EXPECT_EQ(result.report.findings.size(), known == 0 ? 1u : 0u);
  }
}

/// A campaign of eight Cases after one that found `torch.sin(x)`, whose suppression a person wrote.
struct SuppressedCampaign {
  std::vector<report::Finding> findings;
  report::BackendTally counts;
};
SuppressedCampaign eightCasesWith(const std::string& suppressionEntry, const Answer& answer) {
  const TemporaryFolder folder("eight");
  const std::filesystem::path findings = folder.path() / "findings";
  campaign::FuzzOptions options;
  options.backends = {"eager"};
  options.findings = findings;
  options.cases = 1;
  options.reduceSeconds = 0;
  SuppressedCampaign result;
  for (const Answer& each : {Answer{}, answer}) {
    pool::WorkerPool pool(workerThatAlwaysDiffers(folder, each));
    store::FindingStore store(findings);
    campaign::EventLog events("");
    const report::Report report = campaign::Campaign(options, /*seed=*/1, pool, store, events).run().report;
    result = {report.findings, report.tally.backends.at("eager")};
    if (options.cases == 1) {
      const std::string id = report.findings.at(0).id;
      std::ofstream(findings / (id + ".suppression.json"))
          << R"json({"schema": 1, "known": [{"id": ")json" << id << R"json(", "pattern": ["sin(_)"], )json"
          << suppressionEntry << R"("reason": "a test", "expires": "2999-12-31"}]})";
    }
    options.cases = 8;
  }
  return result;
}

TEST(CampaignTest, TheEighthThatASuppressionMatchesIsAHitWhereTheSuppressionStillMatchesWhatItComesDownTo) {
  const SuppressedCampaign more = eightCasesWith("", {"torch.sin(x.cos())"});
  EXPECT_TRUE(more.findings.empty()) << more.findings[0].id;
  EXPECT_EQ(more.counts.count(Outcome::kKnown), 8);
}

TEST(CampaignTest, TheEighthThatFailsInAnotherWayIsAFindingOfItsOwn) {
  const SuppressedCampaign more = eightCasesWith(
      "", {"torch.sin(x.cos())", Outcome::kInternalError, "InternalError/compile", "InternalError/compile/KeyError"});
  ASSERT_EQ(more.findings.size(), 1U);
  EXPECT_EQ(more.findings[0].symptom.text, "InternalError/compile/KeyError");
  EXPECT_EQ(more.counts.count(Outcome::kKnown), 7);
}

TEST(CampaignTest, ASuppressionThatAPersonNarrowedSuppressesWhatItSays) {
  const SuppressedCampaign more = eightCasesWith(R"("oracles": ["strides"], )", {"torch.sin(x.cos())"});
  ASSERT_EQ(more.findings.size(), 1U) << "values are not what the suppression is about";
}

namespace {

/// One Case that a wrong backend fails, and in another way while it is reduced.
std::vector<std::string> campaignOfOneCase(const std::filesystem::path& findings,
                                           const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"fuzz",
                                     "--part",
                                     "no-all",
                                     "--seed",
                                     "14",
                                     "--start",
                                     "423",
                                     "--cases",
                                     "1",
                                     "--backends",
                                     "relu_accuracy_error_TESTING_ONLY",
                                     "--findings",
                                     findings};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

} // namespace

TEST(CampaignTest, WhatFailsInAnotherWayWhileReducingIsAFindingOfItsOwn) {
  const TemporaryFolder folder("others");
  std::vector<nlohmann::json> runs;
  for (const char* jobs : {"1", "2"}) {
    const BinaryRun run =
        runBinary(campaignOfOneCase(folder.path() / jobs, {"--jobs", jobs, "--suppressions", "none", "--json"}));
    const nlohmann::json object = nlohmann::json::parse(run.output, nullptr, /*allow_exceptions=*/false);
    ASSERT_TRUE(object.is_object()) << run.output << run.errors;
    const nlohmann::json& findings = object.at("findings");
    ASSERT_EQ(findings.size(), 2u) << run.output;
    EXPECT_EQ(findings[0].at("found_by"), "seed 14 case 423");
    EXPECT_EQ(findings[1].at("found_by"),
              "seed 14 case 423, while reducing " + findings[0].at("id").get<std::string>());
    EXPECT_NE(findings[0].at("symptom"), findings[1].at("symptom"));
    runs.push_back({findings[0].at("id"), findings[1].at("id")});
  }
  EXPECT_EQ(runs[0], runs[1]) << "whatever the number of workers";
  // Behind a cluster that is on the list of known findings, too.
  const std::string known = folder.file(
      "known.json", R"({"schema": 1, "known": [{"id": "it", "backend": "*", "cluster": ")" +
                        runs[0][0].get<std::string>() + R"(", "reason": "a test", "expires": "2999-12-31"}]})");
  const BinaryRun behind =
      runBinary(campaignOfOneCase(folder.path() / "behind", {"--known", known, "--suppressions", "none", "--json"}));
  const nlohmann::json object = nlohmann::json::parse(behind.output, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(object.is_object()) << behind.output << behind.errors;
  ASSERT_EQ(object.at("findings").size(), 1u) << behind.output;
  EXPECT_EQ(object.at("findings")[0].at("id"), runs[0][1]);
}

TEST(CampaignTest, WhatTheTimeCutIsReducedByWhoGoesOn) {
  const TemporaryFolder folder("cut");
  const std::filesystem::path file = folder.path() / "campaign.json";
  const Answer large{"torch.sin(x) + torch.cos(x) * torch.tanh(x) - torch.exp(x).abs()"};
  campaign::EventLog events("");
  campaign::FuzzOptions options;
  options.backends = {"eager"};
  options.cases = 1;
  options.seconds = 1;
  const auto run = [&](const std::string& secondsOfRun, std::optional<campaign::CampaignRecord> record) {
    pool::WorkerPool pool(workerThatDiffersInTurn(folder, large, large, secondsOfRun));
    const std::filesystem::path findings = folder.path() / "findings";
    std::filesystem::create_directories(findings);
    store::FindingStore store(findings, std::make_unique<store::FindingDatabase>(store::storeFile(findings)));
    store::StoredCampaign campaign;
    campaign.id = "one";
    campaign.stateFile = file;
    store.beginCampaign(campaign);
    return campaign::Campaign(options, /*seed=*/1, pool, store, events,
                              {.corpus = {}, .record = std::move(record), .recordFile = file, .id = {}})
        .run()
        .report;
  };
  const report::Report cut = run("4", std::nullopt);
  ASSERT_EQ(cut.findings.size(), 1U);
  EXPECT_TRUE(findings::headersOf(cut.findings[0].reduced).isUnfinished());
  EXPECT_EQ(cut.waiting, 1U);
  EXPECT_FALSE(campaign::readRecord(file).finished);
  const report::Report whole = run("0", campaign::readRecord(file));
  ASSERT_EQ(whole.findings.size(), 1U);
  EXPECT_FALSE(findings::headersOf(whole.findings[0].reduced).isUnfinished());
  EXPECT_EQ(whole.waiting, 0U);
  EXPECT_TRUE(campaign::readRecord(file).finished);
  std::vector<std::string> stored;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "findings")) {
    if (entry.path().extension() == ".py") {
      stored.push_back(entry.path().stem());
    }
  }
  EXPECT_EQ(stored, std::vector<std::string>{whole.findings[0].id}) << "the unfinished one is replaced";
}

TEST(CampaignTest, AFindingIsToldBeforeItsSuppressionIsLookedFor) {
  const TemporaryFolder folder("told");
  const std::filesystem::path findings = folder.path() / "findings", events = folder.path() / "events";
  const auto isTold = [&] {
    std::stringstream text;
    text << std::ifstream(events).rdbuf();
    return text.str().find("\"finding\"") != std::string::npos;
  };
  const auto suppressions = [&] {
    const std::filesystem::directory_iterator all(findings);
    return std::count_if(begin(all), end(all), [](const auto& each) {
      return each.path().extension() == ".json" && each.path().stem().extension() == ".suppression";
    });
  };
  // As soon as it is told the campaign is killed: a suppression that was looked for before would be there.
  const BinaryRun run =
      runBinaryUntil(campaignOfOneCase(findings, {"--suppressions", "all", "--events", events}), {isTold, SIGKILL});
  EXPECT_EQ(run.status, -SIGKILL) << run.output << run.errors;
  EXPECT_EQ(suppressions(), 0);
}

TEST(CampaignTest, ADamagedSuppressionIsLeftOutAndSaidSo) {
  const TemporaryFolder folder("damaged");
  const std::filesystem::path findings = folder.path() / "findings";
  const std::vector<std::string> arguments = campaignOfOneCase(findings, {"--json"});
  const BinaryRun first = runBinary(arguments);
  const nlohmann::json object = nlohmann::json::parse(first.output, nullptr, /*allow_exceptions=*/false);
  ASSERT_FALSE(object.at("findings").empty()) << first.output << first.errors;
  const std::string id = object.at("findings")[0].at("id");
  const std::filesystem::path suppression = findings / (id + ".suppression.json");
  ASSERT_TRUE(std::filesystem::exists(suppression));
  std::ofstream(suppression) << "{\"known\": [";
  const BinaryRun second = runBinary(arguments);
  EXPECT_EQ(second.status, 0) << second.output << second.errors;
  EXPECT_NE(second.errors.find("The suppression of " + id + " is left out: "), std::string::npos) << second.errors;
  std::string left;
  std::getline(std::ifstream(suppression), left);
  EXPECT_EQ(left, "{\"known\": [") << "it stays as it is";
}

} // namespace touchstone::tests
