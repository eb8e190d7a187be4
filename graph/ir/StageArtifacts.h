#pragma once

#include "graph/ir/Graph.h"
#include "graph/ir/GraphSignature.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::ir {

/// What a partition has decided, by the names of the Graph that it cuts: the stage `merged`, or `functional` without that.
struct PartitionDecision {
  /// What the forward Graph returns last, in order. Placeholders of the backward Graphs have these names; what none of them
  /// takes is kept for its version alone.
  std::vector<std::string> saved;
  /// What saving a node costs; -1: it cannot be saved. Empty: the partition does not go by costs.
  std::map<std::string, int64_t> capacities;
};

/// What the stages of a pipeline leave behind, by the name of the stage, in the order in which they ran.
struct StageArtifacts {
  std::vector<std::pair<std::string, Graph>> graphs;
  std::vector<std::pair<std::string, std::string>> texts; // of stages whose result is no Graph

  PartitionDecision partition; // there when the stage `forward` is
  std::optional<GraphSignature> signature; // the same; its backwards come with their stages
  /// By stage: why a pipeline's Graph cannot be shown.
  std::vector<std::pair<std::string, std::string>> refused;

  /// Null where there is none of that name.
  Graph* graph(const std::string& stage);
  const Graph* graph(const std::string& stage) const;
  const std::string* text(const std::string& stage) const;
};

} // namespace touchstone::ir
