#include "harness/reducer/CaseEditing.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/language/StatementEditing.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <utility>

namespace touchstone::reducer {

using language::ExprKind;
using language::ExprPtr;

std::vector<language::Case> dropOutputs(const language::Case& theCase) {
  std::vector<language::Case> result;
  const language::Function* program = theCase.find("program");
  if (program == nullptr) {
    return result;
  }
  const std::vector<ExprPtr> items = returnedItems(*program);
  const std::vector<ExprPtr> leaves = leavesOf(items);
  if (leaves.size() != items.size() || (items.size() == 1 && items[0]->kind == ExprKind::kDict)) {
    language::Case candidate = theCase;
    *findFunction(candidate, "program") = withReturned(*program, leaves, /*tupleOfOne=*/true);
    result.push_back(std::move(candidate));
  }
  for (size_t i = items.size(); i-- > 0;) {
    language::Case candidate = theCase;
    std::vector<ExprPtr> kept = items;
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    const bool wasTuple = program->body.back()->value->kind == ExprKind::kTuple;
    language::Function& edited = *findFunction(candidate, "program");
    edited = withReturned(edited, kept, wasTuple);
    result.push_back(candidate); // what was no tensor had no number
    renumberRoots(candidate, {false, static_cast<int>(i)});
    result.push_back(candidate);
    edited = withReturned(*program, kept);
    result.push_back(std::move(candidate));
  }
  return result;
}

std::vector<language::Case> dropParameters(const language::Case& theCase) {
  std::vector<language::Case> result;
  const language::Function* program = theCase.find("program");
  if (program == nullptr) {
    return result;
  }
  for (size_t i = program->parameters.size(); i-- > 0;) {
    if (readsName(*program, program->parameters[i])) {
      continue;
    }
    language::Case candidate = theCase;
    if (dropParameter(candidate, i)) {
      result.push_back(candidate);
      for (language::CallSpec& call : candidate.calls) {
        call.wrt.reset(); // leaves have other numbers now
      }
      result.push_back(std::move(candidate));
    }
  }
  return result;
}

std::vector<language::Case> dropWatched(const language::Case& theCase) {
  std::vector<language::Case> result;
  size_t longest = 0;
  for (const language::Function& function : theCase.functions) {
    const std::vector<ExprPtr> both =
        language::isInputsName(function.name) ? returnedItems(function) : std::vector<ExprPtr>{};
    longest = both.size() == 2 ? std::max(longest, both[1]->children.size()) : longest;
  }
  for (size_t i = longest; i-- > 0;) {
    language::Case candidate = theCase;
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

std::vector<language::Case> mergeInputs(const language::Case& theCase) {
  std::vector<language::Case> result;
  const std::vector<std::string> parameters = theCase.program().parameters;
  for (size_t gone = parameters.size(); gone-- > 1;) {
    for (size_t kept = 0; kept < gone; ++kept) {
      language::Case candidate = theCase;
      language::Function& program = *findFunction(candidate, "program");
      program = rewriteExpressions(program, [&](const ExprPtr& expr) {
        const bool hit = expr->kind == ExprKind::kName && expr->text == parameters[gone];
        return hit ? language::makeName(parameters[kept]) : nullptr;
      });
      if (dropParameter(candidate, gone)) {
        for (language::CallSpec& call : candidate.calls) {
          call.wrt.reset(); // leaves have other numbers now
        }
        result.push_back(std::move(candidate));
      }
    }
  }
  return result;
}

std::vector<language::Case> dropFunctions(const language::Case& theCase) {
  std::vector<language::Case> result = {language::withoutUnusedFunctions(theCase)};
  for (size_t i = 0; i < theCase.customFunctions.size(); ++i) {
    if (theCase.customFunctions[i].isOnceDifferentiable) {
      result.push_back(theCase);
      result.back().customFunctions[i].isOnceDifferentiable = false;
    }
  }
  for (size_t i = 0; i < theCase.customOperators.size(); ++i) {
    const language::CustomOperator& made = theCase.customOperators[i];
    const auto without = [&](auto... parts) {
      result.push_back(theCase);
      ((result.back().customOperators[i].*parts).reset(), ...);
    };
    if (made.backward) {
      without(&language::CustomOperator::backward, &language::CustomOperator::setupContext);
    }
    if (made.setupContext) {
      without(&language::CustomOperator::setupContext);
    }
    if (made.fake) {
      without(&language::CustomOperator::fake);
    }
  }
  return result;
}

} // namespace touchstone::reducer
