#pragma once

#include "program/control_flow/Body.h"

#include <vector>

namespace touchstone::control_flow {

/// The tensors that the functions of one operator get, each once, as torch.compile lifts them.
class Operands {
 public:
  size_t add(const at::Tensor& tensor);
  /// A function that takes this tuple, with the tensors around it as further operands. Its leaves must be tensors.
  Body body(Branch branch, const values::Value& positional);

  /// Another tensor, although it may be one of them.
  size_t addOwn(const at::Tensor& tensor) {
    tensors_.push_back(tensor);
    return tensors_.size() - 1;
  }
  /// The tensors around the function, as further operands.
  void addAround(Body& body);
  const TensorList& tensors() const { return tensors_; }
  /// The tensors, what no function uses without its history. Raises what torch.compile does where two that are used share memory.
  /// The first `always` ones count as used.
  TensorList given(const std::vector<const Examination*>& examinations, const char* operatorName,
                   size_t always = 0) const;

 private:
  TensorList tensors_;
};

} // namespace touchstone::control_flow
