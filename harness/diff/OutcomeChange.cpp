#include "harness/diff/OutcomeChange.h"

namespace touchstone::diff {

namespace {

using language::Outcome;

/// How much a backend has to answer for.
enum class Standing {
  kAgreed,
  kUnjudged, // nobody knows
  kFinding,
};

/// Of the Case: no backend is asked.
bool isOfEager(Outcome outcome) {
  return outcome == Outcome::kEagerRejected || outcome == Outcome::kEagerCrashed || outcome == Outcome::kEagerTimedOut;
}

Standing standingOf(const worker::BackendResult& result) {
  return result.outcome == Outcome::kAgreed ? Standing::kAgreed
         : showsFinding(result)             ? Standing::kFinding
                                            : Standing::kUnjudged;
}

} // namespace

std::string_view changeKindName(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kNone: return "none";
    case ChangeKind::kWorse: return "worse";
    case ChangeKind::kBetter: return "better";
    case ChangeKind::kOther: return "other";
  }
  return "";
}

std::string outcomeTextOf(const worker::BackendResult& result) {
  switch (result.outcome) {
    case Outcome::kCrashed:
    case Outcome::kOutOfBounds:
    case Outcome::kTimedOut:
    case Outcome::kOutOfMemory:
    case Outcome::kInternalError:
    case Outcome::kBackendRejected: return result.symptom.empty() ? result.text : result.symptom;
    case Outcome::kUpstream:
    case Outcome::kKnown: // of an exception the symptom says more: its class
      return result.symptom.starts_with(result.text + "/") ? result.symptom : result.text;
    default: return result.text;
  }
}

std::string outcomeClassOf(const worker::BackendResult& result) {
  return showsFinding(result) && !result.shows.empty() ? result.shows[0] : result.text;
}

bool showsFinding(const worker::BackendResult& result) {
  return language::isFinding(result.outcome) || result.outcome == Outcome::kUpstream ||
         result.outcome == Outcome::kKnown;
}

ChangeKind changeBetween(const worker::BackendResult& left, const worker::BackendResult& right) {
  if (outcomeTextOf(left) == outcomeTextOf(right)) {
    return ChangeKind::kNone;
  }
  const Standing before = standingOf(left), after = standingOf(right);
  if (before == after || isOfEager(left.outcome) || isOfEager(right.outcome)) {
    return ChangeKind::kOther;
  }
  return after > before ? ChangeKind::kWorse : ChangeKind::kBetter;
}

} // namespace touchstone::diff
