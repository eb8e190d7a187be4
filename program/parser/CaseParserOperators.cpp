#include "program/language/CasePrinter.h"
#include "program/language/OperatorSchema.h"
#include "program/parser/CaseParserSyntax.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>

// Functions under `@torch.library.custom_op(…)`.

namespace touchstone::parser {
namespace {

using language::Expr;
using language::ExprKind;
using language::ExprPtr;

constexpr const char* kDecorator = "`@torch.library.custom_op(\"mine::NAME\", mutates_args=())`";

/// `Optional[X]` is `X | None`, and `List` and `Tuple` are `list` and `tuple`.
ExprPtr plainAnnotation(const ExprPtr& annotation) {
  if (annotation->kind != ExprKind::kSubscript) {
    return annotation;
  }
  Expr plain = *annotation;
  for (size_t i = 1; i < plain.children.size(); ++i) {
    plain.children[i] = plainAnnotation(plain.children[i]);
  }
  const std::string container = language::printExpression(*plain.children[0]);
  if (container == "Optional" && plain.children.size() == 2) {
    return language::makeBinary("|", plain.children[1], language::makeNone());
  }
  if (container == "List" || container == "Tuple") {
    plain.children[0] = language::makeName(container == "List" ? "list" : "tuple");
  }
  return std::make_shared<const Expr>(std::move(plain));
}

bool isLiteral(const Expr& value) {
  switch (value.kind) {
    case ExprKind::kInt:
    case ExprKind::kFloat:
    case ExprKind::kTrue:
    case ExprKind::kFalse:
    case ExprKind::kNone: return true;
    case ExprKind::kUnary:
      return value.text == "-" &&
             (value.children[0]->kind == ExprKind::kInt || value.children[0]->kind == ExprKind::kFloat);
    default: return false;
  }
}

bool isNumber(const Expr& value) {
  return value.kind == ExprKind::kInt || value.kind == ExprKind::kFloat || value.kind == ExprKind::kUnary;
}

/// Whether the schema may say so.
bool isDefaultOf(const std::string& type, const Expr& value) {
  if (value.kind == ExprKind::kNone) {
    return type.ends_with("?");
  }
  const bool isFraction =
      value.kind == ExprKind::kFloat || (value.kind == ExprKind::kUnary && value.children[0]->kind == ExprKind::kFloat);
  return (type.starts_with("float") && isNumber(value)) ||
         (type.starts_with("SymInt") && isNumber(value) && !isFraction) ||
         (type.starts_with("bool") && (value.kind == ExprKind::kTrue || value.kind == ExprKind::kFalse));
}

std::string knownAnnotations() {
  std::string text;
  for (const std::string& annotation : language::parameterAnnotations()) {
    text += (text.empty() ? "`" : ", `") + annotation + "`";
  }
  return text;
}

} // namespace

bool isOperatorDecorator(const Expr& decorator) {
  return decorator.kind == ExprKind::kCall &&
         language::printExpression(*decorator.children[0]) == "torch.library.custom_op";
}

void SyntaxParser::operatorParameters(language::Function& function, bool isAnnotated) {
  expect("(", "and the function's parameters");
  while (!isNext(")")) {
    if (isNext("*") || isNext("**") || isNext("/")) {
      fail(next(), "`" + next().text + "` among the parameters of a custom operator is refused; expected plain names");
    }
    const Token token = next();
    std::string name = expectName("the name of a parameter");
    if (std::ranges::find(function.parameters, name) != function.parameters.end()) {
      fail(token, "the parameter `" + name + "` is there twice; expected each name once");
    }
    function.parameters.push_back(std::move(name));
    if (accept(":")) {
      function.annotations.resize(function.parameters.size());
      function.annotations.back() = plainAnnotation(expression());
    }
    if (isAnnotated && (function.annotations.size() < function.parameters.size() ||
                        language::schemaTypeOf(*function.annotations.back()).empty())) {
      fail(token, "the parameter `" + token.text + "` of a custom operator has no annotation that makes a schema; " +
                      "expected one of " + knownAnnotations());
    }
    if (accept("=")) {
      function.defaults.push_back(expression());
      const bool fits = isLiteral(*function.defaults.back()) &&
                        (!isAnnotated ||
                         isDefaultOf(language::schemaTypeOf(*function.annotations.back()), *function.defaults.back()));
      if (!fits) {
        source_.fail(function.defaults.back()->place,
                     "this is no default of a custom operator's parameter; expected a number, True, False or None, as "
                     "the annotation has it");
      }
    } else if (!function.defaults.empty()) {
      fail(token, "a parameter without a default follows one with it; expected a default");
    }
    if (!accept(",")) {
      break;
    }
  }
  expect(")", "to close the parameters, or `,` and another name");
  if (!function.annotations.empty()) {
    function.annotations.resize(function.parameters.size());
  }
}

language::Function SyntaxParser::operatorFunction(bool isAnnotated) {
  language::Function function;
  function.place = expect("def", "and a function").place;
  function.name = expectName("the function's name");
  operatorParameters(function, isAnnotated);
  const Token arrow = next();
  if (accept("->")) {
    function.returns = plainAnnotation(expression());
  }
  if (isAnnotated && (function.returns == nullptr || language::schemaReturnOf(*function.returns).empty())) {
    fail(arrow,
         "the custom operator has no annotation of what it returns; expected `-> torch.Tensor`, `list[torch.Tensor]`, "
         "`None`, or `tuple[torch.Tensor, torch.Tensor]` of two tensors or more");
  }
  function.body = block("after the parameters");
  if (!isAnnotated) { // they say nothing
    function.annotations.clear();
    function.returns = nullptr;
  }
  return function;
}

void readOperatorDecorator(const SourceText& source, const Expr& decorator, language::CustomOperator& made) {
  const auto fail = [&](const Expr& at, const std::string& what) {
    source.fail(at.place, what + "; expected " + kDecorator);
  };
  const size_t positional = decorator.children.size() - 1 - decorator.keywords.size();
  if (positional != 1 || decorator.keywords != std::vector<std::string>{"mutates_args"}) {
    fail(decorator, "a custom operator is told its name and what it writes to");
  }
  const Expr& name = *decorator.children[1];
  const size_t colons = name.kind == ExprKind::kString ? name.text.find("::") : std::string::npos;
  made.place = decorator.place;
  made.space = name.text.substr(0, std::min(colons, name.text.size()));
  made.name = colons == std::string::npos ? "" : name.text.substr(colons + 2);
  if (colons == std::string::npos || !isOperatorPart(made.space) || !isOperatorPart(made.name)) {
    fail(name, "this is no name of an operator");
  }
  if (isOperatorSpace(made.space)) {
    fail(name, "the operators of `" + made.space + "` are PyTorch's");
  }
  const Expr& mutated = *decorator.children[2];
  const bool isNothing = mutated.kind == ExprKind::kDict && mutated.children.empty();
  if (mutated.kind != ExprKind::kTuple && mutated.kind != ExprKind::kList && !isNothing) {
    fail(mutated, "this does not say which parameters are written to");
  }
  for (const ExprPtr& each : mutated.children) {
    if (each->kind != ExprKind::kString || std::ranges::find(made.mutated, each->text) != made.mutated.end()) {
      fail(*each, "this is no parameter, or it is there twice");
    }
    made.mutated.push_back(each->text);
  }
}

void checkOperator(const SourceText& source, const language::CustomOperator& made) {
  for (const std::string& name : made.mutated) {
    const auto found = std::ranges::find(made.body.parameters, name);
    const auto at = static_cast<size_t>(found - made.body.parameters.begin());
    if (found == made.body.parameters.end() ||
        !language::schemaTypeOf(*made.body.annotations[at]).starts_with("Tensor")) {
      source.fail(made.place, "`" + name + "` is no parameter that holds tensors; expected one that `" +
                                  made.body.name + "` may write to");
    }
  }
}

void setBackward(const SourceText& source, language::CustomOperator& made, language::Function backward,
                 std::optional<language::Function> setup, language::Place place) {
  const auto refuse = [&](const std::string& message) { source.fail(place, message); };
  if (made.backward) {
    refuse("`" + made.body.name + "` has an autograd formula already; expected one");
  }
  if (!made.mutated.empty() || made.body.returns->kind == ExprKind::kNone) {
    refuse("`" + made.body.name + "` writes to its arguments or returns nothing, so that PyTorch takes no autograd " +
           "formula for it; expected `mutates_args=()` and a tensor that is returned");
  }
  if (backward.parameters.empty() || backward.parameters.front() != language::kContextParameter) {
    source.fail(backward.place, "`" + backward.name + "` does not begin with the parameter `ctx`; expected it");
  }
  if (setup && setup->parameters != std::vector<std::string>{language::kContextParameter, "inputs", "output"}) {
    source.fail(setup->place, "`" + setup->name + "` is given three things by name; expected `(ctx, inputs, output)`");
  }
  made.backward = std::move(backward);
  made.setupContext = std::move(setup);
}

} // namespace touchstone::parser
