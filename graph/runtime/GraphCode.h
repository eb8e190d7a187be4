#pragma once

#include "graph/ir/GraphDrawing.h"
#include "graph/ir/GraphText.h"

#include <string>

namespace at {
class Tensor;
}

namespace touchstone::runtime {

/// The only element of a tensor as Python writes it: `True`, `0.5`, `complex(1.0, float("inf"))`.
std::string elementText(const at::Tensor& element);

/// Options with which graphCode() writes operators as their schemas have them (defaults left out, keywords by name) and
/// numbers where they are used and
/// other constants of one element by their value.
ir::GraphTextOptions libtorchTextOptions();

/// By its tags, its schema, and, for products and copies, its name.
ir::OperatorFamily familyOf(const std::string& target);

/// By its schema, the operator returns a view of an argument and writes to none.
bool returnsView(const std::string& target);

} // namespace touchstone::runtime
