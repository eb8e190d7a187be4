#include "harness/commands/Commands.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "harness/findings/FindingPipeline.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/probing/ProbeRun.h"
#include "harness/report/Report.h"
#include "harness/worker/Progress.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace touchstone::commands {

using nlohmann::json;
using probing::ProbeResult;
using probing::ProbeStatus;

namespace {

/// `touchstone probe`: what a backend takes of the catalogue, one operator and dtype at a time.
struct ProbeOptions {
  probing::ProbeRunOptions tried;
  std::string proposalBase; // the profile without what only narrows this run, as JSON; empty: none
  bool all = false; // show operators that are supported everywhere, too
  bool excludeWrong = false;
  std::string output; // file for the proposed profile; empty: none
  std::string cases; // folder for Cases that are not supported; empty: none
  bool json = false;
};

/// The Case with what is known of it, so that `touchstone run` and plain Python look for that.
std::string withExpectation(const ProbeResult& result, const ProbeOptions& options) {
  language::Case theCase = parser::parsePrinted(result.caseText);
  findings::FindingHeaders headers = findings::headersOf(theCase);
  headers.symptom.backend = options.tried.backend;
  findings::label(theCase, headers, {language::parseExpectation(options.tried.backend + " " + result.outcome)},
                  options.tried.profile);
  return standalone::printCase(theCase);
}

void writeCases(const std::vector<ProbeResult>& results, const ProbeOptions& options) {
  for (const ProbeResult& each : results) {
    if (!each.caseText.empty()) {
      const std::string name = fmt::format("{}-{}-{}.py", each.operatorName, each.dtype, each.pass());
      base::writeFile(std::filesystem::path(options.cases) / name, withExpectation(each, options));
    }
  }
}

/// Folders as seen from the file's own, so that both can be moved together.
json withRelativeFolders(json profile, const std::string& file) {
  const auto found = profile.find("python_path");
  if (found != profile.end()) {
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    for (json& each : *found) {
      each = std::filesystem::path(each.get<std::string>()).lexically_proximate(folder).string();
    }
  }
  return profile;
}

base::ExitStatus statusOf(const std::vector<ProbeResult>& results, const report::Tally& tally) {
  const auto isJudged = [](const ProbeResult& each) {
    return each.status != ProbeStatus::kNotApplicable && each.status != ProbeStatus::kNotJudged;
  };
  if (base::interruptRequested()) {
    return base::ExitStatus::kInterrupted;
  }
  if (tally.unreadable > 0) {
    fmt::print(stderr, "Touchstone itself failed on {} probes; --json has the reasons.\n", tally.unreadable);
    return base::ExitStatus::kFailed;
  }
  if (std::any_of(results.begin(), results.end(), [](const ProbeResult& each) { return each.isFinding(); })) {
    return base::ExitStatus::kFindings;
  }
  if (std::none_of(results.begin(), results.end(), isJudged)) {
    fmt::print(stderr, "Nothing was judged: no operator that was asked for has a Case of these dtypes.\n");
    return base::ExitStatus::kTooLittleJudged;
  }
  return base::ExitStatus::kNothingNew;
}

base::ExitStatus probe(const ProbeOptions& options) {
  if (options.tried.backend.empty()) {
    throw base::WrongUse("Name a backend with --backend, or a profile that has one; `touchstone backends` lists them.");
  }
  const ir::BackendInfo info = backends::backendInfo(options.tried.backend);
  base::tryToWriteFile(options.output);
  base::tryToWriteInto(options.cases);
  const double begin = worker::wallSeconds();
  report::Tally nothingTried;
  nothingTried.expect(options.tried.profile);
  const std::vector<worker::Probe> probes = probing::probesOf(options.tried.profile, nothingTried.exclusions);
  const double expected = probing::expectedSeconds(options.tried, probes.size());
  fmt::print(stderr, "{} probes of `{}`, each an operator with a dtype, forward or backward: about {:.0f} seconds{}\n",
             probes.size(), info.name, expected,
             options.tried.seconds.value_or(expected) < expected
                 ? fmt::format(", of which {:g} are given", *options.tried.seconds)
                 : "");
  json base = options.proposalBase.empty() ? json::object() : json::parse(options.proposalBase);
  base["backend"] = info.name;
  probing::ProbeRun run = probing::runProbes(probes, options.tried, nothingTried);
  if (run.isCold) {
    base["warm_up"] = false;
  }
  const report::Tally& tally = run.tally;
  std::vector<ProbeResult> results;
  for (auto& [index, result] : run.results) {
    results.push_back(std::move(result));
  }
  if (results.size() < probes.size()) {
    fmt::print(stderr,
               "{} before {} of the probes: the proposal is about the others. The order is the same every "
               "time, so a larger --seconds, or --dtypes and --operators, try the rest.\n",
               base::interruptRequested() ? "Interrupted" : "The time was up", probes.size() - results.size());
  }
  const json proposed = probing::proposedProfile(results, base, options.excludeWrong);
  if (!options.cases.empty()) {
    writeCases(results, options);
  }
  if (!options.output.empty()) {
    base::writeFile(options.output, report::dumpJson(withRelativeFolders(proposed, options.output), 2) + "\n");
  }
  if (options.json) {
    const json object{{"schema", 1},
                      {"torch", report::torchVersion()},
                      {"backend", info.name},
                      {"probes", probes.size()},
                      {"cases", run.cases},
                      {"interrupted", base::interruptRequested()},
                      {"seconds", worker::wallSeconds() - begin},
                      {"results", probing::probeResultsJson(results)},
                      {"exclusions", tally.exclusions},
                      {"profile", proposed}};
    report::printJson(object);
  } else {
    fmt::print("{}{}{}{} of {} probes in {} Cases and {:.1f} seconds\n", probing::probeTable(results, options.all),
               probing::probeDetails(results), report::exclusionsText(tally), results.size(), probes.size(), run.cases,
               worker::wallSeconds() - begin);
    if (options.output.empty()) {
      fmt::print("\nproposed profile (-o FILE writes it):\n{}\n", report::dumpJson(proposed, 2));
    } else {
      fmt::print("\nproposed profile in {}; to use it: {} fuzz --profile {} --cases 500\n", options.output,
                 report::programName(), options.output);
    }
  }
  return statusOf(results, tally);
}

} // namespace

options::Command probeCommand() {
  const auto asked = std::make_shared<ProbeOptions>();
  const auto profile = std::make_shared<pool::ProfileFlags>();
  return {
      .options =
          {{"--backend,-b", &asked->tried.backend, "The backend; by default the profile's"},
           {"--all", &asked->all, "Show operators that are supported everywhere, too"},
           {"--exclude-wrong", &asked->excludeWrong, "Propose to exclude operators with wrong results, too"},
           {"--output,-o", &asked->output, "File for the proposed profile"},
           {"--seconds", &asked->tried.seconds,
            "Begin no probe after so many seconds, but end what was begun; the dtypes come one after the other, each "
            "with its operators in an order of no meaning, so that what is tried is a sample",
            options::aboveZero()},
           {"--one-by-one", &asked->tried.oneByOne,
            "Try each operator in a Case of its own from the start; without it, several share one where compiling is "
            "dear, and are taken apart when it is not as eager's"},
           {"--write-cases", &asked->cases, "Folder for the Cases that are not supported, one file each"},
           options::jobs(asked->tried.workers, "Worker processes"),
           pool::limitOptions(asked->tried.limits),
           pool::profileOptions(*profile, pool::ProfileScope::kEverything),
           options::jsonFlag(asked->json)},
      .footer =
          "A Case holds one operator of `touchstone ops`, in each of its spellings, on clones of its arguments, and is judged\n"
          "as any other Case. --operators, --exclude-operators, --dtypes and --exclude-dtypes restrict what is tried.\n"
          "Exit status: 1 when results are wrong, or the backend crashes, hangs or dies of an assertion of its own; 4 when\n"
          "nothing could be judged.\n"
          "\nExamples:\n"
          "  touchstone probe --backend torch:inductor --operators 'sin,mm,cat' --dtypes float32,bfloat16\n"
          "  touchstone probe --backend torch:inductor --seconds 3600 -o proposed.json\n"
          "  touchstone probe --profile mine.json -o proposed.json\n"
          "  touchstone fuzz --profile proposed.json --cases 500 --require-valid",
      .run =
          [asked, profile](const options::Given& given) {
            std::vector<std::string> names;
            if (given.contains("--backend")) {
              names.push_back(asked->tried.backend);
            }
            asked->proposalBase = profile->withoutGeneratingFlags().read(names).text;
            asked->tried.profile = profile->read(names);
            asked->tried.backend = names.empty() ? asked->tried.backend : names[0];
            asked->tried.wantCases = !asked->cases.empty();
            return probe(*asked);
          },
  };
}

} // namespace touchstone::commands
