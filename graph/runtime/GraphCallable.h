#pragma once

#include "program/torch_names/NameResolver.h"

#include <functional>
#include <memory>
#include <string>

namespace touchstone::graph {

/// A call of something that is no operator but that a Graph can hold as a node of kind kCallable.
struct CallableCall {
  std::string name; // the node's target: `autograd::grad`, `Scaled.apply`
  ValueList arguments; // tensors, constants and lists of these; what `run` gets, in this order
  /// Returns None, a tensor, a tuple of tensors and None, or a hook's handle. Keeps nothing of the evaluation that made it.
  std::function<Value(const ValueList& arguments)> run;
  bool isHook = false; // registers one
  bool entersContext = false; // `run` returns an opaque value that holds the region open
  bool leavesContext = false;

  /// A call with positional and keyword arguments.
  static CallableCall custom(std::string name, const ValueList& positional, const KeywordList& keywords,
                             std::function<Value(const ValueList&, const KeywordList&)> function);
};

} // namespace touchstone::graph
