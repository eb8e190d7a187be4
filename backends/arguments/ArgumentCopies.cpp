#include "backends/arguments/ArgumentCopies.h"

#include "backends/arguments/ValueTree.h"
#include "program/values/AutogradNodes.h"
#include "program/values/CompiledProgram.h"
#include "program/values/StorageCopy.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/variable.h>

#include <unordered_map>

namespace touchstone::arguments {

namespace {

class ArgumentCopier {
 public:
  values::ValueList copy(const values::ValueList& values) {
    return mapTrees(values, [this](const at::Tensor& tensor) { return copy(tensor); });
  }

 private:
  at::Tensor copy(const at::Tensor& tensor) {
    if (!tensor.defined()) {
      return tensor;
    }
    auto [entry, fresh] = tensors_.try_emplace(tensor.unsafeGetTensorImpl());
    if (!fresh) {
      return entry->second;
    }
    at::Tensor result;
    {
      c10::AutoGradMode off(false);
      result = at::empty({0}, tensor.options().requires_grad(false));
      result.set_(storageCopy(tensor.storage()), tensor.storage_offset(), tensor.sizes(), tensor.strides());
      if (tensor.is_conj()) {
        result._set_conj(true);
      }
      if (tensor.is_neg()) {
        result._set_neg(true);
      }
    }
    if (tensor.requires_grad()) {
      if (tensor.is_leaf()) {
        result.requires_grad_();
      } else {
        makeNonLeaf(result);
      }
    }
    entry->second = result;
    return result;
  }

  /// Not a view of a leaf: autograd refuses writes to those.
  static void makeNonLeaf(const at::Tensor& tensor) {
    auto node = values::makeNode<torch::autograd::Error>("Arguments copied for capture have no backward.");
    const auto number = node->add_input_metadata(tensor);
    torch::autograd::impl::set_gradient_edge(tensor, {std::move(node), number});
  }

  c10::Storage storageCopy(const c10::Storage& storage) {
    auto [entry, fresh] = storages_.try_emplace(storage.unsafeGetStorageImpl());
    if (fresh) {
      entry->second = values::copyOfStorage(storage);
    }
    return entry->second;
  }

  std::unordered_map<c10::TensorImpl*, at::Tensor> tensors_;
  std::unordered_map<c10::StorageImpl*, c10::Storage> storages_;
};

} // namespace

values::ValueList copyArguments(const values::ValueList& arguments) {
  return ArgumentCopier().copy(arguments);
}

} // namespace touchstone::arguments
