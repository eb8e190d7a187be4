#include "harness/store/FindingDatabase.h"

#include "base/ExitStatus.h"
#include "harness/report/Report.h"
#include "harness/store/StoreSchema.h"

#include <fmt/format.h>

#include <initializer_list>
#include <tuple>
#include <utility>

namespace touchstone::store {

namespace {

// The columns of each table, and the fields that they are read into and written from.

constexpr const char* kFindingColumns =
    "id, backend, symptom, origin, base, skeleton, stage, oracle, operations, message, case_text, file, status, "
    "status_since, decided, decided_at, first_seen, last_seen, first_torch, last_torch, hits";
auto fieldsOf(StoredFinding& row) {
  worker::Symptom& symptom = row.symptom;
  return std::tie(row.id, symptom.backend, symptom.text, symptom.origin, symptom.baseOutcome, row.signature, row.stage,
                  row.oracle, row.operations, row.message, row.caseText, row.file, row.status, row.statusSince,
                  row.decided, row.decidedAt, row.firstSeen, row.lastSeen, row.firstTorch, row.lastTorch, row.hits);
}

constexpr const char* kCampaignColumns =
    "id, seed, options, torch, catalogue, cpu, begun, ended, state, cases, calls_judged, seconds, state_file";
auto fieldsOf(StoredCampaign& row) {
  return std::tie(row.id, row.seed, row.options, row.torch, row.catalogue, row.cpu, row.begun, row.ended, row.state,
                  row.cases, row.callsJudged, row.seconds, row.stateFile);
}

constexpr const char* kSightingColumns = "finding, campaign, case_index, backend, found_by, seen, how";
auto fieldsOf(StoredSighting& row) {
  return std::tie(row.finding, row.campaign, row.caseIndex, row.backend, row.foundBy, row.seen, row.how);
}

constexpr const char* kRetestColumns = "finding, tested, torch, outcome, status_before, status_after";
auto fieldsOf(StoredRetest& row) {
  return std::tie(row.finding, row.tested, row.torch, row.outcome, row.before, row.after);
}

/// `rows`: the end of the statement, from the table's name on.
template <class Row, class... Values>
std::vector<Row> select(Database& database, const char* columns, const std::string& rows, const Values&... values) {
  StoreQuery query = database.prepare(fmt::format("SELECT {} FROM {}", columns, rows));
  query.bind(values...);
  std::vector<Row> result;
  while (query.step()) {
    int column = 0;
    std::apply([&](auto&... fields) { (query.read(column++, fields), ...); }, fieldsOf(result.emplace_back()));
  }
  return result;
}

/// `into`: `INSERT INTO table`; `rest`: `WHERE …`, `WHERE true ON CONFLICT …`.
template <class Row>
void insert(Database& database, const char* into, const char* columns, Row row, const std::string& rest) {
  std::apply(
      [&](const auto&... fields) {
        std::string places;
        for (size_t i = 1; i <= sizeof...(fields); ++i) {
          places += fmt::format("{}?{}", i == 1 ? "" : ", ", i);
        }
        database.prepare(fmt::format("{} ({}) SELECT {} {}", into, columns, places, rest)).run(fields...);
      },
      fieldsOf(row));
}

/// Not REPLACE, which removes the row to which others refer.
std::string updating(std::initializer_list<const char*> columns) {
  std::string text;
  for (const char* column : columns) {
    text += fmt::format("{} {} = excluded.{}", text.empty() ? "WHERE true ON CONFLICT (id) DO UPDATE SET" : ",", column,
                        column);
  }
  return text;
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
  insert(database_, "INSERT INTO campaigns", kCampaignColumns, campaign,
         updating({"options", "ended", "state", "cases", "calls_judged", "seconds", "state_file"}));
  database_.prepare("DELETE FROM counts WHERE campaign = ?1").run(campaign.id);
  StoreQuery count =
      database_.prepare("INSERT INTO counts (campaign, backend, outcome, cases) VALUES (?1, ?2, ?3, ?4)");
  for (const auto& [backend, outcomes] : campaign.counts) {
    for (const auto& [outcome, cases] : outcomes) {
      count.run(campaign.id, backend, outcome, cases);
    }
  }
}

void FindingDatabase::putFinding(StoredFinding finding) {
  finding.file = relativeToStore(finding.file);
  finding.status = FindingStatus::kNew; // what follows from the sightings is left to refresh()
  finding.statusSince = finding.firstSeen = finding.lastSeen = finding.firstTorch = finding.lastTorch = "";
  finding.hits = 0;
  insert(
      database_, "INSERT INTO findings", kFindingColumns, std::move(finding),
      updating({"skeleton", "stage", "oracle", "operations", "message", "case_text", "file", "decided", "decided_at"}));
}

void FindingDatabase::putRetest(const StoredRetest& retest) {
  insert(database_, "INSERT OR REPLACE INTO retests", kRetestColumns, retest, "");
}

bool FindingDatabase::putSighting(const StoredSighting& sighting) {
  insert(database_, "INSERT OR IGNORE INTO sightings", kSightingColumns, sighting,
         "WHERE EXISTS (SELECT 1 FROM findings WHERE id = ?1)");
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
    if (told.step()) {
      readName(told.text(0), added.how);
    }
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

void FindingDatabase::decide(const std::string& id, FindingStatus status, const std::string& when) {
  database_.prepare("UPDATE findings SET decided = ?2, decided_at = ?3 WHERE id = ?1 AND decided_at <= ?3")
      .run(id, status, when);
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

std::vector<StoredFinding> FindingDatabase::findingsWhere(const std::string& condition,
                                                          const std::string& value) const {
  std::vector<StoredFinding> findings = select<StoredFinding>(
      database_, kFindingColumns, "findings WHERE " + condition + " ORDER BY first_seen, id", value);
  for (StoredFinding& each : findings) {
    each.file = each.file.empty() ? "" : (folderOfStore(database_) / each.file).lexically_normal().string();
  }
  return findings;
}

std::vector<StoredFinding> FindingDatabase::findings() const {
  return findingsWhere("?1 = ''", "");
}

std::optional<StoredFinding> FindingDatabase::finding(const std::string& id) const {
  std::vector<StoredFinding> found = findingsWhere("id = ?1", id);
  return found.empty() ? std::nullopt : std::optional<StoredFinding>(std::move(found[0]));
}

std::vector<StoredCampaign> FindingDatabase::campaigns() const {
  std::vector<StoredCampaign> campaigns =
      select<StoredCampaign>(database_, kCampaignColumns, "campaigns ORDER BY begun, id");
  for (StoredCampaign& campaign : campaigns) {
    StoreQuery counts = database_.prepare("SELECT backend, outcome, cases FROM counts WHERE campaign = ?1");
    counts.bind(campaign.id);
    while (counts.step()) {
      campaign.counts[counts.text(0)][counts.text(1)] = counts.integer(2);
    }
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
  return select<StoredSighting>(database_, kSightingColumns,
                                "sightings WHERE finding = ?1 ORDER BY seen, campaign, case_index, backend", id);
}

std::vector<StoredRetest> FindingDatabase::retests(const std::string& id) const {
  return select<StoredRetest>(database_, kRetestColumns, "retests WHERE finding = ?1 ORDER BY tested, torch", id);
}

std::string FindingDatabase::relativeToStore(const std::filesystem::path& file) const {
  return file.empty()
             ? ""
             : std::filesystem::absolute(file).lexically_normal().lexically_relative(folderOfStore(database_)).string();
}

} // namespace touchstone::store
