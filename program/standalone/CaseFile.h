#pragma once

#include "program/language/CasePrinter.h"

#include <string>

namespace touchstone::standalone {

/// The whole file, `data` preamble and `__main__` part included: parseCase(printCase(c)) prints the same text again. The
/// short form reads back as the same Case.
std::string printCase(const language::Case& theCase, language::CaseForm form = language::CaseForm::kWhole);

/// The `if __name__ == "__main__":` part, generated from the Case: for the first non-Agreed expectation it runs the
/// calls up to that one, checks that property, and exits 1 when it differs. Needs PyTorch only.
std::string printMainPart(const language::Case& theCase);

} // namespace touchstone::standalone
