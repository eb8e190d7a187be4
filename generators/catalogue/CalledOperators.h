#pragma once

#include "generators/catalogue/Exclusions.h"
#include "program/language/Ast.h"

#include <string>
#include <vector>

namespace touchstone::catalogue {

/// What statements call, as the catalogue calls the plain forms: `x + y` and `torch.add(x, y)` are `add`, `x += y` is `add_`,
/// `torch.autograd.grad(…)` is `autograd_grad`. Each once.
std::vector<std::string> operatorsCalled(const std::vector<language::StatementPtr>& statements);

/// Whether one of these is excluded; its entry is noted. Null: nothing is.
bool refusesCalled(Exclusions* exclusions, const std::vector<std::string>& called);

} // namespace touchstone::catalogue
