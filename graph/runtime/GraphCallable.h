#pragma once

#include "program/torch_names/NameResolver.h"

#include <functional>
#include <memory>
#include <string>

namespace touchstone::runtime {

/// A call of something that is no operator but that a Graph can hold as a node of kind kCallable.
struct CallableCall {
  std::string name; // the node's target: `autograd::grad`, `Scaled.apply`
  values::ValueList arguments; // tensors, constants and lists of these; what `run` gets, in this order
  /// Returns None, a tensor, a tuple of tensors and None, or a hook's handle. Keeps nothing of the evaluation that made it.
  std::function<values::Value(const values::ValueList& arguments)> run;
  bool isHook = false; // registers one
  bool entersContext = false; // `run` returns an opaque value that holds the region open
  bool leavesContext = false;

  /// A call with positional and keyword arguments.
  static CallableCall custom(
      std::string name, const values::ValueList& positional, const torch_names::KeywordList& keywords,
      std::function<values::Value(const values::ValueList&, const torch_names::KeywordList&)> function);
};

} // namespace touchstone::runtime
