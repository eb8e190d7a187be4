#pragma once

#include "generators/decoder/Decoder.h"
#include "program/language/Case.h"

#include <optional>

namespace touchstone::decoder {

/// decode() for a Case that is there already. Its Program goes on in front of its `return`: with the statements of `donor`'s
/// Program (null: none), whose names become names of `start` that hold something alike, then with the statements of the
/// records. What is new is returned behind what was, so backward roots stay what they are, and calls are added. Calls of
/// `start` that eager does not take any more are left out, as are its header and its expectations.
///
/// Every statement was run eagerly while it was appended, and the finished Program from fresh inputs. nullopt: `start`
/// cannot be continued: it raises, or it returns elsewhere than at its end, or eager takes none of its calls. `start` need
/// not have been run before: a mutated Case becomes a Case of its own by being continued with nothing.
std::optional<language::Case> continueCase(const language::Case& start, const language::Case* donor,
                                           const catalogue::Recipe& records, const DecodeOptions& options = {});

} // namespace touchstone::decoder
