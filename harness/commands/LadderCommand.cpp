#include "harness/commands/LadderCommand.h"

#include "backends/Registry.h"
#include "harness/commands/Commands.h"
#include "harness/findings/FindingHeaders.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace touchstone::commands {

namespace {

/// `touchstone ladder`: from which pipeline on a Case differs up to the strongest, or up to the profile's backend.
struct LadderOptions {
  std::string path;
  std::string family; // `native`, `torch`; empty: both, where the torch family can run here
  pool::LimitOptions limits;
  worker::Profile profile = {};
  bool json = false;
};

using nlohmann::json;

/// What came of one family.
struct FamilyClimb {
  const char* name;
  ir::Family family;
  std::optional<triage::Ladder> ladder;
  std::string reason; // why it is not there
};

/// The family's, or, where the profile or else a finding's file is about a backend of it that is no rung, those up to this
/// one. A finding's backend that needs a profile is nothing without it.
std::vector<report::Rung> rungsOf(ir::Family family, const worker::Profile& profile, const language::Case& theCase) {
  const std::vector<report::Rung>& rungs = triage::ladderOf(family);
  const std::string about = profile.backend.empty() ? findings::headersOf(theCase).symptom.backend : profile.backend;
  const bool isRung = about.empty() || std::any_of(rungs.begin(), rungs.end(),
                                                   [&](const report::Rung& rung) { return rung.backend == about; });
  try {
    return isRung || backends::backendInfo(about).family != family ? rungs : triage::ladderTo(about);
  } catch (const std::invalid_argument&) {
    if (!profile.backend.empty()) {
      throw;
    }
    return rungs;
  }
}

void climbFamily(FamilyClimb& climbed, const pool::GivenCase& given, const LadderOptions& options) {
  const std::vector<report::Rung> rungs = rungsOf(climbed.family, options.profile, given.theCase);
  std::vector<std::string> names;
  std::transform(rungs.begin(), rungs.end(), std::back_inserter(names),
                 [](const report::Rung& rung) { return rung.backend; });
  try {
    pool::PoolOptions pooled{1, names, pool::limitsOf(options.profile, options.limits), "", options.profile};
    pooled.prepareFor(given.theCase);
    pool::WorkerPool pool(pooled);
    const pool::RunJob run = pool::runnerOf(pool, climbed.family);
    climbed.ladder = triage::climb(given.text, rungs, run, triage::Top::kStrongestJudged);
    triage::judgeReplays(*climbed.ladder, given.text, run);
  } catch (const pool::WorkerUnavailable& error) {
    if (!options.family.empty()) {
      throw;
    }
    climbed.reason = error.what();
  }
}

} // namespace

base::ExitStatus statusOf(const triage::Ladder& ladder) {
  return ladder.anyDiffers()      ? base::ExitStatus::kFindings
         : ladder.top.has_value() ? base::ExitStatus::kNothingNew
                                  : base::ExitStatus::kTooLittleJudged;
}

json ladderJson(const triage::Ladder& ladder) {
  json rungs = json::array();
  for (size_t i = 0; i < ladder.rungs.size(); ++i) {
    const worker::BackendResult& result = ladder.results[i];
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
  return {{"rungs", std::move(rungs)},
          {"top", nameOf(ladder.top)},
          {"first", nameOf(ladder.first)},
          {"statically", ladder.statically ? json(ladder.statically->text) : json()}};
}

static base::ExitStatus climbLadder(const LadderOptions& options) {
  const pool::GivenCase given = pool::readGivenCase(options.path);
  std::vector<FamilyClimb> climbs;
  if (options.family != "torch") {
    climbs.push_back({"native", ir::Family::kNative, {}, ""});
  }
  if (options.family != "native") {
    climbs.push_back({"torch", ir::Family::kTorch, {}, ""});
  }
  json families = json::array();
  std::string text;
  std::vector<base::ExitStatus> statuses;
  for (FamilyClimb& climbed : climbs) {
    climbFamily(climbed, given, options);
    json entry = climbed.ladder ? ladderJson(*climbed.ladder)
                                : json{{"rungs", json::array()}, {"top", nullptr}, {"first", nullptr}};
    const bool hasStages = climbed.ladder && climbed.ladder->stages;
    entry.update({{"family", climbed.name},
                  {"reason", climbed.reason},
                  {"stages", hasStages ? triage::replayJson(*climbed.ladder->stages) : json()}});
    families.push_back(std::move(entry));
    text += fmt::format("{}{}\n", climbed.name, climbed.ladder ? "" : ": not here: " + climbed.reason);
    if (climbed.ladder) {
      text += triage::ladderText(*climbed.ladder);
      statuses.push_back(statusOf(*climbed.ladder));
    }
  }
  fmt::print("{}", options.json ? report::dumpJson({{"schema", 1},
                                                    {"torch", report::torchVersion()},
                                                    {"file", options.path},
                                                    {"families", std::move(families)}},
                                                   1) +
                                      "\n"
                                : text);
  for (const base::ExitStatus status : {base::ExitStatus::kFindings, base::ExitStatus::kTooLittleJudged}) {
    if (std::find(statuses.begin(), statuses.end(), status) != statuses.end()) {
      return status;
    }
  }
  return base::ExitStatus::kNothingNew;
}

options::Command ladderCommand() {
  const auto asked = std::make_shared<LadderOptions>();
  const auto profile = std::make_shared<pool::ProfileFlags>();
  return {
      .options = {options::caseFile(asked->path),
                  {"--family", &asked->family, "Only the pipelines of this family",
                   options::oneOf({"native", "torch"})},
                  pool::limitOptions(asked->limits),
                  pool::profileOptions(*profile, pool::ProfileScope::kJudging),
                  options::jsonFlag(asked->json)},
      .footer =
          "Each rung is judged in full against eager, and the line says what it adds to the one before it: the stage that\n"
          "is to blame when it is the first to differ. The first is the lowest rung from which on all show the symptom of\n"
          "the strongest one that could be judged; a weaker rung that differs otherwise, or below one that agrees, is\n"
          "marked as differing for a reason of its own. With a profile whose backend is no rung, the ladder of its family\n"
          "ends with that backend. A finding is judged with the profile beside it, where that names no code and --profile\n"
          "no other.\n"
          "Below a rung of the installed PyTorch that is the first to differ, its graphs are run by themselves on what its\n"
          "compiled code was given: joint graph, partition, and what was compiled of forward and backward. The first that\n"
          "does not hold is named, and so is what could not be judged.\n"
          "Exit status: 0 when no rung differs; 1 when some rung differs; 2 for wrong use or an unreadable file; 3 when\n"
          "this machine lacks what was asked for; 4 when no rung could be judged; 5 when Touchstone itself failed.\n"
          "\nExample:\n"
          "  touchstone ladder case.py --family native",
      .run =
          [asked, profile](const options::Given&) {
            asked->profile = profile->orStoredBeside({asked->path}, {}).read();
            return climbLadder(*asked);
          },
  };
}

} // namespace touchstone::commands
