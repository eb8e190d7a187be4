#include "harness/FuzzCommand.h"

#include "harness/AtomicFile.h"
#include "harness/Campaign.h"
#include "harness/ProfileFlags.h"
#include "harness/Skeleton.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>

namespace touchstone::harness {

namespace {

constexpr size_t kShownUnconfirmed = 20;

ExitStatus statusOf(const FuzzOptions& options, const CampaignResult& result) {
  const Tally& tally = result.report.tally;
  if (result.interrupted) {
    return ExitStatus::kInterrupted;
  }
  if (!result.report.findings.empty()) {
    return ExitStatus::kFindings;
  }
  if (tally.unreadable > 0) {
    return ExitStatus::kFailed;
  }
  if (tally.callsJudged() == 0 || tally.unjudgedShare() > options.maximumUnjudged) {
    fmt::print(stderr, "Too little was judged: {:.0f} % of the Cases were not (at most {:.0f} % may be).\n",
               100 * tally.unjudgedShare(), 100 * options.maximumUnjudged);
    return ExitStatus::kTooLittleJudged;
  }
  if (options.requireValid) {
    const std::vector<ValidityFigure> figures = validityFigures(tally);
    if (!std::all_of(figures.begin(), figures.end(), [](const ValidityFigure& each) { return each.holds; })) {
      fmt::print(stderr, "The campaign is not valid: see the figures marked LOW or HIGH.\n");
      return ExitStatus::kTooLittleJudged;
    }
  }
  return ExitStatus::kNothingNew;
}

/// The profile in force, flags included, beside the findings: what is found is found again with it.
std::string storeProfile(const Profile& profile, const std::string& folder) {
  if (profile.text.empty()) {
    return "";
  }
  const auto file = std::filesystem::path(folder) / ("profile-" + shortHash(profile.text) + ".json");
  writeFile(file, nlohmann::json::parse(profile.text).dump(2) + "\n");
  return file;
}

void refuseSequences(const FuzzOptions& options) {
  const std::vector<std::string> generating = options.profile.generating();
  if (options.sequences && !generating.empty()) {
    throw WrongUse(
        fmt::format("`{}` of the profile is not available here: call sequences (--sequences) are made of "
                    "fixed pieces.",
                    fmt::join(generating, "`, `")));
  }
}

} // namespace

ExitStatus fuzz(const FuzzOptions& given) {
  FuzzOptions options = given;
  refuseSequences(options);
  if (options.backends.empty()) {
    throw WrongUse("Name at least one backend with --backends; `touchstone backends` lists them.");
  }
  byFamily(options.backends); // unknown names are told before anything starts
  std::error_code refused;
  std::filesystem::create_directories(options.findings, refused);
  if (refused || access(options.findings.c_str(), W_OK) != 0) {
    throw WrongUse(fmt::format(
        "Findings cannot be stored in `{}`: name a folder that can be written to with --findings.", options.findings));
  }
  const uint64_t seed = options.seed.has_value() ? *options.seed : std::random_device()();
  EventLog events(options.events);
  FindingStore store(options.findings);
  options.profileFile = storeProfile(options.profile, options.findings);
  WorkerPool pool({options.workers, options.backends, limitsOf(options.profile, options.limits), "", options.profile});
  if (!options.json) {
    fmt::print(stderr, "seed {}, backends {}, findings in `{}`\n", seed, fmt::join(options.backends, ", "),
               options.findings);
  }
  Campaign campaign(options, seed, pool, store, events);
  CampaignResult result = campaign.run();
  result.report.tally.expect(options.profile);
  if (options.json) {
    fmt::print("{}\n", dumpJson(reportJson(result.report), 1));
  } else {
    fmt::print("{}", summaryText(result.report, /*withValidity=*/true));
  }
  for (size_t i = 0; i < std::min(result.unconfirmed.size(), kShownUnconfirmed); ++i) {
    fmt::print(stderr, "did not recur: {}\n", result.unconfirmed[i]);
  }
  return statusOf(options, result);
}

} // namespace touchstone::harness
