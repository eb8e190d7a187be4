#include "harness/triage/Confirmation.h"

#include "backends/Registry.h"
#include "program/standalone/CaseFile.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace touchstone::triage {

namespace {

using language::Outcome;

pool::PoolBatch aloneInAChild(const std::string& caseText, const std::string& backend, bool blame) {
  const worker::Job job{
      .source = worker::PrintedCase{caseText}, .backends = {backend}, .task = worker::JudgeTask{.blame = blame}};
  return {backends::backendInfo(backend).family, {pool::limitsFor(job.backends), {job}}};
}

findings::Confirmation confirm(pool::WorkerPool& pool, const std::string& caseText,
                               const worker::BackendResult& finding, int times) {
  std::vector<pool::PoolBatch> batches;
  for (int i = 0; i < times; ++i) {
    batches.push_back(aloneInAChild(caseText, finding.backend, /*blame=*/true));
  }
  std::vector<std::string> rungs;
  if (endedProcess(finding.outcome)) {
    rungs = backends::blamedBefore(backends::backendInfo(finding.backend));
    for (const std::string& rung : rungs) {
      batches.push_back(aloneInAChild(caseText, rung, /*blame=*/false));
    }
  }
  const std::vector<worker::JobResult> runs = pool.run(batches);
  findings::Confirmation confirmation;
  for (int i = 0; i < times; ++i) {
    confirmation.add(runs[static_cast<size_t>(i)], finding);
  }
  for (size_t i = 0; i < rungs.size(); ++i) {
    const worker::JobResult& run = runs[static_cast<size_t>(times) + i];
    confirmation.history += findings::describeRun(run) + "\n";
    if (!run.backends.empty()) {
      confirmation.result.baseOutcome = run.backends[0].text;
    }
    if (confirmation.recurs() && confirmation.upstream.empty() && findings::showsSymptomOf(run, finding)) {
      confirmation.upstream = rungs[i];
    }
  }
  return confirmation;
}

} // namespace

bool endedProcess(Outcome outcome) {
  return outcome == Outcome::kCrashed || outcome == Outcome::kTimedOut || outcome == Outcome::kOutOfMemory;
}

findings::RunAlone aloneIn(pool::WorkerPool& pool) {
  return [&pool](const std::string& caseText, const worker::BackendResult& seen, int times) {
    return confirm(pool, caseText, seen, times);
  };
}

std::string weakerThatEndsAlike(pool::WorkerPool& pool, const std::string& caseText,
                                const worker::BackendResult& finding) {
  return endedProcess(finding.outcome) && !caseText.empty() ? confirm(pool, caseText, finding, /*times=*/0).upstream
                                                            : "";
}

SymptomJudge::SymptomJudge(pool::WorkerPool& pool, const worker::BackendResult& found, const language::Case& start,
                           SymptomJudgeOptions options)
    : pool_(pool), symptom_(worker::symptomOf(found)), options_(std::move(options)) {
  onlyIfEagerReturns_ = !found.eagerRaises;
  if (endedProcess(found.outcome)) { // its result does not tell
    onlyIfEagerReturns_ = true;
    const Texts text{standalone::printCase(start)};
    onlyIfEagerReturns_ = showsText(judgeAll(text.begin(), text.end()).at(0));
  }
}

bool SymptomJudge::showsText(const worker::JobResult& run) const {
  return run.finding() != nullptr && worker::symptomOf(*run.finding()).text == symptom_.text;
}

bool SymptomJudge::shows(const worker::JobResult& run, const std::string& caseText) const {
  return showsText(run) &&
         (worker::symptomOf(*run.finding()) == symptom_ || (endedProcess(run.finding()->outcome) && isOwn(caseText)));
}

// One child for all that a worker gets; it stops at the first that shows what is wanted. Of a flaky symptom one child each:
// it may come from what a child has in common.
std::vector<worker::JobResult> SymptomJudge::judgeAll(Texts::const_iterator begin, Texts::const_iterator end) const {
  const ir::Family family = backends::backendInfo(symptom_.backend).family;
  const auto count = static_cast<size_t>(end - begin), workers = static_cast<size_t>(options_.workers);
  std::vector<pool::PoolBatch> batches;
  const size_t perBatch = options_.repetitions > 1 ? 1 : (count + workers - 1) / workers;
  for (size_t i = 0; i < count; ++i) {
    pool::PoolBatch batch = aloneInAChild(begin[static_cast<std::ptrdiff_t>(i)], symptom_.backend, /*blame=*/true);
    if (i % perBatch == 0) {
      batches.push_back({family, {batch.batch.limits, {}}});
    }
    worker::Job& job = batches.back().batch.jobs.emplace_back(std::move(batch.batch.jobs[0]));
    job.task = worker::JudgeTask{.onlyIfEagerReturns = onlyIfEagerReturns_, .wanted = symptom_};
  }
  return pool_.run(batches);
}

std::optional<reducer::Sighting> SymptomJudge::operator()(const std::vector<language::Case>& candidates) const {
  const auto repetitions = static_cast<size_t>(options_.repetitions);
  Texts texts;
  for (const language::Case& candidate : candidates) {
    texts.insert(texts.end(), repetitions, standalone::printCase(candidate));
  }
  // What is behind a candidate that shows the symptom may not have been run: it is, when that one is excluded.
  for (size_t begin = 0; begin < texts.size();) {
    const std::vector<worker::JobResult> runs =
        judgeAll(texts.begin() + static_cast<std::ptrdiff_t>(begin), texts.end());
    const size_t first = begin;
    for (begin = texts.size(); const worker::JobResult& run : runs) {
      const size_t number = first + static_cast<size_t>(&run - runs.data());
      const language::Case& candidate = candidates[number / repetitions];
      if (!shows(run, texts[number])) {
        tell(candidate, run);
      } else if (!options_.isExcluded || !options_.isExcluded(candidate, symptom_)) {
        return reducer::Sighting{number / repetitions, findings::placeOf(run.backends[0])};
      } else {
        begin = (number / repetitions + 1) * repetitions;
        break;
      }
    }
  }
  return std::nullopt;
}

void SymptomJudge::tell(const language::Case& candidate, const worker::JobResult& run) const {
  const worker::BackendResult* other = options_.repetitions > 1 || !options_.onOther ? nullptr : run.finding();
  if (other != nullptr && worker::symptomOf(*other) != symptom_) {
    options_.onOther(candidate, *other);
  }
}

// Of a process that died: it could not ask its weaker pipelines.
bool SymptomJudge::isOwn(const std::string& caseText) const {
  const worker::JobResult run = pool_.run({aloneInAChild(caseText, symptom_.backend, /*blame=*/true)}).at(0);
  if (run.finding() == nullptr) {
    return false;
  }
  worker::Symptom found = worker::symptomOf(*run.finding());
  found.baseOutcome = symptom_.baseOutcome;
  return found == symptom_;
}

} // namespace touchstone::triage
