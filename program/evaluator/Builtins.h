#pragma once

#include "program/evaluator/Attributes.h"

namespace touchstone::evaluator {

/// Python's builtin functions, and the methods of containers.
struct Builtins {
  values::Value call(const std::string& name, const values::ValueList& positional,
                     const torch_names::KeywordList& keywords);
  values::Value callMethod(const values::Value& object, const std::string& name, const values::ValueList& positional,
                           const torch_names::KeywordList& keywords);

  Operators& operators;
  Containers& containers;
  Attributes& attributes;
  Limits& limits;
  const Watchers& watchers;
  const torch_names::Dispatch& dispatch;
};

bool isBuiltinFunction(const std::string& name); // `len`, `float`, …

} // namespace touchstone::evaluator
