#pragma once

#include "program/torch_names/NameResolver.h"

namespace touchstone::graph {

/// `NAME.apply(…)` for one of the fixed family of custom autograd functions: what the class text of that name does.
/// Raises AttributeError for a name outside the family.
/// `dispatch`: runs the operators that write inside of it, which somebody may watch; empty: they just run.
Value applyCustomFunction(const std::string& name, const ValueList& positional, const KeywordList& keywords,
                          const Dispatch& dispatch = {});

} // namespace touchstone::graph
