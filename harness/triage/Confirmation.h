#pragma once

#include "harness/pool/WorkerPool.h"
#include "harness/reducer/Reducer.h"
#include "harness/report/Finding.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::triage {

/// The child that came to this outcome is no more: it could not ask weaker pipelines, and judging such a Case takes its time.
bool endedProcess(language::Outcome outcome);

/// What came of running a Case again.
struct Confirmation {
  bool recurs = false; // the same symptom, each time
  int shown = 0, runs = 0; // how often the symptom was seen, of how many
  std::string upstream; // the weaker pipeline that shows it too; empty: the backend's own
  worker::BackendResult result; // of the last run that showed it; where none did, of the last
  std::string history; // what each run made of it, one a line
};

/// Runs a finding's Case `times` times, each alone in a fresh child; a crash or time-out is looked for down the backend's
/// ladder, too, which the process that died could not do.
Confirmation confirm(pool::WorkerPool& pool, const std::string& caseText, const worker::BackendResult& finding,
                     int times = 2);

/// Where in its Case a result's symptom shows.
reducer::GuiltyPlace placeOf(const worker::BackendResult& result);

/// The last of a reduction's steps that still shows the symptom, in as many runs as given; of a flaky one in any of them.
/// Steps are tried from the last, by leaps; none: not even the first shows it.
struct ConfirmedStep {
  size_t step = 0;
  Confirmation confirmation;
};
std::optional<ConfirmedStep> confirmLast(pool::WorkerPool& pool, const std::vector<language::Case>& steps,
                                         const worker::BackendResult& finding, int times, bool isFlaky = false);

/// How a SymptomJudge judges, and whom it tells of what it met.
struct SymptomJudgeOptions {
  int workers = 1;
  int repetitions = 1; // of each candidate: a flaky symptom counts when it is seen once
  /// A candidate that shows the symptom does not count when this holds of it. May be empty.
  std::function<bool(const language::Case& candidate, const worker::Symptom& shown)> isExcluded = {};
  /// A candidate that fails in another way, neither confirmed nor blamed. Only of candidates that every run judges, however
  /// many workers there are; not with repetitions. May be empty.
  std::function<void(const language::Case& candidate, const worker::BackendResult& result)> onOther = {};
};

/// A CandidateJudge for reducing: does the backend still show the symptom, as its own and with the same outcome of its
/// base? Each worker stops at the first of its candidates that does; weaker pipelines are asked only about those that
/// show the symptom.
class SymptomJudge {
 public:
  /// `found` is what the backend made of `start`.
  SymptomJudge(pool::WorkerPool& pool, const worker::BackendResult& found, const language::Case& start,
               SymptomJudgeOptions options);
  std::optional<reducer::Sighting> operator()(const std::vector<language::Case>& candidates) const;

 private:
  using Texts = std::vector<std::string>;
  std::vector<worker::JobResult> judgeAll(Texts::const_iterator begin, Texts::const_iterator end) const;
  bool showsText(const worker::JobResult& run) const;
  bool shows(const worker::JobResult& run, const std::string& caseText) const;
  bool isOwn(const std::string& caseText) const;
  void tell(const language::Case& candidate, const worker::JobResult& run) const;

  pool::WorkerPool& pool_;
  const worker::Symptom symptom_;
  const SymptomJudgeOptions options_;
  bool onlyIfEagerReturns_ = false; // eager returns on the start: what it rejects need not be compiled
};

} // namespace touchstone::triage
