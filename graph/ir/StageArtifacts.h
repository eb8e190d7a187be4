#pragma once

#include "graph/ir/Graph.h"

#include <string>
#include <utility>
#include <vector>

namespace touchstone::graph {

/// What the stages of a pipeline leave behind, by the name of the stage, in the order in which they ran.
struct StageArtifacts {
  std::vector<std::pair<std::string, Graph>> graphs;
  std::vector<std::pair<std::string, std::string>> texts; // of stages whose result is no Graph

  /// Null where there is none of that name.
  Graph* graph(const std::string& stage);
  const std::string* text(const std::string& stage) const;
};

/// Sees what passes between two stages of a pipeline, and may replace it. Dumps, timings, laws and planted faults are
/// StageHooks; no stage knows of them.
class StageHook {
 public:
  virtual ~StageHook() = default;
  /// Called after the stage has run, with everything so far; the stage's own Graph may be changed where the stage's
  /// documentation says that later stages read it from here.
  virtual void after(const std::string& stage, StageArtifacts& artifacts) = 0;
};

} // namespace touchstone::graph
