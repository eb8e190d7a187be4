#pragma once

#include "graph/ir/BackendInfo.h"
#include "graph/program/Case.h"
#include "graph/program/CompiledProgram.h"
#include "oracles/Observation.h"
#include "oracles/Verdict.h"

#include <functional>
#include <string>

namespace touchstone::oracles {

struct JudgeOptions {
  Rules rules; // default: rulesOf(info.rules) is the caller's to fill in
  bool probeEffects = true;
  /// Told before each phase, so that a crash can be placed: `eager`, `eager again`, `compile`, `reference`, with the call.
  std::function<void(const char* phase, int call, const char* step)> onPhase;
};

/// Time by phase in seconds, for the benchmark's split.
struct JudgeTimes {
  double eager = 0, compile = 0, run = 0, judge = 0;
};

/// Eager's side of a Case, computed once and used for every backend: two runs (what differs between them is
/// EagerUnstable), and, made only when first asked for, the full backward (A8), the run in double precision with the
/// recorded random draws and the four runs with inputs moved by one ulp (A7).
class EagerReference {
 public:
  EagerReference(const graph::Case& theCase, const JudgeOptions& options);
  ~EagerReference();
  const CaseObservation& first() const;
  /// Empty, or per call the name of the property in which two eager runs differ.
  const std::vector<std::string>& unstable() const;
  /// True when every operator of the Program is exact and every input of kind `grid`, `zeros` or `ones`.
  bool exact() const;

  struct State;
  State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// Runs the Case through the backend and judges each call against eager by the rules. Never throws for what the backend
/// does; a crash of the process is the caller's to see.
CaseVerdict judge(const graph::Case& theCase, const EagerReference& eager,
                  graph::CompiledProgram& program, const graph::BackendInfo& info, const JudgeOptions& options, JudgeTimes* times = nullptr);

/// Compares two runs of the same Case; the heart of judge(), for callers who have Observations already.
CaseVerdict compareObservations(const graph::Case& theCase, const EagerReference& eager, const CaseObservation& compiled,
                                const graph::BackendInfo& info, const JudgeOptions& options);

} // namespace touchstone::oracles
