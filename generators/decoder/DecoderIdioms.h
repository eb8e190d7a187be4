#pragma once

#include "generators/decoder/DecoderState.h"
#include "generators/idioms/Idioms.h"

namespace touchstone::decoder {

/// What became of a record that may stand for an idiom.
enum class IdiomTrial {
  kNone, // it is a statement like any other
  kAccepted, // statements were appended
  kRefused, // eager refused in the middle of a write: the decoding is to be started again without the record
};

/// In Cases that have idioms: a share of the statement records become a row of `generators/idioms`
/// each. Appends its statements, and a variable for each name that they bind, when eager accepts them all.
IdiomTrial decodeIdiom(DecoderState& state, const catalogue::Record& record, size_t recordIndex);

/// The same with the row given; kNone: no operands fit, or eager refuses a statement.
IdiomTrial decodeIdiom(DecoderState& state, const catalogue::Record& record, size_t recordIndex,
                       const idioms::IdiomEntry& entry);

} // namespace touchstone::decoder
