#pragma once

#include "program/language/Property.h"

#include <optional>
#include <string>
#include <string_view>

namespace touchstone::language {

/// The closed list of what can come of one call, of one Case under one backend, in order of severity: a Case has the
/// worst of its calls. `docs/outcomes.md` says what each means.
enum class Outcome {
  kCrashed,
  kOutOfBounds,
  kTimedOut,
  kOutOfMemory,
  kDiffers,
  kReadsUninitialized,
  kInternalError,
  kBackendRejected,
  kMissingRefusal,
  kNoneBecameZero,
  kBackendAccepts,
  kLimit,
  kUpstream,
  kKnown,
  kSuppressed,
  kUnsupported,
  kUnconfirmed,
  kEagerUnstable,
  kIllConditioned,
  kEagerRejected,
  kBothRejected,
  kEagerCrashed,
  kEagerTimedOut,
  kVacuous,
  kReference,
  kAgreed,
};
constexpr int kOutcomeCount = static_cast<int>(Outcome::kAgreed) + 1;

/// `Crashed`, `OutOfBounds`, … as files, flags and reports spell it.
std::string_view outcomeName(Outcome outcome);
std::optional<Outcome> outcomeFromName(std::string_view name);
/// True for outcomes that are reported as findings and make the exit status 1.
bool isFinding(Outcome outcome);

} // namespace touchstone::language
