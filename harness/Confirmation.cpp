#include "harness/Confirmation.h"

#include "backends/Registry.h"
#include "graph/program/CasePrinter.h"

#include <utility>

namespace touchstone::harness {

namespace {

using graph::Outcome;

bool endedProcess(Outcome outcome) {
  return outcome == Outcome::kCrashed || outcome == Outcome::kTimedOut || outcome == Outcome::kOutOfMemory;
}

PoolBatch aloneInAChild(const std::string& caseText, const std::string& backend, bool blame) {
  Job job;
  job.caseText = caseText;
  job.backends = {backend};
  job.blame = blame;
  return {backends::backendInfo(backend).family, {limitsFor(job.backends), {job}}};
}

std::string describeRun(const JobResult& run) {
  if (!run.error.empty()) {
    return run.error;
  }
  const BackendResult& result = run.backends.at(0);
  return result.backend + " " + result.text + (result.message.empty() ? "" : ": " + result.message);
}

bool shows(const JobResult& run, const BackendResult& finding) {
  return run.error.empty() && !run.backends.empty() && symptomOf(run.backends[0]).text == symptomOf(finding).text;
}

} // namespace

Confirmation confirm(WorkerPool& pool, const std::string& caseText, const BackendResult& finding, int times) {
  std::vector<PoolBatch> batches;
  for (int i = 0; i < times; ++i) {
    batches.push_back(aloneInAChild(caseText, finding.backend, /*blame=*/true));
  }
  std::vector<std::string> rungs;
  if (endedProcess(finding.outcome)) {
    rungs = backends::backendInfo(finding.backend).ladder;
    for (const std::string& rung : rungs) {
      batches.push_back(aloneInAChild(caseText, rung, /*blame=*/false));
    }
  }
  const std::vector<JobResult> runs = pool.run(batches);
  Confirmation confirmation;
  confirmation.recurs = true;
  for (int i = 0; i < times; ++i) {
    const JobResult& run = runs[static_cast<size_t>(i)];
    confirmation.history += describeRun(run) + "\n";
    confirmation.recurs = confirmation.recurs && shows(run, finding);
    if (!run.backends.empty()) {
      confirmation.result = run.backends[0];
    }
  }
  if (confirmation.recurs && confirmation.result.outcome == Outcome::kUpstream) {
    confirmation.upstream = confirmation.result.detail;
  }
  for (size_t i = 0; i < rungs.size(); ++i) {
    const JobResult& run = runs[static_cast<size_t>(times) + i];
    confirmation.history += describeRun(run) + "\n";
    if (!run.backends.empty()) {
      confirmation.result.baseOutcome = run.backends[0].text;
    }
    if (confirmation.recurs && confirmation.upstream.empty() && shows(run, finding)) {
      confirmation.upstream = rungs[i];
    }
  }
  return confirmation;
}

GuiltyPlace placeOf(const BackendResult& result) {
  return {result.call, result.where};
}

SymptomJudge::SymptomJudge(WorkerPool& pool, const BackendResult& found, const graph::Case& start, int workers)
    : pool_(pool), symptom_(symptomOf(found)), workers_(static_cast<size_t>(workers)) {
  onlyIfEagerReturns_ = !found.eagerRaises;
  if (endedProcess(found.outcome)) { // its result does not tell
    onlyIfEagerReturns_ = true;
    onlyIfEagerReturns_ = showsText(judgeAll({graph::printCase(start)}).at(0));
  }
}

bool SymptomJudge::showsText(const JobResult& run) const {
  const bool finding = run.error.empty() && !run.backends.empty() && graph::isFinding(run.backends[0].outcome);
  return finding && symptomOf(run.backends[0]).text == symptom_.text;
}

// One child for all that a worker gets; it stops at the first that shows what is wanted.
std::vector<JobResult> SymptomJudge::judgeAll(const std::vector<std::string>& texts) const {
  const graph::Family family = backends::backendInfo(symptom_.backend).family;
  std::vector<PoolBatch> batches;
  const size_t perBatch = (texts.size() + workers_ - 1) / workers_;
  for (size_t i = 0; i < texts.size(); ++i) {
    PoolBatch batch = aloneInAChild(texts[i], symptom_.backend, /*blame=*/true);
    if (i % perBatch == 0) {
      batches.push_back({family, {batch.batch.limits, {}}});
    }
    batch.batch.jobs[0].onlyIfEagerReturns = onlyIfEagerReturns_;
    batch.batch.jobs[0].wanted = symptom_;
    batches.back().batch.jobs.push_back(std::move(batch.batch.jobs[0]));
  }
  return pool_.run(batches);
}

std::optional<Sighting> SymptomJudge::operator()(const std::vector<graph::Case>& candidates) const {
  std::vector<std::string> texts;
  for (const graph::Case& candidate : candidates) {
    texts.push_back(graph::printCase(candidate));
  }
  const std::vector<JobResult> runs = judgeAll(texts);
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!showsText(runs[i])) {
      continue;
    }
    const BackendResult& result = runs[i].backends[0];
    if (symptomOf(result) == symptom_ || (endedProcess(result.outcome) && isOwn(texts[i]))) {
      return Sighting{i, placeOf(result)};
    }
  }
  return std::nullopt;
}

// Of a process that died: it could not ask its weaker pipelines.
bool SymptomJudge::isOwn(const std::string& caseText) const {
  const JobResult run = pool_.run({aloneInAChild(caseText, symptom_.backend, /*blame=*/true)}).at(0);
  if (!run.error.empty() || run.backends.empty() || !graph::isFinding(run.backends[0].outcome)) {
    return false;
  }
  Symptom found = symptomOf(run.backends[0]);
  found.baseOutcome = symptom_.baseOutcome;
  return found == symptom_;
}

} // namespace touchstone::harness
