#include "backends/arguments/ValueTree.h"

namespace touchstone::backends {

namespace {

using graph::Value;
using graph::ValueList;

ValueList mapAll(const ValueList& values, const TensorReplacement& replace) {
  ValueList mapped;
  for (const Value& value : values) {
    mapped.push_back(mapTree(value, replace));
  }
  return mapped;
}

bool sameAll(const ValueList& left, const ValueList& right) {
  if (left.size() != right.size()) {
    return false;
  }
  for (size_t i = 0; i < left.size(); ++i) {
    if (!sameTree(left[i], right[i])) {
      return false;
    }
  }
  return true;
}

struct LeafComparison {
  const Value& other;
  bool operator()(std::monostate) const { return true; }
  bool operator()(const at::Tensor& tensor) const { return tensor.is_same(other.tensor()); }
  bool operator()(const graph::ListPtr& list) const { return sameAll(list->items, other.as<graph::ListPtr>()->items); }
  bool operator()(const graph::TuplePtr& tuple) const {
    return sameAll(tuple->items, other.as<graph::TuplePtr>()->items);
  }
  bool operator()(const graph::DictPtr& dict) const {
    const auto& entries = other.as<graph::DictPtr>()->entries;
    bool same = dict->entries.size() == entries.size();
    for (size_t i = 0; same && i < entries.size(); ++i) {
      same = dict->entries[i].first == entries[i].first && sameTree(dict->entries[i].second, entries[i].second);
    }
    return same;
  }
  bool operator()(const graph::ModulePtr& module) const {
    const graph::ModuleObject& object = *other.as<graph::ModulePtr>();
    bool same = module->training == object.training && module->fields.size() == object.fields.size();
    for (size_t i = 0; same && i < object.fields.size(); ++i) {
      same = module->fields[i].name == object.fields[i].name && module->fields[i].kind == object.fields[i].kind &&
             sameTree(module->fields[i].value, object.fields[i].value);
    }
    return same;
  }
  bool operator()(const graph::SlicePtr&) const { return true; } // immutable
  bool operator()(const graph::HandlePtr&) const { return true; }
  bool operator()(const graph::EllipsisValue&) const { return true; }
  template <class Leaf>
  bool operator()(const Leaf& leaf) const {
    return leaf == other.as<Leaf>();
  }
};

} // namespace

Value mapTree(const Value& value, const TensorReplacement& replace) {
  if (const auto* tensor = value.maybe<at::Tensor>()) {
    return Value(replace(*tensor));
  }
  if (const auto* list = value.maybe<graph::ListPtr>()) {
    return Value::list(mapAll((*list)->items, replace));
  }
  if (const auto* tuple = value.maybe<graph::TuplePtr>()) {
    return Value(Value::Payload(
        std::make_shared<graph::TupleObject>(graph::TupleObject{mapAll((*tuple)->items, replace), (*tuple)->isSize})));
  }
  if (const auto* dict = value.maybe<graph::DictPtr>()) {
    auto copy = std::make_shared<graph::DictObject>();
    for (const auto& [key, item] : (*dict)->entries) {
      copy->entries.emplace_back(key, mapTree(item, replace));
    }
    return Value(Value::Payload(std::move(copy)));
  }
  if (const auto* module = value.maybe<graph::ModulePtr>()) {
    auto copy = std::make_shared<graph::ModuleObject>(**module);
    for (auto& field : copy->fields) {
      field.value = mapTree(field.value, replace);
    }
    for (auto& [name, item] : copy->hyper) {
      item = mapTree(item, replace);
    }
    return Value(Value::Payload(std::move(copy)));
  }
  return value;
}

bool sameTree(const Value& left, const Value& right) {
  if (left.payload().index() != right.payload().index()) {
    return false;
  }
  return std::visit(LeafComparison{right}, left.payload());
}

} // namespace touchstone::backends
