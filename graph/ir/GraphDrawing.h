#pragma once

#include "graph/ir/GraphText.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::ir {

/// What kind of work an operator does: how it is coloured.
enum class OperatorFamily {
  kOther,
  kPointwise, // element by element
  kReduction,
  kMatrix, // products of matrices, convolutions
  kRandom,
  kCreation, // of nothing: zeros, full, arange
  kLayout, // copies, casts, clones, cat
};

/// What a Graph is of a program and its backward.
enum class DrawnPart {
  kWhole, // both, where nodes of a backward are among its own
  kForward, // it returns what is saved last
  kBackward, // it takes what was saved, then tangents
};

/// A Graph as it is to be drawn.
struct DrawnGraph {
  const Graph* graph = nullptr;
  GraphTextOptions text; // how arguments are written; `name` is the title
  DrawnPart part = DrawnPart::kWhole;
  /// Names of what the forward keeps for the backward, as the Graph that was cut has them; its forward has others, and as many.
  /// None: whatever the backward reads of the forward is marked.
  std::set<std::string> saved;
  /// The operator returns a view of an argument; null: nobody knows.
  std::function<bool(const std::string& target)> returnsView;
  /// Null: all are kOther.
  std::function<OperatorFamily(const std::string& target)> family;
};

/// Graphs in Graphviz's language (https://graphviz.org/doc/info/lang.html), side by side in one picture, with a legend of
/// what occurs: operators are coloured by family, writes and views have looks of their own. Each node is there once (numbers that `text.numberText` has words for stand in the label of what they are
/// given to), each pair of a node and one that takes its result is one edge, and each returned value has a node of its own,
/// but for what is saved: that is marked. Of a joint Graph forward and backward are boxes beside each other; the backward is
/// read upwards there, so that what it computes stands beside what it differentiates. What is read after it was written to comes
/// from the node that wrote; writes through views are not followed.
std::string graphDrawing(const std::vector<DrawnGraph>& graphs);

} // namespace touchstone::ir
