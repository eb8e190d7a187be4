#pragma once

#include "graph/program/Case.h"

#include <functional>
#include <string>
#include <vector>

namespace touchstone::harness {

/// What becomes of a statement.
enum class Fate { kKeep, kDrop, kUnwrap };

/// The statement without its blocks: the header of an `if`, a `for`, …
graph::Statement ownPart(const graph::Statement& statement);

/// The body with each statement dealt with by its number, those inside blocks included, in the order of the text. A block that loses all of its body is dropped; kUnwrap puts a
/// block's body in its place and keeps other statements.
std::vector<graph::StatementPtr> editStatements(const std::vector<graph::StatementPtr>& body,
                                                const std::vector<Fate>& fates);

/// The body with one statement, found by identity, replaced.
std::vector<graph::StatementPtr> replaceStatement(const std::vector<graph::StatementPtr>& body,
                                                  const graph::StatementPtr& old,
                                                  const graph::StatementPtr& replacement);

/// Drops every statement that reads a name that nothing before it defines any more, and leaves such names out of what is
/// returned. Names that `before` never defined (`torch`, functions) are left alone.
graph::Function withoutDangling(graph::Function function, const graph::Function& before);

/// The function with `rewrite` applied to every expression, inner ones first; null from it keeps the expression.
graph::Function rewriteExpressions(const graph::Function& function,
                                   const std::function<graph::ExprPtr(const graph::ExprPtr&)>& rewrite);

/// The items that a function returns: those of a tuple, or the one value.
std::vector<graph::ExprPtr> returnedItems(const graph::Function& function);
/// The function returning these instead; with none a bare `return`. One item stands alone, as the printer would write it.
graph::Function withReturned(const graph::Function& function, const std::vector<graph::ExprPtr>& items,
                             bool tupleOfOne = false);

} // namespace touchstone::harness
