#pragma once

#include "program/semantics/Containers.h"

namespace touchstone::evaluator {

using namespace semantics;

/// `torch.autograd.grad` and `backward`.
class Gradients {
 public:
  /// `whole`: EvaluatorOptions::wholeGradients.
  Gradients(Containers& containers, bool whole) : containers_(containers), whole_(whole) {}

  bool isWhole() const { return whole_; }
  values::Value grad(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value backward(const values::ValueList& positional, const torch_names::KeywordList& keywords);
  values::Value tensorBackward(const at::Tensor& tensor, const values::ValueList& positional,
                               const torch_names::KeywordList& keywords);

 private:
  values::ValueList tensors(const values::Value& value); // one, or several in a sequence

  Containers& containers_;
  bool whole_;
};

/// `torch.autograd.grad`, for whoever has no Evaluator.
values::Value gradientsOf(const values::ValueList& positional, const torch_names::KeywordList& keywords);

} // namespace touchstone::evaluator
