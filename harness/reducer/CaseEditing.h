#pragma once

#include "graph/program/Case.h"

#include <functional>
#include <string>
#include <vector>

namespace touchstone::harness {

/// The function of that name, to be edited; null when there is none.
graph::Function* findFunction(graph::Case& theCase, const std::string& name);

/// Positions of the functions, that of the Program before the others.
std::vector<size_t> programFirst(const graph::Case& theCase);

bool readsName(const graph::Function& function, const std::string& name);

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
