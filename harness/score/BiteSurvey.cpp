#include "harness/score/BiteSurvey.h"

#include "backends/faults/TorchFaultNames.h"
#include "harness/score/SecondLook.h"

#include <algorithm>
#include <utility>

namespace touchstone::score {

namespace {

const worker::BackendResult* resultOf(const worker::JobResult& result, const std::string& backend) {
  const auto found = std::find_if(result.backends.begin(), result.backends.end(),
                                  [&](const worker::BackendResult& each) { return each.backend == backend; });
  return found == result.backends.end() ? nullptr : &*found;
}

} // namespace

std::map<uint64_t, CaseSurvey> surveyBites(std::vector<worker::Job> jobs, const RunBatches& run) {
  const std::string& clean = cleanBackend(ir::Family::kTorch);
  std::vector<worker::Batch> batches;
  for (worker::Job& job : jobs) {
    job.backends = {std::string(faults::kBiteSearch), clean}; // what comes first pays for the child's start
    batches.emplace_back().jobs.push_back(std::move(job));
  }
  std::map<uint64_t, CaseSurvey> surveys;
  for (const worker::JobResult& result : run(std::move(batches))) {
    const worker::BackendResult* without = resultOf(result, clean);
    const worker::BackendResult* search = resultOf(result, std::string(faults::kBiteSearch));
    if (without == nullptr || search == nullptr || search->bites.empty() || search->outcome != without->outcome) {
      continue;
    }
    surveys[result.id] = {
        .mayBite = {search->bites.begin(), search->bites.end()},
        .seconds = result.processorSeconds + without->processorSeconds,
        .judged = without->outcome == language::Outcome::kAgreed || language::isFinding(without->outcome),
        .isFinding = language::isFinding(without->outcome)};
  }
  return surveys;
}

} // namespace touchstone::score
