#pragma once

#include "oracles/observe/Observation.h"

#include <utility>
#include <vector>

namespace touchstone::observe {

using LocatedTensor = std::pair<Location, at::Tensor>;

/// Writes to each tensor in turn, through an alias of it that autograd does not know, and sees which others change.
///
/// Every element is set to one pattern of bytes, then to another, so that each of its bytes changes in one of them; then
/// all bytes are put back. Version counters stay as they are. Tensors whose elements lie apart from all others are not
/// written: their range of addresses says that nothing can change. `tensors`: outputs, arguments, watched.
std::vector<EffectObservation> probeEffects(const std::vector<LocatedTensor>& tensors);

} // namespace touchstone::observe
