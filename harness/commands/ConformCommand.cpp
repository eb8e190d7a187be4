#include "harness/commands/Commands.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "harness/campaign/CampaignLock.h"
#include "harness/conformance/ConformanceRun.h"
#include "harness/conformance/Pages.h"
#include "harness/findings/FindingPipeline.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"
#include "harness/store/StoredRows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>

namespace touchstone::commands {

namespace {

constexpr const char* kReportFile = "conformance.json";
const std::string kUnfinished = "unfinished-"; // folder of a report that is to replace another one, with the time

/// `touchstone conform`: what a backend can be held to.
struct ConformCommandOptions {
  conformance::ConformOptions asked;
  std::string folder = "conformance";
  std::string against; // an older report; empty: the one in the folder, where there is one
  std::vector<std::string> levels;
  std::optional<uint64_t> seed;
  bool json = false;
};

conformance::ConformanceReport readReport(const std::filesystem::path& file, const std::string& backend) {
  conformance::ConformanceReport report = conformance::reportFromText(base::readFile(file), file.string());
  if (report.backend != backend) {
    throw base::WrongUse(fmt::format("`{}` is about `{}`, not `{}`: name another folder with --report.", file.string(),
                                     report.backend, backend));
  }
  return report;
}

/// Beside the lock of a run that did not get to its report.
bool holdsOtherThings(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder)) {
    return false;
  }
  if (!std::filesystem::is_directory(folder)) {
    return true;
  }
  const std::filesystem::directory_iterator entries(folder);
  return std::any_of(begin(entries), end(entries),
                     [](const auto& each) { return each.path().filename() != "conformance.lock"; });
}

/// What is no report's is nobody's to replace. Throws WrongUse.
void refuseOtherThings(const std::filesystem::path& folder) {
  if (folder.empty() || (!std::filesystem::exists(folder / kReportFile) && holdsOtherThings(folder))) {
    throw base::WrongUse(
        fmt::format("`{}` holds other things than a report: name an empty folder with --report.", folder.string()));
  }
}

/// The report that lies in the folder; none: there is none yet.
std::optional<conformance::ConformanceReport> reportIn(const std::filesystem::path& folder,
                                                       const std::string& backend) {
  const std::filesystem::path file = folder / kReportFile;
  return std::filesystem::exists(file) ? std::optional(readReport(file, backend)) : std::nullopt;
}

/// The one that --against names.
conformance::ConformanceReport namedReport(const std::string& against, const std::string& backend) {
  std::filesystem::path file = against;
  if (std::filesystem::is_directory(file)) {
    file /= kReportFile;
  }
  if (!std::filesystem::exists(file)) {
    throw base::WrongUse(
        fmt::format("`{}`, which --against names, is not there: name the {} of an older run, or its folder.",
                    file.string(), kReportFile));
  }
  return readReport(file, backend);
}

std::set<conformance::Level> levelsOf(const std::vector<std::string>& names) {
  std::set<conformance::Level> levels;
  for (const std::string& name : names) {
    const std::optional<conformance::Level> level = conformance::levelFromName(name);
    if (!level.has_value()) {
      throw base::WrongUse(
          fmt::format("There is no level `{}`; the levels are L0 to L{}.", name, conformance::kLevelCount - 1));
    }
    levels.insert(*level);
  }
  return levels;
}

void writePages(const conformance::Page& page, const std::filesystem::path& folder) {
  base::writeFile(folder / kReportFile, conformance::reportText(page.report));
  base::writeFile(folder / "report.md", conformance::markdownPage(page));
  base::writeFile(folder / "index.html", conformance::htmlPage(page));
  base::writeFile(folder / "operators.csv", conformance::csvTable(page.report));
  base::writeFile(folder / "junit.xml", conformance::junitPage(page.report));
}

/// Moves all that lies in `from`, and replaces what is called so.
void moveInto(const std::filesystem::path& folder, const std::filesystem::path& from) {
  const std::filesystem::recursive_directory_iterator entries(from);
  for (const std::filesystem::directory_entry& each : std::vector(begin(entries), end(entries))) {
    const std::filesystem::path place = folder / std::filesystem::relative(each.path(), from);
    if (each.is_directory()) {
      std::filesystem::create_directories(place);
    } else {
      std::filesystem::rename(each.path(), place);
    }
  }
  std::filesystem::remove_all(from);
}

/// Files of causes that the report which is replaced had and the new one has not.
void removeCauses(const conformance::ConformanceReport& replaced, const conformance::ConformanceReport& report,
                  const std::filesystem::path& folder) {
  for (const conformance::CauseReport& each : replaced.causes) {
    if (!each.file.empty() && report.cause(each.id) == nullptr) {
      std::error_code ignored; // it is not there any more
      std::filesystem::remove(folder / "causes" / std::filesystem::path(each.file).filename(), ignored);
    }
  }
}

base::ExitStatus statusOf(const conformance::ConformanceReport& report) {
  using conformance::LevelReport;
  using conformance::LevelVerdict;
  const auto any = [&](LevelVerdict verdict) {
    return std::ranges::any_of(report.levels, [&](const LevelReport& each) { return each.verdict == verdict; });
  };
  if (report.isInterrupted) {
    return base::ExitStatus::kInterrupted;
  }
  if (any(LevelVerdict::kFails)) {
    return base::ExitStatus::kFindings;
  }
  return any(LevelVerdict::kHolds) || any(LevelVerdict::kHoldsWhereTaken) ? base::ExitStatus::kNothingNew
                                                                          : base::ExitStatus::kTooLittleJudged;
}

std::string levelLines() {
  std::string lines;
  for (const conformance::LevelRow& row : conformance::kLevels) {
    lines += fmt::format("  {} {}: {}\n", row.name, row.title, row.asks);
  }
  return lines;
}

/// What to type for the same report, but for its seed.
std::string commandLine(const ConformCommandOptions& options, const pool::ProfileFlags& profile) {
  return fmt::format(
      "touchstone conform --backend {} --minutes {:g}{}{}{}", options.asked.backend, options.asked.minutes,
      options.asked.cases.has_value() ? fmt::format(" --cases {}", *options.asked.cases) : "",
      options.levels.empty() ? "" : fmt::format(" --levels {}", fmt::join(options.levels, ",")), profile.commandLine());
}

base::ExitStatus conform(ConformCommandOptions options) {
  if (options.asked.backend.empty()) {
    throw base::WrongUse("Name a backend with --backend, or a profile that has one; `touchstone backends` lists them.");
  }
  backends::backendInfo(options.asked.backend); // unknown names are told before anything starts
  options.asked.levels = levelsOf(options.levels);
  options.asked.folder = options.folder;
  options.asked.seed = options.seed.has_value() ? *options.seed : std::random_device()();
  const std::filesystem::path folder = options.folder;
  refuseOtherThings(folder);
  base::tryToWriteInto(options.folder);
  const campaign::CampaignLock lock(
      folder / kReportFile,
      fmt::format("Another `touchstone conform` writes its report into `{}`: name another folder with --report.",
                  folder.string()));
  const std::optional<conformance::ConformanceReport> replaced = reportIn(folder, options.asked.backend);
  const std::optional<conformance::ConformanceReport> older =
      options.against.empty() ? replaced : namedReport(options.against, options.asked.backend);
  // A whole report is replaced by a whole one.
  const bool isApart = replaced.has_value() && !replaced->isInterrupted;
  if (isApart) {
    options.asked.folder = folder / (kUnfinished + findings::asFileName(store::timeNow()));
    std::filesystem::create_directories(options.asked.folder);
  }
  const conformance::ConformanceReport report = conformance::conform(options.asked);
  const conformance::Page page{
      .report = report,
      .isCompared = older.has_value(),
      .changes = older.has_value() ? conformance::changesSince(*older, report) : std::vector<std::string>()};
  const bool isLeft = isApart && report.isInterrupted;
  if (replaced.has_value() && !isLeft) {
    removeCauses(*replaced, report, folder);
  }
  if (isApart && !isLeft) {
    moveInto(folder, options.asked.folder);
    options.asked.folder = folder;
  }
  writePages(page, options.asked.folder);
  if (isLeft) {
    fmt::print(stderr, "The report in `{}` is left as it was; what there is of this one is in `{}`.\n", folder.string(),
               options.asked.folder.string());
  }
  if (options.json) {
    fmt::print("{}", conformance::reportText(report));
  } else {
    fmt::print("{}\nthe report: {}, {}\n", conformance::summaryText(page),
               (options.asked.folder / "report.md").string(), (options.asked.folder / "index.html").string());
  }
  return statusOf(report);
}

} // namespace

options::Command conformCommand() {
  const auto asked = std::make_shared<ConformCommandOptions>();
  const auto profile = std::make_shared<pool::ProfileFlags>();
  return {
      .options =
          {{"--backend,-b", &asked->asked.backend, "The backend; by default the profile's"},
           {"--minutes", &asked->asked.minutes, "For all of it", options::aboveZero().shown()},
           {"--cases", &asked->asked.cases, "At most so many for each level: a page sooner, of less",
            options::aboveZero()},
           {"--report", &asked->folder,
            "Folder of the report: report.md, index.html, junit.xml, operators.csv, conformance.json, and a "
            "file for each cause in causes/",
            options::shown()},
           {"--against", &asked->against,
            "An older report, to say what has changed since; without it the one that is in the folder of the report"},
           {"--levels", &asked->levels, "The levels that are asked: L0,L4; without it all", options::split()},
           options::seed(&asked->seed, "Seed of the campaigns; without it a fresh one is made, and the report says it",
                         false),
           {"--reduce-seconds", &asked->asked.reduceSeconds, "For each finding", options::aboveZero().shown()},
           options::jobs(asked->asked.workers, "Worker processes"),
           pool::limitOptions(asked->asked.limits),
           pool::profileOptions(*profile, pool::ProfileScope::kEverything),
           options::jsonFlag(asked->json)},
      .footer =
          std::string() +
          "Each operator is probed with each dtype; then each level has a campaign of its own, which leaves out what the probes have\n"
          "shown. What has one cause is one row, with a reduced Program that plain Python runs.\n" +
          levelLines() +
          "With --proof, what the backend left to PyTorch has not agreed (docs/profiles.md). Exit status: 1 when a level fails; 4 when\n"
          "none could be judged.\n"
          "\nExamples:\n"
          "  touchstone conform --backend torch:inductor --minutes 30 --report inductor\n"
          "  touchstone conform --profile mine.json --proof spied --report mine\n"
          "  touchstone conform --profile mine.json --report mine          # once more: what has changed?",
      .run =
          [asked, profile](const options::Given&) {
            std::vector<std::string> names = pool::namesOf(asked->asked.backend);
            asked->asked.profile = profile->read(names);
            asked->asked.backend = names.empty() ? asked->asked.backend : names[0];
            asked->asked.command = commandLine(*asked, *profile);
            return conform(*asked);
          },
  };
}

} // namespace touchstone::commands
