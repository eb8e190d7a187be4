#include "harness/ReductionPasses.h"
#include "harness/StatementEditing.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace touchstone::harness {

namespace {

using graph::BackwardRoot;
using graph::ExprKind;
using graph::ExprPtr;

graph::Function* findFunction(graph::Case& theCase, const std::string& name) {
  for (graph::Function& function : theCase.functions) {
    if (function.name == name) {
      return &function;
    }
  }
  return nullptr;
}

/// Backward roots after the root `gone` is no more and those behind it moved up.
void renumberRoots(graph::Case& theCase, BackwardRoot gone) {
  for (graph::CallSpec& call : theCase.calls) {
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
      call.backward.reset();
      call.wrt.reset();
      call.via = graph::GradientVia::kBackward;
    }
  }
}

/// What is inside containers, in order: roots are numbered over these.
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

bool readsName(const graph::Function& function, const std::string& name) {
  return std::any_of(function.body.begin(), function.body.end(), [&](const graph::StatementPtr& statement) {
    const std::vector<std::string> names = graph::namesRead(*statement);
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

/// Edits the first (arguments) or second (watched) tuple that each inputs function returns; false when one does not fit.
template <class Edit>
bool editInputTuples(graph::Case& theCase, size_t which, Edit edit) {
  for (graph::Function& function : theCase.functions) {
    if (!isInputsFunction(function)) {
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
    both[which] = graph::makeTuple(std::move(items));
    function = withReturned(function, both);
  }
  return true;
}

} // namespace

std::vector<graph::Case> dropOutputs(const graph::Case& theCase) {
  std::vector<graph::Case> result;
  const graph::Function* program = theCase.find("program");
  if (program == nullptr) {
    return result;
  }
  const std::vector<ExprPtr> items = returnedItems(*program);
  std::vector<ExprPtr> leaves;
  for (const ExprPtr& item : items) {
    addLeaves(item, leaves);
  }
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
    graph::Function& edited = *findFunction(candidate, "program");
    edited.parameters.erase(edited.parameters.begin() + static_cast<std::ptrdiff_t>(i));
    const bool fits = editInputTuples(candidate, 0, [&](std::vector<ExprPtr>& items) {
      if (i >= items.size()) {
        return false;
      }
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    });
    if (fits) {
      renumberRoots(candidate, {true, static_cast<int>(i)});
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
    const std::vector<ExprPtr> both = isInputsFunction(function) ? returnedItems(function) : std::vector<ExprPtr>{};
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

std::vector<graph::Case> dropFunctions(const graph::Case& theCase) {
  std::set<std::string> used{"program"};
  for (const graph::CallSpec& call : theCase.calls) {
    for (const std::optional<std::string>& name : {call.inputs, call.between}) {
      if (name.has_value()) {
        used.insert(*name);
      }
    }
  }
  for (const graph::Function& function : theCase.functions) {
    for (const graph::StatementPtr& statement : function.body) {
      for (const std::string& name : graph::namesRead(*statement)) {
        used.insert(name);
      }
    }
  }
  graph::Case candidate = theCase;
  std::erase_if(candidate.functions, [&](const graph::Function& function) { return used.count(function.name) == 0; });
  std::erase_if(candidate.customFunctions, [&](const std::string& name) { return used.count(name) == 0; });
  return {candidate};
}

} // namespace touchstone::harness
