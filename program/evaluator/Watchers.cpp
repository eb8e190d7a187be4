#include "program/evaluator/Watchers.h"

namespace touchstone::evaluator {

void Watchers::readsItem(const values::Value& object, const values::Value& index) const {
  if (options_.reads == nullptr) {
    return;
  }
  if (object.is<values::DictPtr>() && index.is<std::string>()) {
    options_.reads->item(object, index.as<std::string>());
  } else if (const auto* number = index.maybe<int64_t>(); number != nullptr && object.is<values::ListPtr>()) {
    const auto size = static_cast<int64_t>(object.as<values::ListPtr>()->items.size());
    options_.reads->item(object, itemKey(static_cast<size_t>(*number < 0 ? *number + size : *number)));
  } else if (object.items() != nullptr) {
    options_.reads->items(object);
  } else {
    options_.reads->whole(object);
  }
}

void Watchers::readsAttribute(const values::Value& object, const std::string& name) const {
  if (options_.reads == nullptr) {
    return;
  }
  if (object.is<values::ModulePtr>()) {
    options_.reads->item(object, name);
    return;
  }
  options_.reads->whole(object);
  const std::optional<Fact> fact = object.isTensor() ? factAskedBy(name) : std::nullopt;
  if (fact) {
    options_.reads->fact(object.tensor(), *fact);
  }
}

void Watchers::writesAttribute(const values::Value& object, const std::string& name) const {
  readsAttribute(object, name);
  if (object.isTensor() && options_.reads != nullptr) { // `requires_grad` of a leaf only
    options_.reads->fact(object.tensor(), Fact::kLeaf);
  }
}

void Watchers::readsItems(const values::Value& object) const {
  if (options_.reads == nullptr) {
    return;
  }
  if (object.items() != nullptr || object.is<values::DictPtr>()) {
    options_.reads->items(object);
  } else {
    options_.reads->whole(object);
  }
}

} // namespace touchstone::evaluator
