#pragma once

#include "generators/decoder/DecoderState.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace touchstone::decoder {

/// One way to give an operator what it refuses.
struct Refusal {
  std::string_view what; // `an index past the end`, …
  std::string_view text; // an expression over the tensor `A`
};
/// The table. Of a float32 matrix of 2 rows and 3 columns eager refuses each.
std::span<const Refusal> refusals();

/// With Part::kWrongArguments, to few Programs: appends a statement, as the last one, whose operation eager refuses, and gives the
/// name of what it would make, which is to be returned. None: nothing was appended.
std::optional<std::string> addRefusal(DecoderState& state, uint64_t seed);

} // namespace touchstone::decoder
