#include "backends/aot_autograd/TracedArguments.h"

#include "backends/arguments/ArgumentCopies.h"
#include "backends/arguments/Leaf.h"
#include "backends/arguments/ValueTree.h"
#include "backends/arguments/VersionSharing.h"
#include "backends/arguments/ViewBase.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/AutogradNodes.h"
#include "program/values/CompiledProgram.h"
#include "program/values/StorageCopy.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace touchstone::aot_autograd {

namespace {

using torch::autograd::CreationMeta;

/// Where the gradient of an input that is no leaf arrives.
struct GradientSink final : torch::autograd::Node {
  torch::autograd::variable_list apply(torch::autograd::variable_list&&) override { return {}; }
  std::string name() const override { return "ArgumentBackward"; }
};

int positionOf(const std::vector<at::Tensor>& tensors, const at::Tensor& tensor) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].is_same(tensor)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

class ArgumentTracer {
 public:
  ArgumentTracer(fake::Tracer& tracer, const values::ValueList& arguments, const std::vector<std::string>& names)
      : tracer_(tracer), real_(inputTensors(arguments)) {
    nameInputs(arguments, names);
    result_.inputs.resize(real_.size());
    for (size_t i = 0; i < real_.size(); ++i) {
      groupByStorage(static_cast<int>(i));
    }
    for (TracedInputStorage& storage : result_.storages) {
      makeFakes(storage);
    }
    for (size_t i = 0; i < real_.size(); ++i) {
      if (arguments::differentiableBase(real_[i]) == nullptr) {
        enterAutograd(i);
      }
    }
    for (size_t i = 0; i < real_.size(); ++i) {
      if (arguments::differentiableBase(real_[i]) != nullptr) {
        enterAutograd(i);
      }
    }
    result_.values = arguments::mapTrees(arguments, [&](const at::Tensor& tensor) {
      return tensor.defined() ? result_.inputs[static_cast<size_t>(positionOf(real_, tensor))].fake : tensor;
    });
  }

  TracedArguments take() { return std::move(result_); }

 private:
  void nameInputs(const values::ValueList& arguments, const std::vector<std::string>& names) {
    names_.resize(real_.size());
    result_.inputs.resize(real_.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      std::vector<at::Tensor> tensors;
      values::collectTensors(arguments[i], tensors);
      std::vector<std::string> paths;
      values::collectTensorNames(arguments[i], i < names.size() ? names[i] : "argument_" + std::to_string(i), paths);
      for (size_t j = 0; j < tensors.size(); ++j) {
        const int position = positionOf(real_, tensors[j]);
        if (position >= 0 && names_[static_cast<size_t>(position)].empty()) {
          names_[static_cast<size_t>(position)] = paths[j];
        } else if (position >= 0) {
          result_.inputs[static_cast<size_t>(position)].otherNames.push_back(paths[j]);
        }
      }
    }
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i].empty()) {
        names_[i] = "base_" + std::to_string(i);
        result_.inputs[i].isHidden = true;
      }
    }
  }

  void groupByStorage(int position) {
    const at::Tensor& tensor = real_[static_cast<size_t>(position)];
    if (tensor.layout() != at::kStrided) {
      throw ir::Unsupported("an argument that is not strided");
    }
    auto [entry, fresh] = storageOf_.try_emplace(tensor.storage().unsafeGetStorageImpl(), result_.storages.size());
    if (fresh) {
      TracedInputStorage storage;
      storage.dtype = tensor.scalar_type();
      result_.storages.push_back(std::move(storage));
    }
    result_.storages[entry->second].inputs.push_back(position);
    result_.inputs[static_cast<size_t>(position)].storage = static_cast<int>(entry->second);
  }

  /// A tensor like `real` over a copy of its storage.
  static at::Tensor copyOf(const at::Tensor& real, const c10::Storage& copy) {
    const c10::InferenceMode mode(real.is_inference());
    return values::tensorOver(copy, real);
  }

  c10::Storage storageCopy(const c10::Storage& storage) const {
    if (tracer_.backing() == fake::Backing::kValues) {
      return values::copyOfStorage(storage);
    }
    const auto bytes = static_cast<int64_t>(storage.nbytes());
    return at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(at::kMeta)).storage();
  }

  void makeFakes(TracedInputStorage& storage) {
    const at::Tensor& first = real_[static_cast<size_t>(storage.inputs[0])];
    const c10::Storage copy = storageCopy(first.storage());
    const auto arguments = std::count_if(storage.inputs.begin(), storage.inputs.end(), [&](int input) {
      return !result_.inputs[static_cast<size_t>(input)].isHidden;
    });
    storage.isFlat = arguments != 1 || first.is_conj() || first.is_neg();
    ir::NodeId root = -1;
    if (storage.isFlat) {
      at::Tensor flat = copyOf(first, copy);
      flat = flatAlias(flat, first.scalar_type());
      std::string name = "memory_of";
      for (int input : storage.inputs) {
        name += "_" + names_[static_cast<size_t>(input)];
      }
      root = fake::fakeOf(tracer_.addInput(flat, name, tracer_.deviceFor(first)))->node();
    }
    for (int input : storage.inputs) {
      const at::Tensor& real = real_[static_cast<size_t>(input)];
      at::Tensor backing = copyOf(real, copy);
      TracedInput& traced = result_.inputs[static_cast<size_t>(input)];
      traced.name = names_[static_cast<size_t>(input)];
      traced.geometry = runtime::metadataOf(real);
      traced.geometry.device = tracer_.deviceFor(real).str();
      if (root < 0) { // the first is the argument, or else it is flat
        traced.fake = tracer_.addInput(backing, names_[static_cast<size_t>(input)], tracer_.deviceFor(real));
        root = fake::fakeOf(traced.fake)->node();
      } else {
        traced.fake = tracer_.addAlias(backing, root, tracer_.deviceFor(real));
      }
    }
    storage.number = tracer_.graph().node(root).metadata->storage;
  }

  /// The fake of an earlier input whose version counter is the same one.
  const at::Tensor* sharesVersionWith(size_t position) const {
    for (size_t i = 0; i < position; ++i) {
      if (arguments::differentiableBase(real_[i]) == nullptr &&
          arguments::versionIdentity(real_[i]) == arguments::versionIdentity(real_[position])) {
        return &result_.inputs[i].fake;
      }
    }
    return nullptr;
  }

  void enterAutograd(size_t position) {
    const at::Tensor& real = real_[position];
    TracedInput& traced = result_.inputs[position];
    traced.isLeaf = arguments::isLeafNow(real);
    if (real.is_inference()) {
      const c10::InferenceMode mode; // outside, the flag of such a tensor cannot be set
      traced.fake.set_requires_grad(real.requires_grad());
      traced.isInferenceWithGrad = real.requires_grad();
      return;
    }
    if (const at::Tensor* base = arguments::differentiableBase(real)) {
      traced.base = positionOf(real_, *base);
      const auto* view = torch::autograd::impl::get_view_autograd_meta(real);
      traced.fake = arguments::viewLike(real, result_.inputs[static_cast<size_t>(traced.base)].fake, traced.fake,
                                        view->get_creation_meta());
    } else {
      const at::Tensor* sharing = sharesVersionWith(position);
      torch::autograd::impl::set_version_counter(
          traced.fake, sharing != nullptr ? torch::autograd::impl::version_counter(*sharing)
                                          : c10::VariableVersion(static_cast<uint32_t>(real._version())));
    }
    if (arguments::isStaleView(real) && !traced.isLeaf) {
      const bool hasNode = torch::autograd::impl::get_autograd_meta(real)->grad_fn_ != nullptr;
      arguments::makeStaleView(traced.fake, hasNode ? values::makeNode<GradientSink>() : nullptr);
      traced.wasStale = true;
      traced.requiresGrad = real.requires_grad();
    } else if (real.requires_grad()) {
      if (traced.isLeaf) {
        traced.fake.set_requires_grad(true);
      } else if (real.grad_fn() != nullptr) {
        torch::autograd::create_gradient_edge(traced.fake, values::makeNode<GradientSink>());
        if (real.retains_grad()) {
          traced.fake.retain_grad();
        }
      }
      if (!traced.isLeaf && real.grad_fn() != nullptr) {
        traced.sink = torch::autograd::impl::gradient_edge(traced.fake);
      }
      traced.requiresGrad = traced.isLeaf || traced.sink.is_valid();
    }
    tracer_.graph().node(fake::fakeOf(traced.fake)->node()).metadata->requiresGrad = traced.requiresGrad;
    traced.startEdge = traced.sink;
    traced.version = static_cast<uint32_t>(traced.fake._version());
  }

  fake::Tracer& tracer_;
  std::vector<at::Tensor> real_;
  std::vector<std::string> names_;
  TracedArguments result_;
  std::unordered_map<c10::StorageImpl*, size_t> storageOf_;
};

} // namespace

std::vector<at::Tensor> inputTensors(const values::ValueList& arguments) {
  std::vector<at::Tensor> all;
  for (const values::Value& argument : arguments) {
    values::collectTensors(argument, all);
  }
  std::vector<at::Tensor> inputs;
  auto add = [&](const at::Tensor& tensor) {
    if (tensor.defined() && positionOf(inputs, tensor) < 0) {
      inputs.push_back(tensor);
    }
  };
  for (const at::Tensor& tensor : all) {
    add(tensor);
  }
  const std::vector<at::Tensor> given = inputs;
  for (const at::Tensor& tensor : given) {
    if (const at::Tensor* base = arguments::differentiableBase(tensor)) {
      add(*base);
    }
  }
  return inputs;
}

TracedArguments traceArguments(fake::Tracer& tracer, const values::ValueList& arguments,
                               const std::vector<std::string>& names) {
  return ArgumentTracer(tracer, arguments, names).take();
}

at::Tensor copyOfMemory(const at::Tensor& tensor) {
  at::AutoDispatchBelowADInplaceOrView below;
  const at::Tensor bytes = flatAlias(tensor, at::kByte).clone();
  at::Tensor copy = at::empty({0}, tensor.options().requires_grad(false));
  copy.set_(bytes.storage(), tensor.storage_offset(), tensor.sizes(), tensor.strides());
  copy._set_conj(tensor.is_conj());
  copy._set_neg(tensor.is_neg());
  return copy;
}

at::Tensor flatAlias(const at::Tensor& tensor, at::ScalarType dtype) {
  at::AutoDispatchBelowADInplaceOrView below;
  const auto length = static_cast<int64_t>(tensor.storage().nbytes() / c10::elementSize(dtype));
  at::Tensor flat = at::empty({0}, tensor.options().dtype(dtype).requires_grad(false));
  flat.set_(tensor.storage(), 0, {length}, {1});
  if (!flat.is_inference() && !tensor.is_inference()) {
    torch::autograd::impl::set_version_counter(flat, torch::autograd::impl::version_counter(tensor));
  }
  return flat;
}

} // namespace touchstone::aot_autograd
