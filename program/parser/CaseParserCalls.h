#pragma once

#include "program/parser/CaseLexer.h"

namespace touchstone::parser {

/// Reads the value of `CALLS`: a list of `dict(key=value, …)` with the closed keys.
std::vector<language::CallSpec> readCalls(const SourceText& source, const language::Expr& list);

/// Reads the value of `COMPILE`.
language::CompileSpec readCompile(const SourceText& source, const language::Expr& dict);

/// Checks what CALLS says against the functions of the Case; `list` gives the places.
void checkCalls(const SourceText& source, const language::Case& theCase, const language::Expr& list);

} // namespace touchstone::parser
