#pragma once

#include "backends/Backend.h"
#include "oracles/compare/PythonReference.h"

#include <string>
#include <vector>

namespace touchstone::worker {

/// The backend of a name, made and warmed up once in this process and kept; children inherit what their parent prepared.
/// Throws std::invalid_argument for a name that this process cannot make.
backends::Backend& preparedBackend(const std::string& name);
/// What backends that were prepared since the last call of this did not get through, a sentence each.
std::vector<std::string> takeStartTroubles();

/// The backend whose Program is the reference of a Case that needs Python.
constexpr const char* kPythonReference = "torch:eager_python";
/// Whether this process has the backends of the installed PyTorch.
bool hasPython();
/// What makes the reference of a Case that needs Python; empty: the evaluator does.
compare::PythonFactory pythonReferenceOf(const language::Case& theCase);

} // namespace touchstone::worker
