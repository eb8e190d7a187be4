#pragma once

#include "harness/suppressions/Mask.h"

#include <functional>
#include <vector>

namespace touchstone::harness {

/// One thing more that a mask says; those that say little come first.
using Tightening = std::function<void(Mask& mask)>;

/// The operations of the Program, each hanging on the values that it is computed from; every value has its name.
Mask loosestMask(const FlatProgram& program);

/// What may be added to loosestMask() and still holds of the Program.
std::vector<Tightening> tighteningsOf(const FlatProgram& program);

/// Without names that nothing else refers to.
Mask withoutIdleNames(Mask mask);

} // namespace touchstone::harness
