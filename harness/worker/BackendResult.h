#pragma once

#include "graph/ir/Delegation.h"
#include "harness/worker/Counters.h"
#include "oracles/compare/Rules.h"
#include "oracles/observe/ObservationText.h"
#include "program/language/Outcome.h"

#include <array>
#include <map>

namespace touchstone::worker {

/// What a call under a backend has shown, as data: for whoever compares two backends in two processes.
struct ObservedCall {
  bool agreed = false; // judged in full, and nothing differs
  std::vector<std::string> rules; // that excused something in it: `A7`
  observe::ObservationTexts texts; // with digests of values
  bool operator==(const ObservedCall& other) const = default;
};

/// What one backend made of the Case.
struct BackendResult {
  std::string backend;
  language::Outcome outcome =
      language::Outcome::kAgreed; // after blame: a finding of a weaker rung is kUpstream, one of known defects kKnown
  std::string text; // before blame, as in `# expect:` lines: `Differs/values/call 0 output 0`
  std::string symptom; // what findings are told apart by, without the backend's name
  std::vector<std::string> shows; // symptomKindsOf() its verdict
  std::vector<int> shownIn; // of each of them, the first call that shows it; empty where the process ended
  std::string detail; // rule of Limit, rung of Upstream, defects of Known, reason of Unsupported, phase of a crash
  std::string origin; // of a finding: the weakest rung with the same symptom, or the backend itself
  std::string baseOutcome; // of a finding that is the backend's own: what its base made of the Case
  std::string message; // for a person
  bool eagerRaises = false; // in some call
  int call = 0; // that decided
  std::string where; // of a difference: `output 0`, `leaf 2`, …
  Counters counters;
  double processorSeconds = 0; // that this backend took: compiling, calls, verdict and blame
  std::array<int, compare::kRuleCount> allowed{};
  // With JudgeTask::wantReasons, of ir::CompileReport; and how many recompiles there are behind each call.
  std::vector<std::string> recompileReasons, breakReasons, guards, specializations;
  std::vector<int64_t> recompilesByCall;
  std::vector<std::string> bites; // ir::CompileReport::bites
  std::vector<ObservedCall> observed; // with JudgeTask::wantObservation, by call; empty where nothing ran to the end
  std::string delegation; // ir::delegationName(), where the profile has a proof
  std::map<std::string, ir::OperatorShare> operatorShares; // the same
  std::vector<std::string> warnings; // of compilers, each once: options that they do not know
  std::vector<std::pair<std::string, int64_t>>
      passes; // where JudgeTask::passLimit asks for them: how often each was reached, in order
  std::string lastApplied; // where the stopped pass changed a Graph last
  bool operator==(const BackendResult& other) const = default;
};
TOUCHSTONE_TRAVELS(BackendResult);

/// Of a backend whose process has no Python, for which the Case needs it.
BackendResult unsupportedResult(const std::string& backend, const std::string& construct);

} // namespace touchstone::worker
