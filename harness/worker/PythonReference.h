#pragma once

#include "oracles/compare/PythonReference.h"
#include "program/language/Case.h"

namespace touchstone::worker {

/// The backend whose Program is the reference of a Case that needs Python.
constexpr const char* kPythonReference = "torch:eager_python";

/// Whether this process has the backends of the installed PyTorch.
bool hasPython();
/// What makes the reference of a Case that needs Python; empty: the evaluator does.
compare::PythonFactory pythonReferenceOf(const language::Case& theCase);

} // namespace touchstone::worker
