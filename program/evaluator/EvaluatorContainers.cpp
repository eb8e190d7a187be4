#include "program/evaluator/EvaluatorState.h"

#include <c10/core/ScalarType.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

// Subscripts, slices and iteration.

namespace touchstone::evaluator {
namespace {

constexpr int64_t kElementsPerTensor = 8; // a view is an object of some hundred bytes

const char* sequenceName(const values::Value& value) {
  return value.is<values::ListPtr>() ? "list" : "tuple";
}

// The position that an index means, or -1 when it is out of range.
int64_t wrapped(int64_t index, size_t length) {
  const auto size = static_cast<int64_t>(length);
  const int64_t position = index < 0 ? index + size : index;
  return position >= 0 && position < size ? position : -1;
}

[[noreturn]] void raiseBadIndex(const values::Value& object, const values::Value& index) {
  if (object.is<std::string>()) {
    raiseError("TypeError", fmt::format("string indices must be integers, not '{}'", index.typeName()));
  }
  raiseError("TypeError",
             fmt::format("{} indices must be integers or slices, not {}", sequenceName(object), index.typeName()));
}

bool isIndex(const values::Value& value) {
  return value.is<int64_t>() || value.is<bool>() || value.isTensor();
}

std::pair<std::string, values::Value>* findEntry(values::DictObject& dict, const values::Value& key) {
  const auto* text = key.maybe<std::string>();
  for (auto& entry : dict.entries) {
    if (text && entry.first == *text) {
      return &entry;
    }
  }
  return nullptr;
}

[[noreturn]] void raiseMissingKey(const values::Value& key) {
  if (key.is<values::ListPtr>() || key.is<values::DictPtr>()) {
    raiseError("TypeError", fmt::format("unhashable type: '{}'", key.typeName()));
  }
  const auto* text = key.maybe<std::string>();
  const auto* number = key.maybe<int64_t>();
  raiseError("KeyError", text ? '\'' + *text + '\'' : number ? std::to_string(*number) : key.typeName());
}

} // namespace

SliceRange sliceRange(const std::optional<int64_t>& start, const std::optional<int64_t>& stop,
                      const std::optional<int64_t>& step, int64_t length) {
  const int64_t stride = step.value_or(1);
  if (stride == 0) {
    raiseError("ValueError", "slice step cannot be zero");
  }
  auto bounded = [&](int64_t position) {
    if (position < 0) {
      position += length;
    }
    return std::clamp<int64_t>(position, stride < 0 ? -1 : 0, stride < 0 ? length - 1 : length);
  };
  const int64_t first = start ? bounded(*start) : stride < 0 ? length - 1 : 0;
  const int64_t last = stop ? bounded(*stop) : stride < 0 ? -1 : length;
  const int64_t count = stride < 0 ? (first > last ? (first - last - 1) / -stride + 1 : 0)
                                   : (last > first ? (last - first - 1) / stride + 1 : 0);
  return {first, stride, count};
}

int64_t Evaluator::State::indexOf(const values::Value& value) {
  if (const auto* number = value.maybe<int64_t>()) {
    return *number;
  }
  if (const auto* flag = value.maybe<bool>()) {
    return *flag;
  }
  if (value.isTensor()) {
    const at::Tensor& tensor = value.tensor();
    if (!c10::isIntegralType(tensor.scalar_type(), /*includeBool=*/true) || tensor.numel() != 1) {
      raiseError("TypeError", "only integer tensors of a single element can be converted to an index");
    }
    const values::Value item = torch_names::callNamed(torch_names::NameSpace::kMethod, "item", {value}, {}, dispatch);
    return item.is<bool>() ? item.as<bool>() : item.as<int64_t>();
  }
  raiseError("TypeError", fmt::format("'{}' object cannot be interpreted as an integer", value.typeName()));
}

RangeLimits Evaluator::State::rangeLimits(const values::ValueList& limits) {
  if (limits.empty()) {
    raiseError("TypeError", "range expected at least 1 argument, got 0");
  }
  if (limits.size() > 3) {
    raiseError("TypeError", fmt::format("range expected at most 3 arguments, got {}", limits.size()));
  }
  const int64_t start = limits.size() > 1 ? indexOf(limits[0]) : 0;
  const int64_t stop = indexOf(limits[limits.size() > 1 ? 1 : 0]);
  const int64_t step = limits.size() > 2 ? indexOf(limits[2]) : 1;
  if (step == 0) {
    raiseError("ValueError", "range() arg 3 must not be zero");
  }
  const int64_t count = step > 0 ? (stop > start ? (stop - start - 1) / step + 1 : 0)
                                 : (start > stop ? (start - stop - 1) / -step + 1 : 0);
  return {start, step, count};
}

values::ValueList Evaluator::State::iterate(const values::Value& value, const char* notIterable) {
  if (const values::ValueList* items = value.items()) {
    spend(*items);
    return *items;
  }
  if (value.isTensor()) {
    if (value.tensor().dim() == 0) {
      raiseError("TypeError", "iteration over a 0-d tensor");
    }
    spend(std::min(value.tensor().size(0), EvaluatorLimits::kElements) * kElementsPerTensor); // may be an expanded one
    return *torch_names::callNamed(torch_names::NameSpace::kMethod, "unbind", {value, intValue(0)}, {}, dispatch)
                .items();
  }
  values::ValueList result;
  if (const auto* dict = value.maybe<values::DictPtr>()) {
    for (const auto& entry : (*dict)->entries) {
      result.emplace_back(values::Value::Payload(entry.first));
    }
    spend(result);
    return result;
  }
  if (const auto* text = value.maybe<std::string>()) {
    spend(static_cast<int64_t>(text->size()));
    for (char letter : *text) {
      result.emplace_back(values::Value::Payload(std::string(1, letter)));
    }
    return result;
  }
  raiseError("TypeError",
             fmt::format(fmt::runtime(notIterable ? notIterable : "'{}' object is not iterable"), value.typeName()));
}

SliceRange Evaluator::State::rangeOf(const values::SliceObject& slice, size_t length) {
  auto limit = [&](const values::Value& value) -> std::optional<int64_t> {
    if (value.isNone()) {
      return std::nullopt;
    }
    if (!isIndex(value)) {
      raiseError("TypeError", "slice indices must be integers or None or have an __index__ method");
    }
    return indexOf(value);
  };
  const std::optional<int64_t> step = limit(slice.step);
  const std::optional<int64_t> start = limit(slice.start);
  return sliceRange(start, limit(slice.stop), step, static_cast<int64_t>(length));
}

values::Value Evaluator::State::getItem(const values::Value& object, const values::Value& index) {
  if (object.isTensor()) {
    spendOnArguments({index}, {});
    return torch_names::tensorGetItem(object.tensor(), index, dispatch);
  }
  if (const values::ValueList* items = object.items()) {
    if (const auto* slice = index.maybe<values::SlicePtr>()) {
      const SliceRange range = rangeOf(**slice, items->size());
      values::ValueList picked;
      for (int64_t i = 0; i < range.count; ++i) {
        picked.push_back((*items)[range.start + i * range.step]);
        spend(picked.back());
      }
      if (object.is<values::ListPtr>()) {
        return values::Value::list(std::move(picked));
      }
      values::Value result = values::Value::tuple(std::move(picked));
      result.as<values::TuplePtr>()->isSize = object.as<values::TuplePtr>()->isSize;
      return result;
    }
    if (!isIndex(index)) {
      raiseBadIndex(object, index);
    }
    const int64_t position = wrapped(indexOf(index), items->size());
    if (position < 0) {
      raiseError("IndexError", fmt::format("{} index out of range", sequenceName(object)));
    }
    return (*items)[position];
  }
  if (const auto* dict = object.maybe<values::DictPtr>()) {
    spend(static_cast<int64_t>((*dict)->entries.size()) / kMovedPerElement);
    auto* entry = findEntry(**dict, index);
    if (!entry) {
      raiseMissingKey(index);
    }
    return entry->second;
  }
  if (const auto* text = object.maybe<std::string>()) {
    if (!isIndex(index)) {
      raiseBadIndex(object, index);
    }
    const int64_t position = wrapped(indexOf(index), text->size());
    if (position < 0) {
      raiseError("IndexError", "string index out of range");
    }
    return values::Value(values::Value::Payload(std::string(1, (*text)[position])));
  }
  raiseError("TypeError", fmt::format("'{}' object is not subscriptable", object.typeName()));
}

void Evaluator::State::setItem(const values::Value& object, const values::Value& index, const values::Value& value) {
  if (object.isTensor()) {
    spendOnArguments({index, value}, {});
    torch_names::tensorSetItem(object.tensor(), index, value, dispatch);
    return;
  }
  if (const auto* list = object.maybe<values::ListPtr>()) {
    values::ValueList& items = (*list)->items;
    if (const auto* slice = index.maybe<values::SlicePtr>()) {
      const SliceRange range = rangeOf(**slice, items.size());
      values::ValueList given = iterate(value, "can only assign an iterable");
      spend(given);
      spend(static_cast<int64_t>(items.size()) / kMovedPerElement);
      if (range.step == 1) {
        items.erase(items.begin() + range.start, items.begin() + range.start + range.count);
        items.insert(items.begin() + range.start, given.begin(), given.end());
        return;
      }
      if (static_cast<int64_t>(given.size()) != range.count) {
        raiseError("ValueError", fmt::format("attempt to assign sequence of size {} to extended slice of size {}",
                                             given.size(), range.count));
      }
      for (int64_t i = 0; i < range.count; ++i) {
        items[range.start + i * range.step] = given[i];
      }
      return;
    }
    if (!isIndex(index)) {
      raiseBadIndex(object, index);
    }
    const int64_t position = wrapped(indexOf(index), items.size());
    if (position < 0) {
      raiseError("IndexError", "list assignment index out of range");
    }
    spend(value);
    items[position] = value;
    return;
  }
  if (const auto* dict = object.maybe<values::DictPtr>()) {
    if (!index.is<std::string>()) {
      raiseError("TypeError", fmt::format("The keys of a case's dicts are strings, not {}.", index.typeName()));
    }
    spend(value);
    spend(index);
    spend(static_cast<int64_t>((*dict)->entries.size()) / kMovedPerElement);
    if (auto* entry = findEntry(**dict, index)) {
      entry->second = value;
    } else {
      (*dict)->entries.emplace_back(index.as<std::string>(), value);
    }
    return;
  }
  raiseError("TypeError", fmt::format("'{}' object does not support item assignment", object.typeName()));
}

void Evaluator::State::deleteItem(const values::Value& object, const values::Value& index) {
  if (const auto* list = object.maybe<values::ListPtr>()) {
    values::ValueList& items = (*list)->items;
    if (const auto* slice = index.maybe<values::SlicePtr>()) {
      const SliceRange range = rangeOf(**slice, items.size());
      spend(static_cast<int64_t>(items.size()));
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
      return;
    }
    if (!isIndex(index)) {
      raiseBadIndex(object, index);
    }
    const int64_t position = wrapped(indexOf(index), items.size());
    if (position < 0) {
      raiseError("IndexError", "list assignment index out of range");
    }
    spend(static_cast<int64_t>(items.size()) / kMovedPerElement);
    items.erase(items.begin() + position);
    return;
  }
  if (const auto* dict = object.maybe<values::DictPtr>()) {
    auto* entry = findEntry(**dict, index);
    if (!entry) {
      raiseMissingKey(index);
    }
    (*dict)->entries.erase((*dict)->entries.begin() + (entry - (*dict)->entries.data()));
    return;
  }
  raiseError("TypeError", object.isTensor()
                              ? "Tensor does not support deleting items"
                              : fmt::format("'{}' object doesn't support item deletion", object.typeName()));
}

} // namespace touchstone::evaluator
