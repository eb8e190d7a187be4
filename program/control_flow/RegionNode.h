#pragma once

#include "program/control_flow/Region.h"

namespace touchstone::control_flow {

/// Makes the results those of a node of autograd's graph, whose backward calls the operator of the region's backward. Gradients that
/// it makes have no history, as PyTorch's have none. Raises what there is to raise where the region has no backward, when that runs.
TensorList withHistory(const std::shared_ptr<const Region>& region, const TensorList& arguments,
                       const TensorList& results);

} // namespace touchstone::control_flow
