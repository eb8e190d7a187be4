#pragma once

#include "program/language/Case.h"

#include <functional>
#include <string>
#include <vector>

namespace touchstone::language {

/// What becomes of a statement.
enum class Fate { kKeep, kDrop, kUnwrap };

/// The statement without its blocks: the header of an `if`, a `for`, …
Statement ownPart(const Statement& statement);

/// The body with each statement dealt with by its number, those inside blocks included, in the order of the text. A block of
/// which nothing is left is dropped, one of which the `else` is left gets a `pass`; kUnwrap puts a block's body in its place
/// and keeps other statements.
std::vector<StatementPtr> editStatements(const std::vector<StatementPtr>& body, const std::vector<Fate>& fates);

/// The body with one statement, found by identity, replaced.
std::vector<StatementPtr> replaceStatement(const std::vector<StatementPtr>& body, const StatementPtr& old,
                                           const StatementPtr& replacement);

/// The same with any number of statements in its place.
std::vector<StatementPtr> replaceStatements(const std::vector<StatementPtr>& body, const StatementPtr& old,
                                            const std::vector<StatementPtr>& replacements);

/// Drops every statement that reads a name that nothing before it defines any more, and leaves such names out of what is
/// returned. Names that `before` never defined (`torch`, functions) are left alone.
Function withoutDangling(Function function, const Function& before);

/// The function with `rewrite` applied to every expression, inner ones first; null from it keeps the expression.
Function rewriteExpressions(const Function& function, const std::function<ExprPtr(const ExprPtr&)>& rewrite);

/// The items that a function returns: those of a tuple, or the one value.
std::vector<ExprPtr> returnedItems(const Function& function);
/// The function returning these instead; with none a bare `return`. One item stands alone, as the printer would write it.
Function withReturned(const Function& function, const std::vector<ExprPtr>& items, bool tupleOfOne = false);

/// The names that the function reads, and those of the operators that it calls by their paths.
void forEachNameRead(const Case& theCase, const Function& function, const NameVisitor& visit);

/// The Case with its custom operators in namespaces of their own: `mine_first::scale` of `mine::scale`. A process knows one operator
/// of a name.
Case withOperatorSpaces(Case theCase, const std::string& suffix);

/// Without the functions, custom ones included, that nothing refers to.
Case withoutUnusedFunctions(Case theCase);

} // namespace touchstone::language
