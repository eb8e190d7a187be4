#pragma once

#include <torch/csrc/autograd/function.h>

namespace touchstone::fake {

/// Calls the node. Where the derivative that comes with libtorch reads values to choose its formula, another one is computed that
/// gives the same without reading any, so that it can be traced:
///
/// - of `max()`, `min()`, `median()` and `nanmedian()` of a whole tensor: the gradient is shared evenly by all elements that
///   are equal to the result, or, where that is NaN, by all that are NaN (FunctionsManual.cpp, evenly_distribute_backward);
/// - of `prod()`, of a whole tensor and along a dimension: with and without zeros (FunctionsManual.cpp, prod_backward).
torch::autograd::variable_list callWithoutReadingValues(torch::autograd::Node& node,
                                                        torch::autograd::variable_list gradients);

} // namespace touchstone::fake
