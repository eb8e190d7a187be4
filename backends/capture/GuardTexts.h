#pragma once

#include "program/values/Value.h"

#include <string>

namespace touchstone::capture {

/// A constant as Python writes it; of what is none its type.
std::string constantText(const values::Value& value);

} // namespace touchstone::capture
