#pragma once

#include "graph/program/Value.h"

#include <string>
#include <vector>

namespace touchstone::backends {

/// Everything about a call that compiled code was specialized on: the same key means that the code may be run. Of tensors:
/// dtype, sizes, strides, offset, conjugate and negative bit, requires_grad, leaf, view and its base, identity and overlap
/// among the inputs; of lists, dicts and modules: identity and contents; of other arguments: the value; grad mode,
/// inference mode, autocast and default dtype. Throws
/// graph::Unsupported for kinds of arguments that cannot be specialized on (tensors that are not strided, hook handles).
std::string specializationKey(const graph::ValueList& arguments);

/// Tensors among the arguments, in order, lists and tuples flattened: the inputs of a captured Graph.
std::vector<at::Tensor> tensorInputs(const graph::ValueList& arguments);

} // namespace touchstone::backends
