#pragma once

#include "generators/catalogue/Draw.h"
#include "program/language/Case.h"

namespace touchstone::decoder {

/// Adds one or two flags of PyTorch's configs, of the values that program/language/CompileFlags.h has for it.
void drawFlags(language::CompileSpec& compile, catalogue::Draw& draw);

} // namespace touchstone::decoder
