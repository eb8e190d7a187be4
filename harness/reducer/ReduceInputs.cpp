#include "harness/reducer/CaseEditing.h"
#include "harness/reducer/CaseSize.h"
#include "harness/reducer/InputViews.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/language/StatementEditing.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

// What the tensors that a Program gets are like: rank, sizes, strides, dtype, values.

namespace touchstone::reducer {

namespace {

using language::ExprKind;
using language::ExprPtr;

using Numbers = std::vector<int64_t>;

/// A call with each tuple of integers among its arguments as `change` makes it, which gets the name of what is called; null
/// when it leaves all as they are.
ExprPtr withTuples(const ExprPtr& expr, const std::function<Numbers(const std::string& callee, Numbers)>& change) {
  if (expr->kind != ExprKind::kCall) {
    return nullptr;
  }
  std::shared_ptr<language::Expr> edited;
  for (size_t i = 1; i < expr->children.size(); ++i) {
    const auto numbers = integersOf(*expr->children[i]);
    const Numbers changed = numbers ? change(expr->children[0]->text, *numbers) : Numbers{};
    if (numbers && changed != *numbers) {
      edited = edited ? edited : std::make_shared<language::Expr>(*expr);
      auto item = std::make_shared<language::Expr>(*tupleOf(changed));
      item->kind = expr->children[i]->kind; // a list stays one
      edited->children[i] = std::move(item);
    }
  }
  return edited;
}

/// Without that dimension; of what orders dimensions, the dimension's number goes and those above move down.
Numbers withoutDimension(const std::string& callee, const Numbers& numbers, size_t dimension) {
  Numbers result = numbers;
  if (callee != "permute") {
    result.erase(result.begin() + static_cast<std::ptrdiff_t>(dimension));
    return result;
  }
  std::erase(result, static_cast<int64_t>(dimension));
  for (int64_t& number : result) {
    number -= number > static_cast<int64_t>(dimension) ? 1 : 0;
  }
  return result;
}

/// Lengths of the tuples of integers in `inputs` functions, the longest first.
std::set<size_t, std::greater<>> ranksOf(const language::Case& theCase) {
  std::set<size_t, std::greater<>> ranks;
  for (const language::Function& function : theCase.functions) {
    rewriteExpressions(function, [&](const ExprPtr& expr) -> language::ExprPtr {
      if (makesInputs(function)) {
        withTuples(expr, [&](const std::string&, Numbers numbers) {
          ranks.insert(numbers.size());
          return numbers;
        });
      }
      return nullptr;
    });
  }
  ranks.erase(0);
  return ranks;
}

/// What each name of the function was assigned, of those that are assigned once.
std::map<std::string, ExprPtr> definitionsOf(const language::Function& function) {
  std::map<std::string, ExprPtr> definitions;
  std::set<std::string> seen;
  for (const language::StatementPtr& statement : allStatements(function)) {
    for (const std::string& name : language::namesWritten(language::ownPart(*statement))) {
      if (!seen.insert(name).second) {
        definitions.erase(name);
      } else if (statement->kind == language::StatementKind::kAssign && statement->targets.size() == 1) {
        definitions.emplace(name, statement->value);
      }
    }
  }
  return definitions;
}

/// The view with plainer strides, and fresh memory of its sizes.
std::vector<ExprPtr> plainerLayouts(const ExprPtr& expr, const Definition& definition) {
  std::vector<ExprPtr> result;
  if (expr->kind != ExprKind::kCall || isDataCall(*expr)) {
    return result;
  }
  if (const auto view = viewOfData(expr, definition)) {
    auto fresh = std::make_shared<language::Expr>(*view->data);
    fresh->children[1] = tupleOf(view->sizes);
    result.push_back(std::move(fresh));
  }
  if (const auto strided = stridedView(*expr)) {
    Numbers contiguous(strided->sizes.size(), 1);
    for (size_t i = contiguous.size(); i-- > 1;) {
      contiguous[i - 1] = contiguous[i] * strided->sizes[i];
    }
    const auto add = [&](const Numbers& strides, int64_t offset) {
      std::vector<ExprPtr> arguments{strided->base, tupleOf(strided->sizes), tupleOf(strides)};
      if (offset != 0) {
        arguments.push_back(language::makeInt(offset));
      }
      result.push_back(language::makeCall(language::makeDotted("torch.as_strided"), std::move(arguments)));
    };
    add(contiguous, 0);
    add(contiguous, strided->offset);
    add(strided->strides, 0);
  }
  return result;
}

} // namespace

std::vector<language::Case> dropDimensions(const language::Case& theCase) {
  std::vector<language::Case> result;
  const std::set<size_t, std::greater<>> ranks = ranksOf(theCase);
  for (const size_t rank : ranks) {
    for (size_t dimension = rank; dimension-- > 0;) {
      const Rewrite drop = [&](const ExprPtr& expr) {
        return withTuples(expr, [&](const std::string& callee, Numbers numbers) {
          return numbers.size() == rank ? withoutDimension(callee, numbers, dimension) : numbers;
        });
      };
      addRewritten(result, theCase, drop, isAnyFunction);
      addRewritten(result, theCase, drop, makesInputs);
    }
  }
  for (const size_t position : programFirst(theCase)) {
    if (makesInputs(theCase.functions[position])) {
      for (size_t fromEnd = 0; !ranks.empty() && fromEnd < *ranks.begin(); ++fromEnd) {
        std::vector<language::Case> each = replaceOne(theCase, position, [&](const ExprPtr& expr) {
          const ExprPtr edited = withTuples(expr, [&](const std::string& callee, Numbers numbers) {
            return fromEnd < numbers.size() ? withoutDimension(callee, numbers, numbers.size() - 1 - fromEnd) : numbers;
          });
          return edited ? std::vector<ExprPtr>{edited} : std::vector<ExprPtr>{};
        });
        std::move(each.begin(), each.end(), std::back_inserter(result));
      }
    }
  }
  return result;
}

std::vector<language::Case> shrinkSizes(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (const int64_t most : {1, 2}) {
    addRewritten(
        result, theCase,
        [&](const ExprPtr& expr) {
          return withTuples(expr, [&](const std::string& callee, Numbers numbers) {
            for (int64_t& number : numbers) {
              number = callee == "permute" ? number : std::min(number, most);
            }
            return numbers;
          });
        },
        makesInputs);
  }
  for (const size_t position : programFirst(theCase)) {
    if (!makesInputs(theCase.functions[position])) {
      continue;
    }
    for (const int64_t smaller : {1, 2}) {
      std::vector<language::Case> each = replaceOne(theCase, position, [&](const ExprPtr& expr) {
        std::vector<ExprPtr> alternatives;
        const auto numbers = integersOf(*expr);
        for (size_t i = 0; numbers && i < numbers->size(); ++i) {
          Numbers changed = *numbers;
          changed[i] = smaller;
          if ((*numbers)[i] > smaller && expr->kind == ExprKind::kTuple) {
            alternatives.push_back(tupleOf(changed));
          }
        }
        return alternatives;
      });
      std::move(each.begin(), each.end(), std::back_inserter(result));
    }
  }
  return result;
}

std::vector<language::Case> simplifyLayouts(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (const size_t position : programFirst(theCase)) {
    if (!makesInputs(theCase.functions[position])) {
      continue;
    }
    const std::map<std::string, ExprPtr> definitions = definitionsOf(theCase.functions[position]);
    const Definition definition = [&](const std::string& name) {
      const auto found = definitions.find(name);
      return found != definitions.end() ? found->second : nullptr;
    };
    std::vector<language::Case> each =
        replaceOne(theCase, position, [&](const ExprPtr& expr) { return plainerLayouts(expr, definition); });
    std::move(each.begin(), each.end(), std::back_inserter(result));
  }
  return result;
}

std::vector<language::Case> simplifyDtypes(const language::Case& theCase) {
  std::map<std::string, size_t> uses;
  for (const language::Function& function : theCase.functions) {
    rewriteExpressions(function, [&](const ExprPtr& expr) -> language::ExprPtr {
      if (const std::string dtype = dtypeNamed(*expr); !dtype.empty()) {
        ++uses[dtype];
      }
      return nullptr;
    });
  }
  std::vector<language::Case> result;
  const auto named = [](const std::string& dtype) { return language::makeDotted("torch." + dtype); };
  if (uses.size() > 1) {
    addRewritten(
        result, theCase,
        [&](const ExprPtr& expr) {
          const std::string dtype = dtypeNamed(*expr);
          return dtype.empty() || dtype == "float32" ? nullptr : named("float32");
        },
        isAnyFunction);
  }
  for (const std::string simpler : {"float32", "int64", "bool"}) {
    for (const auto& [dtype, count] : uses) {
      if (dtypeOddity(simpler) >= dtypeOddity(dtype)) {
        continue;
      }
      addRewritten(
          result, theCase, [&](const ExprPtr& expr) { return dtypeNamed(*expr) == dtype ? named(simpler) : nullptr; },
          isAnyFunction);
      for (size_t position = 0; count > 1 && position < theCase.functions.size(); ++position) {
        std::vector<language::Case> each = replaceOne(theCase, position, [&](const ExprPtr& expr) {
          return dtypeNamed(*expr) == dtype ? std::vector<ExprPtr>{named(simpler)} : std::vector<ExprPtr>{};
        });
        std::move(each.begin(), each.end(), std::back_inserter(result));
      }
    }
  }
  return result;
}

std::vector<language::Case> simplifyValues(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (const size_t position : programFirst(theCase)) {
    const language::Function& function = theCase.functions[position];
    if (!makesInputs(function)) {
      continue;
    }
    size_t drawn = 0;
    rewriteExpressions(function, [&](const ExprPtr& expr) -> language::ExprPtr {
      drawn += isDataCall(*expr) ? 1 : 0;
      return nullptr;
    });
    std::vector<language::Case> each = replaceOne(theCase, position, [&](const ExprPtr& expr) {
      std::vector<ExprPtr> alternatives;
      if (!isDataCall(*expr)) {
        return alternatives;
      }
      if (drawn > 1) { // one stays: calls with the same values say nothing new
        std::vector<std::pair<std::string, ExprPtr>> dtype;
        if (dtypeNamed(*expr->children[2]) != "float32") {
          dtype.emplace_back("dtype", expr->children[2]);
        }
        alternatives.push_back(language::makeCall(language::makeDotted("torch.ones"), {expr->children[1]}, dtype));
      }
      if (expr->children[4]->kind == ExprKind::kString) {
        auto asTheCallSays = std::make_shared<language::Expr>(*expr);
        asTheCallSays->children[4] = language::makeName("kind");
        alternatives.push_back(std::move(asTheCallSays));
      }
      return alternatives;
    });
    std::move(each.begin(), each.end(), std::back_inserter(result));
  }
  return result;
}

} // namespace touchstone::reducer
