#include "harness/reducer/CaseEditing.h"

#include "program/language/StatementEditing.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace touchstone::reducer {

namespace {

using language::BackwardRoot;
using language::ExprKind;
using language::ExprPtr;

void addLeaves(const ExprPtr& item, std::vector<ExprPtr>& leaves) {
  const bool dict = item->kind == ExprKind::kDict;
  if (!dict && item->kind != ExprKind::kTuple && item->kind != ExprKind::kList) {
    leaves.push_back(item);
    return;
  }
  for (size_t i = dict ? 1 : 0; i < item->children.size(); i += dict ? 2 : 1) {
    addLeaves(item->children[i], leaves);
  }
}

void addStatements(const std::vector<language::StatementPtr>& body, std::vector<language::StatementPtr>& result) {
  for (const language::StatementPtr& statement : body) {
    result.push_back(statement);
    addStatements(statement->body, result);
    addStatements(statement->orElse, result);
    if (statement->function) {
      addStatements(statement->function->body, result);
    }
  }
}

/// Case::allBodies(), to be edited.
std::vector<language::Function*> bodiesOf(language::Case& theCase) {
  std::vector<language::Function*> bodies;
  for (language::Function& function : theCase.functions) {
    bodies.push_back(&function);
  }
  for (language::CustomFunction& function : theCase.customFunctions) {
    for (language::Function& method : function.methods) {
      bodies.push_back(&method);
    }
  }
  return bodies;
}

} // namespace

language::Function* findFunction(language::Case& theCase, const std::string& name) {
  for (language::Function& function : theCase.functions) {
    if (function.name == name) {
      return &function;
    }
  }
  return nullptr;
}

std::vector<size_t> programFirst(const language::Case& theCase) {
  std::vector<size_t> positions(theCase.functions.size());
  std::iota(positions.begin(), positions.end(), size_t{0});
  std::stable_partition(positions.begin(), positions.end(),
                        [&](size_t position) { return theCase.functions[position].name == "program"; });
  return positions;
}

std::vector<size_t> bodyPositions(const language::Case& theCase) {
  std::vector<size_t> positions = programFirst(theCase);
  for (size_t position = positions.size(); position < theCase.allBodies().size(); ++position) {
    positions.push_back(position);
  }
  return positions;
}

const language::Function& bodyAt(const language::Case& theCase, size_t position) {
  return *theCase.allBodies().at(position);
}

bool readsName(const language::Function& function, const std::string& name) {
  return std::any_of(function.body.begin(), function.body.end(), [&](const language::StatementPtr& statement) {
    const std::vector<std::string> names = language::namesRead(*statement);
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

language::Case withFunction(const language::Case& theCase, size_t position, language::Function function) {
  language::Case result = theCase;
  *bodiesOf(result).at(position) = std::move(function);
  return result;
}

std::vector<language::StatementPtr> allStatements(const language::Function& function) {
  std::vector<language::StatementPtr> result;
  addStatements(function.body, result);
  return result;
}

std::vector<language::Case> replaceOne(const language::Case& theCase, size_t position,
                                       const Alternatives& alternatives) {
  // Expressions are numbered in the order in which rewriting meets them.
  const language::Function& function = bodyAt(theCase, position);
  std::vector<std::vector<ExprPtr>> choices;
  rewriteExpressions(function, [&](const ExprPtr& expr) -> language::ExprPtr {
    choices.push_back(alternatives(expr));
    return nullptr;
  });
  std::vector<language::Case> result;
  for (size_t number = choices.size(); number-- > 0;) {
    for (const ExprPtr& choice : choices[number]) {
      size_t met = 0;
      result.push_back(
          withFunction(theCase, position, rewriteExpressions(function, [&](const ExprPtr&) -> language::ExprPtr {
                         return met++ == number ? choice : nullptr;
                       })));
    }
  }
  return result;
}

void addRewritten(std::vector<language::Case>& result, const language::Case& theCase, const Rewrite& rewrite,
                  const std::function<bool(const language::Function&)>& fits) {
  language::Case candidate = theCase;
  bool changed = false;
  for (language::Function* function : bodiesOf(candidate)) {
    if (fits(*function)) {
      *function = rewriteExpressions(*function, [&](const ExprPtr& expr) {
        ExprPtr other = rewrite(expr);
        changed = changed || other != nullptr;
        return other;
      });
    }
  }
  if (changed) {
    result.push_back(std::move(candidate));
  }
}

bool makesInputs(const language::Function& function) {
  return language::isInputsName(function.name);
}

bool isAnyFunction(const language::Function&) {
  return true;
}

std::vector<ExprPtr> leavesOf(const std::vector<ExprPtr>& items) {
  std::vector<ExprPtr> leaves;
  for (const ExprPtr& item : items) {
    addLeaves(item, leaves);
  }
  return leaves;
}

bool editInputTuples(language::Case& theCase, size_t which,
                     const std::function<bool(std::vector<ExprPtr>& items)>& edit) {
  for (language::Function& function : theCase.functions) {
    if (!language::isInputsName(function.name)) {
      continue;
    }
    std::vector<ExprPtr> both = returnedItems(function);
    if (both.size() != 2 || both[which]->kind != ExprKind::kTuple) {
      return false;
    }
    std::vector<ExprPtr> items = both[which]->children;
    if (!edit(items)) {
      return false;
    }
    both[which] = language::makeTuple(std::move(items));
    function = withReturned(function, both);
  }
  return true;
}

bool dropParameter(language::Case& theCase, size_t position) {
  const bool fits = editInputTuples(theCase, 0, [&](std::vector<ExprPtr>& items) {
    if (position >= items.size()) {
      return false;
    }
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(position));
    return true;
  });
  if (fits) {
    language::Function& program = *findFunction(theCase, "program");
    program.parameters.erase(program.parameters.begin() + static_cast<std::ptrdiff_t>(position));
    renumberRoots(theCase, {true, static_cast<int>(position)});
  }
  return fits;
}

void renumberRoots(language::Case& theCase, BackwardRoot gone) {
  for (language::CallSpec& call : theCase.calls) {
    if (!call.backward.has_value()) {
      continue;
    }
    std::erase(*call.backward, gone);
    for (BackwardRoot& root : *call.backward) {
      if (root.isArgument == gone.isArgument && root.index > gone.index) {
        --root.index;
      }
    }
    if (call.backward->empty()) {
      dropBackward(call);
    }
  }
}

void dropBackward(language::CallSpec& call) {
  call.backward.reset();
  call.wrt.reset();
  call.via = language::GradientVia::kBackward;
  call.derivatives = 1;
}

} // namespace touchstone::reducer
