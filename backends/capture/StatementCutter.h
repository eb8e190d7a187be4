#pragma once

#include "program/language/Case.h"

#include <vector>

namespace touchstone::capture {

/// A statement as such with one operation each, in the order in which Python performs them; results go to names that no
/// Program can write, which `temporaries` counts. Bodies and loops stay as they are. A `with` of several items becomes one in
/// another.
std::vector<language::StatementPtr> cutStatement(const language::Case& theCase, const language::StatementPtr& statement,
                                                 int& temporaries);

/// One round of a `while`: what its condition is computed by, then an `if` whose body is the loop's.
std::vector<language::StatementPtr> cutRound(const language::Case& theCase, const language::StatementPtr& loop,
                                             int& temporaries);

} // namespace touchstone::capture
