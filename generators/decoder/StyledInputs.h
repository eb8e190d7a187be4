#pragma once

#include "generators/catalogue/Draw.h"
#include "generators/catalogue/Recipe.h"
#include "generators/decoder/DecoderState.h"
#include "generators/decoder/InputSpecification.h"

#include <cstdint>
#include <vector>

namespace touchstone::decoder {

/// What is drawn of a Program that wants gradients, beside what records draw: some of `inputs` make room for arguments that
/// require grad, at least two of which have one shape and one dtype, and the others broadcast with them or are multiplied with
/// them as matrices. Features that want none change nothing.
///
/// `seed`: of the Case's first input record. Throws nothing; with dtypes excluded there may be nothing that can require grad.
void addLeaves(InputSpecification& inputs, uint64_t seed, const catalogue::Features& features, int64_t maximumElements,
               int maximumRank);

/// Appends statements that put leaves which nothing has read together with what the Program computed last, as far as they
/// broadcast: then a backward goes to them, too.
void joinUnreadLeaves(DecoderState& state, uint64_t seed);

/// The number of elements along the last dimension that the arguments of a large Case share; see Features::large.
int64_t largeExtent(uint64_t seed);
/// Makes the last dimension that long, where all elements stay below the maximum.
void enlarge(std::vector<int64_t>& sizes, int64_t extent, int64_t maximumElements);

} // namespace touchstone::decoder
