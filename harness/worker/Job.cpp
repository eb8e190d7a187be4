#include "harness/worker/Job.h"

#include "generators/catalogue/Parts.h"
#include "generators/features/CaseFeatures.h"
#include "generators/features/GradientFigures.h"
#include "harness/worker/JsonFields.h"
#include "harness/worker/Progress.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace touchstone::worker {

using nlohmann::json;

namespace {

// One after the other, as Task and TaskResult are.
constexpr auto kTasks = KindsOf<Task>::kNames;
constexpr auto kAnswers = [] {
  std::array<const char*, kTasks.size() + 1> names{"none"};
  std::copy(kTasks.begin(), kTasks.end(), names.begin() + 1);
  return names;
}();

json parseLine(const std::string& line) {
  try {
    return json::parse(line);
  } catch (const json::exception& error) {
    throw std::runtime_error(std::string("A message between Touchstone's processes is not JSON: ") + error.what());
  }
}

// Texts come from programs and from dead processes: bytes that are not UTF-8 are replaced, never an error.
std::string dumpLine(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

static void to_json(json& object, const Task& task) {
  putVariant(object, task, kTasks);
}

static void from_json(const json& object, Task& task) {
  takeVariant(object, task, kTasks);
}

static void to_json(json& object, const TaskResult& answer) {
  putVariant(object, answer, kAnswers);
}

static void from_json(const json& object, TaskResult& answer) {
  takeVariant(object, answer, kAnswers);
}

TOUCHSTONE_JSON_FIELDS_AS(static, JobLimits, eagerSeconds, backendSeconds, memoryBytes, wallFactor, limitsAddressSpace)
TOUCHSTONE_JSON_FIELDS_AS(static, Job, id, source, backends, task, wantCase, withoutRungs)
TOUCHSTONE_JSON_FIELDS_AS(static, CaseFacts, operations, calls, aliasedInputs, mutation, backward, changedCall,
                          customOperators, sizeAssignments, statedOperations, gradientLeaves, gradientPath,
                          twoLeavesOfOneShape)
TOUCHSTONE_JSON_FIELDS_AS(static, JobResult, id, error, caseText, facts, making, eagerSeconds, processorSeconds,
                          backends, answer)

std::string batchLine(const Batch& batch) {
  return dumpLine({{"limits", batch.limits}, {"jobs", batch.jobs}});
}

Batch batchFromLine(const std::string& line) {
  const json object = parseLine(line);
  return {object.at("limits").get<JobLimits>(), object.at("jobs").get<std::vector<Job>>()};
}

std::string resultLine(const JobResult& result) {
  return dumpLine(result);
}

JobResult resultFromLine(const std::string& line) {
  return parseLine(line).get<JobResult>();
}

bool Job::leavesOut(const std::string& rung) const {
  return std::find(withoutRungs.begin(), withoutRungs.end(), rung) != withoutRungs.end();
}

CaseFacts factsOf(const language::Case& theCase) {
  const features::CaseFeatures features = features::describeCase(theCase);
  return {features.operationsReachingOutput,
          static_cast<int>(theCase.calls.size()),
          features.aliasedInputs,
          features.mutation,
          features.backward,
          features.changedCall,
          features.customOperators,
          features.sizeAssignments,
          features.operations};
}

void addGradientFigures(const Job& job, const language::Case& theCase, CaseFacts& facts) {
  const auto* generated = std::get_if<GeneratedCase>(&job.source);
  if (generated == nullptr || !generated->starts.empty() ||
      !catalogue::areDense(catalogue::partsOf(generated->parts))) {
    return;
  }
  const features::GradientFigures gradients = features::gradientFigures(theCase);
  facts.gradientLeaves = gradients.leaves;
  facts.gradientPath = gradients.path;
  facts.twoLeavesOfOneShape = gradients.twoOfOneShape;
}

JobResult runCaseJob(const Job& job, const Profile& profile) {
  JobResult result;
  const double begin = processSeconds();
  std::visit(
      [&](const auto& task) {
        if (!task.kNeedsBackend || !job.backends.empty()) { // else it died of this, and is not to again
          runTask(task, job, profile, result);
        }
      },
      job.task);
  result.processorSeconds = processSeconds() - begin;
  for (const BackendResult& each : result.backends) {
    result.processorSeconds -= each.processorSeconds;
  }
  return result;
}

} // namespace touchstone::worker
