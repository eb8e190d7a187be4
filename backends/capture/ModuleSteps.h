#pragma once

#include "backends/capture/Steps.h"
#include "program/evaluator/Evaluator.h"

#include <optional>

namespace touchstone::capture {

/// A call of a module, of which parts may be code of their own.
struct ModuleStep {
  values::ModulePtr module;
  values::ValueList positional;
};

/// `y = m(x)` where the module has hooks, or a forward that reads values; nothing for another step, and for a call with keywords.
std::optional<ModuleStep> moduleCalledAt(const Step& step, evaluator::Evaluator& evaluator,
                                         evaluator::Environment& environment);

/// The forward of a module without hooks as a function of it and its arguments; where it reads values (a batch norm without
/// momentum divides by the number of its batches), statement by statement.
const language::Function& forwardOf(const values::ModuleObject& module, const values::ValueList& positional);

} // namespace touchstone::capture
