#pragma once

#include "program/language/CasePrinter.h"

#include <string>

namespace touchstone::standalone {

/// The whole file, `data` preamble and `__main__` part included: parseCase(printCase(c)) prints the same text again. The
/// short form reads back as the same Case.
std::string printCase(const language::Case& theCase, language::CaseForm form = language::CaseForm::kWhole);

} // namespace touchstone::standalone
