#pragma once

#include "oracles/compare/Comparison.h"
#include "oracles/compare/Verdict.h"

namespace touchstone::compare {

/// The verdict on one call and the rules that excused something in it.
struct JudgedCall {
  CallVerdict verdict;
  Rules allowed;
  /// The inputs after this call may differ by a rule or by the verdict: a later call with the very same objects cannot be
  /// judged.
  bool inputsDiverge = false;
};

/// Judges one call: rules first, then internal errors, then everything observed. Differences in what `unstable` names
/// are left out.
JudgedCall judgeCall(const Comparison& comparison, const Instability& unstable);

} // namespace touchstone::compare
