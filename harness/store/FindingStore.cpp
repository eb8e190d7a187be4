#include "harness/store/FindingStore.h"

#include "base/AtomicFile.h"
#include "base/Machine.h"
#include "base/Words.h"
#include "generators/catalogue/Operators.h"
#include "harness/report/Expectations.h"
#include "harness/report/Report.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace touchstone::store {

namespace {

std::string lowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool isFileOfCluster(const std::filesystem::path& file, const std::string& id) {
  return std::filesystem::exists(file) && base::readFile(file).find("\n# cluster: " + id + "\n") != std::string::npos;
}

/// As writeCaseFile() names it: `ID.py`, `ID-2.py`, …; empty: the folder has none.
std::filesystem::path fileOfClusterIn(const std::filesystem::path& folder, const std::string& id) {
  std::filesystem::path file = folder / (id + ".py");
  for (int number = 2; std::filesystem::exists(file); ++number) {
    if (isFileOfCluster(file, id)) {
      return file;
    }
    file = folder / fmt::format("{}-{}.py", id, number);
  }
  return {};
}

} // namespace

std::string clusterId(const worker::Symptom& symptom, const analysis::ProgramSignature& signature) {
  std::istringstream parts(symptom.text);
  std::string what, property;
  std::getline(parts, what, '/');
  if (what == "Differs" && std::getline(parts, property, '/')) {
    what = property;
  }
  return fmt::format("{}-{}-{}", findings::asFileName(symptom.backend), lowerCase(findings::asFileName(what)),
                     analysis::shortHash(symptom.line() + "|" + symptom.origin + "|" + signature.text()));
}

FindingStore::FindingStore(std::filesystem::path folder, std::unique_ptr<FindingDatabase> database)
    : folder_(std::move(folder)), database_(std::move(database)), files_(findingFilesIn(folder_)) {
  for (const FindingFile& file : files_) {
    const findings::FindingHeaders headers = findings::headersOf(file.theCase);
    clusters_.push_back({headers.cluster, headers.symptom, analysis::signatureOf(file.theCase), headers.foundBy});
  }
  const auto sameId = [](const auto& left, const auto& right) { return left.id == right.id; };
  std::stable_sort(clusters_.begin(), clusters_.end(),
                   [](const auto& left, const auto& right) { return left.id < right.id; });
  clusters_.erase(std::unique(clusters_.begin(), clusters_.end(), sameId), clusters_.end());
}

void FindingStore::beginCampaign(const StoredCampaign& campaign) {
  campaign_ = campaign;
  if (database_ == nullptr) {
    files_.clear();
    return;
  }
  const auto isCluster = [&](const FindingFile& file) {
    return std::any_of(clusters_.begin(), clusters_.end(),
                       [&](const KnownCluster& each) { return each.id == file.theCase.header("cluster"); });
  };
  std::erase_if(files_, [&](const FindingFile& file) { return !isCluster(file); }); // found again by this campaign
  adoptFiles(*database_, files_);
  files_.clear();
  campaign_.begun = timeNow(); // behind what was read in
  database_->beginCampaign(campaign_);
  const std::set<std::string> known = database_->knownToCampaign(campaign_.id);
  std::erase_if(clusters_, [&](const KnownCluster& each) {
    return known.count(each.id) == 0 && std::find(newest_.begin(), newest_.end(), each.id) == newest_.end();
  });
}

void FindingStore::markKnown(const std::function<bool(const StoredFinding&)>& isKnown) {
  if (database_ != nullptr) {
    database_->markKnown(isKnown);
  }
}

void FindingStore::note(const std::string& id, const std::string& backend, SightingKind how) {
  if (database_ != nullptr) {
    noted_.push_back({id, campaign_.id, caseIndexOf(foundBy_), backend, foundBy_, timeNow(), how});
  }
}

void FindingStore::countInto(const report::Tally& tally, double seconds) {
  campaign_.cases = tally.cases;
  campaign_.callsJudged = tally.callsJudged();
  campaign_.seconds = seconds;
  campaign_.counts.clear();
  for (const auto& [backend, counted] : tally.backends) {
    campaign_.counts[backend] = counted.outcomesByName();
  }
}

void FindingStore::writeCounts(const report::Tally& tally, double seconds) {
  if (database_ != nullptr) {
    countInto(tally, seconds);
    database_->writeCounts(campaign_, noted_);
    noted_.clear();
  }
}

void FindingStore::endCampaign(const report::Tally& tally, double seconds, CampaignState state) {
  campaign_.state = state;
  campaign_.ended = timeNow();
  writeCounts(tally, seconds);
}

void FindingStore::resume(const std::vector<std::string>& newest,
                          const std::function<bool(const std::string& foundBy)>& isFoundAgain) {
  newest_ = newest;
  const auto place = [&](const KnownCluster& cluster) { // 0: of an earlier campaign
    const auto found = std::find(newest.begin(), newest.end(), cluster.id);
    return found == newest.end() ? 0 : 1 + (found - newest.begin());
  };
  std::erase_if(clusters_, [&](const KnownCluster& each) { return place(each) == 0 && isFoundAgain(each.foundBy); });
  std::stable_sort(clusters_.begin(), clusters_.end(),
                   [&](const auto& left, const auto& right) { return place(left) < place(right); });
}

void FindingStore::write(report::Finding& finding) {
  language::Case theCase = finding.reduced;
  findings::FindingHeaders headers = findings::headersOf(theCase);
  headers.torch = report::torchVersion();
  headers.cpu = base::processorName();
  headers.generator = fmt::format("touchstone catalogue {}", catalogue::kCatalogueVersion);
  headers.foundBy = finding.foundBy;
  headers.cluster = finding.id;
  headers.symptom = finding.symptom;
  headers.profile = finding.profile;
  headers.stage = report::stageText(finding.stage);
  headers.setMessage(finding.result.message);
  findings::label(theCase, headers, {report::expectationOf(finding.result)});
  const std::string text = standalone::printCase(theCase);
  const std::filesystem::path before = addToDatabase(finding, theCase, text);
  finding.file = before.empty() ? writeCaseFile(folder_, finding.id + ".py", text) : before;
  if (database_ != nullptr) {
    const std::optional<StoredFinding> stored = database_->finding(finding.id);
    if (stored.has_value() && !std::filesystem::exists(stored->file)) { // another process took the name
      database_->setFile(finding.id, finding.file);
    }
  }
  clusters_.push_back({finding.id, finding.symptom, analysis::signatureOf(theCase), finding.foundBy});
}

std::filesystem::path FindingStore::addToDatabase(report::Finding& finding, const language::Case& theCase,
                                                  const std::string& text) {
  if (database_ == nullptr) {
    return {};
  }
  StoredFinding row = storedFindingOf(theCase, text);
  row.message = finding.result.message; // the header has it in one line
  row.file = folder_ / (finding.id + ".py");
  for (int number = 2; std::filesystem::exists(row.file); ++number) { // as writeCaseFile() will name it
    row.file = folder_ / fmt::format("{}-{}.py", finding.id, number);
  }
  const SightingKind how = database_->addFinding(
      row, {finding.id, campaign_.id, caseIndexOf(finding.foundBy), row.symptom.backend, finding.foundBy, timeNow()});
  const StoredFinding stored = database_->finding(finding.id).value_or(row);
  if (how == SightingKind::kRegression) {
    finding.regression = "was fixed, is back";
    for (const StoredRetest& each : database_->retests(finding.id)) {
      if (each.after == FindingStatus::kFixed) {
        finding.regression =
            fmt::format("was fixed in torch {} (retest of {}), is back", each.torch, each.tested.substr(0, 10));
      }
    }
    return {};
  }
  const auto folderOf = [](const std::filesystem::path& file) {
    return std::filesystem::absolute(file).lexically_normal().parent_path();
  };
  if (folderOf(stored.file) != folderOf(folder_ / "file") || !isFileOfCluster(stored.file, finding.id)) {
    return fileOfClusterIn(folder_, finding.id); // the store names the one of another folder
  }
  return folder_ / std::filesystem::path(stored.file).filename();
}

std::vector<StoredFinding> FindingStore::unfinishedOf(const std::string& foundBy, const worker::Symptom& symptom,
                                                      const std::string& id) const {
  std::vector<StoredFinding> result;
  for (StoredFinding& each : database_ == nullptr ? std::vector<StoredFinding>() : database_->findings()) {
    if (each.id == id || each.symptom != symptom || each.caseText.empty()) {
      continue;
    }
    const std::vector<StoredSighting> sightings = database_->sightings(each.id);
    const bool isOurs = std::all_of(sightings.begin(), sightings.end(), [&](const StoredSighting& sighting) {
      return sighting.campaign == campaign_.id && sighting.foundBy == foundBy;
    });
    if (isOurs && !sightings.empty() && database_->retests(each.id).empty() &&
        findings::headersOf(parser::parsePrinted(each.caseText)).isUnfinished()) {
      result.push_back(std::move(each));
    }
  }
  return result;
}

void FindingStore::remove(const StoredFinding& finding) {
  std::error_code ignored;
  if (std::filesystem::exists(finding.file, ignored) && base::readFile(finding.file) == finding.caseText) {
    std::filesystem::remove(finding.file, ignored);
  }
  database_->remove(finding.id); // last: a file without a row would be read in again
}

bool FindingStore::isFixed(const std::string& id) const {
  const std::optional<StoredFinding> stored = database_ == nullptr ? std::nullopt : database_->finding(id);
  return stored.has_value() && stored->status == FindingStatus::kFixed;
}

void FindingStore::writeUnconfirmed(const std::string& caseText, const findings::Suspect& suspect) const {
  storing([&] { findings::writeUnconfirmed(folder_, caseText, suspect); });
}

void FindingStore::writeEagerDeath(const std::string& caseText, const worker::BackendResult& result,
                                   const std::string& foundBy, const std::string& command) const {
  const std::string text = findings::withComments(
      caseText, {"found by " + foundBy, "eager: " + result.message, "made again by: " + command});
  storing([&] { return base::writeNewFile(folder_ / "eager" / (findings::caseName(foundBy) + ".py"), text); });
}

std::string FindingStore::writeStarts(const std::vector<SeedCasePtr>& starts, uint64_t index) const {
  const std::filesystem::path folder = folder_ / "eager" / fmt::format("starts-{}", index);
  for (size_t i = 0; i < starts.size(); ++i) {
    storing([&] { base::writeFile(folder / fmt::format("{}.py", i + 1), starts[i]->text); });
  }
  return folder.string();
}

} // namespace touchstone::store
