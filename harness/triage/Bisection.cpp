#include "harness/triage/Bisection.h"

#include "backends/Registry.h"

#include <stdexcept>

namespace touchstone::triage {

Bisection bisect(const std::string& caseText, std::vector<report::Rung> rungs, const pool::RunJob& run) {
  Bisection bisection{.ladder = climb(caseText, std::move(rungs), run, Top::kLast)};
  if (!bisection.ladder.first) {
    return bisection;
  }
  const std::string guilty = bisection.ladder.rungs[*bisection.ladder.first].backend;
  if (backends::backendInfo(guilty).family != ir::Family::kNative) {
    return bisection; // its passes are PyTorch's to bisect
  }
  const std::string sought = decidingKind(bisection.ladder.results.back());
  bisection.fault = ir::bisectPasses([&](const std::string& pass, int64_t limit) {
    const worker::JobResult result =
        run({.source = worker::PrintedCase{caseText},
             .backends = {guilty},
             .task = worker::JudgeTask{.blame = false, .passLimit = worker::PassLimit{pass, limit}}});
    if (result.backends.empty()) {
      throw std::runtime_error(result.error);
    }
    ++bisection.runs;
    const worker::BackendResult& end = result.backends[0];
    if (pass.empty()) {
      bisection.passes = end.passes;
    }
    return ir::GatedRun{showsKind(end, sought), end.passes, end.lastApplied};
  });
  return bisection;
}

} // namespace touchstone::triage
