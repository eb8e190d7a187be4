#pragma once

#include "generators/catalogue/Draw.h"
#include "generators/decoder/InputSpecification.h"
#include "program/language/Case.h"
#include "program/values/Value.h"

#include <optional>
#include <string>

namespace touchstone::decoder {

/// Adds a function for CallSpec::between to the Case that writes to one or two of the arguments, of the outputs, of the parameters
/// of the module, or to a gradient that an earlier backward has left; gives its name. `result`: what the Program returned. Whether
/// eager takes it is the caller's to try. None: there is nothing to write to, or the Case has enough such functions.
std::optional<std::string> addBetweenFunction(language::Case& theCase, const InputSpecification& inputs,
                                              const values::Value& result, bool toGradient, catalogue::Draw& draw);

} // namespace touchstone::decoder
