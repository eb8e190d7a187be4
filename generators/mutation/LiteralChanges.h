#pragma once

#include "generators/catalogue/Draw.h"
#include "program/language/Ast.h"

namespace touchstone::mutation {

/// Changes one literal of the function: a number, a bool, a dtype; an int everywhere where it stands when `everywhere`.
/// False: it has none.
bool changeLiteral(language::Function& function, catalogue::Draw& draw, bool everywhere);

} // namespace touchstone::mutation
