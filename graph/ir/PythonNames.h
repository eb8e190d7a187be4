#pragma once

#include "graph/ir/Graph.h"

#include <string>
#include <string_view>
#include <vector>

namespace touchstone::ir {

/// A word that Python keeps for itself: `from`, `lambda`.
bool isPythonKeyword(std::string_view word);

/// `aten::sum` → `torch.ops.aten.sum.default`; what is no operator stays.
std::string pythonOperator(const std::string& target);

/// By node: its name, or one that Python takes for a variable and that hides nothing that printed code uses (`torch`, `float`).
/// They differ from one another.
std::vector<std::string> pythonNames(const Graph& graph);

/// A text as a Python string literal; bytes that are no printable ASCII are escaped where they are control characters.
std::string quotedPython(const std::string& text);

} // namespace touchstone::ir
