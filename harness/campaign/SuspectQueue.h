#pragma once

#include "harness/worker/BackendResult.h"
#include "harness/worker/Symptom.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::campaign {

/// A failing Case under one backend that has not been dealt with.
struct WaitingSuspect {
  std::string caseText;
  std::string foundBy; // `seed 7 case 12`
  worker::BackendResult result;
  bool isConfirmed = false;
  bool isChecked = false; // a cluster would suppress it; one of those that are looked at all the same
  bool isOther = false; // met while another one was reduced: no outcome counts it
  int64_t repetition = 0; // so many with its symptom came before it

  worker::Symptom symptom() const { return worker::symptomOf(result); }
  language::Severity severity() const { return worker::severityOf(symptom()); }
  /// `seed 7 case 12`, also where it was met while that one was reduced.
  std::string ofCase() const;
  bool operator==(const WaitingSuspect&) const = default;
};

/// What waits to be reduced, and whose turn it is. Worst class first; within a class the first of each symptom, then those that
/// came again; then the order in which they came. A zero for a None waits until there was time for something worse.
///
/// While Cases are judged, reducing gets a share of the time: each judged Case pays for some candidates, and nothing is
/// reduced on credit. It is counted, not measured, so that the same suspects are reduced between the same Cases with any
/// number of workers, and what is known when a Case is looked at does not depend on time. A value: a copy is a state to go on from.
class SuspectQueue {
 public:
  /// A Case was judged: pays for kCandidatesPerCase.
  void addCase() { ++cases_; }
  void add(WaitingSuspect suspect);
  /// None came before that shows the same under the same backend: it is to be confirmed at once.
  bool isFirst(const worker::Symptom& symptom) const;
  /// It is a zero for a None, and one of its backend waits: they are one.
  bool hasZeroLike(const worker::BackendResult& result) const;

  /// So many candidates were judged, or as much was done, beside reducing.
  void spend(int64_t candidates) { spent_ += candidates; }
  /// The same for candidates of the one that is being reduced. After resume() those that were paid for are free.
  void spendOnReduction(int64_t candidates);
  /// The next candidates are paid for.
  bool mayGoOn() const { return spent_ <= cases_ * kCandidatesPerCase; }

  /// Takes the one whose turn it is; null: nothing may be reduced now. It stays the current one until end().
  WaitingSuspect* begin(bool casesAreOver);
  /// The one that was current when this state was written; null: none.
  WaitingSuspect* resume();
  void end();

  const std::vector<WaitingSuspect>& waiting() const { return waiting_; }
  /// The one that is being dealt with; null: none.
  const WaitingSuspect* current() const { return current_.has_value() ? &*current_ : nullptr; }
  /// Worst first, the current one among them; for whoever has no time to reduce them.
  std::vector<WaitingSuspect> inOrder() const;
  size_t size() const { return waiting_.size() + (current_.has_value() ? 1 : 0); }

  /// One list of keys and fields for both directions; see CampaignRecord.cpp.
  template <class Queue, class Visit>
  static void walk(Queue& queue, const Visit& visit) {
    visit("cases", queue.cases_, "spent", queue.spent_, "spent_on_current", queue.spentOnCurrent_, "seen", queue.seen_,
          "waiting", queue.waiting_);
    visit.ifThere("current", queue.current_);
  }

  static constexpr int64_t kCandidatesPerCase = 1;
  static constexpr int64_t kCasesBeforeZeros = 128;

 private:
  bool hasTurn(bool casesAreOver) const;

  int64_t cases_ = 0, spent_ = 0, spentOnCurrent_ = 0;
  int64_t paid_ = 0; // of the current one, before it was resumed: not a part of the state
  std::map<std::string, int64_t> seen_; // suspects that came, by backend and symptom
  std::vector<WaitingSuspect> waiting_; // in the order of their turns
  std::optional<WaitingSuspect> current_;
};

} // namespace touchstone::campaign
