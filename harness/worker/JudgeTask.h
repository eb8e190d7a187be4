#pragma once

#include "harness/worker/Symptom.h"
#include "harness/worker/Task.h"
#include "program/language/Case.h"

namespace touchstone::worker {

/// The passes of the native backend are counted, and `pass` stops after `limit` applications; an empty name: none does.
struct PassLimit {
  std::string pass;
  int64_t limit = 0;
  std::string backend; // of this one alone; empty: of each
  bool operator==(const PassLimit&) const = default;
};

// JudgeTask::substitute. Those of a part of a native pipeline, see substitutes::Part; Dynamo's graphs themselves, see
// backends::Serving::kByGraphs; what was compiled serves one call; nothing, but codes are told.
inline constexpr const char *kJointSubstitute = "joint", *kForwardSubstitute = "forward",
                            *kBackwardSubstitute = "backward", *kGraphSubstitute = "graph", *kFreshSubstitute = "fresh",
                            *kNoSubstitute = "none";

/// A suppression that is asked before anything is compiled: what it matches is Suppressed under these backends.
struct SkippingSuppression {
  std::string id, backend; // a glob
  std::vector<std::string> lines; // see readPattern()
  bool operator==(const SkippingSuppression&) const = default;
};

struct JudgeResult {
  std::vector<uint32_t> features; // with JudgeTask::wantFeatures: see generators/features/ExecutionFeatures.h
  // With JudgeTask::substitute: see substitutes::Substituted.
  int placed = 0;
  std::vector<std::string> refused;
  std::vector<std::vector<uint64_t>> codes; // by call
  std::vector<std::string> around; // by call
  bool operator==(const JudgeResult&) const = default;
};
TOUCHSTONE_TRAVELS(JudgeResult);

/// The Case is run eagerly and judged under each backend; the symptom of a finding is looked for down the backend's ladder.
/// A Case with a finding is sent back. Without backends it is only run eagerly.
struct JudgeTask {
  static constexpr const char* kName = "judge";
  static constexpr bool kNeedsBackend = false;
  using Result = JudgeResult;

  bool blame = true; // look for a finding's symptom down the backend's ladder
  bool wantFeatures = false; // say what the Case exercises
  bool wantReasons = false; // send the reasons of recompiles and breaks too, guards and specializations
  bool wantObservation = false; // say what each call under the backends has shown
  bool onlyIfEagerReturns = false; // a Case in which eager raises is EagerRejected and not compiled
  std::optional<PassLimit> passLimit;
  std::string substitute; // what runs in place of a part of the backends, by the names above; empty: nothing
  /// While reducing: nothing else is blamed, and the first job of a batch that shows this, origin and base outcome
  /// included, is the last that runs: those behind it come back without results.
  std::optional<Symptom> wanted;
  std::vector<SkippingSuppression> skipSuppressions;
  bool operator==(const JudgeTask&) const = default;
};
TOUCHSTONE_TRAVELS(JudgeTask);

void runTask(const JudgeTask& task, const Job& job, const Profile& profile, JobResult& result);
/// The part of it that begins with a Case. The job's task is a JudgeTask.
void judgeCase(const Job& job, const language::Case& theCase, JobResult& result, const Profile& profile = {});

} // namespace touchstone::worker
