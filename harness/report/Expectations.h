#pragma once

#include "harness/worker/Job.h"
#include "program/language/Case.h"

#include <string>
#include <vector>

namespace touchstone::report {

/// What a case file says of one backend: alternatives; without a line, Agreed.
std::vector<language::Expectation> expectationsFor(const language::Case& theCase, const std::string& backend);

/// True when what came out is what this line names. The line may say less: `Differs/values` is met by any
/// `Differs/values/call 0 output 0`.
bool isMet(const language::Expectation& expectation, const worker::BackendResult& result);
bool isAnyMet(const std::vector<language::Expectation>& alternatives, const worker::BackendResult& result);

/// The alternatives without the backend's name: `Agreed or Limit/A13`.
std::string describeExpectations(const std::vector<language::Expectation>& alternatives);

/// The line that a result would be expected by: for the files of findings.
language::Expectation expectationOf(const worker::BackendResult& result);

} // namespace touchstone::report
