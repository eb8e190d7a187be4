#pragma once

#include "oracles/compare/Rules.h"
#include "program/language/Outcome.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::compare {

/// In the message of a difference that an earlier call's tensor shows, after the call whose number stands behind it.
inline constexpr std::string_view kLookedAtAgain = " when looked at again after call ";

/// One property that differs, at one place.
struct Difference {
  language::Property property = language::Property::kStructure;
  std::string where; // `output 0`; empty: the call as a whole
  std::string message; // both values
};

/// The judgement on one call under one backend.
struct CallVerdict {
  language::Outcome outcome = language::Outcome::kAgreed;
  std::optional<language::Property> property; // of Differs: the first in the contract's order
  std::string where; // `output 0`, `arg 1`, `leaf 2`, …
  std::string
      detail; // of BackendRejected and InternalError: the phase; of Limit: the rule; of Unsupported: the reason;
  // of EagerUnstable and IllConditioned: the properties
  std::string exceptionClass; // normalized, where an exception is the symptom
  std::string message; // one or two lines for a person, with both values
  bool backwardBothRejected = false; // forwards agree, and both backwards raised
  bool judged = false; // compiled code ran (or the backend is a reference) and everything was compared
  bool fresh = false; // ran code compiled by an earlier call, with other values, tangents or roots
  std::vector<language::Property> alsoDiffers; // further properties that differ in this call
  Rules allowed; // that excused something in it
  std::vector<Difference> differences; // all of them, in the contract's order: `property` and `where` are of the first

  /// Makes the call one that Differs in exactly these; Agreed when there are none.
  void setDifferences(std::vector<Difference> found);
};

/// The judgement on a Case: the worst call decides.
struct CaseVerdict {
  language::Outcome outcome = language::Outcome::kAgreed;
  int call = 0; // the call that decided
  std::vector<CallVerdict> calls;
  std::array<int, kRuleCount> allowed{}; // calls in which each rule excused something

  const CallVerdict& worst() const { return calls.at(static_cast<size_t>(call)); }
  /// `Differs/values/call 0 output 0`: the form of `# expect:` lines.
  std::string text() const;
  /// What a reducer keeps: oracle, where, exception class; without the backend's name and the call's number.
  std::string symptom() const;
  /// Chooses `call` and `outcome` anew from the calls; a Case without a worse call is Agreed.
  void settle();
};

/// What `verdict` shows that `base`, on the same Case, does not: a difference that both have (same call, property and
/// place) is taken out, and so is a call that both refuse alike.
CaseVerdict beyond(const CaseVerdict& verdict, const CaseVerdict& base);

} // namespace touchstone::compare
