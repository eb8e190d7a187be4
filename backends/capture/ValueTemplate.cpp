#include "backends/capture/ValueTemplate.h"

#include "backends/arguments/Containers.h"
#include "backends/capture/GraphBreak.h"
#include "backends/sources/LocalSources.h"

#include <algorithm>
#include <utility>

namespace touchstone::capture {

using values::DictObject;
using values::DictPtr;
using values::ListObject;
using values::ListPtr;
using values::ModuleObject;
using values::ModulePtr;
using values::TupleObject;
using values::TuplePtr;
using values::Value;
using values::ValueList;

namespace {

/// A container of the same kind with nothing in it.
Value emptyLike(const Value& value) {
  if (value.is<ListPtr>()) {
    return Value(Value::Payload(std::make_shared<ListObject>()));
  }
  if (value.is<DictPtr>()) {
    return Value(Value::Payload(std::make_shared<DictObject>()));
  }
  return Value(Value::Payload(std::make_shared<ModuleObject>()));
}

/// A copy of its own keys, names and kinds, the values left out.
Value withoutItems(const Value& value) {
  if (const auto* dict = value.maybe<DictPtr>()) {
    DictObject copy;
    for (const auto& [key, item] : (*dict)->entries) {
      copy.entries.emplace_back(key, Value());
    }
    return Value(Value::Payload(std::make_shared<DictObject>(std::move(copy))));
  }
  if (const auto* module = value.maybe<ModulePtr>()) {
    ModuleObject copy = **module;
    for (ModuleObject::Field& field : copy.fields) {
      field.value = Value();
    }
    return Value(Value::Payload(std::make_shared<ModuleObject>(std::move(copy))));
  }
  return emptyLike(value);
}

} // namespace

ValueTemplate::ValueTemplate(const std::vector<Value>& given, FindSource findSource)
    : findSource_(std::move(findSource)), given_(given) {
  for (size_t i = 0; i < given_.size(); ++i) {
    known_.emplace(arguments::addressOfContainer(given_[i]), containers_.size());
    containers_.push_back({.like = {}, .given = static_cast<int>(i)});
  }
}

size_t ValueTemplate::add(const Value& value) {
  values_.push_back(partOf(value));
  return values_.size() - 1;
}

void ValueTemplate::addContentsOfGiven(size_t place) {
  readsGiven_ = true;
  containers_[place].changed = true;
  describe(place, given_[place]);
}

void ValueTemplate::finish() {
  findSource_ = nullptr;
  given_.clear();
  kept_.clear();
  known_.clear();
}

ValueTemplate::Part ValueTemplate::partOf(const Value& value) {
  if (value.isTensor()) {
    const TensorSource source = findSource_(value.tensor());
    if (source.isInput && std::find(inputs_.begin(), inputs_.end(), source.index) == inputs_.end()) {
      inputs_.push_back(source.index);
    }
    return {.kind = source.isInput ? Kind::kInput : Kind::kOutput, .index = source.index};
  }
  if (arguments::addressOfContainer(value) != nullptr) {
    return {.kind = Kind::kContainer, .index = containerOf(value)};
  }
  if (const auto* tuple = value.maybe<TuplePtr>()) {
    Part part{.kind = Kind::kTuple, .isSize = (*tuple)->isSize};
    for (const Value& item : (*tuple)->items) {
      part.items.push_back(partOf(item));
    }
    return part;
  }
  if (value.is<values::HandlePtr>()) {
    throw GraphBreak("the handle of a hook outlives the graph that registers it");
  }
  if (const auto* slice = value.maybe<values::SlicePtr>()) {
    for (const Value* part : {&(*slice)->start, &(*slice)->stop, &(*slice)->step}) {
      if (part->isTensor()) {
        throw GraphBreak("a slice holds a tensor");
      }
    }
  }
  return {.kind = Kind::kConstant, .constant = value};
}

size_t ValueTemplate::containerOf(const Value& value) {
  const auto [entry, fresh] = known_.try_emplace(arguments::addressOfContainer(value), containers_.size());
  const size_t number = entry->second;
  if (fresh) {
    containers_.emplace_back();
    describe(number, value);
  } else if (containers_[number].given >= 0) {
    readsGiven_ = true;
  }
  return number;
}

void ValueTemplate::describe(size_t container, const Value& value) {
  kept_.push_back(value);
  std::vector<Part> items;
  if (const auto* list = value.maybe<ListPtr>()) {
    for (const Value& item : (*list)->items) {
      items.push_back(partOf(item));
    }
  } else if (const auto* dict = value.maybe<DictPtr>()) {
    for (const auto& entry : (*dict)->entries) {
      items.push_back(partOf(entry.second));
    }
  } else {
    for (const ModuleObject::Field& field : value.as<ModulePtr>()->fields) {
      items.push_back(partOf(field.value));
    }
  }
  containers_[container].like = withoutItems(value);
  containers_[container].items = std::move(items);
}

class ValueTemplate::Filling {
 public:
  Filling(const ValueTemplate& plan, const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& outputs,
          const std::vector<Value>& given)
      : plan_(plan), inputs_(inputs), outputs_(outputs) {
    for (const Container& container : plan.containers_) {
      objects_.push_back(container.given < 0 ? emptyLike(container.like)
                         : plan.readsGiven() ? given.at(static_cast<size_t>(container.given))
                                             : Value());
    }
  }

  ValueList run() {
    for (size_t i = 0; i < objects_.size(); ++i) {
      const Container& container = plan_.containers_[i];
      if (container.given < 0 || container.changed) {
        fillContainer(objects_[i], container);
      }
    }
    ValueList values;
    for (const Part& part : plan_.values_) {
      values.push_back(valueOf(part));
    }
    return values;
  }

 private:
  Value valueOf(const Part& part) const {
    switch (part.kind) {
      case Kind::kInput: return inputs_[part.index];
      case Kind::kOutput: return outputs_[part.index].defined() ? Value(outputs_[part.index]) : Value();
      case Kind::kContainer: return objects_[part.index];
      case Kind::kConstant: return part.constant;
      case Kind::kTuple: break;
    }
    auto tuple = std::make_shared<TupleObject>();
    tuple->isSize = part.isSize;
    tuple->items.reserve(part.items.size());
    for (const Part& item : part.items) {
      tuple->items.push_back(valueOf(item));
    }
    return Value(Value::Payload(std::move(tuple)));
  }

  void fillContainer(const Value& object, const Container& container) const {
    ValueList items;
    for (const Part& item : container.items) {
      items.push_back(valueOf(item));
    }
    if (const auto* list = object.maybe<ListPtr>()) {
      (*list)->items = std::move(items);
    } else if (const auto* dict = object.maybe<DictPtr>()) {
      auto entries = container.like.as<DictPtr>()->entries;
      for (size_t i = 0; i < items.size(); ++i) {
        entries[i].second = std::move(items[i]);
      }
      (*dict)->entries = std::move(entries);
    } else {
      ModuleObject module = *container.like.as<ModulePtr>();
      for (size_t i = 0; i < items.size(); ++i) {
        module.fields[i].value = std::move(items[i]);
      }
      module.hooks = object.as<ModulePtr>()->hooks; // those of its own, which handles know
      *object.as<ModulePtr>() = std::move(module);
    }
  }

  const ValueTemplate& plan_;
  const std::vector<at::Tensor>& inputs_;
  const std::vector<at::Tensor>& outputs_;
  std::vector<Value> objects_;
};

template <typename Parts, typename See>
void ValueTemplate::forEachPartOf(Parts& parts, See& see) {
  for (auto& part : parts) {
    see(part);
    forEachPartOf(part.items, see);
  }
}

template <typename Template, typename See>
void ValueTemplate::forEachPart(Template& plan, See&& see) {
  forEachPartOf(plan.values_, see);
  for (auto& container : plan.containers_) {
    forEachPartOf(container.items, see);
  }
}

std::vector<int64_t> ValueTemplate::integers() const {
  std::vector<int64_t> integers;
  forEachPart(*this, [&](const Part& part) {
    if (const auto* number = part.constant.maybe<int64_t>()) {
      integers.push_back(*number);
    }
  });
  return integers;
}

ValueTemplate ValueTemplate::withIntegers(const std::vector<int64_t>& integers) const {
  ValueTemplate copy = *this;
  size_t next = 0;
  forEachPart(copy, [&](Part& part) {
    if (part.constant.is<int64_t>()) {
      part.constant = Value(Value::Payload(integers.at(next++)));
    }
  });
  return copy;
}

bool ValueTemplate::samePart(const Part& left, const Part& right) {
  const bool isInteger = left.constant.is<int64_t>() && right.constant.is<int64_t>();
  return left.kind == right.kind && left.index == right.index && left.isSize == right.isSize &&
         (isInteger || sources::sameConstant(left.constant, right.constant)) &&
         std::equal(left.items.begin(), left.items.end(), right.items.begin(), right.items.end(), samePart);
}

bool ValueTemplate::sameStructure(const ValueTemplate& other) const {
  return inputs_ == other.inputs_ && readsGiven_ == other.readsGiven_ &&
         std::equal(values_.begin(), values_.end(), other.values_.begin(), other.values_.end(), samePart) &&
         std::equal(containers_.begin(), containers_.end(), other.containers_.begin(), other.containers_.end(),
                    [](const Container& left, const Container& right) {
                      return left.given == right.given && left.changed == right.changed &&
                             left.like.payload().index() == right.like.payload().index() &&
                             std::equal(left.items.begin(), left.items.end(), right.items.begin(), right.items.end(),
                                        samePart);
                    });
}

ValueList ValueTemplate::fill(const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& outputs,
                              const std::vector<Value>& given) const {
  return Filling(*this, inputs, outputs, given).run();
}

} // namespace touchstone::capture
