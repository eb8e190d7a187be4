#pragma once

#include "program/control_flow/Body.h"
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
  struct Parts {
    std::string transformName; // `torch.func.grad`
    std::string options = {}; // what it was given beside the function, shown
    values::FunctionPtr function;
    Transform transform;
    std::shared_ptr<Evaluator::State*> state; // of whoever made it; null in it when that is gone
    const char* isNotCaptured = nullptr; // why no call of it is one of a Graph
  };
  explicit TransformedFunction(Parts parts) : parts_(std::move(parts)) {}

  std::string name() const override { return parts_.function->name(); }
  values::Value call(values::ValueList positional, Keywords keywords) const override;

  const Parts& parts() const { return parts_; }
  /// The same of another function and another evaluation.
  values::FunctionPtr of(values::FunctionPtr function, std::shared_ptr<Evaluator::State*> state) const;

 private:
  const Parts parts_;
};

/// A function as control flow runs it. Throws Unsupported for one that needs more than tensors and numbers of those around it.
control_flow::Branch branchOf(const values::Value& called, Evaluator::State& state);

} // namespace touchstone::evaluator
