#include "harness/score/BiteSurvey.h"

#include "backends/faults/TorchFaultNames.h"
#include "harness/score/SecondLook.h"

#include <algorithm>
#include <utility>

namespace touchstone::score {

namespace {

const std::string& searchBackend() {
  static const std::string name(faults::kBiteSearch);
  return name;
}

} // namespace

std::map<uint64_t, CaseSurvey> surveyBites(std::vector<worker::Job> jobs, const RunBatches& run) {
  const std::string& clean = cleanBackend(ir::Family::kTorch);
  std::vector<worker::Batch> batches;
  for (worker::Job& job : jobs) {
    job.backends = {searchBackend(), clean}; // what comes first pays for the child's start
    batches.emplace_back().jobs.push_back(std::move(job));
  }
  std::map<uint64_t, CaseSurvey> surveys;
  for (const worker::JobResult& result : run(std::move(batches))) {
    const worker::BackendResult *search = result.under(searchBackend()), *without = result.under(clean);
    if (without != nullptr && search != nullptr && !search->bites.empty() && search->outcome == without->outcome) {
      surveys[result.id] = {{search->bites.begin(), search->bites.end()},
                            result.processorSeconds + without->processorSeconds,
                            without->outcome};
    }
  }
  return surveys;
}

bool isOfSurvey(const worker::JobResult& result) {
  return result.under(searchBackend()) != nullptr;
}

} // namespace touchstone::score
