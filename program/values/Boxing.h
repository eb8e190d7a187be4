#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <functional>

namespace touchstone::values {

/// Turns a value on the dispatcher's stack into an Argument of a Graph. `schema` tells dtypes and the like from plain
/// ints; `ofTensor` gives the Argument of each defined tensor. Throws std::invalid_argument for kinds of values that a
/// Graph cannot hold (generators, streams, custom classes).
ir::Argument unboxArgument(const c10::IValue& value, const c10::Argument& schema,
                           const std::function<ir::Argument(const at::Tensor&)>& ofTensor);

/// The other way; `ofNode` gives the value of a referenced node.
c10::IValue boxArgument(const ir::Argument& argument, const c10::Argument& schema,
                        const std::function<c10::IValue(ir::NodeId)>& ofNode);

/// True when a NodeReference is anywhere inside.
bool refersToNode(const ir::Argument& argument);

} // namespace touchstone::values
