#pragma once

#include "harness/suppressions/Mask.h"

#include <functional>
#include <vector>

namespace touchstone::triage {

/// One thing more that a mask says; those that say little come first.
using Tightening = std::function<void(suppressions::Mask& mask)>;

/// The operations of the Program, each hanging on the values that it is computed from; every value has its name.
suppressions::Mask loosestMask(const analysis::FlatProgram& program);

/// What may be added to loosestMask() and still holds of the Program.
std::vector<Tightening> tighteningsOf(const analysis::FlatProgram& program);

/// Without names that nothing else refers to.
suppressions::Mask withoutIdleNames(suppressions::Mask mask);

} // namespace touchstone::triage
