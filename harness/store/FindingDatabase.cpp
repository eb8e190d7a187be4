#include "harness/store/FindingDatabase.h"

#include "base/ExitStatus.h"
#include "harness/report/Report.h"
#include "harness/store/StoreSchema.h"

#include <fmt/format.h>

#include <utility>

namespace touchstone::store {

namespace {

constexpr const char* kFindingColumns =
    "id, backend, symptom, origin, base, skeleton, stage, oracle, operations, message, case_text, file, status, "
    "status_since, decided, decided_at, first_seen, last_seen, first_torch, last_torch, hits";
constexpr const char* kSightingColumns = "finding, campaign, case_index, backend, found_by, seen, how";

StoredFinding findingOfRow(const StoreQuery& row, const std::filesystem::path& folder) {
  StoredFinding finding;
  int column = 0;
  for (std::string* text : {&finding.id, &finding.backend, &finding.symptom, &finding.origin, &finding.base,
                            &finding.signature, &finding.stage, &finding.oracle}) {
    *text = row.text(column++);
  }
  finding.operations = row.integer(column++);
  finding.message = row.text(column++);
  finding.caseText = row.text(column++);
  const std::string file = row.text(column++);
  finding.file = file.empty() ? "" : (folder / file).lexically_normal().string();
  finding.status = statusFromName(row.text(column++));
  for (std::string* text : {&finding.statusSince, &finding.decided, &finding.decidedAt, &finding.firstSeen,
                            &finding.lastSeen, &finding.firstTorch, &finding.lastTorch}) {
    *text = row.text(column++);
  }
  finding.hits = row.integer(column);
  return finding;
}

std::filesystem::path folderOfStore(const Database& database) {
  return std::filesystem::absolute(database.file()).parent_path().lexically_normal();
}

} // namespace

FindingDatabase::FindingDatabase(Database database) : database_(std::move(database)) {}

FindingDatabase::FindingDatabase(const std::filesystem::path& file) : database_(openStore(file)) {}

FindingDatabase FindingDatabase::reading(const std::filesystem::path& file) {
  return FindingDatabase(readStore(file));
}

FindingDatabase FindingDatabase::inMemory(const std::filesystem::path& name) {
  return FindingDatabase(storeInMemory(name));
}

void FindingDatabase::putCampaign(const StoredCampaign& campaign) {
  database_
      .prepare(
          "INSERT INTO campaigns (id, seed, options, torch, catalogue, cpu, begun, ended, state, cases, calls_judged, "
          "seconds, state_file) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT (id) DO "
          "UPDATE SET options = ?3, ended = ?8, state = ?9, cases = ?10, calls_judged = ?11, seconds = ?12, state_file "
          "= ?13")
      .run(campaign.id, campaign.seed, campaign.options, campaign.torch, campaign.catalogue, campaign.cpu,
           campaign.begun, campaign.ended, std::string(stateName(campaign.state)), campaign.cases, campaign.callsJudged,
           campaign.seconds, campaign.stateFile);
  database_.prepare("DELETE FROM counts WHERE campaign = ?1").run(campaign.id);
  StoreQuery count =
      database_.prepare("INSERT INTO counts (campaign, backend, outcome, cases) VALUES (?1, ?2, ?3, ?4)");
  for (const auto& [backend, outcomes] : campaign.counts) {
    for (const auto& [outcome, cases] : outcomes) {
      count.run(campaign.id, backend, outcome, cases);
    }
  }
}

void FindingDatabase::putFinding(const StoredFinding& finding) {
  // Not REPLACE, which removes the row to which others refer. What follows from the sightings is left to refresh().
  database_
      .prepare(fmt::format(
          "INSERT INTO findings ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 'new', '', ?13, ?14, "
          "'', "
          "'', '', '', 0) ON CONFLICT (id) DO UPDATE SET skeleton = ?6, stage = ?7, oracle = ?8, operations = ?9, "
          "message = ?10, case_text = ?11, file = ?12, decided = ?13, decided_at = ?14",
          kFindingColumns))
      .run(finding.id, finding.backend, finding.symptom, finding.origin, finding.base, finding.signature, finding.stage,
           finding.oracle, finding.operations, finding.message, finding.caseText, relativeToStore(finding.file),
           finding.decided, finding.decidedAt);
}

void FindingDatabase::putRetest(const StoredRetest& retest) {
  database_
      .prepare(
          "INSERT OR REPLACE INTO retests (finding, tested, torch, outcome, status_before, status_after) VALUES "
          "(?1, ?2, ?3, ?4, ?5, ?6)")
      .run(retest.finding, retest.tested, retest.torch, retest.outcome, std::string(statusName(retest.before)),
           std::string(statusName(retest.after)));
}

bool FindingDatabase::putSighting(const StoredSighting& sighting) {
  database_
      .prepare(fmt::format("INSERT OR IGNORE INTO sightings ({}) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE EXISTS "
                           "(SELECT 1 FROM findings WHERE id = ?1)",
                           kSightingColumns))
      .run(sighting.finding, sighting.campaign, sighting.caseIndex, sighting.backend, sighting.foundBy, sighting.seen,
           std::string(kindName(sighting.how)));
  return database_.changes() > 0;
}

void FindingDatabase::putSightings(const std::vector<StoredSighting>& sightings) {
  std::set<std::string> seen;
  for (const StoredSighting& each : sightings) {
    if (putSighting(each) && each.how != SightingKind::kSuppressed) {
      seen.insert(each.finding);
    }
  }
  for (const std::string& id : seen) {
    refresh(id);
  }
}

void FindingDatabase::refresh(const std::string& id) {
  database_
      .prepare(
          "WITH sights AS (SELECT campaign, seen, torch FROM sightings JOIN campaigns ON campaigns.id = campaign "
          "WHERE finding = ?1 AND how <> 'suppressed'), "
          "fixed AS (SELECT MIN(seen) AS again FROM sights WHERE seen > (SELECT decided_at FROM findings WHERE id = ?1 "
          "AND decided = 'fixed')), "
          "second AS (SELECT MIN(seen) AS seen FROM sights GROUP BY campaign ORDER BY 1 LIMIT 1 OFFSET 1) "
          "UPDATE findings SET hits = (SELECT COUNT(*) FROM sights), "
          "first_seen = (SELECT MIN(seen) FROM sights), last_seen = (SELECT MAX(seen) FROM sights), "
          "first_torch = (SELECT torch FROM sights ORDER BY seen, torch LIMIT 1), "
          "last_torch = (SELECT torch FROM sights ORDER BY seen DESC, torch DESC LIMIT 1), "
          "status = CASE WHEN (SELECT again FROM fixed) IS NOT NULL THEN 'open' WHEN decided <> '' THEN decided "
          "WHEN EXISTS (SELECT 1 FROM second) THEN 'open' ELSE 'new' END, "
          "status_since = CASE WHEN (SELECT again FROM fixed) IS NOT NULL THEN (SELECT again FROM fixed) "
          "WHEN decided <> '' THEN decided_at WHEN EXISTS (SELECT 1 FROM second) THEN (SELECT seen FROM second) "
          "ELSE (SELECT MIN(seen) FROM sights) END WHERE id = ?1 AND EXISTS (SELECT 1 FROM sights)")
      .run(id);
}

void FindingDatabase::beginCampaign(const StoredCampaign& campaign) {
  Transaction transaction(database_);
  database_
      .prepare(
          "UPDATE campaigns SET state = 'killed' WHERE state = 'running' AND state_file = ?1 AND id <> ?2 AND ?1 "
          "<> ''")
      .run(campaign.stateFile, campaign.id);
  if (hasCampaign(campaign.id)) { // what it counted stays until it counts anew
    database_.prepare("UPDATE campaigns SET state = 'running', ended = '', state_file = ?2 WHERE id = ?1")
        .run(campaign.id, campaign.stateFile);
  } else {
    putCampaign(campaign);
  }
  transaction.commit();
}

void FindingDatabase::markKilled(const std::function<bool(const std::string& stateFile)>& isGone) {
  Transaction transaction(database_);
  for (const StoredCampaign& each : campaigns()) {
    if (each.state == CampaignState::kRunning && isGone(each.stateFile)) {
      database_.prepare("UPDATE campaigns SET state = 'killed' WHERE id = ?1").run(each.id);
    }
  }
  transaction.commit();
}

void FindingDatabase::writeCounts(const StoredCampaign& campaign, const std::vector<StoredSighting>& sightings) {
  Transaction transaction(database_);
  putCampaign(campaign);
  putSightings(sightings);
  transaction.commit();
}

void FindingDatabase::endCampaign(const StoredCampaign& campaign, const std::vector<StoredSighting>& sightings) {
  writeCounts(campaign, sightings);
}

SightingKind FindingDatabase::addFinding(const StoredFinding& finding, const StoredSighting& sighting) {
  Transaction transaction(database_);
  const std::optional<StoredFinding> old = this->finding(finding.id);
  StoredSighting added = sighting;
  if (!old.has_value()) {
    putFinding(finding);
    added.how = SightingKind::kNew;
  } else {
    added.how = old->status == FindingStatus::kFixed ? SightingKind::kRegression : SightingKind::kAgain;
    if (old->file.empty() || !std::filesystem::exists(old->file)) {
      database_.prepare("UPDATE findings SET file = ?2 WHERE id = ?1").run(finding.id, relativeToStore(finding.file));
    }
  }
  if (!putSighting(added)) { // told before
    StoreQuery told = database_.prepare(
        "SELECT how FROM sightings WHERE finding = ?1 AND campaign = ?2 AND case_index = ?3 AND backend = ?4");
    told.bind(added.finding, added.campaign, added.caseIndex, added.backend);
    added.how = told.step() ? kindFromName(told.text(0)) : added.how;
  }
  refresh(finding.id);
  transaction.commit();
  return added.how;
}

void FindingDatabase::adoptFinding(const StoredFinding& finding, const StoredSighting& sighting,
                                   const StoredCampaign& campaign) {
  Transaction transaction(database_);
  if (!this->finding(finding.id).has_value()) {
    if (!hasCampaign(campaign.id)) {
      putCampaign(campaign);
    }
    putFinding(finding);
    putSighting(sighting);
    refresh(finding.id);
  }
  transaction.commit();
}

void FindingDatabase::remove(const std::string& id) {
  Transaction transaction(database_);
  for (const char* table : {"sightings", "retests"}) {
    database_.prepare(fmt::format("DELETE FROM {} WHERE finding = ?1", table)).run(id);
  }
  database_.prepare("DELETE FROM findings WHERE id = ?1").run(id);
  transaction.commit();
}

void FindingDatabase::setStatus(const std::string& id, FindingStatus status, const std::string& when) {
  Transaction transaction(database_);
  decide(id, status, when);
  transaction.commit();
}

void FindingDatabase::decide(const std::string& id, FindingStatus status, const std::string& when) {
  database_.prepare("UPDATE findings SET decided = ?2, decided_at = ?3 WHERE id = ?1 AND decided_at <= ?3")
      .run(id, std::string(statusName(status)), when);
  refresh(id);
}

void FindingDatabase::markKnown(const std::function<bool(const StoredFinding&)>& isKnown) {
  Transaction transaction(database_);
  for (const StoredFinding& each : findings()) {
    if (each.status == FindingStatus::kFixed) {
      continue; // so that whoever sees it again says so
    }
    const bool isMarked = each.status == FindingStatus::kKnown;
    if (isKnown(each) != isMarked) {
      decide(each.id, isMarked ? FindingStatus::kOpen : FindingStatus::kKnown, timeNow());
    }
  }
  transaction.commit();
}

void FindingDatabase::setFile(const std::string& id, const std::filesystem::path& file) {
  database_.prepare("UPDATE findings SET file = ?2 WHERE id = ?1").run(id, relativeToStore(file));
}

void FindingDatabase::recordRetest(const std::string& id, const std::string& outcome, FindingStatus status,
                                   const std::string& when, const std::string& torch) {
  Transaction transaction(database_);
  const std::optional<StoredFinding> old = finding(id);
  if (!old.has_value()) {
    throw base::WrongUse(fmt::format("There is no finding `{}` in the store `{}`.", id, file().string()));
  }
  putRetest({id, when, torch.empty() ? report::torchVersion() : torch, outcome, old->status, status});
  decide(id, status, when);
  transaction.commit();
}

std::vector<StoredFinding> FindingDatabase::selectFindings(const std::string& condition,
                                                           const std::string& value) const {
  std::vector<StoredFinding> findings;
  StoreQuery rows = database_.prepare(
      fmt::format("SELECT {} FROM findings WHERE {} ORDER BY first_seen, id", kFindingColumns, condition));
  rows.bind(value);
  while (rows.step()) {
    findings.push_back(findingOfRow(rows, folderOfStore(database_)));
  }
  return findings;
}

std::vector<StoredFinding> FindingDatabase::findings() const {
  return selectFindings("?1 = ''", "");
}

std::optional<StoredFinding> FindingDatabase::finding(const std::string& id) const {
  std::vector<StoredFinding> found = selectFindings("id = ?1", id);
  return found.empty() ? std::nullopt : std::optional<StoredFinding>(std::move(found[0]));
}

std::vector<StoredCampaign> FindingDatabase::campaigns() const {
  std::vector<StoredCampaign> campaigns;
  StoreQuery rows = database_.prepare(
      "SELECT id, seed, options, torch, cpu, begun, ended, state_file, catalogue, state, cases, calls_judged, seconds "
      "FROM campaigns ORDER BY begun, id");
  while (rows.step()) {
    StoredCampaign campaign;
    int column = 0;
    for (std::string* text : {&campaign.id, &campaign.seed, &campaign.options, &campaign.torch, &campaign.cpu,
                              &campaign.begun, &campaign.ended, &campaign.stateFile}) {
      *text = rows.text(column++);
    }
    campaign.catalogue = static_cast<int>(rows.integer(column++));
    campaign.state = stateFromName(rows.text(column++));
    campaign.cases = rows.integer(column++);
    campaign.callsJudged = rows.integer(column++);
    campaign.seconds = rows.real(column);
    StoreQuery counts = database_.prepare("SELECT backend, outcome, cases FROM counts WHERE campaign = ?1");
    counts.bind(campaign.id);
    while (counts.step()) {
      campaign.counts[counts.text(0)][counts.text(1)] = counts.integer(2);
    }
    campaigns.push_back(std::move(campaign));
  }
  return campaigns;
}

bool FindingDatabase::hasCampaign(const std::string& id) const {
  return database_.prepare("SELECT 1 FROM campaigns WHERE id = ?1").bind(id).step();
}

std::set<std::string> FindingDatabase::knownToCampaign(const std::string& id) const {
  std::set<std::string> known;
  StoreQuery rows = database_.prepare(
      "SELECT DISTINCT finding FROM sightings JOIN campaigns AS other ON other.id = campaign JOIN campaigns AS own ON "
      "own.id = ?1 JOIN findings ON findings.id = finding WHERE how <> 'suppressed' AND other.id <> own.id AND seen "
      "<= own.begun AND NOT (other.seed = own.seed AND other.state_file <> own.state_file AND other.state <> 'unknown' "
      "AND "
      "(other.ended = '' OR other.ended >= own.begun)) AND status <> 'fixed' AND NOT EXISTS (SELECT 1 FROM sightings "
      "AS back WHERE back.finding = findings.id AND back.campaign = own.id AND back.how = 'regression')");
  rows.bind(id);
  while (rows.step()) {
    known.insert(rows.text(0));
  }
  return known;
}

std::vector<StoredSighting> FindingDatabase::sightings(const std::string& id) const {
  std::vector<StoredSighting> sightings;
  StoreQuery rows = database_.prepare(fmt::format(
      "SELECT {} FROM sightings WHERE finding = ?1 ORDER BY seen, campaign, case_index, backend", kSightingColumns));
  rows.bind(id);
  while (rows.step()) {
    sightings.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.text(5),
                         kindFromName(rows.text(6))});
  }
  return sightings;
}

std::vector<StoredRetest> FindingDatabase::retests(const std::string& id) const {
  std::vector<StoredRetest> retests;
  StoreQuery rows = database_.prepare(
      "SELECT finding, tested, torch, outcome, status_before, status_after FROM retests WHERE finding = ?1 ORDER BY "
      "tested, torch");
  rows.bind(id);
  while (rows.step()) {
    retests.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3), statusFromName(rows.text(4)),
                       statusFromName(rows.text(5))});
  }
  return retests;
}

std::string FindingDatabase::relativeToStore(const std::filesystem::path& file) const {
  return file.empty()
             ? ""
             : std::filesystem::absolute(file).lexically_normal().lexically_relative(folderOfStore(database_)).string();
}

} // namespace touchstone::store
