#pragma once

#include "program/torch_names/NameResolver.h"

#include <cstddef>
#include <cstdint>

namespace touchstone::semantics {

/// The positions that a slice or a `range` goes through.
struct Range {
  int64_t start, step, count;
};

/// A slice on a sequence of so many items.
Range sliceRange(const values::SliceObject& slice, size_t length, const torch_names::Dispatch& dispatch);
/// The arguments of `range`.
Range rangeOf(const values::ValueList& limits, const torch_names::Dispatch& dispatch);

/// Python's __index__.
int64_t indexOf(const values::Value& value, const torch_names::Dispatch& dispatch);
bool isIndex(const values::Value& value);

} // namespace touchstone::semantics
