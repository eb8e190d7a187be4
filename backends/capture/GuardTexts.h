#pragma once

#include "backends/sources/SymbolicLocals.h"
#include "program/values/Value.h"

#include <string>
#include <vector>

namespace touchstone::capture {

/// A constant as Python writes it; of what is none its type.
std::string constantText(const values::Value& value);

/// With the sources of symbols in their place: `2*L['x'].size()[0]` of `2*s0`.
std::string bySources(const std::string& text, const std::vector<sources::SizeSource>& symbols);

} // namespace touchstone::capture
