#include "backends/arguments/SpecializationKey.h"

#include "backends/arguments/VersionSharing.h"
#include "graph/program/CompiledProgram.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <fmt/format.h>
#include <torch/csrc/autograd/variable.h>

#include <unordered_map>

namespace touchstone::backends {

namespace {

class KeyWriter {
 public:
  void write(const graph::Value& value) { std::visit(*this, value.payload()); }

  void operator()(std::monostate) { text_ += "None;"; }
  void operator()(bool value) { text_ += value ? "True;" : "False;"; }
  void operator()(int64_t value) { append("int {};", value); }
  void operator()(double value) { append("float {:a};", value); }
  void operator()(const std::complex<double>& value) { append("complex {:a} {:a};", value.real(), value.imag()); }
  void operator()(const std::string& value) { append("str {} {};", value.size(), value); }
  void operator()(at::ScalarType value) { append("dtype {};", static_cast<int>(value)); }
  void operator()(at::Layout value) { append("layout {};", static_cast<int>(value)); }
  void operator()(at::MemoryFormat value) { append("format {};", static_cast<int>(value)); }
  void operator()(const at::Device& value) { append("device {};", value.str()); }
  void operator()(const graph::ListPtr& list) {
    if (isNew(list.get())) {
      items("[", list->items);
    }
  }
  void operator()(const graph::TuplePtr& tuple) { items(tuple->isSize ? "s(" : "(", tuple->items); }
  void operator()(const at::Tensor& tensor) {
    if (!tensor.defined()) {
      text_ += "None;";
      return;
    }
    if (tensor.layout() != at::kStrided) {
      throw graph::Unsupported("an argument that is not strided");
    }
    append("{} {} ", static_cast<int>(tensor.scalar_type()), tensor.storage_offset());
    for (int64_t i = 0; i < tensor.dim(); ++i) {
      append("{}/{},", tensor.size(i), tensor.stride(i));
    }
    auto number = [](auto& numbers, auto* pointer) {
      return numbers.try_emplace(pointer, numbers.size()).first->second;
    };
    append(" {}{}{}{}{}{} object {} storage {} {};", int(tensor.requires_grad()), int(tensor.is_leaf()),
           int(tensor.is_view()), int(tensor.is_conj()), int(tensor.is_neg()), int(tensor.is_inference()),
           number(objects_, tensor.unsafeGetTensorImpl()), number(storages_, tensor.storage().unsafeGetStorageImpl()),
           tensor.storage().nbytes());
    append("version {} ", number(versions_, versionIdentity(tensor)));
    const auto* view = torch::autograd::impl::get_view_autograd_meta(tensor);
    if (view != nullptr && view->has_bw_view()) {
      append("view {} of ", static_cast<int>(view->get_creation_meta()));
      (*this)(view->get_backward_view().base_);
    }
  }
  void operator()(const graph::DictPtr& dict) {
    if (!isNew(dict.get())) {
      return;
    }
    append("dict {};", dict->entries.size());
    for (const auto& [key, value] : dict->entries) {
      append("{} {} ", key.size(), key);
      write(value);
    }
  }
  void operator()(const graph::ModulePtr& module) {
    if (!isNew(module.get())) {
      return;
    }
    append("{} training {} fields {};", module->typeName, module->training, module->fields.size());
    for (const auto& [name, value] : module->hyper) {
      append("{} ", name);
      write(value);
    }
    for (const auto& field : module->fields) {
      append("{} {} {} ", field.name.size(), field.name, static_cast<int>(field.kind));
      write(field.value);
    }
  }
  template <class Other>
  void operator()(const Other&) {
    throw graph::Unsupported("an argument that is neither a tensor nor a constant");
  }

  std::string take() {
    append(
        "grad {} inference {} autocast {} default {}", c10::GradMode::is_enabled(), c10::InferenceMode::is_enabled(),
        at::autocast::is_autocast_enabled(at::kCPU) ? static_cast<int>(at::autocast::get_autocast_dtype(at::kCPU)) : -1,
        static_cast<int>(c10::get_default_dtype_as_scalartype()));
    return std::move(text_);
  }

 private:
  template <class... T>
  void append(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
  }
  /// Numbers an object that a program may change; it is written where it first occurs.
  bool isNew(const void* container) {
    const auto [entry, fresh] = containers_.try_emplace(container, containers_.size());
    append("container {} ", entry->second);
    return fresh;
  }
  void items(const char* open, const graph::ValueList& items) {
    text_ += open;
    for (const graph::Value& item : items) {
      write(item);
    }
    text_ += ")";
  }

  std::string text_;
  std::unordered_map<c10::TensorImpl*, size_t> objects_;
  std::unordered_map<const void*, size_t> versions_, containers_;
  std::unordered_map<c10::StorageImpl*, size_t> storages_;
};

} // namespace

std::string specializationKey(const graph::ValueList& arguments) {
  KeyWriter writer;
  for (const graph::Value& argument : arguments) {
    writer.write(argument);
  }
  return writer.take();
}

std::vector<at::Tensor> tensorInputs(const graph::ValueList& arguments) {
  std::vector<at::Tensor> tensors;
  for (const graph::Value& argument : arguments) {
    graph::collectTensors(argument, tensors);
  }
  return tensors;
}

} // namespace touchstone::backends
