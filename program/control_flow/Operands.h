#pragma once

#include "program/control_flow/Body.h"

#include <vector>

namespace touchstone::control_flow {

/// The tensors that the functions of one operator get, each once, as torch.compile lifts them.
class Operands {
 public:
  size_t add(const at::Tensor& tensor); // known ones but those of addOwn() are not added again
  /// A function that takes this tuple, with the tensors around it as further operands. Its leaves must be tensors.
  Body body(Branch branch, const values::Value& positional);

  /// A tensor that steps get others for. These come first.
  size_t addOwn(const at::Tensor& tensor) {
    tensors_.push_back(tensor);
    return own_++;
  }
  /// The tensors around the function, as further operands.
  void addAround(Body& body);
  const TensorList& tensors() const { return tensors_; }
  struct Rules {
    size_t taken = 0; // so many at the start are there whether a function uses them or not
    size_t apart = 0; // so many at the start may share memory: each step has others
  };
  /// The tensors, what no function uses without its history. Refuses two that are used and share memory.
  TensorList given(const std::vector<const Examination*>& examinations, const char* operatorName, Rules rules) const;

 private:
  TensorList tensors_;
  size_t own_ = 0;
};

} // namespace touchstone::control_flow
