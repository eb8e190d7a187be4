#include "harness/commands/RetestCommand.h"

#include "base/AtomicFile.h"
#include "harness/pool/CaseFiles.h"
#include "base/Interrupt.h"
#include "harness/report/JUnit.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"
#include "harness/store/FindingFiles.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <utility>

namespace touchstone::harness {

namespace {

using nlohmann::json;

constexpr int kRetestSchema = 1;

std::string titleOf(const RetestResult& result) {
  return result.id.empty() ? result.file : result.file.empty() ? result.id : result.id + " (" + result.file + ")";
}

void printResult(const RetestResult& result) {
  fmt::print("{} {}{}: {}{}\n", result.needsAPerson() ? "FAIL" : "ok  ", titleOf(result),
             result.backend.empty() ? "" : " under " + result.backend, retestStatusName(result.status),
             result.isExpired ? "; EXPIRED " + result.expires : "");
  if (result.status != RetestStatus::kStillThere && result.status != RetestStatus::kNoCase) {
    fmt::print("     listed {}, found {}{}\n", result.expected, result.found,
               result.message.empty() ? "" : ": " + result.message);
  }
}

json resultJson(const RetestResult& result) {
  return {{"id", result.id},
          {"file", result.file},
          {"backend", result.backend},
          {"status", retestStatusName(result.status)},
          {"expected", result.expected},
          {"found", result.found},
          {"message", result.message},
          {"expires", result.expires},
          {"expired", result.isExpired},
          {"needs_a_person", result.needsAPerson()}};
}

JUnitCase junitOf(const RetestResult& result) {
  const std::string status(retestStatusName(result.status));
  return {titleOf(result), result.backend,
          result.needsAPerson() ? status + (result.isExpired ? ", expired " + result.expires : "") : "",
          fmt::format("listed {}, found {}: {}", result.expected, result.found, result.message)};
}

/// What is to be run again, and what is not.
struct RetestPlan {
  std::vector<RetestSubject> subjects;
  std::vector<std::string> errors; // of what cannot be read
  std::vector<std::string> leftOut; // case files that name no backend
};

RetestPlan planOf(const RetestOptions& options) {
  RetestPlan plan;
  if (!options.known.empty()) {
    const KnownFindings known = readKnownFindings(options.known, options.today.empty() ? todayUtc() : options.today);
    for (const KnownEntry& entry : known.entries()) {
      try {
        RetestSubject& subject = plan.subjects.emplace_back(subjectOf(entry, known));
        subject.backend = options.backend.empty() || !subject.theCase ? subject.backend : options.backend;
      } catch (const std::exception& error) { // the others are run all the same
        plan.errors.push_back(fmt::format("entry `{}`: {}", entry.id, error.what()));
      }
    }
  }
  for (CaseFile& file : readCaseFiles(findCaseFiles(options.paths), /*rewrite=*/false, plan.errors)) {
    std::vector<RetestSubject> subjects = subjectsIn(file.path, file.content, options.backend);
    if (subjects.empty()) {
      plan.leftOut.push_back(file.path);
    }
    std::move(subjects.begin(), subjects.end(), std::back_inserter(plan.subjects));
  }
  for (RetestSubject& subject : plan.subjects) {
    if (subject.theCase && options.profile.text.empty()) {
      subject.missingProfile = subject.theCase->header(kProfileHeader).value_or("");
    }
  }
  return plan;
}

/// A line for each, or one where there are many, as in a folder of Cases that agree.
void tellLeftOut(const std::vector<std::string>& files) {
  constexpr size_t kTold = 10;
  if (files.size() > kTold) {
    fmt::print(stderr,
               "{} files, of which {} is the first, name no backend and expect no finding, so they are not run again; "
               "--backend names one to run them under.\n",
               files.size(), files[0]);
    return;
  }
  for (const std::string& file : files) {
    fmt::print(stderr,
               "{} names no backend and expects no finding, so it is not run again; --backend names one to run it "
               "under.\n",
               file);
  }
}

std::string countsText(const std::vector<RetestResult>& results) {
  std::map<RetestStatus, int> counts;
  for (const RetestResult& each : results) {
    ++counts[each.status];
  }
  std::string text;
  for (const auto& [status, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, retestStatusName(status));
  }
  const auto expired = std::count_if(results.begin(), results.end(), [](const auto& each) { return each.isExpired; });
  return text + (expired > 0 ? fmt::format(", {} expired", expired) : "");
}

ExitStatus statusOfRetest(const std::vector<RetestResult>& results) {
  const auto isJudged = [](const RetestResult& each) {
    return each.status != RetestStatus::kNotJudged && each.status != RetestStatus::kNoCase;
  };
  if (std::any_of(results.begin(), results.end(), [](const RetestResult& each) { return each.needsAPerson(); })) {
    return ExitStatus::kFindings;
  }
  return std::any_of(results.begin(), results.end(), isJudged) ? ExitStatus::kNothingNew : ExitStatus::kTooLittleJudged;
}

} // namespace

ExitStatus retestCommand(const RetestOptions& options) {
  const double begin = wallSeconds();
  if (options.known.empty() && options.paths.empty()) {
    throw WrongUse("There is nothing to run again: name a known file with --known, or a folder of findings.");
  }
  tryToWriteFile(options.junit);
  const RetestPlan plan = planOf(options);
  const std::vector<RetestSubject>& subjects = plan.subjects;
  for (const std::string& error : plan.errors) {
    fmt::print(stderr, "{}\n", error);
  }
  tellLeftOut(plan.leftOut);
  PoolOptions pool{options.workers, {}, limitsOf(options.profile, options.limits), "", options.profile};
  for (const RetestSubject& subject : subjects) {
    if (subject.theCase.has_value()) {
      pool.prepareFor(*subject.theCase);
      pool.backends.push_back(subject.backend);
    }
  }
  std::vector<RetestResult> results;
  const bool showsProgress = isatty(STDERR_FILENO) != 0;
  const auto take = [&](const RetestResult& result) {
    results.push_back(result);
    if (options.onResult) {
      options.onResult(result);
    }
    if (!options.json) {
      printResult(result);
      std::fflush(stdout);
    } else if (showsProgress) {
      fmt::print(stderr, "\r{} of {}", results.size(), subjects.size());
    }
  };
  bool isInterrupted = false;
  if (!subjects.empty()) {
    WorkerPool workers(pool);
    try {
      retest(workers, subjects, take);
    } catch (const Interrupted&) {
      isInterrupted = true;
    }
  }
  if (options.json) {
    json list = json::array();
    std::transform(results.begin(), results.end(), std::back_inserter(list), resultJson);
    fmt::print("{}\n", dumpJson({{"schema", kRetestSchema},
                                 {"torch", torchVersion()},
                                 {"seconds", wallSeconds() - begin},
                                 {"interrupted", isInterrupted},
                                 {"results", std::move(list)},
                                 {"left_out", plan.leftOut}},
                                1));
  } else if (subjects.empty()) {
    fmt::print("Nothing was run again.\n");
  } else {
    fmt::print("{} of {} run again in {:.1f} seconds: {}\n", results.size(), subjects.size(), wallSeconds() - begin,
               countsText(results));
  }
  if (!options.junit.empty()) {
    std::vector<JUnitCase> cases;
    std::transform(results.begin(), results.end(), std::back_inserter(cases), junitOf);
    writeFile(options.junit, junitText("touchstone retest", cases));
  }
  if (isInterrupted) {
    return ExitStatus::kInterrupted;
  }
  return plan.errors.empty() ? statusOfRetest(results) : ExitStatus::kWrongUse;
}

} // namespace touchstone::harness
