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
  return std::tuple(left.severity(), left.repetition, left.number) <
         std::tuple(right.severity(), right.repetition, right.number);
}

} // namespace

std::string WaitingSuspect::ofCase() const {
  return foundBy.substr(0, foundBy.find(findings::kWhileReducing));
}

void SuspectQueue::add(WaitingSuspect suspect) {
  suspect.repetition = seen_[keyOf(suspect.symptom())]++;
  suspect.number = added_++;
  waiting_.push_back(std::move(suspect));
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
  return std::any_of(waiting_.begin(), waiting_.end(), isZero) || (hasCurrent_ && isZero(current_));
}

void SuspectQueue::spendOnReduction(int64_t candidates) {
  const int64_t free = std::min(candidates, paid_);
  paid_ -= free;
  spent_ += candidates - free;
  spentOnCurrent_ += candidates - free;
}

std::vector<WaitingSuspect>::iterator SuspectQueue::next(bool casesAreOver) {
  const auto worst = std::min_element(waiting_.begin(), waiting_.end(), isBefore);
  const bool isEarlyZero = worst != waiting_.end() && worst->severity() == Severity::kNoneAndZero && !casesAreOver &&
                           cases_ < kCasesBeforeZeros;
  return isEarlyZero || (!casesAreOver && !mayGoOn()) ? waiting_.end() : worst;
}

WaitingSuspect* SuspectQueue::begin(bool casesAreOver) {
  const auto found = next(casesAreOver);
  if (found == waiting_.end()) {
    return nullptr;
  }
  current_ = std::move(*found);
  hasCurrent_ = true;
  waiting_.erase(found);
  spentOnCurrent_ = paid_ = 0;
  return &current_;
}

WaitingSuspect* SuspectQueue::resume() {
  paid_ = spentOnCurrent_;
  return hasCurrent_ ? &current_ : nullptr;
}

void SuspectQueue::end() {
  current_ = {};
  hasCurrent_ = false;
  spentOnCurrent_ = paid_ = 0;
}

std::vector<WaitingSuspect> SuspectQueue::inOrder() const {
  std::vector<WaitingSuspect> all = waiting_;
  if (hasCurrent_) {
    all.push_back(current_);
  }
  std::sort(all.begin(), all.end(), isBefore);
  return all;
}

} // namespace touchstone::campaign
