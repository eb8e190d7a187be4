#include "harness/commands/Commands.h"

#include "base/Words.h"
#include "harness/findings/FindingHeaders.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"
#include "harness/store/Database.h"
#include "harness/store/FindingDatabase.h"
#include "harness/store/FindingFiles.h"
#include "harness/store/StoreSchema.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::commands {

namespace {

/// `touchstone findings`: what a store holds, as a table, or one finding as a whole. Changes nothing.
struct FindingsOptions {
  std::vector<std::string> what; // a folder or a store; the id of a finding, or its beginning; either may be left out
  std::vector<std::string> statuses; // only these; empty: all
  bool campaigns = false; // list these instead
  bool json = false;
};

using nlohmann::json;

constexpr int kFindingsSchema = 1;
constexpr size_t kTableSightings = 10; // of one finding: the last ones
constexpr const char* kDefaultPlace = "findings";

/// What the path means, only to be read: a store, or the case files of a folder that has none.
store::FindingDatabase readPlace(const std::string& place) {
  const std::filesystem::path file = store::storeFile(place);
  if (std::filesystem::is_directory(place) && !std::filesystem::exists(file)) {
    store::FindingDatabase database = store::FindingDatabase::inMemory(file);
    store::adoptFiles(database, store::findingFilesIn(place));
    return database;
  }
  return store::FindingDatabase::reading(file);
}

/// `2026-11-24 23:36` of `2026-11-24T23:36:18.250Z`.
std::string minuteOf(std::string time) {
  std::replace(time.begin(), time.end(), 'T', ' ');
  return time.substr(0, 16);
}

std::string pathFromHere(const std::string& file) {
  if (file.empty()) {
    return "";
  }
  const std::filesystem::path near = std::filesystem::path(file).lexically_proximate(std::filesystem::current_path());
  return near.string().starts_with("../..") ? file : near.string();
}

/// ` --profile FILE` of the profile that lies beside its file; empty: there is none.
std::string profileFlagOf(const store::StoredFinding& finding) {
  try {
    const std::string name = findings::headersOf(parser::parsePrinted(finding.caseText)).profile;
    const std::filesystem::path file = std::filesystem::path(finding.file).parent_path() / name;
    return name.empty() || !std::filesystem::exists(file) ? "" : " --profile " + pathFromHere(file);
  } catch (const parser::ParseError&) {
    return "";
  }
}

std::string replayOf(const store::StoredFinding& finding) {
  return finding.file.empty() || !std::filesystem::exists(finding.file)
             ? ""
             : fmt::format("{} run {} --backends {}{}", report::programName(), pathFromHere(finding.file),
                           finding.symptom.backend, profileFlagOf(finding));
}

std::string_view classOf(const store::StoredFinding& finding) {
  return language::severityName(worker::severityOf(finding.symptom));
}

json storedFindingJson(const store::StoredFinding& finding) {
  return {{"id", finding.id},
          {"status", store::nameOf(finding.status)},
          {"status_since", finding.statusSince},
          {"hits", finding.hits},
          {"operations", finding.operations},
          {"backend", finding.symptom.backend},
          {"symptom", finding.symptom.text},
          {"class", classOf(finding)},
          {"origin", finding.symptom.origin},
          {"base", finding.symptom.baseOutcome},
          {"stage", finding.stage},
          {"oracle", finding.oracle},
          {"skeleton", finding.signature},
          {"message", finding.message},
          {"first_seen", finding.firstSeen},
          {"last_seen", finding.lastSeen},
          {"first_torch", finding.firstTorch},
          {"last_torch", finding.lastTorch},
          {"file", finding.file},
          {"command", replayOf(finding)}};
}

json storedCampaignJson(const store::StoredCampaign& campaign) {
  const json options = json::parse(campaign.options, nullptr, /*allow_exceptions=*/false);
  return {{"id", campaign.id},
          {"seed", campaign.seed},
          {"options", options.is_discarded() ? json::object() : options},
          {"torch", campaign.torch},
          {"catalogue", campaign.catalogue},
          {"cpu", campaign.cpu},
          {"begun", campaign.begun},
          {"ended", campaign.ended},
          {"state", store::nameOf(campaign.state)},
          {"cases", campaign.cases},
          {"calls_judged", campaign.callsJudged},
          {"seconds", campaign.seconds},
          {"state_file", campaign.stateFile},
          {"backends", campaign.counts}};
}

void printTable(const std::vector<store::StoredFinding>& findings) {
  size_t width = 2;
  for (const store::StoredFinding& each : findings) {
    width = std::max(width, each.id.size());
  }
  fmt::print("{:{}}  {:16}  {:6} {:>6} {:>9}  {:16}  {:16}  {}\n", "id", width, "class", "status", "hits", "operators",
             "first seen", "last seen", "stage; file");
  for (const store::StoredFinding& each : findings) {
    const std::string file = each.file.empty()                    ? "no file"
                             : std::filesystem::exists(each.file) ? pathFromHere(each.file)
                                                                  : "missing: " + pathFromHere(each.file);
    fmt::print("{:{}}  {:16}  {:6} {:>6} {:>9}  {:16}  {:16}  {}{}\n", each.id, width, classOf(each),
               store::nameOf(each.status), each.hits, each.operations, minuteOf(each.firstSeen),
               minuteOf(each.lastSeen), each.stage.empty() ? "" : each.stage.substr(0, each.stage.find(" (")) + "; ",
               file);
  }
}

base::ExitStatus listFindings(const store::FindingDatabase& database, const FindingsOptions& options) {
  std::set<store::FindingStatus> wanted;
  for (const std::string& name : options.statuses) {
    store::FindingStatus status{};
    store::readName(name, status);
    wanted.insert(status);
  }
  std::vector<store::StoredFinding> findings = database.findings();
  const size_t all = findings.size();
  std::stable_sort(findings.begin(), findings.end(), [](const auto& left, const auto& right) {
    return worker::severityOf(left.symptom) < worker::severityOf(right.symptom);
  });
  std::erase_if(findings, [&](const auto& each) { return !wanted.empty() && wanted.count(each.status) == 0; });
  if (options.json) {
    json list = json::array();
    for (const store::StoredFinding& each : findings) {
      list.push_back(storedFindingJson(each));
    }
    report::printJson({{"schema", kFindingsSchema}, {"store", database.file()}, {"findings", list}});
  } else if (findings.empty()) {
    fmt::print("{} in `{}`.\n",
               all == 0 ? "No findings" : fmt::format("None of the {} findings has such a status", all),
               database.file().string());
  } else {
    printTable(findings);
  }
  return base::ExitStatus::kNothingNew;
}

base::ExitStatus listCampaigns(const store::FindingDatabase& database, bool asJson) {
  json list = json::array();
  for (const store::StoredCampaign& each : database.campaigns()) {
    if (asJson) {
      list.push_back(storedCampaignJson(each));
      continue;
    }
    std::string outcomes;
    for (const auto& [backend, counts] : each.counts) {
      outcomes += fmt::format("\n  {}:", backend);
      for (const auto& [outcome, cases] : counts) {
        outcomes += fmt::format(" {} {}", outcome, cases);
      }
    }
    fmt::print("{}  seed {}  {}  begun {}  torch {}  {} Cases, {} calls judged in {:.0f} s{}\n", each.id, each.seed,
               store::nameOf(each.state), minuteOf(each.begun), each.torch, each.cases, each.callsJudged, each.seconds,
               outcomes);
  }
  if (asJson) {
    report::printJson({{"schema", kFindingsSchema}, {"store", database.file()}, {"campaigns", list}});
  }
  return base::ExitStatus::kNothingNew;
}

/// The one whose id begins so.
store::StoredFinding findingNamed(const store::FindingDatabase& database, const std::string& name) {
  std::vector<store::StoredFinding> found = database.findings();
  std::erase_if(found, [&](const store::StoredFinding& each) { return !each.id.starts_with(name); });
  const auto exact = std::find_if(found.begin(), found.end(), [&](const auto& each) { return each.id == name; });
  if (exact != found.end()) {
    return *exact;
  }
  if (found.size() != 1) {
    throw base::WrongUse(
        fmt::format("`{}` is neither a folder nor a store, and {} of the findings in `{}` {} an id that begins so. "
                    "`touchstone findings` "
                    "lists them.",
                    name, found.empty() ? std::string("none") : std::to_string(found.size()), database.file().string(),
                    found.size() > 1 ? "have" : "has"));
  }
  return found[0];
}

/// The functions and calls of a stored Case, without the fixed parts that make a file of it; a text that is no Case as it is.
std::string withoutFixedParts(const std::string& caseText) {
  try {
    return language::printDefinitions(parser::parsePrinted(caseText), language::CaseForm::kShort);
  } catch (const std::exception&) { // of another version
    return caseText;
  }
}

base::ExitStatus showFinding(const store::FindingDatabase& database, const std::string& name, bool asJson) {
  const store::StoredFinding finding = findingNamed(database, name);
  const std::vector<store::StoredSighting> sightings = database.sightings(finding.id);
  const std::vector<store::StoredRetest> retests = database.retests(finding.id);
  if (asJson) {
    json object = storedFindingJson(finding);
    object["schema"] = kFindingsSchema;
    object["store"] = database.file();
    object["case"] = finding.caseText;
    object["sightings"] = object["retests"] = json::array();
    for (const store::StoredSighting& each : sightings) {
      object["sightings"].push_back({{"campaign", each.campaign},
                                     {"case", each.caseIndex},
                                     {"backend", each.backend},
                                     {"found_by", each.foundBy},
                                     {"seen", each.seen},
                                     {"how", store::nameOf(each.how)}});
    }
    for (const store::StoredRetest& each : retests) {
      object["retests"].push_back({{"tested", each.tested},
                                   {"torch", each.torch},
                                   {"outcome", each.outcome},
                                   {"before", store::nameOf(each.before)},
                                   {"after", store::nameOf(each.after)}});
    }
    report::printJson(object);
    return base::ExitStatus::kNothingNew;
  }
  const auto suppressed = std::count_if(sightings.begin(), sightings.end(),
                                        [](const auto& each) { return each.how == store::SightingKind::kSuppressed; });
  fmt::print("{}: {}, {} since {}, {}, {} suppressed\n", finding.id, classOf(finding), store::nameOf(finding.status),
             minuteOf(finding.statusSince), base::counted(finding.hits, "hit"), base::counted(suppressed, "Case"));
  fmt::print("  {} {} (origin {}, base {})\n  {}\n", finding.symptom.backend, finding.oracle, finding.symptom.origin,
             finding.symptom.baseOutcome, finding.message);
  if (!finding.stage.empty()) {
    fmt::print("  stage: {}\n", finding.stage);
  }
  fmt::print("  first seen {} with torch {}, last {} with torch {}\n", minuteOf(finding.firstSeen), finding.firstTorch,
             minuteOf(finding.lastSeen), finding.lastTorch);
  size_t left = sightings.size() - static_cast<size_t>(suppressed);
  for (const store::StoredSighting& each : sightings) {
    if (each.how != store::SightingKind::kSuppressed && left-- <= kTableSightings) {
      fmt::print("  {:10} {}  {}\n", store::nameOf(each.how), minuteOf(each.seen), each.foundBy);
    }
  }
  for (const store::StoredRetest& each : retests) {
    fmt::print("  retest     {}  torch {}: {}; {} -> {}\n", minuteOf(each.tested), each.torch, each.outcome,
               store::nameOf(each.before), store::nameOf(each.after));
  }
  if (const std::string command = replayOf(finding); !command.empty()) {
    fmt::print("  {}\n\n{}", command, withoutFixedParts(finding.caseText));
  } else {
    fmt::print("  Its file is missing; write the Case below into one and run it: {} run FILE --backends {}\n\n{}",
               report::programName(), finding.symptom.backend, finding.caseText);
  }
  return base::ExitStatus::kNothingNew;
}

base::ExitStatus showFindings(const FindingsOptions& options) {
  std::string place = kDefaultPlace, id;
  bool hasPlace = false;
  for (const std::string& each : options.what) {
    const bool isPlace = !hasPlace && std::filesystem::exists(each);
    hasPlace = hasPlace || isPlace;
    (isPlace ? place : id) = each;
  }
  const std::string given = hasPlace || id.empty() ? place : id;
  if (!hasPlace && !std::filesystem::exists(place)) {
    throw base::WrongUse(
        fmt::format("There is no folder or store `{}`. Name the one that `touchstone fuzz` wrote to.", given));
  }
  const store::FindingDatabase database = readPlace(place);
  if (!std::filesystem::exists(database.file()) && database.findings().empty()) {
    throw base::WrongUse(given == place
                             ? fmt::format("`{}` has neither a store nor findings: name the folder that `touchstone "
                                           "fuzz` wrote to.",
                                           place)
                             : fmt::format("There is no folder or store `{}`, and no finding is in `{}`. Name the "
                                           "folder that `touchstone fuzz` wrote to.",
                                           given, place));
  }
  if (options.campaigns) {
    return listCampaigns(database, options.json);
  }
  return id.empty() ? listFindings(database, options) : showFinding(database, id, options.json);
}

} // namespace

options::Command findingsCommand() {
  const auto asked = std::make_shared<FindingsOptions>();
  return {
      .options = {{"what", &asked->what,
                   "A folder of findings or a store, by default `findings`; and the id of a finding, or how it begins, "
                   "to see it whole",
                   options::atMost(2)},
                  {"--status", &asked->statuses,
                   "Only findings with one of these, separated by commas: new, open, known, flaky, fixed",
                   options::split()},
                  {"--campaigns", &asked->campaigns, "List the campaigns instead, with what they counted"},
                  options::jsonFlag(asked->json)},
      .footer =
          "A finding is `new` until a later campaign sees it again (`open`), `known` when it is on the list of known bugs, `fixed`\n"
          "when a retest does not see it any more, `flaky` when retests do not agree. docs/store.md tells more.\n"
          "\nExamples:\n"
          "  touchstone findings                                    the table\n"
          "  touchstone findings night/store.sqlite --status new,open\n"
          "  touchstone findings night torch-aot_eager-strides-1f   one with its Case, and how to run it again\n"
          "  touchstone findings night --campaigns",
      .run = [asked](const options::Given&) { return showFindings(*asked); },
  };
}

} // namespace touchstone::commands
