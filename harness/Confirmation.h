#pragma once

#include "harness/Finding.h"
#include "harness/WorkerPool.h"
#include "harness/reducer/Reducer.h"

#include <optional>
#include <string>
#include <vector>

namespace touchstone::harness {

/// What came of running a Case again.
struct Confirmation {
  bool recurs = false; // the same symptom, each time
  std::string upstream; // the weaker pipeline that shows it too; empty: the backend's own
  BackendResult result; // of the last run
  std::string history; // what each run made of it, one a line
};

/// Runs a finding's Case `times` times, each alone in a fresh child; a crash or time-out is looked for down the backend's
/// ladder, too, which the process that died could not do.
Confirmation confirm(WorkerPool& pool, const std::string& caseText, const BackendResult& finding, int times = 2);

/// Where in its Case a result's symptom shows.
GuiltyPlace placeOf(const BackendResult& result);

/// A CandidateJudge for reducing: does the backend still show the symptom, as its own and with the same outcome of its
/// base? Each worker stops at the first of its candidates that does; weaker pipelines are asked only about those that
/// show the symptom.
class SymptomJudge {
 public:
  /// `found` is what the backend made of `start`.
  SymptomJudge(WorkerPool& pool, const BackendResult& found, const graph::Case& start, int workers);
  std::optional<Sighting> operator()(const std::vector<graph::Case>& candidates) const;

 private:
  std::vector<JobResult> judgeAll(const std::vector<std::string>& texts) const;
  bool showsText(const JobResult& run) const;
  bool isOwn(const std::string& caseText) const;

  WorkerPool& pool_;
  const Symptom symptom_;
  const size_t workers_;
  bool onlyIfEagerReturns_ = false; // eager returns on the start: what it rejects need not be compiled
};

} // namespace touchstone::harness
