#include "backends/arguments/Containers.h"

#include <algorithm>
#include <functional>

namespace touchstone::arguments {

using values::Value;
using values::ValueList;

const void* addressOfContainer(const Value& value) {
  if (const auto* list = value.maybe<values::ListPtr>()) {
    return list->get();
  }
  if (const auto* dict = value.maybe<values::DictPtr>()) {
    return dict->get();
  }
  if (const auto* module = value.maybe<values::ModulePtr>()) {
    return module->get();
  }
  return nullptr;
}

namespace {

void collectContainers(const Value& value, std::vector<Value>& containers) {
  if (const void* identity = addressOfContainer(value)) {
    const bool known = std::any_of(containers.begin(), containers.end(),
                                   [&](const Value& each) { return addressOfContainer(each) == identity; });
    if (known) {
      return;
    }
    containers.push_back(value);
  }
  if (const ValueList* items = value.items()) {
    for (const Value& item : *items) {
      collectContainers(item, containers);
    }
  } else if (const auto* dict = value.maybe<values::DictPtr>()) {
    for (const auto& [key, item] : (*dict)->entries) {
      collectContainers(item, containers);
    }
  } else if (const auto* module = value.maybe<values::ModulePtr>()) {
    for (const auto& field : (*module)->fields) {
      collectContainers(field.value, containers);
    }
  }
}

} // namespace

std::vector<Value> containersIn(const ValueList& values) {
  std::vector<Value> containers;
  for (const Value& value : values) {
    collectContainers(value, containers);
  }
  return containers;
}

bool sameContainer(const Value& left, const Value& right) {
  return addressOfContainer(left) != nullptr && addressOfContainer(left) == addressOfContainer(right);
}

bool sameContents(size_t index, const std::vector<Value>& left, const std::vector<Value>& right) {
  auto placeOf = [](const Value& value, const std::vector<Value>& containers) {
    const auto found = std::find_if(containers.begin(), containers.end(), [&](const Value& each) {
      return addressOfContainer(each) == addressOfContainer(value);
    });
    return found - containers.begin();
  };
  std::function<bool(const Value&, const Value&)> same = [&](const Value& one, const Value& other) {
    if (addressOfContainer(one) != nullptr && addressOfContainer(other) != nullptr) {
      const auto place = placeOf(one, left);
      return static_cast<size_t>(place) < left.size() && place == placeOf(other, right);
    }
    const auto* tuple = one.maybe<values::TuplePtr>();
    const auto* otherTuple = other.maybe<values::TuplePtr>();
    if (tuple == nullptr || otherTuple == nullptr) {
      return sameTrees({one}, {other});
    }
    const ValueList &items = (*tuple)->items, &others = (*otherTuple)->items;
    return (*tuple)->isSize == (*otherTuple)->isSize &&
           std::equal(items.begin(), items.end(), others.begin(), others.end(), same);
  };
  if (const auto* list = left[index].maybe<values::ListPtr>()) {
    const ValueList &items = (*list)->items, &others = right[index].as<values::ListPtr>()->items;
    return std::equal(items.begin(), items.end(), others.begin(), others.end(), same);
  }
  if (const auto* dict = left[index].maybe<values::DictPtr>()) {
    const auto &entries = (*dict)->entries, &others = right[index].as<values::DictPtr>()->entries;
    return std::equal(
        entries.begin(), entries.end(), others.begin(), others.end(),
        [&](const auto& one, const auto& other) { return one.first == other.first && same(one.second, other.second); });
  }
  const values::ModuleObject &module = *left[index].as<values::ModulePtr>(),
                             &other = *right[index].as<values::ModulePtr>();
  return module.training == other.training && module.hasSameHooks(other) &&
         std::equal(module.fields.begin(), module.fields.end(), other.fields.begin(), other.fields.end(),
                    [&](const auto& one, const auto& another) {
                      return one.name == another.name && one.kind == another.kind && same(one.value, another.value);
                    });
}

} // namespace touchstone::arguments
