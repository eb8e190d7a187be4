#pragma once

#include "program/evaluator/Modules.h"

#include <string>

namespace touchstone::evaluator {

/// `torch.func.NAME(…)`: its arguments, and what is called is any value that can be.
class Transforms {
 public:
  Transforms(Modules& modules, const Watchers& watchers) : modules_(modules), watchers_(watchers) {}

  values::Value call(const std::string& name, const values::ValueList& positional,
                     const torch_names::KeywordList& keywords);

 private:
  values::Value grad(const std::string& name, const values::ValueList& positional,
                     const torch_names::KeywordList& keywords);
  values::Value vjp(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value jvp(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value jacrev(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value jacfwd(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value hessian(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value vmap(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value functionalCall(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::FunctionPtr functionOf(const values::Value& called);

  Modules& modules_;
  const Watchers& watchers_;
};

} // namespace touchstone::evaluator
