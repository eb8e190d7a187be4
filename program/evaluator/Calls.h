#pragma once

#include "program/evaluator/Builtins.h"
#include "program/evaluator/Gradients.h"
#include "program/evaluator/Transforms.h"

#include <c10/util/ArrayRef.h>

namespace touchstone::evaluator {

/// What a call of torch or of a method means, its arguments at hand.
class Calls {
 public:
  Calls(Builtins& builtins, Gradients& gradients, Transforms& transforms, Modules& modules, const Precision& precision)
      : builtins_(builtins),
        gradients_(gradients),
        transforms_(transforms),
        modules_(modules),
        precision_(precision),
        limits_(builtins.limits),
        watchers_(builtins.watchers),
        dispatch_(builtins.dispatch) {}

  /// `path`: the names after `torch`.
  values::Value torch(c10::ArrayRef<const std::string*> path, const values::ValueList& positional,
                      const torch_names::KeywordList& keywords);
  /// The tensor of a method is put before its arguments.
  values::Value method(const values::Value& object, const std::string& name, values::ValueList& positional,
                       const torch_names::KeywordList& keywords);

 private:
  values::Value tensorMethod(const values::Value& object, const std::string& name, values::ValueList& positional,
                             const torch_names::KeywordList& keywords);

  Builtins& builtins_;
  Gradients& gradients_;
  Transforms& transforms_;
  Modules& modules_;
  const Precision& precision_;
  Limits& limits_;
  const Watchers& watchers_;
  const torch_names::Dispatch& dispatch_;
};

} // namespace touchstone::evaluator
