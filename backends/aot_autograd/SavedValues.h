#pragma once

#include "graph/ir/Graph.h"

#include <algorithm>
#include <set>
#include <vector>

namespace touchstone::aot_autograd {

/// What the forward Graph returns for backwards, behind the memories. Positions are those among `nodes`.
struct SavedValues {
  void add(const std::vector<ir::NodeId>& values) {
    for (const ir::NodeId value : values) {
      if (positionOf(value) == nodes.size()) {
        nodes.push_back(value);
      }
    }
  }
  /// Their number: it is not among them.
  size_t positionOf(ir::NodeId value) const {
    return static_cast<size_t>(std::find(nodes.begin(), nodes.end(), value) - nodes.begin());
  }
  /// Eager does not save it: it is kept from later writes by a copy.
  bool isCopy(size_t position) const { return copied.contains(nodes[position]); }

  std::vector<ir::NodeId> nodes; // of the functional Graph
  std::set<ir::NodeId> copied;
  std::vector<int>
      inputs; // by position: the input storage that it lies in whose version counter is the inputs'; -1: none
  std::vector<bool> seesWrites; // by position: its version counter is that of the memory it lies in
  std::vector<std::vector<size_t>> byNode; // by node of the plan: positions that it may read
  bool operator==(const SavedValues&) const = default;
};

} // namespace touchstone::aot_autograd
