#pragma once

#include "program/values/Value.h"

#include <string>

namespace touchstone::backends {

/// A constant as Python writes it; of what is none its type.
std::string constantText(const graph::Value& value);

} // namespace touchstone::backends
