#include "harness/commands/Commands.h"

#include "base/AtomicFile.h"
#include "base/Words.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"
#include "harness/store/Database.h"
#include "harness/store/FindingDatabase.h"
#include "harness/store/FindingFiles.h"
#include "harness/store/StoreSchema.h"
#include "harness/triage/StoredSuppression.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::commands {

namespace {

/// `touchstone merge`: other stores, or folders of case files, into one.
struct MergeOptions {
  std::string into; // a folder or a store, which may be new
  std::vector<std::string> from;
  bool json = false;
};

constexpr int kMergeSchema = 1;

/// Suppressions beside the case files of `from` go beside those that `into` has of the same findings. Returns how many.
int64_t copySuppressions(const store::FindingDatabase& from, const store::FindingDatabase& into) {
  int64_t copied = 0;
  for (const store::StoredFinding& each : from.findings()) {
    const std::optional<store::StoredFinding> merged = into.finding(each.id);
    if (each.file.empty() || !merged.has_value() || merged->file.empty()) {
      continue;
    }
    try {
      copied += triage::copySuppression(each.id, each.file, merged->file) ? 1 : 0;
    } catch (const base::WrongUse& error) { // the findings are merged all the same
      fmt::print(stderr, "A suppression was not copied: {}\n", error.what());
    }
  }
  return copied;
}

/// Profiles that findings were judged under; a name stands for a content.
void copyProfiles(const std::filesystem::path& from, const std::filesystem::path& into) {
  for (const auto& entry : std::filesystem::directory_iterator(from.empty() ? "." : from)) {
    const std::string name = entry.path().filename();
    if (pool::isStoredProfile(name) && !std::filesystem::exists(into / name)) {
      store::storing([&] { base::writeFile(into / name, base::readFile(entry.path())); });
    }
  }
}

base::ExitStatus mergeStores(const MergeOptions& options) {
  const std::filesystem::path into = store::storeFile(options.into);
  std::vector<store::FindingDatabase> sources; // all of them before anything is written
  for (const std::string& each : options.from) {
    if (!std::filesystem::exists(each)) {
      throw base::WrongUse(fmt::format("There is no folder or store `{}` to merge.", each));
    }
    std::error_code none;
    if (std::filesystem::equivalent(store::storeFile(each), into, none)) {
      throw base::WrongUse(fmt::format("`{}` cannot be merged into itself.", into.string()));
    }
    sources.push_back(readPlace(each));
  }
  if (std::filesystem::exists(into)) {
    store::FindingDatabase::reading(into); // what is refused is told first
  }
  for (const store::FindingDatabase& each : sources) {
    if (!std::filesystem::exists(each.file()) && each.findings().empty()) {
      throw base::WrongUse(fmt::format("`{}` has neither a store nor findings, so there is nothing to merge.",
                                       each.file().parent_path().string()));
    }
  }
  store::FindingDatabase database(into);
  int64_t suppressions = 0;
  const std::filesystem::path folder = into.has_parent_path() ? into.parent_path() : std::filesystem::path(".");
  store::adoptFiles(database, store::findingFilesIn(folder));
  const size_t campaigns = database.campaigns().size(), findings = database.findings().size();
  for (const store::FindingDatabase& each : sources) {
    database.merge(each, [&](const std::string& text, const std::string& name) {
      return store::writeCaseFile(folder, name, text);
    });
    suppressions += copySuppressions(each, database);
    copyProfiles(each.file().parent_path(), folder);
  }
  const size_t allCampaigns = database.campaigns().size(), allFindings = database.findings().size();
  if (options.json) {
    report::printJson({{"schema", kMergeSchema},
                       {"store", into},
                       {"campaigns", allCampaigns},
                       {"new_campaigns", allCampaigns - campaigns},
                       {"findings", allFindings},
                       {"new_findings", allFindings - findings},
                       {"suppressions", suppressions}});
  } else {
    fmt::print("`{}` has {}, {} of them new to it, and {}, {} of them new to it; {} copied.\n", into.string(),
               base::counted(static_cast<int64_t>(allCampaigns), "campaign"), allCampaigns - campaigns,
               base::counted(static_cast<int64_t>(allFindings), "finding"), allFindings - findings,
               base::counted(suppressions, "suppression"));
  }
  return base::ExitStatus::kNothingNew;
}

} // namespace

options::Command mergeCommand() {
  const auto asked = std::make_shared<MergeOptions>();
  return {
      .options = {{"into", &asked->into, "A folder of findings or a store; it is made where there is none",
                   options::required()},
                  {"from", &asked->from, "Folders of findings or stores, which stay as they are", options::required()},
                  options::jsonFlag(asked->json)},
      .footer =
          "Campaigns and findings are told apart by their ids, so merging twice changes nothing, and the order does not matter.\n"
          "Case files are written beside the store, with their suppressions; a name that is taken by another text gets a number.\n"
          "\nExamples:\n"
          "  touchstone merge all night/1 night/2 night/3 night/4\n"
          "  touchstone merge findings colleague/store.sqlite",
      .run = [asked](const options::Given&) { return mergeStores(*asked); },
  };
}

} // namespace touchstone::commands
