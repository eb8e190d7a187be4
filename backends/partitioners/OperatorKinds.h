#pragma once

#include "graph/ir/Graph.h"

namespace touchstone::partitioners {

/// Which operators are computed again without hesitation.
enum class RecomputeList {
  kInductor, // those that a code generator fuses, reductions and indexing among them
  kPointwise, // the shorter list for a fuser of elementwise operators
};

/// What a min-cut partition thinks of an operator, by its name without overload
/// (torch/_functorch/partitioners.py, get_default_op_list).
struct OperatorKind {
  bool isRecomputable = false;
  bool isView = false; // is never banned from being computed again
  bool isComputeIntensive = false; // a product of matrices, a convolution
  bool isFusible = false; // with another of these
  bool isRandom = false; // is never computed again
  bool isLift = false; // makes a constant a tensor of the program
  bool isConcatenation = false; // anything can be fused into it
};

/// Of a node: an element of a tuple counts as recomputable, an input or a constant as nothing.
OperatorKind kindOf(const ir::Node& node, RecomputeList list);

} // namespace touchstone::partitioners
