#pragma once

#include <set>
#include <string>

namespace touchstone::language {

const std::set<std::string>& dtypeNames(); // `float32` of `torch.float32`
/// NAME of `torch.NAME` that is a value and no operator: dtypes, also by their other names, memory formats, layouts, numbers.
const std::set<std::string>& torchConstants();

} // namespace touchstone::language
