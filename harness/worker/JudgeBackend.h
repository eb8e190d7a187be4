#pragma once

#include "graph/ir/CompileReport.h"
#include "harness/worker/Job.h"
#include "oracles/Judge.h"

#include <string>

namespace touchstone::harness {

/// One verdict with what the backend said of its compiling.
struct Judgement {
  oracles::CaseVerdict verdict;
  graph::CompileReport report;
  oracles::JudgeTimes times;
};

/// Judges the Case under one backend of this process. Tells currentProgress() each phase. What the backend refuses or
/// raises is in the verdict; a difference of values that changes with the pattern in fresh memory is ReadsUninitialized.
Judgement judgeUnder(const Job& job, const std::string& backend, const graph::Case& theCase,
                     const oracles::EagerReference& eager);

/// JudgeOptions::onPhase of every run: progress, and another pattern in fresh memory for eager's second run.
void reportPhase(const char* phase, int call, const char* step);

/// True when the rung ended the process before: it is not asked again.
bool mustNotAsk(const Job& job, const std::string& rung);

} // namespace touchstone::harness
