#pragma once

#include "program/torch_names/NameResolver.h"

namespace touchstone::evaluator {

/// `NAME.apply(…)` for one of the fixed family of custom autograd functions: what the class text of that name does.
/// Raises AttributeError for a name outside the family.
/// `dispatch`: runs the operators that write inside of it, which somebody may watch; empty: they just run.
values::Value applyCustomFunction(const std::string& name, const values::ValueList& positional,
                                  const torch_names::KeywordList& keywords, const torch_names::Dispatch& dispatch = {});

} // namespace touchstone::evaluator
