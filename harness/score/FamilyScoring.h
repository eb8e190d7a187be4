#pragma once

#include "backends/faults/FaultTable.h"
#include "harness/score/BiteSurvey.h"
#include "harness/score/FaultScore.h"
#include "harness/score/SecondLook.h"
#include "harness/worker/Job.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace touchstone::score {

/// lookAgain() in some worker.
using LookAgain = std::function<SecondLook(const faults::FaultRow& row, const std::string& caseText)>;

/// What the Cases of a score are.
struct ScoredCases {
  uint64_t seed = 0;
  int sameCalls = 2; // see generators/decoder/Decoder.h
  std::vector<std::string> parts; // see generators/catalogue/Parts.h
};

/// The campaigns of the faults of one family, all at once: each Case is made and run eagerly once and judged under every fault
/// that is left. What a fault is charged with is what a campaign of its own would have cost.
///
/// Throughout, `rows` and FamilyScore::faults have the same order.
class FamilyScoring {
 public:
  FamilyScoring(ScoredCases cases, Budget budget, int workers, std::vector<faults::FaultRow> rows, FamilyScore score);

  bool isDone() const;
  /// Goes on by some Cases. What is thrown on the way (Interrupted) leaves the score as it was.
  void step(const RunBatches& run, const LookAgain& look);
  const FamilyScore& score() const { return score_; }

 private:
  std::vector<size_t> open() const; // faults that are left
  uint64_t casesOfStep(const std::vector<size_t>& faults) const;
  worker::Job job(uint64_t index, std::vector<std::string> backends) const;
  using Surveys = std::map<uint64_t, CaseSurvey>; // by the indices of the Cases
  /// Empty where too few faults edit graphs of the installed PyTorch.
  Surveys survey(const std::vector<size_t>& faults, uint64_t cases, const RunBatches& run) const;
  bool mayBite(size_t fault, uint64_t index, const Surveys& surveys) const;
  std::vector<worker::Batch> batches(const std::vector<size_t>& faults, uint64_t cases, const Surveys& surveys) const;
  void take(FamilyScore& score, size_t fault, const worker::JobResult& result, const LookAgain& look) const;

  ScoredCases cases_;
  Budget budget_;
  uint64_t workers_;
  std::vector<faults::FaultRow> rows_;
  FamilyScore score_;
};

/// What a family is before its first Case.
FamilyScore newScore(ir::Family family, const std::vector<faults::FaultRow>& rows);

} // namespace touchstone::score
