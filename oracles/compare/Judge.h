#pragma once

#include "graph/ir/BackendInfo.h"
#include "oracles/compare/EagerReference.h"
#include "oracles/compare/Verdict.h"
#include "oracles/observe/Observation.h"
#include "program/language/Case.h"
#include "program/values/CompiledProgram.h"

#include <functional>
#include <optional>

namespace touchstone::compare {

struct JudgeOptions {
  Rules rules; // default: rulesOf(info.rules) is the caller's to fill in
  /// Signs of zeros and of NaNs (A15) and strides of dimensions of size 1 (A6) are compared, and so is where the Program rounds
  /// to float16 and bfloat16 (Property::kPrecision): for backends that promise eager's bits.
  bool strictNumerics = false;
  bool probeEffects = true;
  evidence::StepFactory inSteps; // see EagerOptions
  PythonFactory python = {}; // the same
  /// Told before each phase, so that a crash can be placed: `eager`, `eager again`, `compile` (the backend's run) or
  /// `reference`, with the call and the step.
  std::function<void(const char* phase, int call, const char* step)> onPhase;
  /// Told what the backend's run has shown, before it is judged. May be empty.
  std::function<void(const observe::CaseObservation& compiled)> onCompiled;
  /// Whether `aot_eager` has eager's strides in a call of this Case (second half of A6). Empty or none: not known, and a
  /// stride difference of a backend that promises no strides is Differs/strides.
  std::function<std::optional<bool>(int call)> baseHasEagerStrides;
};

/// Time by phase in seconds, for the benchmark's split.
struct JudgeTimes {
  double eager = 0, compile = 0, run = 0, judge = 0;
};

/// Runs the Case through the backend and judges each call against eager by the rules. Never throws for what the backend
/// does; a crash of the process is the caller's to see.
CaseVerdict judge(const language::Case& theCase, const EagerReference& eager, values::CompiledProgram& program,
                  const ir::BackendInfo& info, const JudgeOptions& options, JudgeTimes* times = nullptr);

/// Compares two runs of the same Case; the heart of judge(), for callers who have Observations already.
CaseVerdict compareObservations(const language::Case& theCase, const EagerReference& eager,
                                const observe::CaseObservation& compiled, const ir::BackendInfo& info,
                                const JudgeOptions& options);

} // namespace touchstone::compare
