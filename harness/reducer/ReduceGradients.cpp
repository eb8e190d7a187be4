#include "harness/reducer/CaseEditing.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/language/StatementEditing.h"

#include <algorithm>
#include <utility>

namespace touchstone::reducer {

namespace {

using language::ExprKind;
using language::ExprPtr;

/// The tensor of `tensor.requires_grad_()`, or null.
ExprPtr askedForGradient(const ExprPtr& expr) {
  const bool asks = expr->kind == ExprKind::kCall && expr->children[0]->kind == ExprKind::kAttribute &&
                    expr->children[0]->text == "requires_grad_";
  return asks ? expr->children[0]->children[0] : nullptr;
}

void addWithoutBackward(std::vector<language::Case>& result, const language::Case& theCase) {
  language::Case candidate = theCase;
  for (language::CallSpec& call : candidate.calls) {
    dropBackward(call);
    call.backwardAfter.clear();
  }
  result.push_back(std::move(candidate));
}

} // namespace

std::vector<language::Case> dropGradients(const language::Case& theCase) {
  std::vector<language::Case> result;
  addRewritten(result, theCase, askedForGradient, makesInputs);
  if (!result.empty()) {
    addWithoutBackward(result, result[0]);
    std::swap(result[0], result[1]);
  }
  const bool anyBackward = std::any_of(theCase.calls.begin(), theCase.calls.end(),
                                       [](const language::CallSpec& call) { return call.backward.has_value(); });
  if (anyBackward) {
    addWithoutBackward(result, theCase);
  }
  for (const size_t position : programFirst(theCase)) {
    if (!makesInputs(theCase.functions[position])) {
      continue;
    }
    std::vector<language::Case> each = replaceOne(theCase, position, [](const ExprPtr& expr) {
      const ExprPtr tensor = askedForGradient(expr);
      return tensor != nullptr ? std::vector<ExprPtr>{tensor} : std::vector<ExprPtr>{};
    });
    for (language::Case& candidate : each) {
      for (language::CallSpec& call : candidate.calls) {
        call.wrt.reset(); // leaves have other numbers now
      }
      result.push_back(std::move(candidate));
    }
  }
  return result;
}

} // namespace touchstone::reducer
