#include "backends/graph_files/TensorLists.h"

#include "backends/graph_files/GraphJson.h"
#include "backends/graph_files/SealedText.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/StorageCopy.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <stdexcept>

namespace touchstone::graph_files {

namespace {

using nlohmann::json;

/// The storages of all tensors, each once.
class StorageTable {
 public:
  int64_t add(const c10::Storage& storage) {
    const auto [known, isNew] = positions_.try_emplace(storage.unsafeGetStorageImpl(), storages_.size());
    if (isNew) {
      storages_.push_back(storage);
    }
    return static_cast<int64_t>(known->second);
  }
  const std::vector<c10::Storage>& storages() const { return storages_; }

 private:
  std::map<const c10::StorageImpl*, size_t> positions_;
  std::vector<c10::Storage> storages_;
};

json tensorToJson(const at::Tensor& tensor, StorageTable& storages) {
  if (!tensor.defined()) {
    return nullptr;
  }
  if (tensor.layout() != at::kStrided || tensor.is_quantized() || tensor.is_meta() || !tensor.has_storage()) {
    throw ir::Unsupported("a file holds strided tensors with values alone, and this one is not: " + tensor.toString());
  }
  json object = metadataToJson(runtime::metadataOf(tensor));
  object["storage"] = storages.add(tensor.storage());
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
    object["number"] = true;
  }
  return object;
}

bool fits(const ir::TensorMetadata& metadata, size_t itemsize, size_t bytes) {
  if (metadata.sizes.size() != metadata.strides.size()) {
    return false;
  }
  unsigned __int128 end = static_cast<unsigned __int128>(metadata.offset);
  for (size_t i = 0; i < metadata.sizes.size(); ++i) {
    if (metadata.sizes[i] == 0) {
      return true;
    }
    end += static_cast<unsigned __int128>(metadata.sizes[i] - 1) * static_cast<unsigned __int128>(metadata.strides[i]);
    if (end > static_cast<unsigned __int128>(std::numeric_limits<int64_t>::max())) {
      return false;
    }
  }
  return (end + 1) * itemsize <= bytes;
}

at::Tensor tensorFromJson(const json& object, const std::vector<c10::Storage>& storages) {
  if (object.is_null()) {
    return {};
  }
  const ir::TensorMetadata metadata = metadataFromJson(object);
  const auto dtype = static_cast<at::ScalarType>(metadata.dtype.value);
  if (metadata.dtype.value >= static_cast<int64_t>(at::ScalarType::NumOptions) ||
      !(at::isFloatingType(dtype) || at::isComplexType(dtype) || at::isIntegralType(dtype, true))) {
    throw std::runtime_error(fmt::format("{} is no dtype of tensors with plain values", metadata.dtype.value));
  }
  const c10::Storage& storage = storages.at(object.at("storage").get<size_t>());
  if (!fits(metadata, c10::elementSize(dtype), storage.nbytes())) {
    throw std::runtime_error("a tensor reaches beyond its memory");
  }
  if ((metadata.conjugate && !at::isComplexType(dtype)) ||
      (metadata.requiresGrad && !at::isFloatingType(dtype) && !at::isComplexType(dtype))) {
    throw std::runtime_error("a tensor of this dtype cannot be conjugated or require grad");
  }
  at::Tensor tensor = values::tensorOver(storage, metadata);
  if (object.value("number", false)) {
    tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  }
  return metadata.requiresGrad ? tensor.requires_grad_() : tensor;
}

std::vector<c10::Storage> storagesFrom(const json& sizes, const std::string& bytes) {
  std::vector<c10::Storage> storages;
  size_t begin = 0;
  for (const json& size : sizes) {
    const auto count = size.get<size_t>();
    if (count > bytes.size() - begin) {
      throw std::runtime_error("the bytes of a storage are not all there");
    }
    const at::Tensor memory = at::empty({static_cast<int64_t>(count)}, at::kByte);
    std::memcpy(memory.mutable_data_ptr(), bytes.data() + begin, count);
    storages.push_back(memory.storage());
    begin += count;
  }
  if (begin != bytes.size()) {
    throw std::runtime_error("there are more bytes than the storages have");
  }
  return storages;
}

} // namespace

std::string tensorsToText(const TensorLists& lists) {
  StorageTable table;
  json content{{"lists", json::object()}, {"storages", json::array()}};
  for (const auto& [name, tensors] : lists) {
    json& list = content["lists"][name] = json::array();
    for (const at::Tensor& tensor : tensors) {
      list.push_back(tensorToJson(tensor, table));
    }
  }
  std::string bytes;
  for (const c10::Storage& given : table.storages()) {
    const at::Tensor whole = at::empty({0}, at::TensorOptions().dtype(at::kByte).device(given.device()))
                                 .set_(given, 0, {static_cast<int64_t>(given.nbytes())}, {1})
                                 .cpu();
    content["storages"].push_back(given.nbytes());
    bytes.append(static_cast<const char*>(whole.const_data_ptr()), given.nbytes());
  }
  return sealed("tensors", content, bytes);
}

TensorLists tensorsFromText(const std::string& text, const std::filesystem::path& path) {
  const Opened opened = openSealed(text, "tensors", path);
  try {
    const std::vector<c10::Storage> storages = storagesFrom(opened.content.at("storages"), opened.bytes);
    TensorLists lists;
    for (const auto& [name, tensors] : opened.content.at("lists").items()) {
      std::vector<at::Tensor>& list = lists[name];
      for (const json& each : tensors) {
        list.push_back(tensorFromJson(each, storages));
      }
    }
    return lists;
  } catch (const std::exception& error) {
    throw GraphFileError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

std::vector<at::Tensor> copiesOf(const std::vector<at::Tensor>& tensors) {
  values::StorageCopies copies;
  std::vector<at::Tensor> result;
  for (const at::Tensor& tensor : tensors) {
    const bool hasMemory = tensor.defined() && tensor.layout() == at::kStrided && tensor.has_storage();
    result.push_back(hasMemory ? copies.copy(tensor) : tensor.defined() ? tensor.detach().clone() : tensor);
  }
  return result;
}

} // namespace touchstone::graph_files
