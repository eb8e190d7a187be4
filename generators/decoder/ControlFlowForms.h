#pragma once

#include "generators/catalogue/Draw.h"
#include "generators/decoder/DecoderState.h"
#include "program/language/Case.h"

#include <string>
#include <vector>

namespace touchstone::decoder {

/// A call of a function of the file in structured control flow: as a branch of `torch.cond`, in a step of `while_loop`, `map` or
/// `scan`, or before a scan over what it makes. Its parameters are called like the variables that it takes; the statements bind
/// `results`, with the sizes and the dtype that the call gives. Empty: none fits.
std::vector<language::StatementPtr> controlFlowOf(const DecoderState& state, const language::Function& function,
                                                  const std::vector<std::string>& results, catalogue::Draw& draw);

} // namespace touchstone::decoder
