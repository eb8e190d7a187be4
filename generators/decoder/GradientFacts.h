#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/language/Case.h"
#include "program/values/Value.h"

#include <vector>

namespace touchstone::decoder {

/// What the base call, made eagerly, showed of gradients.
struct GradientFacts {
  std::vector<language::BackwardRoot> roots; // outputs and mutated arguments that eager can differentiate
  std::vector<bool> rootIsScalar;
  int leaves = 0;
  bool backwardRaises = false;
};

/// Of what a call was given and has returned; runs one backward from all roots to all leaves, which frees the graph.
GradientFacts gradientFacts(const evaluator::InputSet& inputs, const values::Value& result);

} // namespace touchstone::decoder
