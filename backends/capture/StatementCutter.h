#pragma once

#include "program/language/Case.h"

#include <vector>

namespace touchstone::capture {

/// A statement as such with one operation each, in the order in which Python performs them; results go to names that no
/// Program can write, which `temporaries` counts. Bodies stay as they are; of a `while` one round: an `if` whose body is the
/// loop's, then the loop. A `with` of several items becomes one in another.
std::vector<language::StatementPtr> cutStatement(const language::Case& theCase, const language::StatementPtr& statement,
                                                 int& temporaries);

} // namespace touchstone::capture
