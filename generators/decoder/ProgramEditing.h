#pragma once

#include "program/language/Case.h"

#include <map>
#include <string>

namespace touchstone::generators {

/// The Case's `program`, to be changed; null when there is none.
graph::Function* programOf(graph::Case& theCase);

/// The statement with names in place of names, wherever they stand.
graph::StatementPtr withNames(const graph::StatementPtr& statement, const std::map<std::string, std::string>& names);

} // namespace touchstone::generators
