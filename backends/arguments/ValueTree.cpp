#include "backends/arguments/ValueTree.h"

#include <memory>
#include <unordered_map>

namespace touchstone::arguments {

namespace {

using values::Value;
using values::ValueList;

class TreeCopy {
 public:
  explicit TreeCopy(const TensorReplacement& replace) : replace_(replace) {}

  Value copy(const Value& value) {
    return std::visit([this](const auto& payload) { return (*this)(payload); }, value.payload());
  }
  ValueList copyAll(const ValueList& values) {
    ValueList copies;
    for (const Value& value : values) {
      copies.push_back(copy(value));
    }
    return copies;
  }

  Value operator()(const at::Tensor& tensor) { return Value(replace_(tensor)); }
  Value operator()(const values::TuplePtr& tuple) {
    return Value(Value::Payload(
        std::make_shared<values::TupleObject>(values::TupleObject{copyAll(tuple->items), tuple->isSize})));
  }
  Value operator()(const values::ListPtr& list) {
    return once(list, [&](values::ListObject& made) { made.items = copyAll(list->items); });
  }
  Value operator()(const values::DictPtr& dict) {
    return once(dict, [&](values::DictObject& made) {
      for (const auto& [key, item] : dict->entries) {
        made.entries.emplace_back(key, copy(item));
      }
    });
  }
  Value operator()(const values::ModulePtr& module) {
    return once(module, [&](values::ModuleObject& made) {
      made = *module;
      for (auto& field : made.fields) {
        field.value = copy(field.value);
      }
      for (auto& [name, item] : made.hyper) {
        item = copy(item);
      }
    });
  }
  template <class Leaf>
  Value operator()(const Leaf& leaf) {
    return Value(Value::Payload(leaf));
  }

 private:
  /// Known before it is filled: a list may hold itself.
  template <class Object, class Fill>
  Value once(const std::shared_ptr<Object>& original, Fill fill) {
    const auto [entry, fresh] = copies_.try_emplace(original.get());
    if (!fresh) {
      return entry->second;
    }
    auto made = std::make_shared<Object>();
    entry->second = Value(Value::Payload(made));
    const Value result = entry->second;
    fill(*made);
    return result;
  }

  const TensorReplacement& replace_;
  std::unordered_map<const void*, Value> copies_; // of lists, dicts and modules
};

class TreeComparison {
 public:
  bool sameAll(const ValueList& left, const ValueList& right) {
    bool same = left.size() == right.size();
    for (size_t i = 0; same && i < left.size(); ++i) {
      same = isSame(left[i], right[i]);
    }
    return same;
  }
  bool isSame(const Value& left, const Value& right) {
    return left.payload().index() == right.payload().index() &&
           std::visit([&](const auto& payload) { return (*this)(payload, right); }, left.payload());
  }

 private:
  bool operator()(std::monostate, const Value&) { return true; }
  bool operator()(const at::Tensor& tensor, const Value& right) { return tensor.is_same(right.tensor()); }
  bool operator()(const values::TuplePtr& tuple, const Value& right) {
    return sameAll(tuple->items, right.as<values::TuplePtr>()->items);
  }
  bool operator()(const values::ListPtr& list, const Value& right) {
    const values::ListPtr& other = right.as<values::ListPtr>();
    return paired(list.get(), other.get(), [&] { return sameAll(list->items, other->items); });
  }
  bool operator()(const values::DictPtr& dict, const Value& right) {
    const values::DictPtr& other = right.as<values::DictPtr>();
    return paired(dict.get(), other.get(), [&] {
      bool same = dict->entries.size() == other->entries.size();
      for (size_t i = 0; same && i < dict->entries.size(); ++i) {
        same = dict->entries[i].first == other->entries[i].first &&
               isSame(dict->entries[i].second, other->entries[i].second);
      }
      return same;
    });
  }
  bool operator()(const values::ModulePtr& module, const Value& right) {
    const values::ModulePtr& other = right.as<values::ModulePtr>();
    return paired(module.get(), other.get(), [&] {
      bool same = module->training == other->training && module->fields.size() == other->fields.size();
      for (size_t i = 0; same && i < module->fields.size(); ++i) {
        const auto &field = module->fields[i], &otherField = other->fields[i];
        same = field.name == otherField.name && field.kind == otherField.kind && isSame(field.value, otherField.value);
      }
      return same;
    });
  }
  bool operator()(const values::SlicePtr&, const Value&) { return true; } // immutable
  bool operator()(const values::HandlePtr&, const Value&) { return true; }
  bool operator()(const values::FunctionPtr& function, const Value& right) {
    return function->name() == right.as<values::FunctionPtr>()->name();
  }
  bool operator()(const values::OpaquePtr& object, const Value& right) {
    return object == right.as<values::OpaquePtr>();
  }
  bool operator()(const values::EllipsisValue&, const Value&) { return true; }
  template <class Leaf>
  bool operator()(const Leaf& leaf, const Value& right) {
    return leaf == right.as<Leaf>();
  }

  /// Looks into a pair of objects the first time that it meets one of them; later they have to be that pair.
  template <class Compare>
  bool paired(const void* left, const void* right, Compare compare) {
    const auto [forward, isNew] = rightOf_.try_emplace(left, right);
    const auto [backward, isAlsoNew] = leftOf_.try_emplace(right, left);
    if (!isNew || !isAlsoNew) {
      return forward->second == right && backward->second == left;
    }
    return compare();
  }

  std::unordered_map<const void*, const void*> rightOf_, leftOf_;
};

} // namespace

Value mapTree(const Value& value, const TensorReplacement& replace) {
  return TreeCopy(replace).copy(value);
}

ValueList mapTrees(const ValueList& values, const TensorReplacement& replace) {
  return TreeCopy(replace).copyAll(values);
}

bool sameTrees(const ValueList& left, const ValueList& right) {
  return TreeComparison().sameAll(left, right);
}

} // namespace touchstone::arguments
