#pragma once

#include "program/language/Case.h"
#include "harness/worker/Job.h"

#include <vector>

namespace touchstone::harness {

/// A candidate of a reduction that failed in another way: not confirmed, and not looked for under weaker pipelines.
struct OtherFinding {
  graph::Case theCase;
  BackendResult result;
};

/// What a reduction meets beside its way: the first candidate of each other symptom, up to 8. Which these are does not depend on
/// time or on the number of workers.
class OtherFindings {
 public:
  void add(const graph::Case& candidate, const BackendResult& result);
  const std::vector<OtherFinding>& all() const { return all_; }

 private:
  std::vector<OtherFinding> all_;
};

} // namespace touchstone::harness
