#pragma once

#include "generators/catalogue/Draw.h"
#include "generators/decoder/DecoderState.h"
#include "program/language/Case.h"

namespace touchstone::decoder {

/// Puts a recurrent layer into a finished Case: `gru` is the Program's last argument, and a tensor of the Program's own goes through it,
/// in a function, under a checkpoint, between writes. Not where eager then takes fewer of the calls.
void addRecurrentLayer(language::Case& theCase, const DecoderState& state, catalogue::Draw& draw);

/// The same with attention, which needs Python, so that nobody runs it here: `torch.nn.MultiheadAttention`, an encoder layer of a
/// transformer, or flex_attention with a drawn score and, at times, a block mask.
void addAttention(language::Case& theCase, const DecoderState& state, catalogue::Draw& draw);

} // namespace touchstone::decoder
