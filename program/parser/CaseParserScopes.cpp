#include "program/language/CasePrinter.h"
#include "program/parser/CaseParserNames.h"
#include "program/parser/DottedPaths.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <utility>

// Functions inside others, lambdas, comprehensions, and what parameters may say.

namespace touchstone::parser {
namespace {

bool isLiteralDefault(const language::Expr& expr) {
  switch (expr.kind) {
    case language::ExprKind::kInt:
    case language::ExprKind::kFloat:
    case language::ExprKind::kString:
    case language::ExprKind::kTrue:
    case language::ExprKind::kFalse:
    case language::ExprKind::kNone: return true;
    case language::ExprKind::kUnary: return isLiteralDefault(*expr.children[0]);
    case language::ExprKind::kTuple:
      return std::all_of(expr.children.begin(), expr.children.end(),
                         [](const auto& each) { return isLiteralDefault(*each); });
    case language::ExprKind::kAttribute:
      return joined(dottedPath(expr)).starts_with("torch.") && isDtypeName(expr.text);
    default: return false;
  }
}

} // namespace

void NameChecker::checkParameters(const language::Function& function) {
  if (!function.rest.empty()) {
    define({language::ExprKind::kName, function.rest, {}, {}, function.place});
  }
  for (const language::ExprPtr& value : function.defaults) {
    if (!isLiteralDefault(*value)) {
      fail(*value, "a default value of a function of the file is a literal; expected a number, a string or the like");
    }
  }
  for (const language::ExprPtr& annotation : function.annotations) {
    if (annotation) {
      checkAnnotation(*annotation);
    }
  }
  if (function.returns) {
    checkAnnotation(*function.returns);
  }
}

// Says nothing to PyTorch, but Python evaluates it.
void NameChecker::checkAnnotation(const language::Expr& annotation) {
  static const Names kTypes = {"bool", "complex", "dict", "float", "int", "list", "str", "tuple"};
  switch (annotation.kind) {
    case language::ExprKind::kNone:
    case language::ExprKind::kEllipsis: return;
    case language::ExprKind::kName:
      if (kTypes.contains(annotation.text) && !isLocal(annotation.text)) {
        return;
      }
      break;
    case language::ExprKind::kAttribute:
      if (joined(dottedPath(annotation)) == "torch.Tensor") {
        return;
      }
      break;
    case language::ExprKind::kBinary:
      if (annotation.text != "|") {
        break;
      }
      [[fallthrough]];
    case language::ExprKind::kSubscript:
      for (const language::ExprPtr& child : annotation.children) {
        checkAnnotation(*child);
      }
      return;
    default: break;
  }
  fail(annotation,
       "`" + language::printExpression(annotation) +
           "` is no type of the language; expected `torch.Tensor`, `int`, `list[…]`, `… | None` and the like");
}

// A function inside another sees the variables of those around it, whenever they are assigned.
void NameChecker::checkInner(const language::Function& function) {
  if (language::isInputsName(function.name) || function.name == "program") {
    source_.fail(function.place,
                 "`" + function.name + "` is called by CALLS only; expected a function of another name");
  }
  for (const language::ExprPtr& value : function.defaults) {
    check(*value);
  }
  const std::set<std::string> locals = locals_, enclosing = enclosing_;
  const language::Function* outer = std::exchange(function_, &function);
  enclosing_.insert(locals_.begin(), locals_.end());
  if (outer != nullptr) {
    for (const std::string& name : language::boundNames(*outer)) {
      enclosing_.insert(name);
    }
  }
  locals_.clear();
  for (const std::string& name : language::boundNames(function)) {
    enclosing_.erase(name);
  }
  for (const std::string& parameter : function.parameters) {
    define({language::ExprKind::kName, parameter, {}, {}, function.place});
  }
  language::Function rest = function;
  rest.defaults.clear();
  checkParameters(rest);
  checkBlock(function.body);
  function_ = outer;
  locals_ = locals;
  enclosing_ = enclosing;
}

void NameChecker::checkLambda(const language::Expr& lambda) {
  language::Function function{.name = "<lambda>", .parameters = lambda.keywords, .place = lambda.place};
  function.defaults.assign(lambda.children.begin() + 1, lambda.children.end());
  function.rest = lambda.text;
  function.body = {language::makeReturn(lambda.children[0])};
  checkInner(function);
}

void NameChecker::checkComprehension(const language::Expr& comprehension) {
  const std::set<std::string> locals = locals_;
  for (const language::Clause& clause : language::clausesOf(comprehension)) {
    check(*clause.value);
    if (clause.target != nullptr) {
      checkTarget(*clause.target);
    }
  }
  for (size_t i = 0; i < language::elementsOf(comprehension); ++i) {
    check(*comprehension.children[i]);
  }
  locals_ = locals;
}

void NameChecker::checkNonlocal(const language::Statement& statement) {
  for (const language::ExprPtr& name : statement.targets) {
    if (!enclosing_.contains(name->text)) {
      fail(*name, "`" + name->text + "` is no variable of a function around this one; expected one that it binds");
    }
    if (locals_.contains(name->text)) {
      fail(*name,
           "`" + name->text + "` is bound in this function before; expected a variable that only one around it binds");
    }
  }
}

} // namespace touchstone::parser
