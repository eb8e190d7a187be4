#pragma once

#include "harness/worker/Task.h"

namespace touchstone::worker {

/// How the native pipeline's Graphs of a Case stand beside the real one's.
struct EquivalenceResult {
  bool isCompared = false;
  std::string reason; // why not
  int graphs = 0; // pairs that were compared
  int imported = 0; // Graphs of the real pipeline that were taken over
  std::vector<std::string> refused; // those that were not: why
  std::vector<std::pair<std::string, std::string>> differences; // what they disagree about, a sentence
  int partitions = 0, brokenPartitions = 0; // of the real pipeline: held against the laws of a partition; with a breach
  std::vector<std::pair<std::string, std::string>> breaches; // laws that do not hold of them, a sentence
  std::vector<std::string> unjudged; // partitions that could not be: why
  bool operator==(const EquivalenceResult& other) const = default;
};
TOUCHSTONE_TRAVELS(EquivalenceResult);

/// A Case is judged as by a JudgeTask that blames nobody. Of one that is right under the job's backend the first call is
/// compiled under the native `aot_eager` and under `torch:aot_eager`, and what the stages of the two left is held against
/// each other, and the real one's partitions against the laws of a partition. The worker has both.
struct EquivalenceTask {
  static constexpr const char* kName = "equivalence";
  static constexpr bool kNeedsBackend = true;
  using Result = EquivalenceResult;
  bool operator==(const EquivalenceTask&) const = default;
};

void runTask(const EquivalenceTask& task, const Job& job, const Profile& profile, JobResult& result);

} // namespace touchstone::worker
