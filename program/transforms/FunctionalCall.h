#pragma once

#include "program/transforms/Transforms.h"
#include "program/values/Value.h"

#include <ATen/core/Tensor.h>

#include <functional>

namespace touchstone::transforms {

/// `torch.func.functional_call`: calls a module with other tensors in place of its parameters and buffers, after
/// `torch/nn/utils/stateless.py`.
struct FunctionalCall {
  values::Value module;
  values::Value tensors; // a dict by dotted name, or several in a list or tuple
  values::Value positional; // a tuple, or one argument; None: none
  values::Value keywords; // a dict, or None
  bool tiesWeights = true;
  bool isStrict = false;

  /// What of a module the evaluator knows.
  struct Calls {
    std::function<values::Value(const values::ModuleObject& module, const values::ValueList& positional,
                                const Keywords& keywords)>
        call;
    std::function<bool(const at::Tensor& tensor)> isParameter;
  };
  values::Value run(const Calls& calls) const;
};

} // namespace touchstone::transforms
