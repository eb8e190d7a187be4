#include "harness/Confirmation.h"

#include "backends/Registry.h"

#include <utility>

namespace touchstone::harness {

namespace {

using graph::Outcome;

bool endedProcess(Outcome outcome) {
  return outcome == Outcome::kCrashed || outcome == Outcome::kTimedOut || outcome == Outcome::kOutOfMemory ||
         outcome == Outcome::kOutOfBounds;
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

bool shows(const JobResult& run, const std::string& symptom) {
  return run.error.empty() && !run.backends.empty() && run.backends[0].symptom == symptom;
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
    confirmation.recurs = confirmation.recurs && shows(run, finding.symptom);
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
    if (confirmation.recurs && confirmation.upstream.empty() && shows(run, finding.symptom)) {
      confirmation.upstream = rungs[i];
    }
  }
  return confirmation;
}

std::vector<bool> stillShow(WorkerPool& pool, const std::vector<std::string>& caseTexts, const Symptom& symptom) {
  std::vector<PoolBatch> batches;
  for (const std::string& text : caseTexts) {
    batches.push_back(aloneInAChild(text, symptom.backend, /*blame=*/true));
  }
  std::vector<bool> result;
  for (const JobResult& run : pool.run(batches)) {
    bool same = run.error.empty() && !run.backends.empty() && graph::isFinding(run.backends[0].outcome);
    if (same) {
      Symptom found = symptomOf(run.backends[0]);
      if (endedProcess(run.backends[0].outcome)) {
        found.baseOutcome = symptom.baseOutcome; // a process that died could not ask its base
      }
      same = found == symptom;
    }
    result.push_back(same);
  }
  return result;
}

} // namespace touchstone::harness
