#include "harness/campaign/SuspectQueue.h"

#include "harness/findings/OtherFindings.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace touchstone::campaign {

namespace {

using language::Severity;

// Without the base, which is known of a process that died only once it is confirmed.
std::string keyOf(const worker::Symptom& symptom) {
  return symptom.backend + " " + symptom.text;
}

bool isBefore(const WaitingSuspect& left, const WaitingSuspect& right) {
  return std::tuple(left.severity(), left.repetition) < std::tuple(right.severity(), right.repetition);
}

} // namespace

std::string WaitingSuspect::ofCase() const {
  return foundBy.substr(0, foundBy.find(findings::kWhileReducing));
}

void SuspectQueue::add(WaitingSuspect suspect) {
  suspect.repetition = seen_[keyOf(suspect.symptom())]++;
  const auto place =
      std::upper_bound(waiting_.begin(), waiting_.end(), suspect, isBefore); // behind those that came before
  waiting_.insert(place, std::move(suspect));
}

bool SuspectQueue::isFirst(const worker::Symptom& symptom) const {
  return !seen_.contains(keyOf(symptom));
}

bool SuspectQueue::hasZeroLike(const worker::BackendResult& result) const {
  if (result.outcome != language::Outcome::kNoneBecameZero) {
    return false;
  }
  const auto isZero = [&](const WaitingSuspect& each) {
    return each.result.outcome == result.outcome && each.result.backend == result.backend;
  };
  return std::any_of(waiting_.begin(), waiting_.end(), isZero) || (current_.has_value() && isZero(*current_));
}

void SuspectQueue::spendOnReduction(int64_t candidates) {
  const int64_t free = std::min(candidates, paid_);
  paid_ -= free;
  spent_ += candidates - free;
  spentOnCurrent_ += candidates - free;
}

bool SuspectQueue::hasTurn(bool casesAreOver) const {
  if (waiting_.empty() || casesAreOver) {
    return !waiting_.empty();
  }
  return mayGoOn() && (cases_ >= kCasesBeforeZeros || waiting_.front().severity() != Severity::kNoneAndZero);
}

WaitingSuspect* SuspectQueue::begin(bool casesAreOver) {
  if (!hasTurn(casesAreOver)) {
    return nullptr;
  }
  current_ = std::move(waiting_.front());
  waiting_.erase(waiting_.begin());
  spentOnCurrent_ = paid_ = 0;
  return &*current_;
}

WaitingSuspect* SuspectQueue::resume() {
  paid_ = spentOnCurrent_;
  return current_.has_value() ? &*current_ : nullptr;
}

void SuspectQueue::end() {
  current_.reset();
  spentOnCurrent_ = paid_ = 0;
}

std::vector<WaitingSuspect> SuspectQueue::inOrder() const {
  std::vector<WaitingSuspect> all = waiting_;
  if (current_.has_value()) {
    all.insert(std::lower_bound(all.begin(), all.end(), *current_, isBefore), *current_);
  }
  return all;
}

} // namespace touchstone::campaign
