#include "harness/score/FamilyScoring.h"

#include "harness/pool/WorkerPool.h"

#include <algorithm>
#include <utility>

namespace touchstone::score {

namespace {

/// How many verdicts, Cases times faults, are asked for: seconds of a worker. A child of few Cases would charge them with its start.
struct Portion {
  uint64_t ofStep, ofChild;
};

Portion portionOf(ir::Family family) {
  return family == ir::Family::kNative ? Portion{4096, 4096} : Portion{32, 16};
}

} // namespace

FamilyScore newScore(ir::Family family, const std::vector<faults::FaultRow>& rows) {
  FamilyScore score{.family = family};
  for (const faults::FaultRow& row : rows) {
    score.faults.push_back({.name = std::string(row.name)});
  }
  return score;
}

FamilyScoring::FamilyScoring(ScoredCases cases, Budget budget, int workers, std::vector<faults::FaultRow> rows,
                             FamilyScore score)
    : cases_(std::move(cases)),
      budget_(budget),
      workers_(static_cast<uint64_t>(workers)),
      rows_(std::move(rows)),
      score_(std::move(score)) {}

std::vector<size_t> FamilyScoring::open() const {
  std::vector<size_t> faults;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (!budget_.isSpent(score_.faults[i], rows_[i].isControl)) {
      faults.push_back(i);
    }
  }
  return faults;
}

bool FamilyScoring::isDone() const {
  return open().empty();
}

uint64_t FamilyScoring::casesOfStep(const std::vector<size_t>& faults) const {
  // Few at first: what kills most of the faults is among the first Cases, and the others of a step are judged in vain.
  const uint64_t most = portionOf(score_.family).ofStep * workers_ / faults.size();
  uint64_t cases = std::clamp(score_.next / 2, workers_, std::max(workers_, most));
  uint64_t left = 0; // Cases until the last budget is spent
  for (const size_t each : faults) {
    const std::optional<uint64_t> end = rows_[each].isControl ? budget_.controlCases : budget_.cases;
    left = end ? std::max(left, *end - score_.faults[each].cases) : cases;
    if (left >= cases) {
      return cases;
    }
  }
  return left;
}

std::vector<worker::Batch> FamilyScoring::batches(const std::vector<size_t>& faults, uint64_t cases) const {
  std::vector<std::string> backends;
  for (const size_t each : faults) {
    backends.push_back(faults::backendName(rows_[each]));
  }
  const uint64_t fitting = std::max<uint64_t>(1, portionOf(score_.family).ofChild / faults.size());
  const uint64_t ofBatch = std::min(fitting, (cases + workers_ - 1) / workers_);
  std::vector<worker::Batch> batches;
  for (uint64_t i = 0; i < cases; ++i) {
    if (i % ofBatch == 0) {
      batches.emplace_back();
    }
    const uint64_t index = score_.next + i;
    batches.back().jobs.push_back(
        {.id = index,
         .source =
             worker::GeneratedCase{
                 .seed = cases_.seed, .index = index, .sameCalls = cases_.sameCalls, .parts = cases_.parts},
         .backends = backends,
         .task = worker::JudgeTask{.blame = false}});
  }
  return batches;
}

void FamilyScoring::take(FamilyScore& score, size_t fault, uint64_t index, const worker::JobResult& result,
                         const LookAgain& look) const {
  FaultScore& of = score.faults[fault];
  const std::string backend = faults::backendName(rows_[fault]);
  const auto found = std::find_if(result.backends.begin(), result.backends.end(),
                                  [&](const worker::BackendResult& each) { return each.backend == backend; });
  ++of.cases;
  of.seconds += result.processorSeconds;
  if (found == result.backends.end()) {
    return;
  }
  of.seconds += found->processorSeconds;
  const bool isFinding = language::isFinding(found->outcome);
  of.judged += isFinding || found->outcome == language::Outcome::kAgreed ? 1 : 0;
  if (!isFinding) {
    return;
  }
  const SecondLook again = look(rows_[fault], result.caseText);
  if (!again.recurs) {
    ++of.unconfirmed;
  } else if (!again.isOfTheFault) {
    ++of.shadowed;
  } else if (rows_[fault].isControl) {
    of.shown.push_back({index, found->text, found->message});
  } else {
    of.kill = again.kill;
    of.kill->index = index;
  }
}

void FamilyScoring::step(const RunBatches& run, const LookAgain& look) {
  const std::vector<size_t> faults = open();
  if (faults.empty()) {
    return;
  }
  const std::vector<worker::JobResult> results = run(batches(faults, casesOfStep(faults)));
  FamilyScore score = score_;
  for (const worker::JobResult& result : results) {
    score.notMade += result.error.empty() ? 0 : 1;
    for (const size_t each : faults) {
      if (!budget_.isSpent(score.faults[each], rows_[each].isControl)) {
        take(score, each, score.next, result, look);
      }
    }
    ++score.next;
  }
  score_ = std::move(score);
}

} // namespace touchstone::score
