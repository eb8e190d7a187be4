#include "program/semantics/Containers.h"

#include "program/semantics/Numbers.h"
#include "program/semantics/Slices.h"
#include "program/values/RaiseError.h"

#include <algorithm>

namespace touchstone::semantics {
namespace {

constexpr int64_t kElementsPerTensor = 8; // a view is an object of some hundred bytes

std::pair<std::string, values::Value>* findEntry(values::DictObject& dict, const values::Value& key) {
  const auto* text = key.maybe<std::string>();
  for (auto& entry : dict.entries) {
    if (text && entry.first == *text) {
      return &entry;
    }
  }
  return nullptr;
}

std::pair<std::string, values::Value>& entryOf(values::DictObject& dict, const values::Value& key) {
  if (auto* entry = findEntry(dict, key)) {
    return *entry;
  }
  if (key.is<values::ListPtr>() || key.is<values::DictPtr>()) {
    values::raiseError("TypeError", "unhashable type: '{}'", key.typeName());
  }
  const auto* text = key.maybe<std::string>();
  const auto* number = key.maybe<int64_t>();
  values::raiseError("KeyError", text ? '\'' + *text + '\'' : number ? std::to_string(*number) : key.typeName());
}

} // namespace

bool isSize(const values::Value& value) {
  const auto* tuple = value.maybe<values::TuplePtr>();
  return tuple && (*tuple)->isSize;
}

values::Value tupleOf(values::ValueList items, bool isSize) {
  values::Value value = values::Value::tuple(std::move(items));
  value.as<values::TuplePtr>()->isSize = isSize;
  return value;
}

size_t Containers::position(const values::Value& object, const values::Value& index, size_t length,
                            const char* outOfRange) {
  if (!isIndex(index)) {
    if (object.is<std::string>()) {
      values::raiseError("TypeError", "string indices must be integers, not '{}'", index.typeName());
    }
    values::raiseError("TypeError", "{} indices must be integers or slices, not {}",
                       object.is<values::ListPtr>() ? "list" : "tuple", index.typeName());
  }
  const auto size = static_cast<int64_t>(length);
  const int64_t given = indexOf(index, dispatch_);
  const int64_t position = given < 0 ? given + size : given;
  if (position < 0 || position >= size) {
    values::raiseError("IndexError", outOfRange);
  }
  return static_cast<size_t>(position);
}

values::ValueList Containers::iterate(const values::Value& value, const char* notIterable) {
  if (const values::ValueList* items = value.items()) {
    limits_.spend(*items);
    return *items;
  }
  if (value.isTensor()) {
    if (value.tensor().dim() == 0) {
      values::raiseError("TypeError", "iteration over a 0-d tensor");
    }
    limits_.spend(std::min(value.tensor().size(0), Limits::kElements) * kElementsPerTensor); // may be an expanded one
    return *torch_names::callNamed(torch_names::NameSpace::kMethod, "unbind", {value, intValue(0)}, {}, dispatch_)
                .items();
  }
  values::ValueList result;
  if (const auto* dict = value.maybe<values::DictPtr>()) {
    for (const auto& entry : (*dict)->entries) {
      result.emplace_back(entry.first);
    }
    limits_.spend(result);
    return result;
  }
  if (const auto* text = value.maybe<std::string>()) {
    limits_.spend(static_cast<int64_t>(text->size()));
    for (char letter : *text) {
      result.emplace_back(std::string(1, letter));
    }
    return result;
  }
  values::raiseError("TypeError", fmt::format(fmt::runtime(notIterable), value.typeName()));
}

values::Value Containers::getItem(const values::Value& object, const values::Value& index) {
  if (object.isTensor()) {
    limits_.spendOnArguments({index}, {});
    return torch_names::tensorGetItem(object.tensor(), index, dispatch_);
  }
  if (const values::ValueList* items = object.items()) {
    const bool isList = object.is<values::ListPtr>();
    if (const auto* slice = index.maybe<values::SlicePtr>()) {
      const Range range = sliceRange(**slice, items->size(), dispatch_);
      values::ValueList picked;
      for (int64_t i = 0; i < range.count; ++i) {
        picked.push_back((*items)[range.start + i * range.step]);
        limits_.spend(picked.back());
      }
      return isList ? values::Value::list(std::move(picked)) : tupleOf(std::move(picked), isSize(object));
    }
    return (*items)[position(object, index, items->size(),
                             isList ? "list index out of range" : "tuple index out of range")];
  }
  if (const auto* dict = object.maybe<values::DictPtr>()) {
    limits_.spend(static_cast<int64_t>((*dict)->entries.size()) / Limits::kMovedPerElement);
    return entryOf(**dict, index).second;
  }
  if (const auto* text = object.maybe<std::string>()) {
    return values::Value(std::string(1, (*text)[position(object, index, text->size(), "string index out of range")]));
  }
  values::raiseError("TypeError", "'{}' object is not subscriptable", object.typeName());
}

void Containers::setSlice(values::ValueList& items, const values::SliceObject& slice, const values::Value& value) {
  const Range range = sliceRange(slice, items.size(), dispatch_);
  values::ValueList given = iterate(value, "can only assign an iterable");
  limits_.spend(given);
  limits_.spend(static_cast<int64_t>(items.size()) / Limits::kMovedPerElement);
  if (range.step == 1) {
    items.erase(items.begin() + range.start, items.begin() + range.start + range.count);
    items.insert(items.begin() + range.start, given.begin(), given.end());
    return;
  }
  if (static_cast<int64_t>(given.size()) != range.count) {
    values::raiseError("ValueError", "attempt to assign sequence of size {} to extended slice of size {}", given.size(),
                       range.count);
  }
  for (int64_t i = 0; i < range.count; ++i) {
    items[range.start + i * range.step] = given[i];
  }
}

void Containers::setItem(const values::Value& object, const values::Value& index, const values::Value& value) {
  if (object.isTensor()) {
    limits_.spendOnArguments({index, value}, {});
    torch_names::tensorSetItem(object.tensor(), index, value, dispatch_);
  } else if (const auto* list = object.maybe<values::ListPtr>()) {
    values::ValueList& items = (*list)->items;
    if (const auto* slice = index.maybe<values::SlicePtr>()) {
      setSlice(items, **slice, value);
      return;
    }
    const size_t at = position(object, index, items.size(), "list assignment index out of range");
    limits_.spend(value);
    items[at] = value;
  } else if (const auto* dict = object.maybe<values::DictPtr>()) {
    if (!index.is<std::string>()) {
      values::raiseError("TypeError", "The keys of a case's dicts are strings, not {}.", index.typeName());
    }
    limits_.spend(value);
    limits_.spend(index);
    limits_.spend(static_cast<int64_t>((*dict)->entries.size()) / Limits::kMovedPerElement);
    if (auto* entry = findEntry(**dict, index)) {
      entry->second = value;
    } else {
      (*dict)->entries.emplace_back(index.as<std::string>(), value);
    }
  } else {
    values::raiseError("TypeError", "'{}' object does not support item assignment", object.typeName());
  }
}

void Containers::deleteSlice(values::ValueList& items, const values::SliceObject& slice) {
  const Range range = sliceRange(slice, items.size(), dispatch_);
  limits_.spend(static_cast<int64_t>(items.size()));
  std::vector<bool> gone(items.size(), false);
  for (int64_t i = 0; i < range.count; ++i) {
    gone[range.start + i * range.step] = true;
  }
  values::ValueList kept;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!gone[i]) {
      kept.push_back(std::move(items[i]));
    }
  }
  items = std::move(kept);
}

void Containers::deleteItem(const values::Value& object, const values::Value& index) {
  if (const auto* list = object.maybe<values::ListPtr>()) {
    values::ValueList& items = (*list)->items;
    if (const auto* slice = index.maybe<values::SlicePtr>()) {
      deleteSlice(items, **slice);
      return;
    }
    const size_t at = position(object, index, items.size(), "list assignment index out of range");
    limits_.spend(static_cast<int64_t>(items.size()) / Limits::kMovedPerElement);
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
  } else if (const auto* dict = object.maybe<values::DictPtr>()) {
    auto& entries = (*dict)->entries;
    entries.erase(entries.begin() + (&entryOf(**dict, index) - entries.data()));
  } else if (object.isTensor()) {
    values::raiseError("TypeError", "Tensor does not support deleting items");
  } else {
    values::raiseError("TypeError", "'{}' object doesn't support item deletion", object.typeName());
  }
}

} // namespace touchstone::semantics
