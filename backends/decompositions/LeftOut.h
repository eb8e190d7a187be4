#pragma once

#include <string>
#include <string_view>

namespace touchstone::decompositions {

/// Why an operator that PyTorch's tables decompose has no decomposition here; empty: no reason is known.
std::string_view whyLeftOut(const std::string& target);

/// The text of `docs/decompositions.md`, printed from the tables; a test compares the file with it.
std::string decompositionsDocument();

} // namespace touchstone::decompositions
