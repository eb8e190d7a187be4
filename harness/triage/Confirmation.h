#pragma once

#include "harness/findings/FindingPipeline.h"
#include "harness/pool/WorkerPool.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::triage {

/// The child that came to this outcome is no more: it could not ask weaker pipelines, and judging such a Case takes its time.
bool endedProcess(language::Outcome outcome);

/// Runs Cases in fresh children, each alone; a crash or time-out is looked for down the backend's ladder, too, which the process
/// that died could not do.
findings::RunAlone aloneIn(pool::WorkerPool& pool);

/// What a weaker pipeline shows of a Case that ended the process under its backend: the first, weakest first, with the same symptom; empty:
/// the backend's own. For who does not confirm.
std::string weakerThatEndsAlike(pool::WorkerPool& pool, const std::string& caseText,
                                const worker::BackendResult& finding);

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
