#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/values/Value.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace touchstone::features {

/// Requires grad, and is of a dtype that gradients have.
bool isDifferentiable(const at::Tensor& tensor);

/// A backward of everything differentiable that a call returned to all leaves, with tangents of one.
struct Backward {
  std::vector<at::Tensor> arguments, leaves, roots; // differentiable ones, each once
  std::vector<at::Tensor>
      gradients; // of the leaves; undefined: none. Empty: there was nothing to run, or eager refused it
  bool raises = false; // eager refuses it
};
/// Of a call that was made: its arguments and what it returned. The graph is kept.
Backward runBackward(const evaluator::InputSet& inputs, const values::Value& result);

} // namespace touchstone::features
