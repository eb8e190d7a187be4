#include "harness/Ladder.h"

#include "backends/Registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace touchstone::harness {

namespace {

/// Compared with eager, and the same.
bool isJudged(graph::Outcome outcome) {
  return outcome == graph::Outcome::kAgreed || outcome == graph::Outcome::kVacuous ||
         outcome == graph::Outcome::kBothRejected;
}

Rung ownRung(const std::string& name) {
  return {name, backends::backendInfo(name).summary};
}

} // namespace

const std::vector<Rung>& ladderOf(graph::Family family) {
  static const std::vector<Rung> native{
      {"eager", "capture: Graphs, guards, breaks; run with autograd on"},
      {"aot_joint", "tracing below autograd, and the runtime around it; the backward runs the recorded joint Graph"},
      {"aot_functional", "functionalization; the backward runs the joint Graph without writes"},
      {"aot_eager_default_partitioner", "the default partition: the forward saves what the backward reads"},
  };
  static const std::vector<Rung> torch{
      {"torch:eager_python", "the Program printed as Python; not compiled"},
      {"torch:eager", "Dynamo"},
      {"torch:aot_eager", "AOTAutograd"},
      {"torch:aot_eager_decomp_partition", "decompositions and the min-cut partition"},
      {"torch:inductor", "Inductor"},
  };
  return family == graph::Family::kNative ? native : torch;
}

std::vector<Rung> ladderTo(const std::string& backend) {
  const graph::BackendInfo info = backends::backendInfo(backend);
  const std::vector<Rung>& family = ladderOf(info.family);
  const auto rung =
      std::find_if(family.begin(), family.end(), [&](const Rung& each) { return each.backend == backend; });
  if (rung != family.end()) {
    return {family.begin(), rung + 1};
  }
  std::vector<Rung> rungs;
  if (info.family == graph::Family::kNative && backend.rfind("aot_", 0) == 0) {
    rungs.assign(family.begin(), family.end() - 1); // another partition, or what comes behind it
  } else {
    for (const std::string& weaker : info.ladder) {
      rungs.push_back(ownRung(weaker));
    }
  }
  rungs.push_back(ownRung(backend));
  return rungs;
}

Ladder climb(const std::string& caseText, std::vector<Rung> rungs, const RunJob& run) {
  Job job;
  job.caseText = caseText;
  job.blame = false;
  for (const Rung& rung : rungs) {
    job.backends.push_back(rung.backend);
  }
  JobResult result = run(job);
  if (result.backends.size() != rungs.size()) {
    throw std::runtime_error(result.error);
  }
  Ladder ladder{.rungs = std::move(rungs), .results = std::move(result.backends)};
  for (size_t i = 0; i < ladder.results.size(); ++i) {
    if (!ladder.first && graph::isFinding(ladder.results[i].outcome)) {
      ladder.first = i;
    }
    ladder.anyJudged = ladder.anyJudged || isJudged(ladder.results[i].outcome);
  }
  return ladder;
}

std::string ladderText(const Ladder& ladder) {
  size_t name = 0, outcome = 0;
  for (size_t i = 0; i < ladder.rungs.size(); ++i) {
    name = std::max(name, ladder.rungs[i].backend.size());
    outcome = std::max(outcome, ladder.results[i].text.size());
  }
  std::string text;
  for (size_t i = 0; i < ladder.rungs.size(); ++i) {
    const BackendResult& result = ladder.results[i];
    text +=
        fmt::format("  {:{}}  {:{}}  {}\n", ladder.rungs[i].backend, name, result.text, outcome, ladder.rungs[i].adds);
    if (!isJudged(result.outcome) && !result.message.empty()) {
      text += fmt::format("    {}\n", result.message);
    }
  }
  if (ladder.first) {
    const Rung& rung = ladder.rungs[*ladder.first];
    text += fmt::format("First to differ: {} ({})\n", rung.backend, rung.adds);
  } else {
    text += ladder.anyJudged ? "No rung differs.\n" : "No rung could be judged.\n";
  }
  return text;
}

} // namespace touchstone::harness
