#include "harness/probing/ProbeResults.h"

#include "harness/worker/Profile.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <regex>

namespace touchstone::tests {

namespace {

probing::ProbeResult probed(const std::string& name, const std::string& dtype, bool backward,
                            probing::ProbeStatus status, const std::string& text = "") {
  probing::ProbeResult result{.operatorName = name, .dtype = dtype, .backward = backward, .status = status};
  if (status == probing::ProbeStatus::kRejected) {
    result.exceptionClass = "TypeError";
    result.text = text;
  }
  result.message = text;
  return result;
}

/// Three operators under three dtypes: float64 is refused, `cumsum` crashes with float32, `sin` is wrong with int64.
std::vector<probing::ProbeResult> someResults() {
  std::vector<probing::ProbeResult> results;
  for (const char* name : {"sin", "mm", "cumsum"}) {
    for (const bool backward : {false, true}) {
      results.push_back(probed(name, "float32", backward, probing::ProbeStatus::kSupported));
      results.push_back(probed(name, "float64", backward, probing::ProbeStatus::kRejected, "no float64 (here)"));
    }
    results.push_back(probed(name, "int64", false, probing::ProbeStatus::kSupported));
  }
  for (probing::ProbeResult& each : results) {
    if (each.operatorName == "cumsum" && each.dtype == "float32" && each.backward) {
      each.status = probing::ProbeStatus::kCrashed;
      each.message = "The process died of SIGABRT.";
    }
    if (each.operatorName == "sin" && each.dtype == "int64") {
      each.status = probing::ProbeStatus::kWrong;
    }
  }
  return results;
}

std::vector<std::string> namesIn(const nlohmann::json& profile, const char* key) {
  std::vector<std::string> names;
  for (const nlohmann::json& each : profile.value(key, nlohmann::json::array())) {
    EXPECT_FALSE(each.at("why").get<std::string>().empty());
    names.push_back(each.at("name"));
  }
  return names;
}

} // namespace

TEST(ProbeResultsTest, TheProposalExcludesWhatIsRefusedEverywhereAndWhatCrashesAnywhere) {
  const nlohmann::json proposed =
      probing::proposedProfile(someResults(), {{"backend", "torch:mine"}}, /*excludeWrong=*/false);
  EXPECT_EQ(proposed.at("backend"), "torch:mine");
  EXPECT_EQ(namesIn(proposed, "excluded_dtypes"), std::vector<std::string>{"float64"});
  EXPECT_EQ(namesIn(proposed, "excluded_operators"), std::vector<std::string>{"cumsum"});
  EXPECT_FALSE(proposed.contains("features"));
  ASSERT_EQ(proposed.at("unsupported").size(), 1U);
  const std::regex pattern(proposed.at("unsupported")[0].at("pattern").get<std::string>());
  EXPECT_TRUE(std::regex_search("TypeError: eager returns; compiled TypeError: no float64 (here)", pattern));
  EXPECT_FALSE(std::regex_search("TypeError: no float64 there", pattern));
  EXPECT_NO_THROW(worker::readProfile(proposed, "proposed"));
}

TEST(ProbeResultsTest, WrongResultsAreExcludedOnlyWhenAskedFor) {
  const auto names = [](bool exclude) {
    return namesIn(probing::proposedProfile(someResults(), nlohmann::json::object(), exclude), "excluded_operators");
  };
  EXPECT_EQ(names(false), std::vector<std::string>{"cumsum"});
  EXPECT_EQ(names(true), (std::vector<std::string>{"sin", "cumsum"}));
}

TEST(ProbeResultsTest, ABackendForInferenceLosesTheBackwardAndNoOperator) {
  std::vector<probing::ProbeResult> results = someResults();
  for (probing::ProbeResult& each : results) {
    if (each.backward) {
      each = probed(each.operatorName, each.dtype, true, probing::ProbeStatus::kRejected, "inference only");
    }
  }
  const nlohmann::json proposed = probing::proposedProfile(results, nlohmann::json::object(), false);
  EXPECT_EQ(proposed.at("features"), (nlohmann::json{{"backward", false}}));
  EXPECT_TRUE(namesIn(proposed, "excluded_operators").empty());
}

TEST(ProbeResultsTest, OneBackendThatTakesNothingHasNoDtypeToBlame) {
  std::vector<probing::ProbeResult> results = someResults();
  for (probing::ProbeResult& each : results) {
    each = probed(each.operatorName, each.dtype, each.backward, probing::ProbeStatus::kRejected, "not today");
  }
  EXPECT_TRUE(namesIn(probing::proposedProfile(results, nlohmann::json::object(), false), "excluded_dtypes").empty());
}

TEST(ProbeResultsTest, AnInternalErrorExcludesNothing) {
  std::vector<probing::ProbeResult> results = someResults();
  for (probing::ProbeResult& each : results) {
    if (each.operatorName == "mm") {
      each = probed("mm", each.dtype, each.backward, probing::ProbeStatus::kRejected, "what must hold does not");
      each.internalError = true;
    }
  }
  const nlohmann::json proposed = probing::proposedProfile(results, nlohmann::json::object(), false);
  EXPECT_EQ(namesIn(proposed, "excluded_operators"), std::vector<std::string>{"cumsum"});
  for (const nlohmann::json& each : proposed.at("unsupported")) {
    EXPECT_EQ(each.at("pattern").get<std::string>().find("must hold"), std::string::npos) << each;
  }
}

TEST(ProbeResultsTest, ARefusalWithoutATextExcusesNoneThatHasOne) {
  std::vector<probing::ProbeResult> results = someResults();
  for (probing::ProbeResult& each : results) {
    each.text = "";
  }
  nlohmann::json proposed = probing::proposedProfile(results, nlohmann::json::object(), false);
  ASSERT_EQ(proposed.at("unsupported").size(), 1U);
  const worker::Profile profile = worker::readProfile(proposed, "proposed");
  EXPECT_NE(profile.unsupportedBy("TypeError: "), nullptr);
  EXPECT_EQ(profile.unsupportedBy("TypeError: another thing"), nullptr);
  for (probing::ProbeResult& each : results) {
    each.exceptionClass = "";
  }
  proposed = probing::proposedProfile(results, nlohmann::json::object(), false);
  EXPECT_FALSE(proposed.contains("unsupported")) << "a pattern that holds for everything: " << proposed;
}

TEST(ProbeResultsTest, TheTableShowsWhatIsNotSupported) {
  const std::string table = probing::probeTable(someResults(), /*all=*/false);
  EXPECT_NE(table.find("cumsum    +C         RR         +."), std::string::npos) << table;
  EXPECT_NE(table.find("R rejected"), std::string::npos);
  EXPECT_EQ(table.find("timed_out"), std::string::npos); // the legend explains what is there
  std::vector<probing::ProbeResult> fine = {probed("sin", "float32", false, probing::ProbeStatus::kSupported)};
  EXPECT_EQ(probing::probeTable(fine, false).find("sin"), std::string::npos);
  EXPECT_NE(probing::probeTable(fine, true).find("sin"), std::string::npos);
}

TEST(ProbeResultsTest, TheExceptionIsReadOutOfTheJudgement) {
  worker::JobResult result;
  worker::BackendResult& judged = result.backends.emplace_back();
  judged.outcome = language::Outcome::kBackendRejected;
  judged.shows = {"BackendRejected/TypeError"};
  judged.message = "eager returns; compiled raises TypeError: no float64\nmore";
  const probing::ProbeResult probe = probing::probeResultOf({"sin", "float64", true}, result);
  EXPECT_EQ(probe.status, probing::ProbeStatus::kRejected);
  EXPECT_EQ(probe.exceptionClass, "TypeError");
  EXPECT_EQ(probe.text, "no float64");
  EXPECT_EQ(probe.pass(), "backward");
  EXPECT_FALSE(probe.isFinding());
  judged.outcome = language::Outcome::kInternalError;
  EXPECT_TRUE(probing::probeResultOf({"sin", "float64", true}, result).isFinding());
}

} // namespace touchstone::tests
