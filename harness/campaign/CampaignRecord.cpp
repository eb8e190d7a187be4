#include "harness/campaign/CampaignRecord.h"

#include "base/AtomicFile.h"
#include "base/ExitStatus.h"
#include "generators/catalogue/Operators.h"
#include "harness/report/Report.h"
#include "harness/store/Database.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/Progress.h"
#include "program/language/Case.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <optional>

TOUCHSTONE_JSON_OF(touchstone::campaign::WaitingSuspect, caseText, foundBy, result, isConfirmed, isChecked, isOther,
                   repetition)

namespace touchstone::campaign {

namespace {

using nlohmann::json;

constexpr int kRecordSchema = 6;
constexpr double kSecondsBetweenStates = 1;
constexpr double kStateShare = 50; // writing the state takes at most one part in so many of the time

// One list of keys and fields for both directions.
struct Put {
  json& object;
  void operator()() const {}
  void operator()(const char* key, const auto& value, const auto&... others) const {
    object[key] = value;
    (*this)(others...);
  }
  void ifThere(const char* key, const auto& value) const { object[key] = value; }
  template <class Value>
  void ifThere(const char* key, const std::optional<Value>& value) const {
    if (value.has_value()) {
      object[key] = *value;
    }
  }
};
struct Take {
  const json& object;
  void operator()() const {}
  void operator()(const char* key, auto& value, auto&... others) const {
    object.at(key).get_to(value);
    (*this)(others...);
  }
  void ifThere(const char* key, auto& value) const { // what an older record lacks
    if (object.contains(key)) {
      object.at(key).get_to(value);
    }
  }
  template <class Value>
  void ifThere(const char* key, std::optional<Value>& value) const {
    if (object.contains(key)) {
      object.at(key).get_to(value.emplace());
    }
  }
};

void walkBackendTally(auto& tally, const auto& visit) {
  visit("outcomes", tally.outcomes, "details", tally.details, "allowed", tally.allowed, "cases", tally.cases, "skipped",
        tally.skipped, "compiled", tally.compiled, "counters", tally.counters);
  visit.ifThere("symbolic", tally.symbolic);
  visit.ifThere("given_up", tally.givenUp);
  visit.ifThere("delegations", tally.delegations);
  visit.ifThere("operator_shares", tally.operatorShares);
}

void walkTally(auto& tally, const auto& visit) {
  visit("cases", tally.cases, "sequences", tally.isOfSequences, "unreadable", tally.unreadable, "operations_of_cases",
        tally.operationsOfCases, "derivations", tally.derivations, "aliased_inputs", tally.aliasedInputs, "mutation",
        tally.mutation, "backward", tally.backward, "changed_call", tally.changedCall, "custom_operators",
        tally.customOperators, "tried", tally.tried, "rejected", tally.rejected, "precluded", tally.precluded,
        "accepted", tally.acceptedOperators, "exclusions", tally.exclusions, "generate_seconds", tally.generateSeconds,
        "eager_seconds", tally.eagerSeconds);
  auto& density = tally.density;
  visit("density_cases", density.cases, "stated_operations", density.statedOperations, "reaching_operations",
        density.reachingOperations, "density_backward", density.backward, "two_leaves_of_one_shape",
        density.twoLeavesOfOneShape, "gradient_leaves", density.leaves, "gradient_paths", density.paths);
}

void walkMemory(auto& memory, const auto& visit) {
  visit("new_clusters", memory.newClusters, "suppressed_hits", memory.suppressedHits, "none_became_zero",
        memory.noneBecameZero, "unconfirmed", memory.unconfirmed);
}

void walkFinding(auto& finding, const auto& visit) {
  visit("id", finding.id, "result", finding.result, "operations", finding.operations, "hits", finding.hits, "file",
        finding.file, "found_by", finding.foundBy);
  visit.ifThere("regression", finding.regression);
}

void walkRecord(auto& record, const auto& visit) {
  visit("finished", record.finished, "position", record.position, "seconds", record.seconds, "corpus", record.corpus,
        "derived_from_kept", record.derivedFromKept, "features", record.features);
  visit.ifThere("campaign", record.id);
  visit.ifThere("working_folder", record.workingFolder);
  visit.ifThere("folder", record.folder);
}

json findingRecord(const report::Finding& finding) {
  const worker::Symptom& symptom = finding.symptom;
  json object{{"symptom", {symptom.backend, symptom.text, symptom.origin, symptom.baseOutcome}}};
  walkFinding(finding, Put{object});
  if (finding.stage) {
    object["stage"] = {finding.stage->backend, finding.stage->adds};
  }
  return object;
}

report::Finding findingFrom(const json& object) {
  report::Finding finding;
  walkFinding(finding, Take{object});
  const json& symptom = object.at("symptom");
  finding.symptom = {symptom.at(0), symptom.at(1), symptom.at(2), symptom.at(3)};
  if (object.contains("stage")) {
    finding.stage = report::Rung{object["stage"].at(0), object["stage"].at(1)};
  }
  return finding;
}

json recordJson(const CampaignRecord& record) {
  json object{{"schema", kRecordSchema},
              {"torch", report::torchVersion()},
              {"catalogue", catalogue::kCatalogueVersion},
              {"options", optionsJson(record.options)}};
  walkRecord(record, Put{object});
  walkTally(record.tally, Put{object["tally"]});
  json& backends = object["tally"]["backends"] = json::object();
  for (const auto& [name, tally] : record.tally.backends) {
    walkBackendTally(tally, Put{backends[name]});
  }
  walkMemory(record.memory, Put{object["memory"]});
  SuspectQueue::walk(record.memory.queue, Put{object["memory"]["queue"]});
  json& findings = object["memory"]["findings"] = json::array();
  std::transform(record.memory.findings.begin(), record.memory.findings.end(), std::back_inserter(findings),
                 findingRecord);
  json& kept = object["kept"] = json::array();
  for (const Coverage::Kept& each : record.kept) {
    kept.push_back({each.theCase->name, each.theCase->text, each.chosen});
  }
  return object;
}

CampaignRecord recordFrom(const json& object) {
  CampaignRecord record;
  record.options = optionsFromJson(object.at("options"));
  walkRecord(record, Take{object});
  walkTally(record.tally, Take{object.at("tally")});
  for (const auto& [name, tally] : object.at("tally").at("backends").items()) {
    walkBackendTally(record.tally.backends[name], Take{tally});
  }
  const json& memory = object.at("memory");
  walkMemory(record.memory, Take{memory});
  SuspectQueue::walk(record.memory.queue, Take{memory.at("queue")});
  std::transform(memory.at("findings").begin(), memory.at("findings").end(), std::back_inserter(record.memory.findings),
                 findingFrom);
  for (const json& each : object.at("kept")) {
    record.kept.push_back({store::makeSeedCase(each.at(0), each.at(1)), each.at(2)});
  }
  return record;
}

std::vector<std::filesystem::path> recordsIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename();
    if (name.rfind("campaign", 0) == 0 && entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string absolutePath(const std::string& path, const std::filesystem::path& folder) {
  return path.empty() ? "" : (folder / path).lexically_normal().string();
}

/// The options with paths that mean the same from every folder.
FuzzOptions withAbsolutePaths(FuzzOptions options, const std::filesystem::path& folder) {
  options.findings = absolutePath(options.findings, folder);
  options.known = absolutePath(options.known, folder);
  options.store = absolutePath(options.store, folder);
  for (std::string& each : options.corpus) {
    each = absolutePath(each, folder);
  }
  return options;
}

/// Makes what the record says of files true from here.
void resolvePaths(CampaignRecord& record, const std::filesystem::path& file) {
  const std::filesystem::path here = std::filesystem::current_path();
  const std::filesystem::path there = record.workingFolder.empty() ? here : std::filesystem::path(record.workingFolder);
  const FuzzOptions absolute = withAbsolutePaths(record.options, there);
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path().lexically_normal();
  const bool wasBeside = !record.folder.empty() &&
                         std::filesystem::path(absolute.findings) / "" == std::filesystem::path(record.folder) / "";
  if (there != here) {
    record.options = absolute;
  }
  if (wasBeside && folder / "" != std::filesystem::path(absolute.findings) / "") {
    record.options.findings = file.parent_path(); // both were moved
  }
  for (report::Finding& finding : record.memory.findings) {
    finding.file = std::filesystem::path(record.options.findings) / std::filesystem::path(finding.file).filename();
  }
}

void refuseOtherOptions(const std::string& folder, const FuzzOptions& given, const FuzzOptions& stored) {
  const std::filesystem::path here = std::filesystem::current_path();
  const json asked = optionsJson(withAbsolutePaths(given, here)), was = optionsJson(withAbsolutePaths(stored, here));
  std::string others;
  std::set<std::string> names = given.given;
  if (!given.profile.text.empty()) {
    names.insert("--profile"); // its keys are options of their own, too
  }
  names.erase("--max-findings"); // says where this run stops, not which Cases there are
  for (const std::string& name : names) {
    if (was.contains(name) && was[name] != asked[name]) {
      others += fmt::format("{}{} ({} instead of {})", others.empty() ? "" : ", ", name, asked[name].dump(),
                            was[name].dump());
    }
  }
  if (!others.empty()) {
    throw base::WrongUse(
        fmt::format("The campaign in `{}` was begun with other options: {}. Leave these out to go on with it, or "
                    "begin another one with another folder.",
                    folder, others));
  }
}

} // namespace

std::filesystem::path recordFile(const std::filesystem::path& folder, const FuzzOptions& options) {
  return folder / (options.shards == 1 ? std::string("campaign.json")
                                       : fmt::format("campaign-{}-of-{}.json", options.shard, options.shards));
}

void writeRecord(const std::filesystem::path& file, const CampaignRecord& record) {
  base::writeFile(file, report::dumpJson(recordJson(record)) + "\n");
}

CampaignRecord readRecord(const std::filesystem::path& file) {
  try {
    const json object = json::parse(base::readFile(file));
    const std::string here = fmt::format("torch {}, catalogue {}, records of form {}", report::torchVersion(),
                                         catalogue::kCatalogueVersion, kRecordSchema);
    const std::string there =
        fmt::format("torch {}, catalogue {}, records of form {}", object.at("torch").get<std::string>(),
                    object.at("catalogue").get<int>(), object.at("schema").get<int>());
    if (here != there) {
      throw base::WrongUse(
          fmt::format("The campaign in `{}` was made with {}; here there is {}, which makes other Cases. Begin "
                      "another one.",
                      file.string(), there, here));
    }
    return recordFrom(object);
  } catch (const json::exception& error) {
    throw base::WrongUse(fmt::format("`{}` does not hold a campaign of Touchstone: {}", file.string(), error.what()));
  }
}

bool StateFile::isDue() const {
  return worker::wallSeconds() >= nextWrite_;
}

void StateFile::write(CampaignRecord record, double begun) {
  record.workingFolder = std::filesystem::current_path();
  record.folder = std::filesystem::absolute(file_).parent_path().lexically_normal();
  store::storing([&] { writeRecord(file_, record); });
  const double after = worker::wallSeconds();
  nextWrite_ = after + std::max(kSecondsBetweenStates, kStateShare * (after - begun));
}

std::filesystem::path stateFile(const FuzzOptions& options) {
  if (options.resume.empty()) {
    return recordFile(options.findings, options);
  }
  std::filesystem::path file = recordFile(options.resume, options);
  if (options.given.count("--shard") == 0 && !std::filesystem::exists(file)) {
    const std::vector<std::filesystem::path> files = recordsIn(options.resume);
    if (files.size() > 1) {
      throw base::WrongUse(
          fmt::format("`{}` holds {} campaigns, one a shard: say with --shard I/N which one is to go on.",
                      options.resume, files.size()));
    }
    file = files.empty() ? file : files.front();
  }
  return file;
}

std::optional<CampaignRecord> recordToResume(const FuzzOptions& options, const std::filesystem::path& file) {
  if (options.resume.empty()) {
    return std::nullopt;
  }
  if (!std::filesystem::exists(file)) {
    if (!options.cases.has_value() && !options.seconds.has_value()) {
      throw base::WrongUse(
          fmt::format("There is no campaign in `{}` to go on with, or none of that --shard. To begin one whose state "
                      "is kept there, say "
                      "how long it is to be with --cases or --seconds.",
                      options.resume));
    }
    return std::nullopt;
  }
  CampaignRecord record = readRecord(file);
  resolvePaths(record, file);
  refuseOtherOptions(options.resume, options, record.options);
  return record;
}

} // namespace touchstone::campaign
