#pragma once

#include "graph/program/Ast.h"

#include <string>

namespace touchstone::harness {

/// The last part of what is called, without the overload: `torch.ops.aten.mm.default`, `torch.mm` and `x.mm` are `mm`.
std::string calleeName(const graph::Expr& callee);

} // namespace touchstone::harness
