#pragma once

#include "backends/arguments/ValueTree.h"

#include <vector>

namespace touchstone::backends {

/// The lists, dicts and modules among values, each object once, outer before inner, in order: what a program may change.
std::vector<graph::Value> containersIn(const graph::ValueList& values);

/// Gives each container of `to` the contents of its counterpart in `from`: tensors replaced, counterparts in place of the
/// containers themselves, everything else copied. Both as containersIn() gave them, for values of the same structure.
void copyContents(const std::vector<graph::Value>& from, const std::vector<graph::Value>& to,
                  const TensorReplacement& replace);

} // namespace touchstone::backends
