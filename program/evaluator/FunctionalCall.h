#pragma once

#include "program/evaluator/Modules.h"

namespace touchstone::evaluator {

/// `torch.func.functional_call`: calls a module with other tensors in place of its parameters and buffers, after
/// `torch/nn/utils/stateless.py`.
struct FunctionalCall {
  values::Value module;
  values::Value tensors; // a dict by dotted name, or several in a list or tuple
  values::Value positional; // a tuple, or one argument; None: none
  values::Value keywords; // a dict, or None
  bool tiesWeights = true;
  bool isStrict = false;

  values::Value run(Modules& modules) const;
};

} // namespace touchstone::evaluator
