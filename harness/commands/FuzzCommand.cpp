#include "harness/commands/Commands.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "base/Machine.h"
#include "generators/catalogue/Operators.h"
#include "generators/catalogue/Parts.h"
#include "generators/decoder/Decoder.h"
#include "harness/baseline/KnownFindings.h"
#include "harness/campaign/Campaign.h"
#include "harness/campaign/CampaignLock.h"
#include "harness/campaign/CampaignOptions.h"
#include "harness/campaign/StoredProfile.h"
#include "harness/findings/OtherFindings.h"
#include "harness/pool/LibraryDescription.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/store/StoreSchema.h"
#include "program/analysis/FlatProgram.h"
#include "program/analysis/ProgramSignature.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string_view>

namespace touchstone::commands {

namespace {

constexpr size_t kShownUnconfirmed = 20;
constexpr size_t kShownOfMessage = 200; // Inductor lists every option that there is

constexpr const char* kSmallCase =
    "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n    return (torch.ones((2, 3)),), ()\n\n\n"
    "def program(x):\n    return torch.relu(x)\n\n\nCALLS = [\n    dict(inputs=\"inputs\"),\n]\n";

/// What differed once, and did not when the Case ran alone, is a sign of something that depends on what ran before.
std::string unconfirmedText(const report::Tally& tally) {
  int64_t count = 0;
  for (const auto& [name, backend] : tally.backends) {
    count += backend.count(language::Outcome::kUnconfirmed);
  }
  return count == 0 ? "" : fmt::format("; {} are Unconfirmed, in `unconfirmed/` of the findings", count);
}

/// A campaign that stores no findings keeps its state only where --resume names a folder for it: others may run in its folder.
bool keepsState(const campaign::FuzzOptions& options) {
  return !options.judgeOnly || !options.resume.empty();
}

/// The folder with which a campaign that keeps its state goes on.
const std::string& folderToResume(const campaign::FuzzOptions& options) {
  return options.judgeOnly ? options.resume : options.findings;
}

base::ExitStatus statusOf(const campaign::FuzzOptions& options, const campaign::CampaignResult& result,
                          const campaign::EventLog& events) {
  const report::Tally& tally = result.report.tally;
  if (!result.failure.empty()) {
    fmt::print(stderr, "The campaign ended early: {} When that is mended, it goes on: {} fuzz --resume {}\n",
               result.failure, report::programName(), options.findings);
    return base::ExitStatus::kFailed;
  }
  if (result.interrupted) {
    fmt::print(stderr, "{}\n",
               keepsState(options) ? fmt::format("Interrupted. To go on: {} fuzz --resume {}", report::programName(),
                                                 folderToResume(options))
                                   : "Interrupted.");
    return base::ExitStatus::kInterrupted;
  }
  if (!result.report.findings.empty()) {
    return base::ExitStatus::kFindings;
  }
  if (tally.unreadable > 0 || events.failed()) {
    return base::ExitStatus::kFailed;
  }
  if (tally.callsJudged() == 0 || tally.unjudgedShare() > options.maximumUnjudged) {
    fmt::print(stderr, "Too little was judged: {:.0f} % of the Cases were not (at most {:.0f} % may be){}.\n",
               100 * tally.unjudgedShare(), 100 * options.maximumUnjudged, unconfirmedText(tally));
    return base::ExitStatus::kTooLittleJudged;
  }
  if (options.requireValid) {
    const std::vector<report::ValidityFigure> figures = report::validityFigures(tally);
    if (!std::all_of(figures.begin(), figures.end(), [](const report::ValidityFigure& each) { return each.holds; })) {
      fmt::print(stderr, "The campaign is not valid: see the figures marked LOW or HIGH.\n");
      return base::ExitStatus::kTooLittleJudged;
    }
  }
  return base::ExitStatus::kNothingNew;
}

/// The stored Cases to derive others from. Of a campaign that goes on, those that it began with.
std::vector<store::SeedCasePtr> corpusOf(const campaign::FuzzOptions& options,
                                         const std::optional<campaign::CampaignRecord>& record) {
  std::vector<std::string> errors;
  std::vector<store::SeedCasePtr> cases = store::readSeedCases(options.corpus, errors);
  for (const std::string& error : errors) {
    fmt::print(stderr, "left out of the corpus: {}\n", error);
  }
  if (!options.corpus.empty() && cases.empty()) {
    throw base::WrongUse(fmt::format("There is no Case in {}, which --corpus names.", fmt::join(options.corpus, ", ")));
  }
  if (record.has_value()) {
    std::erase_if(cases, [&](const store::SeedCasePtr& each) {
      return std::none_of(record->corpus.begin(), record->corpus.end(),
                          [&](const auto& entry) { return entry.second == each->content; });
    });
    for (const auto& [file, content] : record->corpus) {
      if (std::none_of(cases.begin(), cases.end(), [&](const auto& each) { return each->content == content; })) {
        throw base::WrongUse(
            fmt::format("`{}` is not what it was when the campaign began, so its Cases cannot be made again. Put "
                        "the file back, or begin another campaign.",
                        file));
      }
    }
  }
  return cases;
}

void prepareFolder(const std::string& folder) {
  std::error_code refused;
  std::filesystem::create_directories(folder, refused);
  if (refused || access(folder.c_str(), W_OK) != 0) {
    throw base::WrongUse(fmt::format(
        "Findings cannot be stored in `{}`: name a folder that can be written to with --findings.", folder));
  }
}

/// Clusters of this campaign that were stored by a Case that no state counts: that Case is judged again.
/// A store that has seen the campaign begin knows better what it knew then.
void forgetUncounted(store::FindingStore& store, const campaign::CampaignRecord& record,
                     const campaign::FuzzOptions& options) {
  std::vector<std::string> newest;
  for (const report::Finding& finding : record.memory.findings) {
    newest.push_back(finding.id);
  }
  const std::vector<campaign::WaitingSuspect> waiting = record.memory.queue.inOrder();
  const std::string prefix = fmt::format("{}seed {} case ", options.sequences ? "sequences " : "", *options.seed);
  const uint64_t next = options.start + options.shard - 1 + record.position * options.shards;
  store.resume(newest, [&](const std::string& foundBy) {
    const bool isWaiting = std::any_of(waiting.begin(), waiting.end(), [&](const campaign::WaitingSuspect& each) {
      return each.foundBy == foundBy || foundBy.starts_with(each.foundBy + std::string(findings::kWhileReducing));
    });
    return !store.hasCampaign(record.id) &&
           (isWaiting ||
            (foundBy.rfind(prefix, 0) == 0 && std::strtoull(foundBy.c_str() + prefix.size(), nullptr, 10) >= next));
  });
}

std::unique_ptr<store::FindingDatabase> openDatabase(const campaign::FuzzOptions& options) {
  if (options.judgeOnly) {
    return nullptr; // it finds nothing
  }
  auto database = std::make_unique<store::FindingDatabase>(
      store::storeFile(options.store.empty() ? options.findings : options.store));
  database->markKilled([](const std::string& state) { return campaign::CampaignLock::isFree(state); });
  return database;
}

/// The campaign as the store has it, before its first Case.
store::StoredCampaign storedCampaign(const campaign::FuzzOptions& options, const std::string& id,
                                     const std::filesystem::path& state) {
  store::StoredCampaign campaign;
  campaign.id = id;
  campaign.seed = std::to_string(*options.seed);
  campaign.options = report::dumpJson(campaign::optionsJson(options));
  campaign.torch = report::torchVersion();
  campaign.cpu = base::processorName();
  campaign.catalogue = catalogue::kCatalogueVersion;
  campaign.stateFile = std::filesystem::absolute(state).lexically_normal();
  return campaign;
}

/// How many findings end a campaign that goes on: those asked for now, otherwise those asked for when it began, unless it has
/// them and stopped there: then it goes on to its end.
uint64_t maximumFindings(const campaign::FuzzOptions& given, const campaign::CampaignRecord& record) {
  const uint64_t found = record.memory.findings.size();
  if (given.given.count("--max-findings") == 0) {
    return found >= record.options.maximumFindings ? 0 : record.options.maximumFindings;
  }
  if (given.maximumFindings > 0 && found >= given.maximumFindings && !record.finished) {
    fmt::print(stderr,
               "The campaign has {} findings, and --max-findings {} asks for no more: nothing is judged. With a larger "
               "one, or without it, the campaign goes on.\n",
               found, given.maximumFindings);
  }
  return given.maximumFindings;
}

/// Says so when the state of a campaign that has not ended is about to be replaced.
void tellOfUnfinished(const std::filesystem::path& file) {
  try {
    const campaign::CampaignRecord before = campaign::readRecord(file);
    if (!before.finished && before.tally.cases > 0) {
      fmt::print(
          stderr,
          "The campaign of seed {} in `{}`, which ended after {} Cases, is given up for this one; with --resume it "
          "would have gone on.\n",
          before.options.seed.value_or(0), file.parent_path().string(), before.tally.cases);
    }
  } catch (const std::exception&) { // no record there, or none that could go on
  }
}

bool isKnown(const baseline::KnownFindings& known, const store::StoredFinding& finding) {
  const worker::Symptom& symptom = finding.symptom;
  return known.bySymptom(symptom) != nullptr || known.byCluster(finding.id, symptom.backend) != nullptr ||
         (!finding.caseText.empty() &&
          known.byPattern(analysis::flatten(parser::parsePrinted(finding.caseText)), symptom) != nullptr);
}

/// Those of the installed PyTorch's backends that take any option and read none.
bool takesNoOptions(const std::string& backend) {
  constexpr std::string_view kNames[] = {
      "torch:eager_python", "torch:eager",
      "torch:aot_function", "torch:aot_eager_default_partitioner",
      "torch:aot_eager",    "torch:aot_eager_decomp_partition",
  };
  return std::find(std::begin(kNames), std::end(kNames), backend) != std::end(kNames);
}

/// Says which compile options of the profile its backend does not know: a campaign counts outcomes and shows no warnings.
void tellOfUnknownOptions(pool::WorkerPool& pool, const worker::Profile& profile) {
  if (profile.backend.empty() || profile.compile.options.empty()) {
    return;
  }
  if (takesNoOptions(profile.backend)) {
    fmt::print(stderr, "warning: `{}` takes no compile options; those of the profile change nothing.\n",
               profile.backend);
    return;
  }
  const pool::RunJob run = pool::runnerOf(pool, backends::backendInfo(profile.backend).family);
  const worker::JobResult result = run({.source = worker::PrintedCase{kSmallCase},
                                        .backends = {profile.backend},
                                        .task = worker::JudgeTask{.blame = false}});
  for (const worker::BackendResult& each : result.backends) {
    for (const std::string& warning : each.warnings) {
      fmt::print(stderr, "warning: {}\n", warning);
    }
    if (each.outcome == language::Outcome::kBackendRejected || each.outcome == language::Outcome::kInternalError) {
      fmt::print(stderr, "warning: with the compile options of the profile, `{}` refuses a small program: {}\n",
                 profile.backend, each.message.substr(0, kShownOfMessage));
    }
  }
}

/// Cases that are not decoded take nothing of a profile that steers how Cases are made.
void refuseGenerating(const campaign::FuzzOptions& options) {
  const std::vector<std::string> generating = options.profile.generating();
  if (!generating.empty() && (options.sequences || !options.corpus.empty())) {
    throw base::WrongUse(fmt::format("`{}` of the profile is not available here: {}.", fmt::join(generating, "`, `"),
                                     options.sequences ? "call sequences (--sequences) are made of fixed pieces"
                                                       : "stored Cases (--corpus) may hold what it excludes"));
  }
}

base::ExitStatus fuzz(const campaign::FuzzOptions& given) {
  const std::filesystem::path state = campaign::stateFile(given);
  std::optional<campaign::CampaignLock> lock;
  if (keepsState(given) && std::filesystem::exists(state)) {
    lock.emplace(state); // before it is read: nobody else shall write it any more
  }
  std::optional<campaign::CampaignRecord> record = campaign::recordToResume(given, state);
  campaign::FuzzOptions options = record.has_value() ? campaign::resumedOptions(record->options, given) : given;
  if (record.has_value()) {
    options.maximumFindings = maximumFindings(given, *record);
  }
  if (record.has_value() && !options.profile.text.empty()) {
    options.profile.loaded = pool::declareLibraries(options.profile, "the profile of the campaign");
    worker::declareBackend(options.profile);
  }
  refuseGenerating(options);
  if (options.backends.empty()) {
    throw base::WrongUse("Name at least one backend with --backends; `touchstone backends` lists them.");
  }
  if (options.sequences && !options.corpus.empty()) {
    throw base::WrongUse("Call sequences are not made of stored Cases: leave out --corpus or --sequences.");
  }
  if (!record.has_value() && !options.profile.text.empty() && options.profile.backend.empty() &&
      options.given.count("--backends") == 0) {
    fmt::print(stderr, "The profile names no backend, so the default ones are tested: {}\n",
               fmt::join(options.backends, ", "));
  }
  if (options.judgeOnly && !options.store.empty()) {
    throw base::WrongUse(
        "With --judge-only nothing is found, so nothing is stored: leave out --store or --judge-only.");
  }
  pool::byFamily(options.backends); // unknown names are told before anything starts
  const baseline::KnownFindings known = baseline::givenKnownFindings(options.known, options.today);
  if (!options.judgeOnly) {
    prepareFolder(options.findings);
  }
  if (keepsState(options) && !lock.has_value()) {
    lock.emplace(state);
  }
  options.workers = campaign::workersOf(options);
  options.seed = options.seed.has_value() ? *options.seed : std::random_device()();
  const uint64_t seed = *options.seed;
  campaign::CampaignStart start;
  start.corpus = corpusOf(options, record);
  if (keepsState(options)) {
    start.recordFile = state;
  }
  campaign::EventLog events(options.events);
  store::FindingStore store(options.findings, openDatabase(options));
  if (record.has_value()) {
    forgetUncounted(store, *record, options);
    fmt::print(stderr, "going on behind Case {} of `{}`\n", record->tally.cases, start.recordFile.string());
  } else if (keepsState(options)) {
    tellOfUnfinished(state);
  }
  if (!options.judgeOnly) {
    options.profileFile = campaign::storeProfile(options.profile, options.findings);
  }
  pool::WorkerPool pool(
      {options.workers, options.backends, pool::limitsOf(options.profile, options.limits), "", options.profile});
  if (!options.json) {
    fmt::print(stderr, "seed {}, backends {}, {}\n", seed, fmt::join(options.backends, ", "),
               options.judgeOnly ? "nothing is stored" : fmt::format("findings in `{}`", options.findings));
  }
  tellOfUnknownOptions(pool, options.profile);
  start.id = record.has_value() && !record->id.empty() ? record->id : store::newCampaignId();
  store.beginCampaign(storedCampaign(options, start.id, state));
  if (!options.known.empty()) {
    store.markKnown([&](const store::StoredFinding& each) { return isKnown(known, each); });
  }
  start.record = std::move(record);
  campaign::Campaign campaign(options, seed, pool, store, events, std::move(start));
  campaign::CampaignResult result = campaign.run();
  result.report.tally.expect(options.profile);
  result.report.tally.expect(worker::partsFor(options.parts, options.profile));
  result.report.folder = folderToResume(options);
  if (options.json) {
    report::printJson(report::reportJson(result.report));
  } else {
    fmt::print("{}", report::summaryText(result.report, /*withValidity=*/true));
  }
  for (size_t i = 0; i < std::min(result.unconfirmed.size(), kShownUnconfirmed); ++i) {
    fmt::print(stderr, "did not recur: {}\n", result.unconfirmed[i]);
  }
  return statusOf(options, result, events);
}

} // namespace

options::Command fuzzCommand() {
  const auto asked = std::make_shared<campaign::FuzzOptions>();
  asked->workers = 0; // one a core
  const auto profile = std::make_shared<pool::ProfileFlags>();
  return {
      .options = {campaign::campaignOptions(*asked), pool::profileOptions(*profile, pool::ProfileScope::kEverything)},
      .footer =
          "Case I of a campaign depends on --seed, I, the profile, --part and --calls, which --backends decides where\n"
          "it is not given, and on nothing else, so a night can be cut into shards and any Case made again:\n"
          "  touchstone fuzz --seed 7 --start 1204 --cases 1\n"
          "With --corpus it depends on the contents of the files, too; with --seconds on the Cases before it as well, unless there\n"
          "is --no-feedback or --shard. What is found is a file of its own in any case.\n"
          "\n"
          "The state is kept in the folder of findings every few seconds. A campaign that was killed goes on with\n"
          "  touchstone fuzz --resume findings\n"
          "docs/fuzzing.md tells how to run a night.",
      .run =
          [asked, profile](const options::Given& given) {
            asked->given = given;
            asked->profile = profile->read(asked->backends, given.contains("--backends"));
            return fuzz(*asked);
          },
  };
}

} // namespace touchstone::commands
