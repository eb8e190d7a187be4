#include "harness/commands/Commands.h"

#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "harness/baseline/KnownFindings.h"
#include "harness/baseline/Retest.h"
#include "harness/baseline/RetestRecord.h"
#include "harness/findings/FindingHeaders.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/JUnit.h"
#include "harness/report/Report.h"
#include "harness/store/FindingFiles.h"
#include "harness/worker/Profile.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::commands {

namespace {

/// `touchstone retest`: what became of known and of stored findings.
struct RetestOptions {
  std::vector<std::string> paths; // files and folders of findings
  std::string known; // file; empty: none
  std::string backend; // to run all under; empty: each under the one that it was found under
  std::string today; // empty: the clock
  int workers = 1;
  std::string junit; // file; empty: none
  bool json = false;
  pool::LimitOptions limits = {};
  worker::Profile profile = {};
  baseline::RetestSink onResult = {}; // told of each result; may be empty
};

using nlohmann::json;

constexpr int kRetestSchema = 1;

std::string titleOf(const baseline::RetestResult& result) {
  return result.id.empty() ? result.file : result.file.empty() ? result.id : result.id + " (" + result.file + ")";
}

void printResult(const baseline::RetestResult& result) {
  fmt::print("{} {}{}: {}{}\n", result.needsAPerson() ? "FAIL" : "ok  ", titleOf(result),
             result.backend.empty() ? "" : " under " + result.backend, baseline::retestStatusName(result.status),
             result.isExpired ? "; EXPIRED " + result.expires : "");
  if (result.status != baseline::RetestStatus::kStillThere && result.status != baseline::RetestStatus::kNoCase) {
    fmt::print("     listed {}, found {}{}\n", result.expected, result.found,
               result.message.empty() ? "" : ": " + result.message);
  }
}

json resultJson(const baseline::RetestResult& result) {
  return {{"id", result.id},
          {"file", result.file},
          {"backend", result.backend},
          {"status", baseline::retestStatusName(result.status)},
          {"expected", result.expected},
          {"found", result.found},
          {"message", result.message},
          {"expires", result.expires},
          {"expired", result.isExpired},
          {"needs_a_person", result.needsAPerson()}};
}

report::JUnitCase junitOf(const baseline::RetestResult& result) {
  const std::string status(baseline::retestStatusName(result.status));
  return {titleOf(result), result.backend,
          result.needsAPerson() ? status + (result.isExpired ? ", expired " + result.expires : "") : "",
          fmt::format("listed {}, found {}: {}", result.expected, result.found, result.message)};
}

/// What is to be run again, and what is not.
struct RetestPlan {
  std::vector<baseline::RetestSubject> subjects;
  std::vector<std::string> errors; // of what cannot be read
  std::vector<std::string> leftOut; // case files that name no backend
};

RetestPlan planOf(const RetestOptions& options) {
  RetestPlan plan;
  if (!options.known.empty()) {
    const baseline::KnownFindings known = baseline::givenKnownFindings(options.known, options.today);
    for (const baseline::KnownEntry& entry : known.entries()) {
      try {
        baseline::RetestSubject& subject = plan.subjects.emplace_back(baseline::subjectOf(entry, known));
        subject.backend = options.backend.empty() || !subject.theCase ? subject.backend : options.backend;
      } catch (const std::exception& error) { // the others are run all the same
        plan.errors.push_back(fmt::format("entry `{}`: {}", entry.id, error.what()));
      }
    }
  }
  for (pool::CaseFile& file :
       pool::readCaseFiles(pool::findCaseFiles(options.paths), pool::OtherMainPart::kRefuse, plan.errors)) {
    std::vector<baseline::RetestSubject> subjects = baseline::subjectsIn(file.path, file.content, options.backend);
    if (subjects.empty()) {
      plan.leftOut.push_back(file.path);
    }
    std::move(subjects.begin(), subjects.end(), std::back_inserter(plan.subjects));
  }
  for (baseline::RetestSubject& subject : plan.subjects) {
    if (subject.theCase && options.profile.text.empty()) {
      subject.missingProfile = findings::headersOf(*subject.theCase).profile;
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

std::string countsText(const std::vector<baseline::RetestResult>& results) {
  std::map<baseline::RetestStatus, int> counts;
  for (const baseline::RetestResult& each : results) {
    ++counts[each.status];
  }
  std::string text;
  for (const auto& [status, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, baseline::retestStatusName(status));
  }
  const auto expired = std::count_if(results.begin(), results.end(), [](const auto& each) { return each.isExpired; });
  return text + (expired > 0 ? fmt::format(", {} expired", expired) : "");
}

base::ExitStatus statusOfRetest(const std::vector<baseline::RetestResult>& results) {
  const auto isJudged = [](const baseline::RetestResult& each) {
    return each.status != baseline::RetestStatus::kNotJudged && each.status != baseline::RetestStatus::kNoCase;
  };
  if (std::any_of(results.begin(), results.end(),
                  [](const baseline::RetestResult& each) { return each.needsAPerson(); })) {
    return base::ExitStatus::kFindings;
  }
  return std::any_of(results.begin(), results.end(), isJudged) ? base::ExitStatus::kNothingNew
                                                               : base::ExitStatus::kTooLittleJudged;
}

base::ExitStatus retestFindings(const RetestOptions& options) {
  const double begin = worker::wallSeconds();
  if (options.known.empty() && options.paths.empty()) {
    throw base::WrongUse("There is nothing to run again: name a known file with --known, or a folder of findings.");
  }
  base::tryToWriteFile(options.junit);
  const RetestPlan plan = planOf(options);
  const std::vector<baseline::RetestSubject>& subjects = plan.subjects;
  for (const std::string& error : plan.errors) {
    fmt::print(stderr, "{}\n", error);
  }
  tellLeftOut(plan.leftOut);
  pool::PoolOptions pool{options.workers, {}, pool::limitsOf(options.profile, options.limits), "", options.profile};
  for (const baseline::RetestSubject& subject : subjects) {
    if (subject.theCase.has_value()) {
      pool.prepareFor(*subject.theCase);
      pool.backends.push_back(subject.backend);
    }
  }
  std::vector<baseline::RetestResult> results;
  const bool showsProgress = isatty(STDERR_FILENO) != 0;
  const auto take = [&](const baseline::RetestResult& result) {
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
    pool::WorkerPool workers(pool);
    try {
      baseline::retest(workers, subjects, take);
    } catch (const base::Interrupted&) {
      isInterrupted = true;
    }
  }
  if (options.json) {
    json list = json::array();
    std::transform(results.begin(), results.end(), std::back_inserter(list), resultJson);
    report::printJson({{"schema", kRetestSchema},
                       {"torch", report::torchVersion()},
                       {"seconds", worker::wallSeconds() - begin},
                       {"interrupted", isInterrupted},
                       {"results", std::move(list)},
                       {"left_out", plan.leftOut}});
  } else if (subjects.empty()) {
    fmt::print("Nothing was run again.\n");
  } else {
    fmt::print("{} of {} run again in {:.1f} seconds: {}\n", results.size(), subjects.size(),
               worker::wallSeconds() - begin, countsText(results));
  }
  if (!options.junit.empty()) {
    std::vector<report::JUnitCase> cases;
    std::transform(results.begin(), results.end(), std::back_inserter(cases), junitOf);
    base::writeFile(options.junit, report::junitText("touchstone retest", cases));
  }
  if (isInterrupted) {
    return base::ExitStatus::kInterrupted;
  }
  return plan.errors.empty() ? statusOfRetest(results) : base::ExitStatus::kWrongUse;
}

} // namespace

options::Command retestCommand() {
  const auto asked = std::make_shared<RetestOptions>();
  const auto profile = std::make_shared<pool::ProfileFlags>();
  return {
      .options = {{"findings", &asked->paths, "Files of findings, or folders of them"},
                  {"--known", &asked->known, "Known file: the case of each entry is run, and its day is looked at"},
                  {"--backend,-b", &asked->backend,
                   "Run all of them under this one; by default each under the one that it was found under"},
                  options::jobs(asked->workers, options::kJobs, false),
                  baseline::todayOption(asked->today),
                  pool::limitOptions(asked->limits),
                  pool::profileOptions(*profile, pool::ProfileScope::kJudging),
                  {"--junit", &asked->junit, "File for a JUnit report"},
                  options::jsonFlag(asked->json)},
      .footer =
          "Each Case runs three times, in processes of its own. It is\n"
          "  still there       each run shows what is listed\n"
          "  fixed: remove me  each run agrees\n"
          "  changed           each run shows something else, or a weaker pipeline shows it now, too\n"
          "  flaky             not every run shows it\n"
          "  not judged        no run tells, as eager does not take the Case any more or nothing was compiled\n"
          "  no case           a known entry without a Case\n"
          "A file that names no backend and expects no finding is left out, unless --backend says what to run it under.\n"
          "Exit status: 1 when something is fixed, changed or expired, as the list needs a person then; 0 when all is as it is\n"
          "listed, or flaky; 4 when nothing could be judged; 5 when a store could not be written.\n"
          "\nExamples:\n"
          "  touchstone retest findings\n"
          "  touchstone retest --known known.json --json\n"
          "  touchstone retest --known known.json --today 2027-03-01     what will have expired by then?",
      .run =
          [asked, profile](const options::Given&) {
            const std::vector<std::string> names = pool::namesOf(asked->backend);
            asked->profile = profile->orStoredBeside(asked->paths, names).read(asked->backend);
            baseline::RetestRecorder recorder;
            asked->onResult = [&recorder](const baseline::RetestResult& result) { recorder.record(result); };
            return recorder.statusAfter(retestFindings(*asked));
          },
  };
}

} // namespace touchstone::commands
