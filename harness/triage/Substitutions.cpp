#include "harness/reducer/CaseEditing.h"
#include "harness/triage/Neighbours.h"
#include "program/analysis/OperatorNames.h"
#include "program/language/StatementEditing.h"
#include "program/operators/OperatorFacts.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace touchstone::triage {

namespace {

using language::Expr;
using language::ExprKind;
using language::ExprPtr;
using language::Statement;
using language::StatementKind;
using language::StatementPtr;

/// The Case with each alternative of each expression in the functions that are chosen, one at a time.
void replaceEach(const language::Case& theCase, bool inInputs, const char* edit,
                 const reducer::Alternatives& alternatives, std::vector<Neighbour>& result) {
  for (size_t position = 0; position < theCase.functions.size(); ++position) {
    if (language::isInputsName(theCase.functions[position].name) == inInputs) {
      for (language::Case& each : reducer::replaceOne(theCase, position, alternatives)) {
        result.push_back({std::move(each), edit});
      }
    }
  }
}

/// What a call is made on: the object of a method, the first argument of a function; null where there is none.
ExprPtr subjectOf(const Expr& call) {
  const std::vector<analysis::WrittenOperation::Operand> operands = analysis::writtenOperation(call)->operands;
  const bool isPlain =
      call.children[0]->kind == ExprKind::kAttribute && !operands.empty() && operands[0].keyword.empty();
  return isPlain ? operands[0].value : nullptr;
}

/// Operators that do the same kind of thing, as methods of a tensor `x`.
struct OperatorKind {
  std::vector<std::string> names; // that belong to it
  std::vector<std::function<ExprPtr(const ExprPtr& x)>> others;
};

const std::vector<OperatorKind>& operatorKinds() {
  const auto method = [](std::string name, std::vector<ExprPtr> arguments = {}) {
    return [name, arguments](const ExprPtr& x) { return language::makeMethodCall(x, name, arguments); };
  };
  const ExprPtr one = language::makeInt(1), two = language::makeInt(2), zero = language::makeInt(0);
  static const std::vector<OperatorKind> kKinds{
      {analysis::elementwiseOfOne(), {method("sin"), method("neg"), method("abs"), method("relu"), method("sigmoid")}},
      {{"add_", "mul_", "sub_", "fill_", "zero_", "neg_", "copy_", "sin_", "relu_", "abs_", "div_", "pow_"},
       {method("add_", {one}), method("mul_", {two}), method("neg_"), method("fill_", {two})}},
      {{"view", "t", "transpose", "permute", "unsqueeze", "squeeze", "expand", "reshape", "flatten", "detach", "select",
        "narrow", "view_as", "movedim", "unbind", "as_strided", "diagonal"},
       {method("unsqueeze", {zero}), method("detach"), method("flatten"), method("alias")}},
      {{"unsqueeze_", "squeeze_", "t_", "transpose_"}, {method("unsqueeze_", {zero}), method("squeeze_")}},
      {{"sum", "mean", "prod", "amax", "amin", "std", "var"}, {method("sum"), method("mean"), method("amax")}},
  };
  return kKinds;
}

std::vector<ExprPtr> otherOperators(const ExprPtr& expr) {
  std::vector<ExprPtr> result;
  if (expr->kind == ExprKind::kBinary) {
    const std::vector<std::string> arithmetic{"+", "-", "*", "/"};
    if (std::find(arithmetic.begin(), arithmetic.end(), expr->text) != arithmetic.end()) {
      for (const std::string& other : arithmetic) {
        if (other != expr->text) {
          result.push_back(language::makeBinary(other, expr->children[0], expr->children[1]));
        }
      }
    }
  }
  const ExprPtr subject = expr->kind == ExprKind::kCall ? subjectOf(*expr) : nullptr;
  if (subject == nullptr) {
    return result;
  }
  const std::string name = analysis::calleeName(*expr->children[0]);
  for (const OperatorKind& kind : operatorKinds()) {
    if (std::find(kind.names.begin(), kind.names.end(), name) == kind.names.end()) {
      continue;
    }
    for (const auto& make : kind.others) {
      ExprPtr other = make(subject);
      if (analysis::calleeName(*other->children[0]) != name) {
        result.push_back(std::move(other));
      }
    }
  }
  return result;
}

bool isVariable(const ExprPtr& expr, const language::Case& theCase) {
  return expr != nullptr && expr->kind == ExprKind::kName && expr->text != "torch" &&
         theCase.find(expr->text) == nullptr;
}

/// What a call may be made on or given: a variable, or what another call gives.
bool isOperand(const ExprPtr& expr, const language::Case& theCase) {
  return isVariable(expr, theCase) || (expr != nullptr && expr->kind == ExprKind::kCall);
}

/// A call with each operand replaced.
reducer::Alternatives withOperands(const language::Case& theCase,
                                   const std::function<ExprPtr(const ExprPtr&)>& replace) {
  return [&theCase, replace](const ExprPtr& expr) {
    std::vector<ExprPtr> result;
    const auto propose = [&](size_t child, const ExprPtr& replaced) {
      auto edited = std::make_shared<Expr>(*expr);
      edited->children[child] = replaced;
      result.push_back(std::move(edited));
    };
    const bool operates = expr->kind == ExprKind::kCall || expr->kind == ExprKind::kBinary ||
                          expr->kind == ExprKind::kUnary || expr->kind == ExprKind::kList ||
                          expr->kind == ExprKind::kTuple || expr->kind == ExprKind::kSubscript;
    for (size_t i = 0; operates && i < expr->children.size(); ++i) {
      const ExprPtr& child = expr->children[i];
      if (expr->kind == ExprKind::kCall && i == 0) {
        if (child->kind == ExprKind::kAttribute && isOperand(child->children[0], theCase)) {
          propose(0, language::makeAttribute(replace(child->children[0]), child->text));
        }
      } else if (isOperand(child, theCase)) {
        propose(i, replace(child));
      }
    }
    return result;
  };
}

std::vector<ExprPtr> notInPlace(const ExprPtr& expr) {
  if (expr->kind != ExprKind::kCall || expr->children[0]->kind != ExprKind::kAttribute) {
    return {};
  }
  const Expr& callee = *expr->children[0];
  auto edited = std::make_shared<Expr>(*expr);
  const std::string& name = callee.text;
  if (operators::isInPlaceName(name) && !name.ends_with("__")) {
    edited->children[0] = language::makeAttribute(callee.children[0], name.substr(0, name.size() - 1));
    return {edited};
  }
  const auto keyword = std::find(expr->keywords.begin(), expr->keywords.end(), "inplace");
  if (keyword == expr->keywords.end()) {
    return {};
  }
  const auto position = keyword - expr->keywords.begin();
  edited->children.erase(edited->children.end() - static_cast<std::ptrdiff_t>(expr->keywords.size()) + position);
  edited->keywords.erase(edited->keywords.begin() + position);
  return {edited};
}

std::vector<ExprPtr> otherFlag(const ExprPtr& expr) {
  const bool isFlag = expr->kind == ExprKind::kTrue || expr->kind == ExprKind::kFalse;
  return isFlag ? std::vector<ExprPtr>{language::makeBool(expr->kind == ExprKind::kFalse)} : std::vector<ExprPtr>{};
}

std::vector<ExprPtr> withoutRequiringGrad(const ExprPtr& expr) {
  const bool requires_ = expr->kind == ExprKind::kCall && expr->children[0]->kind == ExprKind::kAttribute &&
                         expr->children[0]->text == "requires_grad_";
  return requires_ ? std::vector<ExprPtr>{expr->children[0]->children[0]} : std::vector<ExprPtr>{};
}

/// Each pair of neighbours in a body the other way round.
void swapStatements(const language::Case& theCase, std::vector<Neighbour>& result) {
  for (size_t position = 0; position < theCase.functions.size(); ++position) {
    const language::Function& function = theCase.functions[position];
    if (language::isInputsName(function.name)) {
      continue;
    }
    for (size_t i = 0; i + 1 < function.body.size(); ++i) {
      if (function.body[i + 1]->kind != StatementKind::kReturn) {
        language::Case candidate = theCase;
        std::swap(candidate.functions[position].body[i], candidate.functions[position].body[i + 1]);
        result.push_back({std::move(candidate), "another order"});
      }
    }
  }
}

StatementPtr withoutAugmenting(const StatementPtr& statement) { // `x += 1` becomes `x = x + 1`
  const bool augments =
      statement->kind == StatementKind::kAugmentedAssign && statement->targets[0]->kind == ExprKind::kName;
  if (!augments) {
    return nullptr;
  }
  const std::string op = statement->text.substr(0, statement->text.size() - 1);
  return language::makeAssign({statement->targets[0]},
                              language::makeBinary(op, statement->targets[0], statement->value));
}

StatementPtr otherAugmenting(const StatementPtr& statement) {
  if (statement->kind != StatementKind::kAugmentedAssign) {
    return nullptr;
  }
  auto edited = std::make_shared<Statement>(*statement);
  edited->text = statement->text == "*=" ? "+=" : "*=";
  edited->value = language::makeInt(2);
  return edited;
}

void replaceStatements(const language::Case& theCase, const char* edit, StatementPtr (*replace)(const StatementPtr&),
                       std::vector<Neighbour>& result) {
  const std::function<void(const std::vector<StatementPtr>&, size_t)> visit = [&](const auto& body, size_t position) {
    for (const StatementPtr& statement : body) {
      if (StatementPtr other = replace(statement)) {
        language::Case candidate = theCase;
        language::Function& function = candidate.functions[position];
        function.body = language::replaceStatement(function.body, statement, other);
        result.push_back({std::move(candidate), edit});
      }
      visit(statement->body, position);
      visit(statement->orElse, position);
    }
  };
  for (size_t position = 0; position < theCase.functions.size(); ++position) {
    visit(theCase.functions[position].body, position);
  }
}

/// Each argument, and each thing that is returned, a clone.
void cloneAtTheBorder(const language::Case& theCase, std::vector<Neighbour>& result) {
  const auto clone = [](const ExprPtr& expr) { return language::makeMethodCall(expr, "clone", {}); };
  for (size_t i = 0; i < theCase.program().parameters.size(); ++i) {
    language::Case candidate = theCase;
    const bool fits = reducer::editInputTuples(candidate, 0, [&](std::vector<ExprPtr>& items) {
      if (i >= items.size() || items[i]->kind == ExprKind::kInt) {
        return false;
      }
      items[i] = clone(items[i]);
      return true;
    });
    if (fits) {
      result.push_back({std::move(candidate), "an argument apart"});
    }
  }
  const std::vector<ExprPtr> items = returnedItems(theCase.program());
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i]->kind != ExprKind::kName) {
      continue;
    }
    std::vector<ExprPtr> edited = items;
    edited[i] = clone(items[i]);
    language::Case candidate = theCase;
    language::Function& program = *reducer::findFunction(candidate, "program");
    program = withReturned(program, edited, program.body.back()->value->kind == ExprKind::kTuple);
    result.push_back({std::move(candidate), "a clone returned"});
  }
}

void editCalls(const language::Case& theCase, std::vector<Neighbour>& result) {
  const auto propose = [&](const char* edit, const std::function<void(language::CallSpec&)>& change) {
    language::Case candidate = theCase;
    std::for_each(candidate.calls.begin(), candidate.calls.end(), change);
    if (candidate.calls != theCase.calls) {
      result.push_back({std::move(candidate), edit});
    }
  };
  propose("no backward", reducer::dropBackward);
  propose("grad on", [](language::CallSpec& call) { call.gradMode = language::GradMode::kEnable; });
  propose("no autocast", [](language::CallSpec& call) { call.autocast.reset(); });
  propose("nothing between", [](language::CallSpec& call) { call.between.reset(); });
}

} // namespace

std::vector<Neighbour> substitutionsIn(const language::Case& theCase) {
  std::vector<Neighbour> result;
  const auto method = [](const char* name) {
    return [name](const ExprPtr& x) { return language::makeMethodCall(x, name, {}); };
  };
  replaceEach(theCase, /*inInputs=*/false, "another operator", otherOperators, result);
  replaceEach(theCase, false, "a clone instead", withOperands(theCase, method("clone")), result);
  replaceEach(theCase, false, "a view instead",
              withOperands(theCase, [](const ExprPtr& x) { return language::makeMethodCall(x, "view_as", {x}); }),
              result);
  replaceEach(
      theCase, false, "ones instead",
      withOperands(theCase,
                   [](const ExprPtr& x) { return language::makeCall(language::makeDotted("torch.ones_like"), {x}); }),
      result);
  replaceEach(theCase, false, "not in place", notInPlace, result);
  replaceStatements(theCase, "not in place", withoutAugmenting, result);
  replaceStatements(theCase, "another operator", otherAugmenting, result);
  replaceEach(theCase, false, "another flag", otherFlag, result);
  replaceEach(theCase, /*inInputs=*/true, "no gradient", withoutRequiringGrad, result);
  replaceEach(
      theCase, true, "another dtype",
      [](const ExprPtr& expr) -> std::vector<ExprPtr> {
        const bool dtype = expr->kind == ExprKind::kAttribute && analysis::isTorchPath(*expr->children[0]);
        return dtype && expr->text == "float32"   ? std::vector<ExprPtr>{language::makeDotted("torch.float64")}
               : dtype && expr->text == "float64" ? std::vector<ExprPtr>{language::makeDotted("torch.float32")}
                                                  : std::vector<ExprPtr>{};
      },
      result);
  swapStatements(theCase, result);
  cloneAtTheBorder(theCase, result);
  editCalls(theCase, result);
  return result;
}

} // namespace touchstone::triage
