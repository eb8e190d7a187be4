#pragma once

#include "program/evaluator/Contexts.h"
#include "program/values/Value.h"

#include <functional>
#include <memory>

namespace touchstone::evaluator {

/// What `torch.autograd.graph.saved_tensors_hooks` gives to autograd.
struct SavedTensorsHooks {
  using Call = std::function<values::Value(values::ValueList)>;
  Call pack; // of the tensor that is saved
  Call unpack; // of what was made of it: a tensor
};

/// While it lives, what this thread saves for a backward goes through the hooks; of nested ones through the innermost.
std::unique_ptr<Context> enterSavedTensorsHooks(SavedTensorsHooks hooks);

} // namespace touchstone::evaluator
