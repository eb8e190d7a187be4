#pragma once

#include "oracles/compare/Comparison.h"
#include "program/language/Case.h"

#include <optional>

namespace touchstone::compare {

/// Says whether a call compiled again although everything that a guard may look at was as in an earlier call of the Case:
/// only the values, tangents' values or random seed are new. Silent wherever values may rightly be guarded on: `.item()`,
/// control flow, indices that are tensors, inputs functions that use their seed for more than `data(...)`.
std::optional<Difference> needlessRecompile(const language::Case& theCase, int call,
                                            const observe::CaseObservation& compiled);

/// True when two calls give the program other values, tangents or roots: the second then says something new.
bool saysSomethingNew(const language::Case& theCase, int call, int earlier, const observe::CaseObservation& eager);

} // namespace touchstone::compare
