#pragma once

#include "harness/diff/DiffSide.h"
#include "harness/pool/CaseFiles.h"
#include "harness/worker/Progress.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::diff {

/// Which Cases are judged: those of a campaign, or given ones.
struct CaseSelection {
  std::vector<pool::CaseFile> files; // empty: Cases are generated
  uint64_t seed = 0, start = 0;
  std::optional<uint64_t> cases;
  std::optional<double> seconds; // no Case is begun so long after the first was
  int sameCalls = 2; // see generators/decoder/Decoder.h
  std::vector<std::string> parts; // see generators/catalogue/Parts.h
};

/// A Case with what both sides made of it.
struct CasePair {
  std::string name; // its file, or `seed 7 case 12`
  std::string text; // that both sides were given; empty: it could not be made
  std::string error; // why
  worker::JobResult left, right;
};

/// Makes each Case once, as a text, and has it judged on both sides at the same time. Pairs come in the order of the Cases; how
/// Cases are put together into batches depends on nothing but their order, so that each has the same neighbours in its child
/// whatever is faster.
class CasePairs {
 public:
  /// `left` and `right` outlive it. Cases are generated in a worker of the left installation, as the profile says that steers
  /// this: the left one, or the right one where the left steers nothing. Throws WrongUse where both do, and differently.
  CasePairs(CaseSelection selection, DiffSide& left, DiffSide& right);
  ~CasePairs();

  /// The next pair; waits for it. None at the end, and after an interrupt. `tick` is called five times a second.
  std::optional<CasePair> next(const std::function<void()>& tick);

 private:
  struct Entry {
    CasePair pair;
    bool made = false;
    std::array<bool, 2> judged{};
  };
  struct Lane {
    DiffSide* side;
    uint64_t casesPerBatch, next = 0; // position of the next Case
  };

  std::optional<worker::Batch> nextGenerated();
  std::optional<worker::Batch> nextJudged(size_t lane);
  void takeGenerated(worker::JobResult result);
  void takeJudged(size_t lane, worker::JobResult result);
  bool takeAll(); // false: nothing has come
  bool isMade(uint64_t position) const { return position < first_ || entries_.at(position - first_).made; }
  bool isOver() const;
  bool generatesNoMore();
  Entry& entryOf(uint64_t position) { return entries_.at(position - first_); }

  const CaseSelection selection_;
  std::array<Lane, 2> lanes_;
  std::unique_ptr<pool::WorkerPool> generator_; // null: the Cases are given
  std::deque<Entry> entries_; // from position first_ on
  uint64_t first_ = 0, asked_ = 0; // asked_: position behind the last Case that a worker was asked to make
  std::optional<double> begin_; // when the first Case was begun
  bool ended_ = false;
};

} // namespace touchstone::diff
