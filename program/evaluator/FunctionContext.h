#pragma once

#include "program/torch_names/NameResolver.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::evaluator {

/// Which arguments and results of a custom operator are lists of tensors: autograd knows their tensors one by one, and
/// `backward` takes and gives lists (torch/_library/autograd.py, supports_tensorlist).
struct OperatorLists {
  using Sizes = std::vector<std::optional<size_t>>; // none: no list

  Sizes arguments, results;
  bool isTuple = false; // several results

  /// Tensors of a list that holds nothing else, or with `maybeNone` None, stand where it does; `sizes` gets what was opened.
  static values::ValueList opened(const values::ValueList& values, bool maybeNone, Sizes& sizes);
  /// Flat values in lists again.
  static values::ValueList nested(const values::ValueList& flat, const Sizes& sizes);
  /// What a `backward` returned, flat. Raises RuntimeError where it is not built as the arguments are.
  values::ValueList flattened(const values::ValueList& gradients) const;
};

/// `ctx` of a custom autograd function: what its methods leave for each other and say to autograd, after
/// `torch/autograd/function.py` and `torch/csrc/autograd/python_function.cpp`. Belongs to the function's node.
struct FunctionContext {
  /// A field, `saved_tensors` or `needs_input_grad`. Raises AttributeError, and RuntimeError for what is freed or was
  /// written to.
  values::Value get(const std::string& name) const;
  void set(const std::string& name, values::Value value) { fields[name] = std::move(value); }
  /// `ctx.save_for_backward(…)` and the like.
  void call(const std::string& method, const values::ValueList& positional, const torch_names::KeywordList& keywords);

  torch::autograd::Node* node = nullptr; // that it belongs to
  std::map<std::string, values::Value> fields;
  values::ValueList needsInputGrad;
  values::ValueList toSave, dirty, nonDifferentiable; // as the methods gave them
  bool materializesGrads = true;
  std::vector<torch::autograd::SavedVariable> saved; // when the forward is over
  bool isFreed = false;
  std::shared_ptr<const OperatorLists> lists; // of an operator with lists
};

} // namespace touchstone::evaluator
