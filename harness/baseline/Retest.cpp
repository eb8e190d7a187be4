#include "harness/baseline/Retest.h"

#include "backends/Registry.h"
#include "base/ExitStatus.h"
#include "base/Words.h"
#include "harness/pool/CaseFiles.h"
#include "harness/report/Expectations.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace touchstone::baseline {

namespace {

using language::Outcome;

constexpr size_t kRuns = 3;
constexpr size_t kSubjectsAtOnce = 8;

/// The symptom that a finding's file names under this backend; empty: none, its expectations say what was found.
std::string listedSymptom(const RetestSubject& subject) {
  const language::Case& theCase = *subject.theCase;
  return theCase.header("backend") == subject.backend ? base::oneLine(theCase.header("symptom").value_or("")) : "";
}

/// Expectations of that backend that are findings.
std::vector<language::Expectation> listedExpectations(const RetestSubject& subject) {
  std::vector<language::Expectation> expectations = report::expectationsFor(*subject.theCase, subject.backend);
  std::erase_if(expectations, [](const auto& each) { return !language::isFinding(each.outcome); });
  return expectations;
}

std::string expectedText(const RetestSubject& subject) {
  const std::string symptom = listedSymptom(subject);
  const auto expectations = listedExpectations(subject);
  return !symptom.empty() ? symptom : expectations.empty() ? "any finding" : report::describeExpectations(expectations);
}

enum class Sight { kShows, kOther, kAgrees, kNothing };

Sight sightOf(const RetestSubject& subject, const worker::JobResult& run) {
  if (!run.error.empty() || run.backends.empty()) {
    return Sight::kNothing;
  }
  const worker::BackendResult& result = run.backends[0];
  if (result.outcome == Outcome::kAgreed) {
    return Sight::kAgrees;
  }
  if (result.outcome == Outcome::kUpstream || result.outcome == Outcome::kKnown) {
    return Sight::kOther;
  }
  if (!language::isFinding(result.outcome)) {
    return Sight::kNothing;
  }
  const std::string symptom = listedSymptom(subject);
  const auto expectations = listedExpectations(subject);
  const bool shows = !symptom.empty()       ? base::oneLine(worker::symptomOf(result).text) == symptom
                     : expectations.empty() ? true
                                            : report::isAnyMet(expectations, result);
  return shows ? Sight::kShows : Sight::kOther;
}

std::string seenText(const worker::JobResult& run) {
  if (!run.error.empty() || run.backends.empty()) {
    return "not judged";
  }
  const worker::BackendResult& result = run.backends[0];
  return result.outcome == Outcome::kUpstream ? fmt::format("{} (Upstream of {})", result.text, result.origin)
                                              : result.text;
}

RetestStatus statusOfRuns(const std::vector<Sight>& sights) {
  const auto all = [&](Sight sight) {
    return std::all_of(sights.begin(), sights.end(), [&](Sight each) { return each == sight; });
  };
  const bool any = std::any_of(sights.begin(), sights.end(),
                               [](Sight each) { return each == Sight::kShows || each == Sight::kOther; });
  return all(Sight::kShows)    ? RetestStatus::kStillThere
         : all(Sight::kAgrees) ? RetestStatus::kFixed
         : all(Sight::kOther)  ? RetestStatus::kChanged
         : any                 ? RetestStatus::kFlaky
                               : RetestStatus::kNotJudged;
}

RetestResult describeSubject(const RetestSubject& subject) {
  RetestResult result;
  result.id = subject.id;
  result.file = subject.file;
  result.backend = subject.backend;
  result.expires = subject.expires;
  result.cluster = subject.cluster;
  result.isExpired = subject.isExpired;
  result.status = subject.theCase.has_value() ? RetestStatus::kNotJudged : RetestStatus::kNoCase;
  if (!subject.missingProfile.empty()) {
    result.expected = expectedText(subject);
    result.found = "nothing, as it was not run";
    result.message = fmt::format("it was found with the profile `{}`: say --profile", subject.missingProfile);
  }
  return result;
}

RetestResult resultOfRuns(const RetestSubject& subject, const worker::JobResult* runs) {
  RetestResult result = describeSubject(subject);
  result.expected = expectedText(subject);
  std::vector<Sight> sights;
  std::set<std::string> seen;
  for (size_t i = 0; i < kRuns; ++i) {
    sights.push_back(sightOf(subject, runs[i]));
    if (seen.insert(seenText(runs[i])).second) {
      result.found += (result.found.empty() ? "" : ", ") + seenText(runs[i]);
    }
    result.message = !runs[i].error.empty()     ? runs[i].error
                     : runs[i].backends.empty() ? ""
                                                : runs[i].backends[0].message;
  }
  result.status = statusOfRuns(sights);
  return result;
}

} // namespace

std::string_view retestStatusName(RetestStatus status) {
  switch (status) {
    case RetestStatus::kStillThere: return "still there";
    case RetestStatus::kFixed: return "fixed: remove me";
    case RetestStatus::kChanged: return "changed";
    case RetestStatus::kFlaky: return "flaky";
    case RetestStatus::kNotJudged: return "not judged";
    case RetestStatus::kNoCase: return "no case";
  }
  return "";
}

bool RetestResult::needsAPerson() const {
  return isExpired || status == RetestStatus::kFixed || status == RetestStatus::kChanged;
}

std::string backendOf(const KnownEntry& entry, const language::Case& theCase) {
  if (entry.backend.find_first_of("*?[") == std::string::npos) {
    return entry.backend;
  }
  if (const auto found = theCase.header("backend"); found.has_value() && entry.isAbout(*found)) {
    return *found;
  }
  for (const language::Expectation& each : theCase.expectations) {
    if (language::isFinding(each.outcome) && entry.isAbout(each.backend)) {
      return each.backend;
    }
  }
  return "";
}

RetestSubject subjectOf(const KnownEntry& entry, const KnownFindings& known) {
  RetestSubject subject;
  subject.id = entry.id;
  subject.file = entry.caseFile;
  subject.expires = entry.expires;
  subject.isExpired = known.isExpired(entry);
  if (entry.caseFile.empty()) {
    return subject;
  }
  subject.theCase = pool::readGivenCase(entry.caseFile).theCase;
  subject.cluster = subject.theCase->header("cluster").value_or("");
  subject.backend = backendOf(entry, *subject.theCase);
  if (subject.backend.empty()) {
    throw base::WrongUse(
        fmt::format("{}, entry `{}`: no backend like `{}` is named by {}, so it is not known what it is to be "
                    "run under.",
                    known.file(), entry.id, entry.backend, entry.caseFile));
  }
  return subject;
}

std::vector<RetestSubject> subjectsIn(const std::string& file, const language::Case& theCase,
                                      const std::string& givenBackend) {
  std::vector<RetestSubject> subjects;
  const auto add = [&](const std::string& backend, const std::string& id) {
    const bool isNew = std::none_of(subjects.begin(), subjects.end(),
                                    [&](const RetestSubject& each) { return each.backend == backend; });
    if (isNew) {
      subjects.push_back({id, file, backend, theCase, "", false, id});
    }
  };
  if (const auto backend = givenBackend.empty() ? theCase.header("backend") : std::optional(givenBackend)) {
    add(*backend, theCase.header("cluster").value_or(""));
    return subjects;
  }
  for (const language::Expectation& each : theCase.expectations) {
    if (language::isFinding(each.outcome)) {
      add(each.backend, "");
    }
  }
  return subjects;
}

void retest(pool::WorkerPool& pool, const std::vector<RetestSubject>& subjects, const RetestSink& sink) {
  for (size_t begin = 0; begin < subjects.size(); begin += kSubjectsAtOnce) {
    const size_t end = std::min(begin + kSubjectsAtOnce, subjects.size());
    std::vector<pool::PoolBatch> batches;
    for (size_t i = begin; i < end; ++i) {
      if (!subjects[i].canBeRun()) {
        continue;
      }
      worker::Job job;
      job.source = worker::PrintedCase{standalone::printCase(*subjects[i].theCase)};
      job.backends = {subjects[i].backend};
      const pool::PoolBatch alone{backends::backendInfo(subjects[i].backend).family,
                                  {pool::limitsFor(job.backends), {job}}};
      batches.insert(batches.end(), kRuns, alone);
    }
    const std::vector<worker::JobResult> runs = pool.run(batches);
    size_t next = 0;
    for (size_t i = begin; i < end; ++i) {
      if (!subjects[i].canBeRun()) {
        sink(describeSubject(subjects[i]));
        continue;
      }
      sink(resultOfRuns(subjects[i], &runs[next]));
      next += kRuns;
    }
  }
}

} // namespace touchstone::baseline
