#pragma once

#include "harness/options/Option.h"
#include "harness/pool/WorkerPool.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::campaign {

/// What a campaign does: the options of `touchstone fuzz`.
struct FuzzOptions {
  std::optional<double> seconds; // neither this nor `cases`: until interrupted
  std::optional<uint64_t> cases;
  std::optional<uint64_t> seed; // none: a fresh one, printed
  uint64_t start = 0; // index of the first Case
  uint64_t shard = 1, shards = 1; // this process takes every `shards`-th Case
  bool sequences = false; // Cases are call sequences
  std::optional<int> calls; // see callsOf()
  std::vector<std::string> parts; // that Cases are drawn with, see generators/catalogue/Parts.h
  int workers = 1; // processes for each family; 0: see workersOf()
  std::vector<std::string> backends{"eager", "torch:aot_eager"};
  std::string findings = "findings"; // folder
  std::string store; // file of the database, or its folder; empty: `store.sqlite` in the folder of findings
  uint64_t maximumFindings = 0; // stop after so many new ones; 0: never
  std::string known; // file of known findings, see KnownFindings; empty: none
  std::string today; // that decides which of them have expired: `2027-02-28`; empty: the clock
  std::string suppressions = "native"; // which findings get a suppression: those of `native` backends, `all`, `none`
  std::string events; // file of JSON lines; empty: none
  bool requireValid = false;
  double maximumUnjudged = 0.5; // share
  double reduceSeconds = 60; // for each finding
  pool::LimitOptions limits; // of each Case
  worker::Profile profile = {};
  std::string profileFile = {}; // where findings look for it; set by the command
  bool judgeOnly = false; // count what differs; confirm, reduce and store nothing
  std::vector<std::string> corpus; // files and folders of Cases that a share of the campaign's is derived from
  double corpusShare = 0.3;
  bool feedback = true; // where a Case may depend on the Cases before it, see usesFeedback()
  std::string resume; // folder that holds where the campaign is; empty: that of the findings, and it begins
  std::set<std::string> given; // names of the options that the command line holds: `--seed`
  bool json = false;

  /// Cases that showed something new are derived from only where a Case need not depend on seed and index alone, and not
  /// under a profile that steers how Cases are made: what is derived may hold what it excludes.
  bool usesFeedback() const { return feedback && countsFeatures() && shards == 1 && profile.generating().empty(); }
  bool countsFeatures() const { return !cases.has_value() && !sequences; }
};

/// The options of the command line, but for those of the profile; they are read into `options`.
options::OptionList campaignOptions(FuzzOptions& options);

/// The options that decide what a campaign does, by their names on the command line: all but those that each run says anew,
/// such as --jobs and --json. What the JSON lacks is left at its default.
nlohmann::json optionsJson(FuzzOptions options);
FuzzOptions optionsFromJson(const nlohmann::json& object);
/// Options of a campaign that goes on: what it was begun with, and of `given` what each run says anew.
FuzzOptions resumedOptions(FuzzOptions begun, FuzzOptions given);

/// How many processes work for each family: those asked for; otherwise one a core, but no more than there is work
/// for at once, and one on a device.
int workersOf(const FuzzOptions& options);

/// How many calls of each generated Case change nothing but values, tangents and roots (generators/decoder/Decoder.h, sameCalls):
/// those asked for; otherwise 22 where a backend of the torch family compiles, which takes hundreds of calls' time, else 2.
int callsOf(const FuzzOptions& options);

/// What generated Cases are drawn with, as `--part` names it: `flags` where a backend of the torch family compiles, then what is
/// asked for.
std::vector<std::string> partNamesOf(const FuzzOptions& options);

} // namespace touchstone::campaign
