#include "harness/triage/Neighbours.h"

#include "backends/Registry.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/language/CasePrinter.h"
#include "program/standalone/CaseFile.h"

#include <map>
#include <set>
#include <utility>

namespace touchstone::triage {

namespace {

constexpr size_t kNeighboursPerBatch = 16;

std::string neighbourText(const language::Case& theCase) {
  std::string text = language::printDefinitions(theCase);
  for (const language::CallSpec& call : theCase.calls) {
    text += language::printCall(call) + "\n";
  }
  return text;
}

/// No more than this, and of each edit about as many.
std::vector<Neighbour> evenly(std::vector<Neighbour> all, size_t most) {
  if (all.size() <= most) {
    return all;
  }
  std::map<std::string, size_t> counts;
  std::vector<std::pair<size_t, size_t>> order; // how many of its edit were before it, and where it was
  for (size_t i = 0; i < all.size(); ++i) {
    order.emplace_back(counts[all[i].edit]++, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<Neighbour> chosen;
  for (size_t i = 0; i < most; ++i) {
    chosen.push_back(std::move(all[order[i].second]));
  }
  return chosen;
}

std::vector<worker::JobResult> runAll(pool::WorkerPool& pool, const std::string& backend,
                                      const std::vector<language::Case>& cases) {
  std::vector<pool::PoolBatch> batches;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (i % kNeighboursPerBatch == 0) {
      batches.push_back({backends::backendInfo(backend).family, {pool::limitsFor({backend}), {}}});
    }
    worker::Job job;
    job.source = worker::PrintedCase{standalone::printCase(cases[i])};
    job.backends = {backend};
    batches.back().batch.jobs.push_back(std::move(job));
  }
  return pool.run(batches);
}

NeighbourOutcome outcomeOf(const worker::JobResult& run, const worker::Symptom& wanted) {
  if (!run.error.empty() || run.backends.empty()) {
    return NeighbourOutcome::kNeither;
  }
  const worker::BackendResult& result = run.backends[0];
  const worker::Symptom shown = worker::symptomOf(result);
  if (!language::isFinding(result.outcome) || shown.origin != wanted.origin || shown.way() != wanted.way()) {
    return result.outcome == language::Outcome::kAgreed ? NeighbourOutcome::kBehaves : NeighbourOutcome::kNeither;
  }
  return shown.text == wanted.text ? NeighbourOutcome::kShows : NeighbourOutcome::kFails;
}

} // namespace

std::vector<Neighbour> neighboursOf(const language::Case& theCase, size_t most) {
  std::vector<Neighbour> all = substitutionsIn(theCase);
  for (const reducer::ReductionPass& pass : reducer::reductionPasses()) {
    for (language::Case& each : pass.candidates(theCase, {})) {
      all.push_back({std::move(each), pass.name});
    }
  }
  std::set<std::string> seen{neighbourText(theCase)};
  std::erase_if(all, [&](Neighbour& each) {
    const bool isNew = seen.insert(neighbourText(each.theCase)).second;
    each.theCase.expectations.clear();
    return !isNew || each.theCase.find("program") == nullptr;
  });
  return evenly(std::move(all), most);
}

NeighbourJudge neighbourJudge(pool::WorkerPool& pool, const worker::Symptom& symptom) {
  return [&pool, symptom](const std::vector<language::Case>& cases) {
    std::vector<NeighbourOutcome> outcomes;
    for (const worker::JobResult& run : runAll(pool, symptom.backend, cases)) {
      outcomes.push_back(outcomeOf(run, symptom));
    }
    return outcomes;
  };
}

std::optional<worker::Symptom> symptomUnder(pool::WorkerPool& pool, const std::string& backend,
                                            const language::Case& theCase) {
  const worker::JobResult run = runAll(pool, backend, {theCase}).at(0);
  const bool isFinding = run.error.empty() && !run.backends.empty() && language::isFinding(run.backends[0].outcome);
  return isFinding ? std::optional(worker::symptomOf(run.backends[0])) : std::nullopt;
}

} // namespace touchstone::triage
