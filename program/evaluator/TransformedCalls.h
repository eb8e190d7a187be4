#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/values/Value.h"

#include <functional>
#include <memory>
#include <string>

namespace touchstone::evaluator {

/// What a transform makes of a function.
using Transform = std::function<values::FunctionPtr(values::FunctionPtr function)>;

/// A function that a transform made of another one. Where calls are taken for Graphs, a call of it is one of these, with all that
/// the other function knows of those around it among its arguments.
class TransformedFunction final : public values::FunctionObject {
 public:
  /// `name`: of the transform. `state`: of whoever made it; null in it when that is gone.
  TransformedFunction(std::string name, values::FunctionPtr function, Transform transform,
                      std::shared_ptr<Evaluator::State*> state)
      : transformName_(std::move(name)),
        function_(std::move(function)),
        transform_(std::move(transform)),
        state_(std::move(state)) {}

  std::string name() const override { return function_->name(); }
  values::Value call(values::ValueList positional, Keywords keywords) const override;

 private:
  friend class ValueCopies;

  const std::string transformName_;
  const values::FunctionPtr function_;
  const Transform transform_;
  const std::shared_ptr<Evaluator::State*> state_;
};

} // namespace touchstone::evaluator
