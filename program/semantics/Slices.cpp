#include "program/semantics/Slices.h"

#include "program/values/RaiseError.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <optional>

namespace touchstone::semantics {
namespace {

Range rangeBetween(int64_t start, int64_t stop, int64_t step) {
  const int64_t count = step > 0 ? (stop > start ? (stop - start - 1) / step + 1 : 0)
                                 : (start > stop ? (start - stop - 1) / -step + 1 : 0);
  return {start, step, count};
}

} // namespace

bool isIndex(const values::Value& value) {
  return value.is<int64_t>() || value.is<bool>() || value.isTensor();
}

int64_t indexOf(const values::Value& value, const torch_names::Dispatch& dispatch) {
  if (const auto* number = value.maybe<int64_t>()) {
    return *number;
  }
  if (const auto* flag = value.maybe<bool>()) {
    return *flag;
  }
  if (value.isTensor()) {
    const at::Tensor& tensor = value.tensor();
    if (!c10::isIntegralType(tensor.scalar_type(), /*includeBool=*/true) || tensor.numel() != 1) {
      values::raiseError("TypeError", "only integer tensors of a single element can be converted to an index");
    }
    const values::Value item = torch_names::callNamed(torch_names::NameSpace::kMethod, "item", {value}, {}, dispatch);
    return item.is<bool>() ? item.as<bool>() : item.as<int64_t>();
  }
  values::raiseError("TypeError", "'{}' object cannot be interpreted as an integer", value.typeName());
}

Range sliceRange(const values::SliceObject& slice, size_t length, const torch_names::Dispatch& dispatch) {
  const auto limit = [&](const values::Value& value) -> std::optional<int64_t> {
    if (value.isNone()) {
      return std::nullopt;
    }
    if (!isIndex(value)) {
      values::raiseError("TypeError", "slice indices must be integers or None or have an __index__ method");
    }
    return indexOf(value, dispatch);
  };
  const int64_t step = limit(slice.step).value_or(1);
  const std::optional<int64_t> start = limit(slice.start);
  const std::optional<int64_t> stop = limit(slice.stop);
  if (step == 0) {
    values::raiseError("ValueError", "slice step cannot be zero");
  }
  const auto size = static_cast<int64_t>(length);
  const int64_t before = step < 0 ? -1 : 0; // where a position that is too small, or too large, ends up
  const int64_t behind = step < 0 ? size - 1 : size;
  const auto bounded = [&](int64_t position) {
    return std::clamp(position < 0 ? position + size : position, before, behind);
  };
  return rangeBetween(start      ? bounded(*start)
                      : step < 0 ? behind
                                 : before,
                      stop       ? bounded(*stop)
                      : step < 0 ? before
                                 : behind,
                      step);
}

Range rangeOf(const values::ValueList& limits, const torch_names::Dispatch& dispatch) {
  if (limits.empty()) {
    values::raiseError("TypeError", "range expected at least 1 argument, got 0");
  }
  if (limits.size() > 3) {
    values::raiseError("TypeError", "range expected at most 3 arguments, got {}", limits.size());
  }
  const int64_t start = limits.size() > 1 ? indexOf(limits[0], dispatch) : 0;
  const int64_t stop = indexOf(limits[limits.size() > 1 ? 1 : 0], dispatch);
  const int64_t step = limits.size() > 2 ? indexOf(limits[2], dispatch) : 1;
  if (step == 0) {
    values::raiseError("ValueError", "range() arg 3 must not be zero");
  }
  return rangeBetween(start, stop, step);
}

} // namespace touchstone::semantics
