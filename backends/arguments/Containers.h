#pragma once

#include "backends/arguments/ValueTree.h"

#include <vector>

namespace touchstone::arguments {

/// The lists, dicts and modules among values, each object once, outer before inner, in order: what a program may change.
std::vector<values::Value> containersIn(const values::ValueList& values);

/// The address by which a Program could tell a list, dict or module from another; null for other values.
const void* addressOfContainer(const values::Value& value);

/// The same list, dict or module.
bool sameContainer(const values::Value& left, const values::Value& right);

/// Whether container `index` holds the same in both lists, as containersIn() gave them for values and for a copy of them:
/// the same tensors, counterparts of containers, other leaves equal.
bool sameContents(size_t index, const std::vector<values::Value>& left, const std::vector<values::Value>& right);

} // namespace touchstone::arguments
