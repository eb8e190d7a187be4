#pragma once

#include "backends/partitioners/OperatorKinds.h"
#include "backends/partitioners/Partition.h"

#include <vector>

namespace touchstone::partitioners {

/// What a partition has to know of the nodes of a joint Graph, by node
/// (torch/_functorch/partitioners.py, classify_nodes). Nodes that nobody needs have no role and are nobody's users.
struct NodeRoles {
  static constexpr int kFar = 1'000'000'000;

  std::vector<bool> isLive;
  std::vector<bool> isReturned; // by the forward or by the backward
  std::vector<bool> isForward; // an input, or the forward's outputs need it: it runs in the forward
  std::vector<bool> isBackward; // computed from a tangent, or it may not leave the backward: it runs there
  std::vector<bool> isGradient;
  std::vector<int> order; // among those of the forward; -1: none of them
  std::vector<int> distance; // steps to a node that is not the forward's; kFar: no such node reads it
  std::vector<std::vector<ir::NodeId>> users; // in order, each once
  std::vector<bool> isTensor; // rather than a tuple
  std::vector<int64_t> bytes; // of a tuple: of its elements
  std::vector<OperatorKind> kinds;

  /// One node can be computed while the other is: nothing between them goes through memory.
  bool areFusible(ir::NodeId producer, ir::NodeId user) const {
    const OperatorKind& after = kinds[static_cast<size_t>(user)];
    return after.isConcatenation || (kinds[static_cast<size_t>(producer)].isFusible && after.isFusible);
  }
};

NodeRoles rolesOf(const ir::Graph& joint, const PartitionInputs& inputs, RecomputeList list);

} // namespace touchstone::partitioners
