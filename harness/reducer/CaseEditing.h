#pragma once

#include "program/language/Case.h"

#include <functional>
#include <string>
#include <vector>

namespace touchstone::harness {

/// The function of that name, to be edited; null when there is none.
graph::Function* findFunction(graph::Case& theCase, const std::string& name);

/// Positions of the functions, that of the Program before the others.
std::vector<size_t> programFirst(const graph::Case& theCase);

bool readsName(const graph::Function& function, const std::string& name);

/// The Case with another function at that position.
graph::Case withFunction(const graph::Case& theCase, size_t position, graph::Function function);

/// All statements, those inside blocks included, in the order of the text, as editStatements() numbers them.
std::vector<graph::StatementPtr> allStatements(const graph::Function& function);

/// What may take an expression's place, the boldest first.
using Alternatives = std::function<std::vector<graph::ExprPtr>(const graph::ExprPtr& expr)>;
/// The Cases in which one expression of the function at that position is another, from the last expression to the first.
std::vector<graph::Case> replaceOne(const graph::Case& theCase, size_t position, const Alternatives& alternatives);

/// Adds the Case with every expression of the functions that `fits` rewritten, if that changes any.
using Rewrite = std::function<graph::ExprPtr(const graph::ExprPtr& expr)>;
void addRewritten(std::vector<graph::Case>& result, const graph::Case& theCase, const Rewrite& rewrite,
                  const std::function<bool(const graph::Function&)>& fits);
bool makesInputs(const graph::Function& function);
bool isAnyFunction(const graph::Function& function);

/// What is inside tuples, lists and dicts, in order: outputs are numbered over these.
std::vector<graph::ExprPtr> leavesOf(const std::vector<graph::ExprPtr>& items);

/// Edits the first (arguments) or second (watched) tuple that each `inputs` function returns; false when one does not fit.
bool editInputTuples(graph::Case& theCase, size_t which,
                     const std::function<bool(std::vector<graph::ExprPtr>& items)>& edit);

/// Takes the parameter from the Program and from what the `inputs` functions return, and renumbers the roots of backwards;
/// false when an `inputs` function does not fit.
bool dropParameter(graph::Case& theCase, size_t position);

/// Backward roots after the root `gone` is no more and those behind it moved up.
void renumberRoots(graph::Case& theCase, graph::BackwardRoot gone);
void dropBackward(graph::CallSpec& call);

} // namespace touchstone::harness
