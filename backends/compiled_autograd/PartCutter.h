#pragma once

#include "graph/ir/Graph.h"

#include <functional>
#include <set>
#include <vector>

namespace touchstone::compiled_autograd {

/// Cuts Graphs out of a larger one, many times: the work is by the size of what is cut. Refers to the Graph.
class PartCutter {
 public:
  explicit PartCutter(const ir::Graph& whole);

  /// The nodes from `begin` to `end` that `outputs` (-1: None) are computed with, and those that write. Gives what they read of
  /// nodes outside, or that `isGiven` names, constants apart. Throws std::logic_error for a node outside that it does not name.
  std::set<ir::NodeId> choose(ir::NodeId begin, ir::NodeId end, const std::vector<ir::NodeId>& outputs,
                              const std::function<bool(ir::NodeId)>& isGiven);
  /// The chosen nodes as a Graph, with a placeholder for each of `inputs`, which are all that choose() gave, in any order.
  ir::Graph cut(const std::vector<ir::NodeId>& inputs);

 private:
  const ir::Graph& whole_;
  ir::NodeId begin_ = 0, end_ = 0;
  std::vector<ir::NodeId> outputs_, constants_; // constants: of other parts
  std::vector<bool> isChosen_; // by node; of the present choice
  std::vector<ir::NodeId> numbers_; // by node; of the present cut
};

} // namespace touchstone::compiled_autograd
