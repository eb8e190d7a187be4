#pragma once

#include "program/language/Case.h"
#include "harness/worker/Job.h"

#include <string>
#include <vector>

namespace touchstone::harness {

/// What a case file says of one backend: alternatives; without a line, Agreed.
std::vector<graph::Expectation> expectationsFor(const graph::Case& theCase, const std::string& backend);

/// True when what came out is what this line names. The line may say less: `Differs/values` is met by any
/// `Differs/values/call 0 output 0`.
bool isMet(const graph::Expectation& expectation, const BackendResult& result);
bool isAnyMet(const std::vector<graph::Expectation>& alternatives, const BackendResult& result);

/// The alternatives without the backend's name: `Agreed or Limit/A13`.
std::string describeExpectations(const std::vector<graph::Expectation>& alternatives);

/// The line that a result would be expected by: for the files of findings.
graph::Expectation expectationOf(const BackendResult& result);

} // namespace touchstone::harness
