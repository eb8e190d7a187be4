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

/// Of a Case, the faults that need not be compiled: the graphs are what they are without them, and so is what comes of the Case.
struct CaseSurvey {
  std::set<std::string> mayBite; // names of faults
  double seconds = 0; // of a processor: making the Case, running it eagerly, and judging it without a fault
  bool judged = false, isFinding = false; // without a fault
};

/// What `jobs` ask for, by the jobs' ids; without those Cases in which the pipeline without a fault, or the search, came to no end: any
/// fault may bite in them.
std::map<uint64_t, CaseSurvey> surveyBites(std::vector<worker::Job> jobs, const RunBatches& run);

} // namespace touchstone::score
