#pragma once

#include "program/language/Ast.h"

#include <string>
#include <vector>

namespace touchstone::parser {

/// `torch.nn.functional.relu` as its parts; empty when the expression is no chain of names.
std::vector<std::string> dottedPath(const language::Expr& expr);
std::string joined(const std::vector<std::string>& path);

} // namespace touchstone::parser
