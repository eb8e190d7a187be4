#pragma once

#include "harness/worker/Job.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace touchstone::score {

/// Runs batches and waits; results in the order of the jobs.
using RunBatches = std::function<std::vector<worker::JobResult>(std::vector<worker::Batch>)>;

/// A Case under the pipeline without a fault. A fault that changes none of its graphs makes the same of it.
struct CaseSurvey {
  std::set<std::string> mayBite; // names of the faults that change one, and of those around calls
  double seconds = 0; // of a processor: making the Case, running it eagerly, and judging it
  language::Outcome outcome = language::Outcome::kAgreed;
};

/// What `jobs` ask for, by the jobs' ids; without those Cases in which the pipeline, or the search, came to no end: any fault may bite
/// in them.
std::map<uint64_t, CaseSurvey> surveyBites(std::vector<worker::Job> jobs, const RunBatches& run);
/// A result that surveyBites() asked for: its Case is judged once more where a fault may bite.
bool isOfSurvey(const worker::JobResult& result);

} // namespace touchstone::score
