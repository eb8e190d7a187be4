#pragma once

#include "program/parser/CaseLexer.h"

namespace touchstone::graph {

/// Reads the value of `CALLS`: a list of `dict(key=value, …)` with the closed keys.
std::vector<CallSpec> readCalls(const SourceText& source, const Expr& list);

/// Reads the value of `COMPILE`.
CompileSpec readCompile(const SourceText& source, const Expr& dict);

/// Checks what CALLS says against the functions of the Case; `list` gives the places.
void checkCalls(const SourceText& source, const Case& theCase, const Expr& list);

} // namespace touchstone::graph
