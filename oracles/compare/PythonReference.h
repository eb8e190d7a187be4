#pragma once

#include "oracles/evidence/Trace.h"
#include "oracles/observe/CallRunner.h"
#include "oracles/observe/Observation.h"
#include "program/language/Case.h"
#include "program/values/Callable.h"

#include <functional>
#include <memory>

// What stands for the evaluator's evidence where Python runs the Program: nobody watches its operators.

namespace touchstone::compare {

/// Makes the uncompiled Program of a Case that needs Python.
using PythonFactory = std::function<std::unique_ptr<values::Callable>(const language::Case& theCase)>;

/// The same Program in double precision: dtypes below it, and methods that convert to them, are float64 and complex128. Where `inputs`
/// functions run in Python, what `data` gives them is converted, too.
language::Case inDoublePrecision(language::Case theCase);

/// The calls of that Program.
observe::CaseObservation runInDouble(const language::Case& theCase, const PythonFactory& python,
                                     observe::RunOptions options);

/// What a call tells by what it left in its arguments, `untouched` being the same call when the Program does nothing. No operator is
/// known: there is no run in double precision with the same draws by this trace, and nothing is tainted.
evidence::CallTrace traceByEffects(const observe::CallObservation& call, const observe::CallObservation& untouched);

/// The Program has drawn from the default generators.
bool draws(const observe::CallObservation& call, const observe::CallObservation& untouched);

} // namespace touchstone::compare
