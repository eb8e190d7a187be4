#include "program/parser/LanguageNames.h"
#include "program/language/StatementEditing.h"
#include "harness/reducer/CaseEditing.h"
#include "harness/reducer/ReductionPasses.h"

#include <algorithm>
#include <utility>

namespace touchstone::harness {

using graph::ExprKind;
using graph::ExprPtr;

std::vector<graph::Case> dropOutputs(const graph::Case& theCase) {
  std::vector<graph::Case> result;
  const graph::Function* program = theCase.find("program");
  if (program == nullptr) {
    return result;
  }
  const std::vector<ExprPtr> items = returnedItems(*program);
  const std::vector<ExprPtr> leaves = leavesOf(items);
  if (leaves.size() != items.size() || (items.size() == 1 && items[0]->kind == ExprKind::kDict)) {
    graph::Case candidate = theCase;
    *findFunction(candidate, "program") = withReturned(*program, leaves, /*tupleOfOne=*/true);
    result.push_back(std::move(candidate));
  }
  for (size_t i = items.size(); i-- > 0;) {
    graph::Case candidate = theCase;
    std::vector<ExprPtr> kept = items;
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    const bool wasTuple = program->body.back()->value->kind == ExprKind::kTuple;
    graph::Function& edited = *findFunction(candidate, "program");
    edited = withReturned(edited, kept, wasTuple);
    result.push_back(candidate); // what was no tensor had no number
    renumberRoots(candidate, {false, static_cast<int>(i)});
    result.push_back(candidate);
    edited = withReturned(*program, kept);
    result.push_back(std::move(candidate));
  }
  return result;
}

std::vector<graph::Case> dropParameters(const graph::Case& theCase) {
  std::vector<graph::Case> result;
  const graph::Function* program = theCase.find("program");
  if (program == nullptr) {
    return result;
  }
  for (size_t i = program->parameters.size(); i-- > 0;) {
    if (readsName(*program, program->parameters[i])) {
      continue;
    }
    graph::Case candidate = theCase;
    if (dropParameter(candidate, i)) {
      result.push_back(candidate);
      for (graph::CallSpec& call : candidate.calls) {
        call.wrt.reset(); // leaves have other numbers now
      }
      result.push_back(std::move(candidate));
    }
  }
  return result;
}

std::vector<graph::Case> dropWatched(const graph::Case& theCase) {
  std::vector<graph::Case> result;
  size_t longest = 0;
  for (const graph::Function& function : theCase.functions) {
    const std::vector<ExprPtr> both =
        graph::isInputsName(function.name) ? returnedItems(function) : std::vector<ExprPtr>{};
    longest = both.size() == 2 ? std::max(longest, both[1]->children.size()) : longest;
  }
  for (size_t i = longest; i-- > 0;) {
    graph::Case candidate = theCase;
    const bool fits = editInputTuples(candidate, 1, [&](std::vector<ExprPtr>& items) {
      if (i < items.size()) {
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
      }
      return true;
    });
    if (fits) {
      result.push_back(std::move(candidate));
    }
  }
  return result;
}

std::vector<graph::Case> mergeInputs(const graph::Case& theCase) {
  std::vector<graph::Case> result;
  const std::vector<std::string> parameters = theCase.program().parameters;
  for (size_t gone = parameters.size(); gone-- > 1;) {
    for (size_t kept = 0; kept < gone; ++kept) {
      graph::Case candidate = theCase;
      graph::Function& program = *findFunction(candidate, "program");
      program = rewriteExpressions(program, [&](const ExprPtr& expr) {
        const bool hit = expr->kind == ExprKind::kName && expr->text == parameters[gone];
        return hit ? graph::makeName(parameters[kept]) : nullptr;
      });
      if (dropParameter(candidate, gone)) {
        for (graph::CallSpec& call : candidate.calls) {
          call.wrt.reset(); // leaves have other numbers now
        }
        result.push_back(std::move(candidate));
      }
    }
  }
  return result;
}

std::vector<graph::Case> dropFunctions(const graph::Case& theCase) {
  return {graph::withoutUnusedFunctions(theCase)};
}

} // namespace touchstone::harness
