#pragma once

#include "harness/worker/BackendResult.h"
#include "harness/worker/CallsAgain.h"
#include "harness/worker/CaseSource.h"
#include "harness/worker/CheckGraphsTask.h"
#include "harness/worker/EquivalenceTask.h"
#include "harness/worker/ExplainTask.h"
#include "harness/worker/JudgeTask.h"
#include "harness/worker/MakeTask.h"
#include "harness/worker/ReplayTask.h"
#include "harness/worker/RerunTask.h"
#include "harness/worker/ShowStagesTask.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace touchstone::worker {

/// What a worker can be asked, one header each, with the answer, the code that runs in the child, and how both travel;
/// docs/extending.md says how to add one.
using Task = std::variant<JudgeTask, MakeTask, ShowStagesTask, ExplainTask, EquivalenceTask, ReplayTask, RerunTask,
                          CheckGraphsTask, TraceCallsTask, LogTask>;

template <class Tasks>
struct ResultsOf;
template <class... Tasks>
struct ResultsOf<std::variant<Tasks...>> {
  using Type = std::variant<std::monostate, typename Tasks::Result...>;
};
/// The answer to the task at the same place, counted from 1; std::monostate: there is none, as the process ended, or as the
/// task had nothing to say of this Case.
using TaskResult = ResultsOf<Task>::Type;

/// What a child may use before it is ended; the clocks start again with each backend and each rung of a job.
struct JobLimits {
  double eagerSeconds = 30; // of the processor: to generate or read a Case and to run it eagerly
  double backendSeconds = 30; // of the processor, under each backend: to compile the Program and to make the calls
  int64_t memoryBytes = int64_t{3} << 30; // beyond what the process had when it was forked
  double wallFactor = 4; // so many times these seconds may pass on the clock
  bool limitsAddressSpace =
      true; // false: drivers of devices map far more than they use; the CPU's tensors are still counted
};

/// One Case and what is asked about it, as it is sent to a worker.
struct Job {
  uint64_t id = 0; // chosen by the client, unique among its jobs; comes back with the result
  CaseSource source;
  std::vector<std::string> backends;
  Task task;
  bool wantCase = false; // send the Case back even when nothing was found
  std::vector<std::string> withoutRungs; // rungs not to be tried: they ended the process before
  bool leavesOut(const std::string& rung) const;
};

/// What the Case holds; a campaign's validity is computed from it.
struct CaseFacts {
  int operations = 0; // that reach an output
  int calls = 0;
  bool aliasedInputs = false, mutation = false, backward = false, changedCall = false, customOperators = false;
  int sizeAssignments = 0; // see features::CaseFeatures
  int statedOperations = 0; // those that reach nothing, too
  // See generators/features/GradientFigures.h.
  int gradientLeaves = 0, gradientPath = 0;
  bool twoLeavesOfOneShape = false;
  bool operator==(const CaseFacts&) const = default;
};
CaseFacts factsOf(const language::Case& theCase);
/// Adds the figures of gradients to those of a Case that was drawn dense, which a campaign asks for: makes a call and its backward
/// once more.
void addGradientFigures(const Job& job, const language::Case& theCase, CaseFacts& facts);

struct JobResult {
  uint64_t id = 0;
  std::string error; // the Case could not be read: why
  std::string caseText; // printed; present for findings and where asked for
  CaseFacts facts;
  CaseMaking making;
  double eagerSeconds = 0;
  double processorSeconds = 0; // for what is no backend's: making the Case and running it eagerly
  std::vector<BackendResult> backends; // in the job's order
  TaskResult answer;

  /// What the first backend made of the Case; null: the Case could not be read, or the backend not be asked.
  const BackendResult* first() const { return error.empty() && !backends.empty() ? &backends[0] : nullptr; }
  /// What this backend made of it; null: it was not asked, or came to no end.
  const BackendResult* under(const std::string& backend) const {
    const auto found = std::find_if(backends.begin(), backends.end(),
                                    [&](const BackendResult& each) { return each.backend == backend; });
    return found == backends.end() ? nullptr : &*found;
  }
  /// What the first backend made of the Case, where it is a finding.
  const BackendResult* finding() const {
    return first() != nullptr && language::isFinding(first()->outcome) ? first() : nullptr;
  }
  /// Null: there is no such answer.
  template <class Result>
  const Result* as() const {
    return std::get_if<Result>(&answer);
  }
};

/// The JobRunner of every worker: answers the job's task. To be called in a child.
JobResult runCaseJob(const Job& job, const Profile& profile = {});

/// A batch as one line of JSON without the newline, and back; throws std::runtime_error on malformed text.
struct Batch {
  JobLimits limits;
  std::vector<Job> jobs;
};
std::string batchLine(const Batch& batch);
Batch batchFromLine(const std::string& line);
std::string resultLine(const JobResult& result);
JobResult resultFromLine(const std::string& line);

} // namespace touchstone::worker
