#pragma once

#include "graph/program/Case.h"
#include "harness/worker/Job.h"

#include <deque>
#include <vector>

namespace touchstone::harness {

/// What a reduction meets beside its way: candidates that fail in another way, and candidates that behave. Which these are
/// does not depend on time or on the number of workers.
class Neighbours {
 public:
  struct Other {
    graph::Case theCase;
    BackendResult result; // not confirmed, and not looked for under weaker pipelines
  };

  /// Keeps the first of each symptom, up to 8.
  void addOther(const graph::Case& candidate, const BackendResult& result);
  /// Keeps the last 64: near the end of a reduction they differ little from what fails.
  void addBehaving(const graph::Case& candidate);

  const std::vector<Other>& others() const { return others_; }
  const std::deque<graph::Case>& behaving() const { return behaving_; }

 private:
  std::vector<Other> others_;
  std::deque<graph::Case> behaving_;
};

} // namespace touchstone::harness
