#pragma once

#include "program/language/Case.h"

#include <string>
#include <vector>

namespace touchstone::language {

/// The text of the functions of the file that these bodies call, and of those that these call, each once; custom functions and
/// operators among them. The bodies' own text is not in it.
std::string textReached(const Case& theCase, std::vector<const Function*> bodies);

} // namespace touchstone::language
