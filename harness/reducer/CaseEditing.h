#pragma once

#include "program/language/Case.h"

#include <functional>
#include <string>
#include <vector>

namespace touchstone::reducer {

/// The function of that name, to be edited; null when there is none.
language::Function* findFunction(language::Case& theCase, const std::string& name);

/// Positions of the functions, that of the Program before the others.
std::vector<size_t> programFirst(const language::Case& theCase);
/// The same, and behind them the positions of the methods of custom functions and of classes, as Case::allBodies() has them.
std::vector<size_t> bodyPositions(const language::Case& theCase);
const language::Function& bodyAt(const language::Case& theCase, size_t position);

bool readsName(const language::Function& function, const std::string& name);

/// The Case with another function or method at that position.
language::Case withFunction(const language::Case& theCase, size_t position, language::Function function);

/// All statements, those inside blocks included, in the order of the text, as editStatements() numbers them.
std::vector<language::StatementPtr> allStatements(const language::Function& function);

/// What may take an expression's place, the boldest first.
using Alternatives = std::function<std::vector<language::ExprPtr>(const language::ExprPtr& expr)>;
/// The Cases in which one expression of the body at that position is another, from the last expression to the first.
std::vector<language::Case> replaceOne(const language::Case& theCase, size_t position,
                                       const Alternatives& alternatives);

/// Adds the Case with every expression of the functions and methods that `fits` rewritten, if that changes any.
using Rewrite = std::function<language::ExprPtr(const language::ExprPtr& expr)>;
void addRewritten(std::vector<language::Case>& result, const language::Case& theCase, const Rewrite& rewrite,
                  const std::function<bool(const language::Function&)>& fits);
bool makesInputs(const language::Function& function);
bool isAnyFunction(const language::Function& function);

/// What is inside tuples, lists and dicts, in order: outputs are numbered over these.
std::vector<language::ExprPtr> leavesOf(const std::vector<language::ExprPtr>& items);

/// Edits the first (arguments) or second (watched) tuple that each `inputs` function returns; false when one does not fit.
bool editInputTuples(language::Case& theCase, size_t which,
                     const std::function<bool(std::vector<language::ExprPtr>& items)>& edit);

/// Takes the parameter from the Program and from what the `inputs` functions return, and renumbers the roots of backwards;
/// false when an `inputs` function does not fit.
bool dropParameter(language::Case& theCase, size_t position);

/// Backward roots after the root `gone` is no more and those behind it moved up.
void renumberRoots(language::Case& theCase, language::BackwardRoot gone);
void dropBackward(language::CallSpec& call);

} // namespace touchstone::reducer
