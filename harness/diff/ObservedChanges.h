#pragma once

#include "harness/worker/Job.h"

#include <string>
#include <vector>

namespace touchstone::diff {

/// One thing that two sides show otherwise in a call, although their outcomes are the same.
struct ObservedChange {
  int call = 0;
  std::string where; // `output 0`, `arg 1 in storage`, `gradient 0 of arg 1`; empty: what was compiled for the Case
  std::string property; // `values`, `strides`, `graphs`, `text` where it has no parts
  std::string left, right; // empty: not there
  /// Rules that excused something in this call on either side. None: both sides are as their eager is, so that what
  /// differs is eager's own, or what no oracle compares.
  std::vector<std::string> rules;
};

/// What differs between two results with the same outcome, in the calls that both sides have judged in full and found to agree
/// with eager: there every difference of the two has passed the rules, so that none is a change of outcome. How often was
/// compiled, broken and compiled anew is compared, too.
std::vector<ObservedChange> observedChanges(const worker::BackendResult& left, const worker::BackendResult& right);

} // namespace touchstone::diff
