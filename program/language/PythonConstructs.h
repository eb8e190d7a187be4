#pragma once

#include "program/language/Case.h"
#include "program/language/PythonWords.h"

#include <string>
#include <vector>

/// What a Program may use that only Python can run. A Case that uses some of it has the uncompiled Program as its reference, in the
/// worker of the installed PyTorch; native backends do not take it. A construct that the evaluator has learned loses its row here.

namespace touchstone::language {

/// The constructs for which the Case needs Python, each once, in order of appearance; empty: the evaluator runs it.
std::vector<std::string> needsPython(const Case& theCase);
/// Those of one function, of the functions and classes of the Case that it uses, and of the constants.
std::vector<std::string> needsPython(const Case& theCase, const Function& function);
/// The modules of pythonModules() that the text of the Case uses.
std::vector<std::string> modulesUsed(const Case& theCase);

} // namespace touchstone::language
