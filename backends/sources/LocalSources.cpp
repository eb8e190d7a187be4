#include "backends/sources/LocalSources.h"

#include "backends/arguments/Containers.h"
#include "program/evaluator/FunctionValues.h"
#include "program/evaluator/ReadObserver.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <type_traits>
#include <variant>

namespace touchstone::sources {

using values::Value;
using values::ValueList;

std::vector<std::pair<std::string, const Value*>> itemsOf(const Value& value) {
  std::vector<std::pair<std::string, const Value*>> items;
  if (const ValueList* list = value.items()) {
    for (size_t i = 0; i < list->size(); ++i) {
      items.emplace_back(evaluator::itemKey(i), &(*list)[i]);
    }
  } else if (const auto* dict = value.maybe<values::DictPtr>()) {
    for (const auto& [key, item] : (*dict)->entries) {
      items.emplace_back(key, &item);
    }
  } else {
    const values::ModuleObject& module = *value.as<values::ModulePtr>();
    for (const auto& [name, item] : module.hyper) {
      if (item.items() != nullptr) {
        items.emplace_back(name, &item);
      }
    }
    for (const auto& field : module.fields) {
      items.emplace_back(field.name, &field.value);
    }
  }
  return items;
}

std::string sourceOfItem(const Value& value, const std::string& source, const std::string& key) {
  return value.is<values::DictPtr>()     ? fmt::format("{}['{}']", source, key)
         : value.is<values::ModulePtr>() ? source + "." + key
                                         : source + key;
}

std::string sourceOfLocal(const std::string& name) {
  return "L['" + name + "']";
}

std::string sourceOfSize(const std::string& tensor, size_t dimension) {
  return fmt::format("{}.size()[{}]", tensor, dimension);
}

std::string sourceOfStride(const std::string& tensor, size_t dimension) {
  return fmt::format("{}.stride()[{}]", tensor, dimension);
}

bool sameConstant(const Value& left, const Value& right) {
  if (left.payload().index() != right.payload().index()) {
    return false;
  }
  return std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, double>) {
          return std::memcmp(&value, &right.as<double>(), sizeof(double)) == 0;
        } else if constexpr (std::is_same_v<T, std::complex<double>>) {
          return std::memcmp(&value, &right.as<T>(), sizeof(T)) == 0;
        } else if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, values::EllipsisValue>) {
          return true;
        } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int64_t> || std::is_same_v<T, std::string> ||
                             std::is_same_v<T, at::ScalarType> || std::is_same_v<T, at::Device> ||
                             std::is_same_v<T, at::Layout> || std::is_same_v<T, at::MemoryFormat>) {
          return value == right.as<T>();
        } else if constexpr (std::is_same_v<T, values::FunctionPtr>) {
          return evaluator::isSameFunction(value, right.as<T>());
        } else {
          return false;
        }
      },
      left.payload());
}

namespace {

void seeLeaves(const Value& value, const std::string& source, std::set<const void*>& seen,
               const std::function<void(const std::string&, const Value&)>& see) {
  if (value.is<values::ModulePtr>()) {
    return;
  }
  const void* address = arguments::addressOfContainer(value);
  if (address == nullptr && !value.is<values::TuplePtr>()) {
    return see(source, value);
  }
  if (address != nullptr && !seen.insert(address).second) {
    return;
  }
  for (const auto& [key, item] : itemsOf(value)) {
    seeLeaves(*item, sourceOfItem(value, source, key), seen, see);
  }
}

class Copying {
 public:
  explicit Copying(const std::function<Value(const std::string&, const Value&)>& replace) : replace_(replace) {}

  Value copy(const Value& value, const std::string& source) {
    if (value.is<values::ModulePtr>()) {
      return value;
    }
    if (const auto* tuple = value.maybe<values::TuplePtr>()) {
      auto made = std::make_shared<values::TupleObject>();
      made->isSize = (*tuple)->isSize;
      for (size_t i = 0; i < (*tuple)->items.size(); ++i) {
        made->items.push_back(copy((*tuple)->items[i], source + evaluator::itemKey(i)));
      }
      return Value(Value::Payload(std::move(made)));
    }
    const void* address = arguments::addressOfContainer(value);
    if (address == nullptr) {
      return replace_(source, value);
    }
    if (const auto known = made_.find(address); known != made_.end()) {
      return known->second;
    }
    if (const auto* list = value.maybe<values::ListPtr>()) {
      auto made = std::make_shared<values::ListObject>();
      made_.emplace(address, Value(Value::Payload(made)));
      for (size_t i = 0; i < (*list)->items.size(); ++i) {
        made->items.push_back(copy((*list)->items[i], source + evaluator::itemKey(i)));
      }
    } else {
      auto made = std::make_shared<values::DictObject>();
      made_.emplace(address, Value(Value::Payload(made)));
      for (const auto& [key, item] : value.as<values::DictPtr>()->entries) {
        made->entries.emplace_back(key, copy(item, sourceOfItem(value, source, key)));
      }
    }
    return made_.at(address);
  }

 private:
  const std::function<Value(const std::string&, const Value&)>& replace_;
  std::map<const void*, Value> made_;
};

} // namespace

void forEachLeaf(const std::vector<std::string>& names, const ValueList& locals,
                 const std::function<void(const std::string& source, const Value& value)>& see) {
  std::set<const void*> seen;
  for (size_t i = 0; i < locals.size(); ++i) {
    seeLeaves(locals[i], sourceOfLocal(names[i]), seen, see);
  }
}

ValueList withLeaves(const std::vector<std::string>& names, const ValueList& locals,
                     const std::function<Value(const std::string& source, const Value& value)>& replace) {
  Copying copying(replace);
  ValueList copies;
  for (size_t i = 0; i < locals.size(); ++i) {
    copies.push_back(copying.copy(locals[i], sourceOfLocal(names[i])));
  }
  return copies;
}

} // namespace touchstone::sources
