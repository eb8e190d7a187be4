#include "oracles/observe/TensorReading.h"

#include "oracles/observe/TensorBytes.h"
#include "program/values/RaisedException.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace touchstone::observe {

TensorObservation readTensor(const at::Tensor& tensor) {
  TensorObservation observation;
  try {
    for (const TensorField& field : kTensorFields) {
      if (field.read && field.group != FieldGroup::kAutograd) {
        field.read(tensor, observation);
      }
    }
    observation.values = copyOfValues(tensor);
  } catch (...) {
    observation.valuesError = values::currentException().what();
  }
  return observation;
}

void readAutograd(const at::Tensor& tensor, TensorObservation& observation) {
  try {
    observation.hasGradFn = tensor.grad_fn() != nullptr; // before all else: it may be made anew
    for (const TensorField& field : kTensorFields) {
      if (field.read && field.group == FieldGroup::kAutograd) {
        field.read(tensor, observation);
      }
    }
  } catch (...) {
    observation.autogradError = values::currentException().what();
  }
}

bool differsIn(const TensorField& field, const TensorObservation& left, const TensorObservation& right) {
  return std::visit([&](auto member) { return left.*member != right.*member; }, field.member);
}

std::string textOf(const TensorField& field, const TensorObservation& tensor) {
  return std::visit(
      [&](auto member) -> std::string {
        if constexpr (std::is_same_v<decltype(member), at::ScalarType TensorObservation::*>) {
          return c10::toString(tensor.*member);
        } else {
          return fmt::format("{}", tensor.*member);
        }
      },
      field.member);
}

namespace {

struct Brackets {
  const char *open, *close;
};
constexpr Brackets kListBrackets{"[", "]"}, kTupleBrackets{"(", ")"}, kSizeBrackets{"Size(", ")"},
    kDictBrackets{"{", "}"};

/// Walks a value depth first, in the order of values::collectTensors, writing its containers and what `leaf` writes.
template <class Leaf>
void describe(const values::Value& value, std::string& text, Leaf& leaf) {
  bool first = true;
  auto separate = [&] { text += std::exchange(first, false) ? "" : ", "; };
  if (const values::ValueList* items = value.items()) {
    const auto* tuple = value.maybe<values::TuplePtr>();
    const Brackets& brackets = !tuple ? kListBrackets : (*tuple)->isSize ? kSizeBrackets : kTupleBrackets;
    text += brackets.open;
    for (const values::Value& item : *items) {
      separate();
      describe(item, text, leaf);
    }
    text += brackets.close;
  } else if (const auto* dict = value.maybe<values::DictPtr>()) {
    text += kDictBrackets.open;
    for (const auto& [key, item] : (*dict)->entries) {
      separate();
      text += '"' + key + "\": ";
      describe(item, text, leaf);
    }
    text += kDictBrackets.close;
  } else if (const auto* module = value.maybe<values::ModulePtr>()) {
    text += (*module)->typeName + ((*module)->training ? "(" : "(eval, ");
    for (const auto& field : (*module)->fields) {
      separate();
      text += field.name + "=";
      describe(field.value, text, leaf);
    }
    text += ")";
  } else if (const auto* opaque = value.maybe<values::OpaquePtr>()) {
    text += (*opaque)->className() + "(";
    for (const auto& [path, part] : (*opaque)->parts()) {
      separate();
      text += path + "=";
      describe(part, text, leaf);
    }
    text += ")";
  } else if (const auto* function = value.maybe<values::FunctionPtr>()) { // as Python's, of which its name is told
    text += "function(name=";
    leaf(values::Value(values::Value::Payload((*function)->name())), text);
    text += ")";
  } else {
    leaf(value, text);
  }
}

std::string literal(const values::Value& value) {
  if (const auto* flag = value.maybe<bool>()) {
    return *flag ? "True" : "False";
  }
  if (const auto* number = value.maybe<int64_t>()) {
    return std::to_string(*number);
  }
  if (const auto* number = value.maybe<double>()) {
    std::array<char, 32> digits{};
    const auto [end, error] = std::to_chars(digits.begin(), digits.end(), *number);
    return std::string(digits.begin(), end);
  }
  if (const auto* characters = value.maybe<std::string>()) {
    return '"' + *characters + '"';
  }
  return value.isNone() ? "None" : value.typeName();
}

bool isContainer(const values::Value& value) {
  return value.items() || value.is<values::DictPtr>() || value.is<values::ModulePtr>() ||
         value.is<values::OpaquePtr>() || value.is<values::FunctionPtr>();
}

} // namespace

FlatValue flatten(const values::Value& value) {
  FlatValue flat;
  auto leaf = [&flat](const values::Value& item, std::string& text) {
    if (item.isTensor()) {
      text += 'T';
      flat.tensors.push_back(item.tensor());
    } else {
      text += '_';
      flat.nonTensors.push_back(item);
    }
  };
  describe(value, flat.structure, leaf);
  return flat;
}

std::string describeArguments(const values::ValueList& values) {
  if (std::none_of(values.begin(), values.end(), isContainer)) {
    return {};
  }
  std::string text;
  std::vector<const void*> objects;
  auto leaf = [&objects](const values::Value& item, std::string& written) {
    if (!item.isTensor()) {
      written += literal(item);
      return;
    }
    const void* object = item.tensor().unsafeGetTensorImpl();
    auto found = std::find(objects.begin(), objects.end(), object);
    written += 'T' + std::to_string(found - objects.begin());
    if (found == objects.end()) {
      objects.push_back(object);
    }
  };
  for (const values::Value& value : values) {
    text += text.empty() ? "(" : ", ";
    describe(value, text, leaf);
  }
  return text + ")";
}

void Partition::add(const Location& location, const at::Tensor& tensor) {
  StorageMember member;
  member.location = location;
  const c10::TensorImpl* object = tensor.unsafeGetTensorImpl();
  auto knownObject = std::find(objects_.begin(), objects_.end(), object);
  member.object = static_cast<int>(knownObject - objects_.begin());
  if (knownObject == objects_.end()) {
    objects_.push_back(object);
  }
  const bool strided = tensor.layout() == at::kStrided && tensor.has_storage();
  // A tensor without a storage of its own (sparse) shares memory with itself alone.
  const void* identity = strided ? static_cast<const void*>(tensor.storage().unsafeGetStorageImpl()) : object;
  bool covers = !strided;
  if (strided) {
    const ByteRange range = byteRange(tensor);
    member.firstByte = range.first;
    member.endByte = range.end;
    covers = hasBytes(tensor) && elementBytes(tensor) == static_cast<int64_t>(tensor.storage().nbytes()) &&
             tensor.is_non_overlapping_and_dense();
  }
  auto knownStorage = std::find_if(storages_.begin(), storages_.end(),
                                   [&](const Storage& storage) { return storage.identity == identity; });
  member.storage = static_cast<int>(knownStorage - storages_.begin());
  if (knownStorage == storages_.end()) {
    storages_.push_back({identity, tensor, covers});
  } else {
    knownStorage->covered = knownStorage->covered || covers;
  }
  members_.push_back(member);
}

std::vector<at::Tensor> Partition::copyStorages() const {
  std::vector<at::Tensor> copies(storages_.size());
  for (size_t i = 0; i < storages_.size(); ++i) {
    const at::Tensor& user = storages_[i].firstUser;
    if (storages_[i].covered) {
      continue;
    }
    const auto count = static_cast<int64_t>(user.storage().nbytes() / user.itemsize());
    if (user.is_cpu()) {
      copies[i] = at::Tensor(at::detail::empty_cpu({count}, user.scalar_type()));
      if (count > 0) {
        std::memcpy(copies[i].mutable_data_ptr(), user.storage().data(), static_cast<size_t>(count) * user.itemsize());
      }
    } else {
      at::AutoDispatchBelowADInplaceOrView guard;
      copies[i] = at::empty({0}, user.options()).set_(user.storage(), 0, {count}, {1}).clone().cpu();
    }
  }
  return copies;
}

} // namespace touchstone::observe
