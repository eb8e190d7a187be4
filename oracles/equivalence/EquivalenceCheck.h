#pragma once

#include "graph/ir/StageArtifacts.h"

#include <string>
#include <vector>

namespace touchstone::equivalence {

/// What two AOT pipelines may disagree about.
enum class EquivalenceAspect {
  kGraphs, // how many Graphs were compiled
  kInputs, // which tensors a Graph takes
  kInputClass, // what is said of an input: mutated, requires grad
  kInputValue, // what an input holds when the Graph has run
  kOutputClass, // fresh, alias of an input, …
  kOutputValue,
  kSavedCount, // how many values are saved for the backward
  kSavedValues, // which ones
  kGradient,
};

/// `saved count`
const char* equivalenceAspectName(EquivalenceAspect aspect);

struct EquivalenceDifference {
  EquivalenceAspect aspect = EquivalenceAspect::kGraphs;
  std::string message; // a sentence; of two values the one of the left pipeline first
};

struct EquivalenceComparison {
  std::vector<EquivalenceDifference> differences; // empty: they agree
  std::string notComparable; // why a pair of Graphs has no normal form; the others are compared
  int graphs = 0; // pairs that were compared
};

/// Holds the forward and backward Graphs of two AOT compiles of one call against each other, and what each says of inputs,
/// outputs and saved values. The Graphs are compared in a normal form in which names, order, views, copies, repeated
/// expressions and dead code leave no trace; see ElementNumbers. Inputs are matched by name, outputs by what they hold.
/// `left`: the native pipeline's, `right`: the installed PyTorch's. Graphs without operators are passed over.
EquivalenceComparison checkEquivalence(const std::vector<ir::StageArtifacts>& left,
                                       const std::vector<ir::StageArtifacts>& right);

} // namespace touchstone::equivalence
