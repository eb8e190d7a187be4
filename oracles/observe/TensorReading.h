#pragma once

#include "oracles/observe/Observation.h"
#include "program/values/Value.h"

#include <string>
#include <vector>

namespace touchstone::observe {

/// Reads everything but autograd metadata; never throws for what the tensor does: the observation holds the error.
TensorObservation readTensor(const at::Tensor& tensor);
/// Reads grad_fn, which may rebuild it, then requires_grad and is_leaf.
void readAutograd(const at::Tensor& tensor, TensorObservation& observation);

/// A returned value taken apart.
struct FlatValue {
  std::string structure;
  std::vector<at::Tensor> tensors; // in the order of values::collectTensors
  std::vector<values::Value> nonTensors;
};
FlatValue flatten(const values::Value& value);

/// `(T0, [T1, 3], {"a": T0})`: containers with tensors as `T` and the number of the object by first appearance, and all
/// other leaves as literals. Empty when there is no container among the values.
std::string describeArguments(const values::ValueList& values);

/// Who shares memory with whom. Tensors are added as arguments, watched, outputs.
class Partition {
 public:
  void add(const Location& location, const at::Tensor& tensor);
  std::vector<StorageMember> takeMembers() { return std::move(members_); }
  /// What CallObservation::inputStorages asks for, of what was added so far.
  std::vector<at::Tensor> copyStorages() const;

 private:
  struct Storage {
    const void* identity;
    at::Tensor firstUser;
    bool covered; // one of its tensors has every byte
  };
  std::vector<Storage> storages_;
  std::vector<const c10::TensorImpl*> objects_;
  std::vector<StorageMember> members_;
};

} // namespace touchstone::observe
