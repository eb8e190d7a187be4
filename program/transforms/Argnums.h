#pragma once

#include "program/values/Value.h"

namespace touchstone::transforms {

/// The arguments that `argnums` says: one, of an int, and a tuple of several. Raises RuntimeError for what is no int or tuple of
/// different ints, or beyond the arguments.
values::Value sliceArgnums(const values::ValueList& arguments, const values::Value& argnums);

/// The same, always as a tuple.
values::Value tupleOfArgnums(const values::ValueList& arguments, const values::Value& argnums);

/// The arguments, those of `argnums` replaced by the items of a tuple.
values::ValueList replaceArgnums(const values::ValueList& arguments, const values::Value& replacements,
                                 const values::Value& argnums);

bool isInt(const values::Value& value); // a bool is one, as in Python
int64_t intOf(const values::Value& value);

} // namespace touchstone::transforms
