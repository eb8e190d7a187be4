#pragma once

#include "program/values/Value.h"

#include <memory>

namespace touchstone::values {

/// Shared containers that are taken apart one after the other when they are let go: a loop can nest them deeper than a
/// stack could follow, each destroyed by the one around it.
ListPtr makeShared(ListObject list);
TuplePtr makeShared(TupleObject tuple);
DictPtr makeShared(DictObject dict);

} // namespace touchstone::values
