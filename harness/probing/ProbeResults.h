#pragma once

#include "harness/worker/Job.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace touchstone::probing {

/// What came of one operator with one dtype, in one pass.
enum class ProbeStatus {
  kSupported,
  kRejected, // raises where eager returns
  kWrong,
  kCrashed, // or used up its memory
  kTimedOut,
  kExcused, // raises with a text that the profile names, or that a rule of the contract excuses
  kUpstream, // so does its base
  kNotJudged, // Vacuous and the like
  kNotApplicable, // eager has no such Case
};
std::string_view probeStatusName(ProbeStatus status);
/// How tables show a status, by its name.
struct ProbeSymbol {
  char symbol;
  std::string_view meaning;
};
ProbeSymbol probeSymbolOf(std::string_view statusName);

/// The exception of a backend that raises.
struct Refusal {
  std::string exceptionClass;
  std::string text; // all lines
};
Refusal refusalOf(const worker::BackendResult& result);

struct ProbeResult {
  std::string operatorName, dtype;
  bool backward = false;
  ProbeStatus status = ProbeStatus::kNotApplicable;
  bool internalError = false; // rejected by an assertion of its own: a finding, too
  std::string exceptionClass, text; // of what is rejected: first line
  std::string outcome, message; // for people
  std::string caseText; // of what is not supported
  worker::BackendResult result; // the same
  std::string delegation; // ir::delegationName() of what is not clones, where the profile has a proof

  std::string_view pass() const { return backward ? "backward" : "forward"; }
  bool isFinding() const;
  /// It cannot be in a Case without ending or refusing it. Not an assertion of the backend's own, which campaigns report.
  bool isBad() const;
};
/// How much of it the backend executed itself, but for the clones that each probe takes; empty: the profile has no proof.
std::string delegationOf(const worker::BackendResult& result);
ProbeResult probeResultOf(const worker::Probe& probe, const worker::JobResult& result);

/// Operators as rows, dtypes as columns; of each dtype the forward and the backward. With a legend.
std::string probeTable(const std::vector<ProbeResult>& results, bool all);
/// The texts of what is rejected, with where; findings; counts.
std::string probeDetails(const std::vector<ProbeResult>& results);

/// A profile under which what is known to be refused or to end the process is not tried: `base` with `excluded_dtypes`,
/// `excluded_operators`, `features` and `unsupported`, each with why.
nlohmann::json proposedProfile(const std::vector<ProbeResult>& results, const nlohmann::json& base, bool excludeWrong);

nlohmann::json probeResultsJson(const std::vector<ProbeResult>& results);

} // namespace touchstone::probing
