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

/// A survey takes as long as two faults.
constexpr int64_t kLeastEdits = 3;

bool isJudged(language::Outcome outcome) {
  return language::isFinding(outcome) || outcome == language::Outcome::kAgreed;
}

/// A Case in which the fault changes no graph.
void takeWithout(FaultScore& score, const CaseSurvey& survey) {
  ++score.cases;
  score.seconds += survey.seconds;
  score.judged += isJudged(survey.outcome) ? 1 : 0;
  score.shadowed += language::isFinding(survey.outcome) ? 1 : 0;
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

worker::Job FamilyScoring::job(uint64_t index, std::vector<std::string> backends) const {
  return {.id = index,
          .source =
              worker::GeneratedCase{
                  .seed = cases_.seed, .index = index, .sameCalls = cases_.sameCalls, .parts = cases_.parts},
          .backends = std::move(backends),
          .task = worker::JudgeTask{.blame = false}};
}

FamilyScoring::Surveys FamilyScoring::survey(const std::vector<size_t>& faults, uint64_t cases,
                                             const RunBatches& run) const {
  const auto edits = std::count_if(faults.begin(), faults.end(), [&](size_t each) {
    return rows_[each].stage != "runtime" && rows_[each].stage != "guards";
  });
  const bool isWorthIt = score_.family == ir::Family::kTorch && edits >= kLeastEdits;
  std::vector<worker::Job> jobs;
  for (uint64_t i = 0; i < cases && isWorthIt; ++i) {
    jobs.push_back(job(score_.next + i, {}));
  }
  return jobs.empty() ? Surveys{} : surveyBites(std::move(jobs), run);
}

bool FamilyScoring::mayBite(size_t fault, uint64_t index, const Surveys& surveys) const {
  const auto survey = surveys.find(index);
  return survey == surveys.end() || survey->second.mayBite.contains(score_.faults[fault].name);
}

std::vector<worker::Batch> FamilyScoring::batches(const std::vector<size_t>& faults, uint64_t cases,
                                                  const Surveys& surveys) const {
  const uint64_t fitting = std::max<uint64_t>(1, portionOf(score_.family).ofChild / faults.size());
  const uint64_t ofBatch = std::min(fitting, (cases + workers_ - 1) / workers_);
  std::vector<worker::Batch> batches;
  for (uint64_t index = score_.next; index < score_.next + cases; ++index) {
    std::vector<std::string> backends;
    for (const size_t each : faults) {
      if (mayBite(each, index, surveys)) {
        backends.push_back(faults::backendName(rows_[each]));
      }
    }
    if (backends.empty()) {
      continue;
    }
    if (batches.empty() || batches.back().jobs.size() == ofBatch) {
      batches.emplace_back();
    }
    batches.back().jobs.push_back(job(index, std::move(backends)));
  }
  return batches;
}

void FamilyScoring::take(FamilyScore& score, size_t fault, const worker::JobResult& result,
                         const LookAgain& look) const {
  FaultScore& of = score.faults[fault];
  const worker::BackendResult* found = result.under(faults::backendName(rows_[fault]));
  ++of.cases;
  of.seconds += result.processorSeconds;
  if (found == nullptr) {
    return;
  }
  ++of.compiled;
  of.seconds += found->processorSeconds;
  of.judged += isJudged(found->outcome) ? 1 : 0;
  if (!language::isFinding(found->outcome)) {
    return;
  }
  const SecondLook again = look(rows_[fault], result.caseText);
  if (!again.recurs) {
    ++of.unconfirmed;
  } else if (!again.isOfTheFault) {
    ++of.shadowed;
  } else if (rows_[fault].isControl) {
    of.shown.push_back({result.id, found->text, found->message});
  } else {
    of.kill = again.kill;
    of.kill->index = result.id;
  }
}

void FamilyScoring::step(const RunBatches& run, const LookAgain& look) {
  const std::vector<size_t> faults = open();
  if (faults.empty()) {
    return;
  }
  const uint64_t cases = casesOfStep(faults);
  const Surveys surveys = survey(faults, cases, run);
  std::map<uint64_t, worker::JobResult> results; // of Cases in which a fault may bite
  for (worker::JobResult& each : run(batches(faults, cases, surveys))) {
    results.emplace(each.id, std::move(each));
  }
  FamilyScore score = score_;
  for (; score.next < score_.next + cases; ++score.next) {
    const auto result = results.find(score.next);
    score.notMade += result != results.end() && !result->second.error.empty() ? 1 : 0;
    for (const size_t each : faults) {
      FaultScore& of = score.faults[each];
      if (budget_.isSpent(of, rows_[each].isControl)) {
        continue;
      }
      if (mayBite(each, score.next, surveys)) {
        take(score, each, result->second, look);
      } else {
        takeWithout(of, surveys.at(score.next));
      }
    }
  }
  score_ = std::move(score);
}

} // namespace touchstone::score
