#pragma once

#include "backends/aot_autograd/FunctionalGraph.h"

#include <vector>

namespace touchstone::aot_autograd {

// Operators that draw in place draw in the order of the memory, some by other algorithms than their functional forms.
// `target`: what is drawn into; `result`: what the draw looks like, then and now.

/// aten::bernoulli.p gives a contiguous tensor and draws in the order of the dimensions.
ir::NodeId drawInMemoryOrder(FunctionalGraph& out, std::vector<ir::Argument> arguments,
                             const ir::TensorMetadata& target, ir::TensorMetadata& result);

/// aten::normal_ fills this memory number by number.
bool drawsOneByOne(const ir::TensorMetadata& target);
/// aten::normal_functional would draw for a copy without gaps, block by block. Dense memory that is not contiguous is
/// filled one by one, so the numbers are drawn for a transposed matrix of two rows, and an odd one by itself.
ir::NodeId drawNormalOneByOne(FunctionalGraph& out, const std::vector<ir::Argument>& arguments,
                              const ir::TensorMetadata& target, ir::TensorMetadata& result);

} // namespace touchstone::aot_autograd
