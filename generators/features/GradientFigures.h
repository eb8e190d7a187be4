#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/language/Case.h"

namespace touchstone::features {

/// What a backward of a Program goes through, seen in an eager run; for the figures of a valid campaign.
struct GradientFigures {
  int leaves = 0; // that get a gradient with an element that is not zero
  int path = 0; // operators with a derivative on the longest way from what is returned to a leaf
  bool twoOfOneShape = false; // two tensors that require grad among the arguments have one shape and one dtype
};

/// Of a call that was made: its arguments and what it returned. Runs a backward of everything that is returned and requires
/// grad, with tangents of one, and keeps the graph.
GradientFigures gradientFigures(const evaluator::InputSet& inputs, const values::Value& result);

/// Of the Case's first call with a backward, run eagerly; nothing of a Case without one, or of which eager refuses the forward.
GradientFigures gradientFigures(const language::Case& theCase);

} // namespace touchstone::features
