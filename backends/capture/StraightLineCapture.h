#pragma once

#include "graph/ir/Graph.h"
#include "graph/program/Case.h"
#include "graph/program/Value.h"

#include <string>

namespace touchstone::backends {

/// Everything about a call that a straight-line Graph was specialized on: the same key means that the Graph may be run.
/// Of tensors: dtype, sizes, strides, offset, requires_grad, leaf or view, identity and overlap among the inputs; of
/// other arguments: the value; grad mode, inference mode and autocast. Throws graph::Unsupported for kinds of arguments
/// that cannot be specialized on (modules).
std::string specializationKey(const graph::ValueList& arguments);

/// Tensors among the arguments, in order, lists and tuples flattened: the inputs of a captured Graph.
std::vector<at::Tensor> tensorInputs(const graph::ValueList& arguments);

/// Runs the Case's program once on copies of the arguments (aliasing among them kept, the arguments themselves and the
/// default generator left as they were) and records the operators that it calls as a Graph, specialized on the key
/// above. Throws graph::Unsupported, with the reason, where a straight-line Graph of operators cannot stand for the
/// program: values read from tensor data, hooks, custom autograd functions, modules, gradients taken inside.
graph::Graph captureStraightLine(const graph::Case& theCase, const graph::ValueList& arguments);

} // namespace touchstone::backends
