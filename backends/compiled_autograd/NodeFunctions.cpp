#include "backends/compiled_autograd/NodeFunctions.h"

#include "graph/ir/Unsupported.h"

#include <ATen/TensorGeometry.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>

namespace touchstone::compiled_autograd {

namespace {

using torch::autograd::variable_list;
using torch::dynamo::autograd::ivalue_list;
using torch::dynamo::autograd::IValuePacker;
using torch::dynamo::autograd::PyCompilerInterface;

using Metadata = std::vector<std::optional<torch::autograd::InputMetadata>>;

class NodeFunctionsInterface final : public PyCompilerInterface {
 public:
  /// A built-in node binds its function once in a process and sends the name from then on; a custom one binds at each call.
  std::string bind_function(PyObject* handle, const std::string& name, NodeFunctions::Function function,
                            std::vector<at::TypePtr>, bool isCustom, bool isTraceable) const override {
    if (isCustom) {
      NodeFunctions::of(handle).custom[name] = isTraceable ? std::move(function) : nullptr;
    } else {
      const std::lock_guard<std::mutex> lock(mutex_);
      builtIn_.try_emplace(name, std::move(function));
    }
    return name;
  }

  variable_list call_function(PyObject* handle, const char*, const std::string& name, const variable_list& inputs,
                              const ivalue_list& arguments, const c10::IValue& metadata) const override {
    NodeFunctions& functions = NodeFunctions::of(handle);
    const size_t count = IValuePacker<Metadata>::unpack(metadata).size();
    return functions.attempt(count, [&] { return find(functions, name)(inputs, arguments); });
  }

  variable_list call_copy_slices_prologue(PyObject* handle, const variable_list& inputs, const at::TensorGeometry& base,
                                          const at::TensorGeometry& view) const override {
    return NodeFunctions::of(handle).attempt(3, [&]() -> variable_list {
      const at::Tensor& gradient = inputs.at(0);
      at::Tensor result = gradient.new_empty_strided_symint(base.sym_sizes(), base.sym_strides());
      result.copy_(gradient);
      const at::SymInt offset = view.sym_storage_offset() - base.sym_storage_offset();
      at::Tensor slice = result.as_strided_symint(view.sym_sizes(), view.sym_strides(), offset);
      at::Tensor copy = slice.clone(at::MemoryFormat::Contiguous);
      return {std::move(result), std::move(slice), std::move(copy)};
    });
  }

  variable_list call_copy_slices_epilogue(PyObject* handle, const std::vector<bool>& needed, const at::Tensor& result,
                                          const variable_list& results, const at::Tensor& slice) const override {
    return NodeFunctions::of(handle).attempt(needed.size(), [&] {
      variable_list gradients(needed.size());
      for (size_t i = 0; i < std::min(results.size(), needed.size()); ++i) {
        if (!needed[i] || !results[i].defined()) {
          continue;
        }
        if (i == 0) {
          slice.copy_(results[0]);
        }
        gradients[i] = i == 0 ? result : results[i];
      }
      return gradients;
    });
  }

  at::Tensor call_unpack(PyObject*, std::optional<size_t>, size_t) const override {
    throw std::logic_error("a node that has hooks on saved tensors was traced");
  }

  at::Tensor call_accumulate_grad(PyObject*, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                  bool) const override {
    throw std::logic_error("AccumulateGrad is traced without this");
  }

 private:
  NodeFunctions::Function find(const NodeFunctions& functions, const std::string& name) const {
    const auto custom = functions.custom.find(name);
    if (custom != functions.custom.end()) {
      if (!custom->second) {
        throw ir::Unsupported("the custom function " + name + " is not traceable");
      }
      return custom->second;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    return builtIn_.at(name);
  }

  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, NodeFunctions::Function> builtIn_;
};

} // namespace

std::unique_ptr<PyCompilerInterface> makeNodeFunctionsInterface() {
  return std::make_unique<NodeFunctionsInterface>();
}

} // namespace touchstone::compiled_autograd
