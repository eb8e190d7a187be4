#include "harness/triage/Bisection.h"

#include "backends/Registry.h"

#include <stdexcept>

namespace touchstone::harness {

Bisection bisect(const std::string& caseText, std::vector<Rung> rungs, const RunJob& run) {
  Bisection bisection{.ladder = climb(caseText, std::move(rungs), run, Top::kLast)};
  if (!bisection.ladder.first) {
    return bisection;
  }
  const std::string guilty = bisection.ladder.rungs[*bisection.ladder.first].backend;
  if (backends::backendInfo(guilty).family != graph::Family::kNative) {
    return bisection; // its passes are PyTorch's to bisect
  }
  const std::string sought = decidingKind(bisection.ladder.results.back());
  bisection.fault = graph::bisectPasses([&](const std::string& pass, int64_t limit) {
    Job job;
    job.caseText = caseText;
    job.blame = false;
    job.backends = {guilty};
    job.passLimit = Job::PassLimit{pass, limit};
    const JobResult result = run(job);
    if (result.backends.empty()) {
      throw std::runtime_error(result.error);
    }
    ++bisection.runs;
    const BackendResult& end = result.backends[0];
    if (pass.empty()) {
      bisection.passes = end.passes;
    }
    return graph::GatedRun{showsKind(end, sought), end.passes, end.lastApplied};
  });
  return bisection;
}

} // namespace touchstone::harness
