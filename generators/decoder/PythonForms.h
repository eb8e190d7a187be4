#pragma once

#include "generators/catalogue/Draw.h"
#include "generators/decoder/DecoderState.h"
#include "program/language/Case.h"

namespace touchstone::decoder {

/// Puts one to three constructs that need Python into a finished Case: classes, subclasses of tensors, optimizers, generators, nested compiles around values and functions that were decoded. Nobody has run them
/// that way before: the metadata of what is made stays as it was, and eager may refuse it.
void addPythonForms(language::Case& theCase, const DecoderState& state, catalogue::Draw& draw);

} // namespace touchstone::decoder
