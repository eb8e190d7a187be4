#pragma once

#include "graph/ir/BackendInfo.h"
#include "harness/WorkerPool.h"

#include <optional>
#include <string>
#include <vector>

namespace touchstone::harness {

/// A pipeline of a ladder, and what it adds to the one before it: the stage that is to blame when it is the first to differ.
struct Rung {
  std::string backend;
  std::string adds;
};

/// The rungs of a family, weakest first. Only pipelines that exist are rungs.
const std::vector<Rung>& ladderOf(graph::Family family);
/// The rungs up to a backend: those of its family's ladder up to it, or, of a backend that is no rung, its own ladder and
/// then it. Throws std::invalid_argument for an unknown name.
std::vector<Rung> ladderTo(const std::string& backend);

/// The Case judged in full under each rung: outputs, gradients, mutations, aliasing, versions.
struct Ladder {
  std::vector<Rung> rungs;
  std::vector<BackendResult> results; // by rung
  std::optional<size_t> first; // to differ from eager
  bool anyJudged = false; // Agreed, Vacuous (in the calls that there are) or BothRejected
};
Ladder climb(const std::string& caseText, std::vector<Rung> rungs, const RunJob& run);

/// A line a rung: its name, what came of it, and what it adds; under one that differs, the first difference.
std::string ladderText(const Ladder& ladder);

} // namespace touchstone::harness
