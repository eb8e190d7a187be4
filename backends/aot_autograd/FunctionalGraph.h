#pragma once

#include "graph/ir/Graph.h"

#include <optional>
#include <string>
#include <vector>

namespace touchstone::aot_autograd {

/// A functional Graph in the making. What is added stands for the recorded node that was begun last.
struct FunctionalGraph {
  void begin(const ir::Node& recorded) {
    line = recorded.line;
    sequence = recorded.sequence;
  }
  ir::NodeId emit(const std::string& target, std::vector<ir::Argument> arguments);
  ir::NodeId element(ir::NodeId call, int64_t position, std::optional<ir::TensorMetadata> metadata);
  /// Adds another Graph's nodes, its placeholders replaced by `operands`; gives the new number of each node.
  std::vector<ir::NodeId> append(const ir::Graph& other, const std::vector<ir::NodeId>& operands);

  ir::Graph graph;
  bool backward = false; // the nodes are the backward's
  int line = 0;
  int64_t sequence = -1;
};

} // namespace touchstone::aot_autograd
