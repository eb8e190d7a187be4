#pragma once

#include "program/torch_names/NameResolver.h"

#include <c10/core/TensorImpl.h>

#include <unordered_map>

namespace touchstone::semantics {

/// Which tensors are a torch.nn.Parameter, which is not to be seen of them: those that functions have made or read from a
/// module, and those that were said to be one.
class Parameters {
 public:
  bool contain(const at::Tensor& tensor) const;
  void remember(const at::Tensor& tensor);
  void rememberAll(const values::Value& value); // of the modules in it
  /// `torch.nn.Parameter(…)`
  values::Value make(const values::ValueList& positional, const torch_names::KeywordList& keywords);

 private:
  std::unordered_map<const c10::TensorImpl*, c10::weak_intrusive_ptr<c10::TensorImpl>> known_;
};

/// Appends the parameters of a module and of those in it, each once.
void collectParameters(const values::ModuleObject& module, values::ValueList& parameters);

} // namespace touchstone::semantics
