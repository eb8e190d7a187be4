#pragma once

#include "graph/ir/Graph.h"

#include <string>
#include <vector>

namespace touchstone::ir {

/// What two Graphs of one program differ in.
struct GraphDifference {
  /// Operators that one of them has in place of what the other has, in order; the longest common sequence of operators is what
  /// they share.
  struct Replacement {
    std::vector<std::string> left, right; // targets; empty: it has nothing there
    bool operator==(const Replacement&) const = default;
  };
  std::vector<Replacement> replacements;
  /// Of nodes that are in both.
  struct Detail {
    std::string text; // `mul_3: f32[2, 3] and f32[2, 3][1, 2]`
    /// It is what one result of several looks like: of this operator, which of them, and whether the left one has no elements.
    std::string resultOf = {}; // empty: it is not
    int64_t index = -1;
    bool isEmptyOnLeft = false;
  };
  std::vector<Detail> details;

  bool isEmpty() const { return replacements.empty() && details.empty(); }
};

/// Compares node for node: operators, arguments, dtype, sizes, strides, offset, lazy bits, writes, whether of the backward,
/// and what is returned. Devices and names do not count, nor what refers to nodes that the other Graph does not have.
GraphDifference compareButForDevices(const Graph& left, const Graph& right);

} // namespace touchstone::ir
