#include "harness/commands/LadderCommand.h"

#include "backends/Registry.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace touchstone::harness {

namespace {

using nlohmann::json;

/// What came of one family.
struct FamilyClimb {
  const char* name;
  graph::Family family;
  std::optional<Ladder> ladder;
  std::string reason; // why it is not there
};

/// The family's, or, where the profile or else a finding's file is about a backend of it that is no rung, those up to this
/// one. A finding's backend that needs a profile is nothing without it.
std::vector<Rung> rungsOf(graph::Family family, const Profile& profile, const graph::Case& theCase) {
  const std::vector<Rung>& rungs = ladderOf(family);
  const std::string about = profile.backend.empty() ? theCase.header("backend").value_or("") : profile.backend;
  const bool isRung =
      about.empty() || std::any_of(rungs.begin(), rungs.end(), [&](const Rung& rung) { return rung.backend == about; });
  try {
    return isRung || backends::backendInfo(about).family != family ? rungs : ladderTo(about);
  } catch (const std::invalid_argument&) {
    if (!profile.backend.empty()) {
      throw;
    }
    return rungs;
  }
}

void climbFamily(FamilyClimb& climbed, const GivenCase& given, const LadderOptions& options) {
  const std::vector<Rung> rungs = rungsOf(climbed.family, options.profile, given.theCase);
  std::vector<std::string> names;
  std::transform(rungs.begin(), rungs.end(), std::back_inserter(names), [](const Rung& rung) { return rung.backend; });
  try {
    PoolOptions pooled{1, names, limitsOf(options.profile, options.limits), "", options.profile};
    pooled.prepareFor(given.theCase);
    WorkerPool pool(pooled);
    const RunJob run = runnerOf(pool, climbed.family);
    climbed.ladder = climb(given.text, rungs, run, Top::kStrongestJudged);
    judgeStages(*climbed.ladder, given.text, run);
  } catch (const WorkerUnavailable& error) {
    if (!options.family.empty()) {
      throw;
    }
    climbed.reason = error.what();
  }
}

} // namespace

ExitStatus statusOf(const Ladder& ladder) {
  return ladder.anyDiffers()      ? ExitStatus::kFindings
         : ladder.top.has_value() ? ExitStatus::kNothingNew
                                  : ExitStatus::kTooLittleJudged;
}

json ladderJson(const Ladder& ladder) {
  json rungs = json::array();
  for (size_t i = 0; i < ladder.rungs.size(); ++i) {
    const BackendResult& result = ladder.results[i];
    rungs.push_back({{"backend", ladder.rungs[i].backend},
                     {"adds", ladder.rungs[i].adds},
                     {"outcome", result.text},
                     {"differs", ladder.differs(i)},
                     {"own_reason", ladder.differsForItsOwnReason(i)},
                     {"call", result.call},
                     {"message", result.message},
                     {"warnings", result.warnings}});
  }
  const auto nameOf = [&](const std::optional<size_t>& rung) {
    return rung.has_value() ? json(ladder.rungs[*rung].backend) : json();
  };
  return {{"rungs", std::move(rungs)}, {"top", nameOf(ladder.top)}, {"first", nameOf(ladder.first)}};
}

ExitStatus climbLadder(const LadderOptions& options) {
  const GivenCase given = readGivenCase(options.path);
  std::vector<FamilyClimb> climbs;
  if (options.family != "torch") {
    climbs.push_back({"native", graph::Family::kNative, {}, ""});
  }
  if (options.family != "native") {
    climbs.push_back({"torch", graph::Family::kTorch, {}, ""});
  }
  json families = json::array();
  std::string text;
  std::vector<ExitStatus> statuses;
  for (FamilyClimb& climbed : climbs) {
    climbFamily(climbed, given, options);
    json entry = climbed.ladder ? ladderJson(*climbed.ladder)
                                : json{{"rungs", json::array()}, {"top", nullptr}, {"first", nullptr}};
    const bool hasStages = climbed.ladder && climbed.ladder->stages;
    entry.update({{"family", climbed.name},
                  {"reason", climbed.reason},
                  {"stages", hasStages ? stagesJson(*climbed.ladder->stages) : json()}});
    families.push_back(std::move(entry));
    text += fmt::format("{}{}\n", climbed.name, climbed.ladder ? "" : ": not here: " + climbed.reason);
    if (climbed.ladder) {
      text += ladderText(*climbed.ladder);
      statuses.push_back(statusOf(*climbed.ladder));
    }
  }
  fmt::print(
      "{}",
      options.json
          ? dumpJson(
                {{"schema", 1}, {"torch", torchVersion()}, {"file", options.path}, {"families", std::move(families)}},
                1) +
                "\n"
          : text);
  for (const ExitStatus status : {ExitStatus::kFindings, ExitStatus::kTooLittleJudged}) {
    if (std::find(statuses.begin(), statuses.end(), status) != statuses.end()) {
      return status;
    }
  }
  return ExitStatus::kNothingNew;
}

} // namespace touchstone::harness
