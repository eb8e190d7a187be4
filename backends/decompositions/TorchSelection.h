#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::decompositions {

/// Of lists of names with spaces between them, without `aten::`: the names as a Graph has them.
std::vector<std::string> targetsIn(std::initializer_list<std::string_view> lists);

// The operators that tables of PyTorch 2.13 decompose, as a Graph names them (`aten::add.Scalar`): those that write to
// nothing, since functionalization leaves no others, and that are not computed by others before autograd sees them.

/// torch/_inductor/decomposition.py, select_decomp_table().
const std::vector<std::string>& inductorSelection();
/// torch/_decomp/__init__.py, core_aten_decompositions().
const std::vector<std::string>& coreSelection();
/// torch/_functorch/compilers.py, default_decompositions.
const std::vector<std::string>& defaultSelection();

} // namespace touchstone::decompositions
