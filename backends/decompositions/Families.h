#pragma once

#include "backends/decompositions/DecompositionTable.h"

// Each adds the decompositions of one family of operators. Formulas are those of torch/_decomp/decompositions.py and
// torch/_refs, where rounding in dtypes narrower than float32 is theirs as well: computed in float32, rounded once.

namespace touchstone::decompositions {

void addActivations(DecompositionTable& table);
void addActivationGradients(DecompositionTable& table);
void addElementwise(DecompositionTable& table);
/// Transcendental functions that are undefined or limits in places: xlogy, logaddexp, sinc, ...
void addLimits(DecompositionTable& table);
/// What picks elements of one operand or another: clamp, masked_fill, isin, ...
void addSelections(DecompositionTable& table);
void addLosses(DecompositionTable& table);
/// Losses whose targets are classes.
void addClassLosses(DecompositionTable& table);
void addReductions(DecompositionTable& table);
void addNorms(DecompositionTable& table);
void addSoftmax(DecompositionTable& table);
void addViewCopies(DecompositionTable& table);
void addViewGradients(DecompositionTable& table);
void addIndexing(DecompositionTable& table);
void addRearrangements(DecompositionTable& table);
void addPadding(DecompositionTable& table);
void addSlidingBlocks(DecompositionTable& table);
void addBatchNormalization(DecompositionTable& table);
void addNormalization(DecompositionTable& table);
void addProducts(DecompositionTable& table);
void addPooling(DecompositionTable& table);
void addInterpolation(DecompositionTable& table);
void addGridSampler(DecompositionTable& table);
void addAttention(DecompositionTable& table);
/// Those of default_decompositions that are nowhere else: some differ from eager's kernels, see LeftOut.cpp.
void addDefaultsAlone(DecompositionTable& table);

} // namespace touchstone::decompositions
