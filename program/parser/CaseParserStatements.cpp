#include "program/parser/CaseParserSyntax.h"

#include <algorithm>
#include <array>
#include <set>

namespace touchstone::graph {
namespace {

constexpr std::array<std::string_view, 12> kAugmented = {
    "+=", "-=", "*=", "/=", "//=", "%=", "@=", "**=", "&=", "|=", "^=", "<<="};
constexpr std::string_view kShiftRight = ">>=";
// Python compiles at most 20 nested loops and `with` statements.
constexpr int kMaximumBlocks = 16;

bool isAugmented(const Token& token) {
  return token.kind == TokenKind::kOperator &&
         (token.text == kShiftRight || std::find(kAugmented.begin(), kAugmented.end(), token.text) != kAugmented.end());
}

StatementPtr finished(Statement statement) {
  return std::make_shared<const Statement>(std::move(statement));
}

Statement begin(StatementKind kind, Place place) {
  Statement statement{kind, "", {}, nullptr, {}, {}, {}, place};
  return statement;
}

} // namespace

std::vector<StatementPtr> SyntaxParser::block(const std::string& after) {
  expect(":", after);
  if (next().kind != TokenKind::kNewline) {
    fail(next(), "a block on the line of its header is refused; expected a new line and more indentation");
  }
  take();
  if (next().kind != TokenKind::kIndent) {
    fail(next(), "unexpected " + describeToken(next()) + "; expected an indented block");
  }
  if (++blockDepth_ > kMaximumBlocks) {
    fail(next(), "blocks are nested too deep; expected at most " + std::to_string(kMaximumBlocks) + " levels");
  }
  take();
  std::vector<StatementPtr> statements;
  while (next().kind != TokenKind::kDedent) {
    statements.push_back(statement());
  }
  take();
  --blockDepth_;
  return statements;
}

StatementPtr SyntaxParser::statement() {
  if (next().kind == TokenKind::kIndent) {
    fail(next(), "unexpected indentation; expected a statement of the same block");
  }
  const Place place = next().place;
  if (isNext("if")) {
    return ifStatement();
  }
  if (accept("while")) {
    Statement loop = begin(StatementKind::kWhile, place);
    loop.value = expression();
    loop.body = block("after the condition");
    if (isNext("else")) {
      fail(next(), "`else` of a loop is refused; expected the statements after the loop");
    }
    return finished(std::move(loop));
  }
  if (isNext("for")) {
    return forStatement();
  }
  if (isNext("with")) {
    return withStatement();
  }
  if (isNext("@")) {
    fail(next(), "decorators are refused; expected a plain function");
  }
  return simpleStatement();
}

StatementPtr SyntaxParser::ifStatement() {
  const Nesting nesting(*this); // each `elif` is one level
  Statement branch = begin(StatementKind::kIf, next().place);
  take();
  branch.value = expression();
  branch.body = block("after the condition");
  if (isNext("elif")) {
    branch.orElse.push_back(ifStatement());
  } else if (accept("else")) {
    branch.orElse = block("after `else`");
  }
  return finished(std::move(branch));
}

StatementPtr SyntaxParser::forStatement() {
  Statement loop = begin(StatementKind::kFor, take().place);
  // Not an expression: `in` would be taken for the operator.
  const bool parenthesis = accept("(");
  do {
    Place place;
    std::string name = expectName("the name of the loop's variable", &place);
    loop.targets.push_back(make(ExprKind::kName, std::move(name), place, {}));
  } while (accept(","));
  if (parenthesis) {
    expect(")", "to close `(`");
  }
  expect("in", "and what the loop goes over");
  loop.value = expressionList();
  loop.body = block("after what the loop goes over");
  if (isNext("else")) {
    fail(next(), "`else` of a loop is refused; expected the statements after the loop");
  }
  return finished(std::move(loop));
}

StatementPtr SyntaxParser::withStatement() {
  Statement with = begin(StatementKind::kWith, take().place);
  do {
    with.items.push_back(expression());
  } while (accept(","));
  with.body = block("after the context managers");
  return finished(std::move(with));
}

// A target in the form that is printed: `[a, b] = …` is `a, b = …`.
ExprPtr SyntaxParser::target(const ExprPtr& expr, bool inPattern) {
  switch (expr->kind) {
    case ExprKind::kName:
    case ExprKind::kSubscript:
    case ExprKind::kAttribute: return expr;
    case ExprKind::kTuple:
    case ExprKind::kList: {
      std::vector<ExprPtr> items;
      const Expr* starred = nullptr;
      for (const ExprPtr& item : expr->children) {
        items.push_back(target(item, true));
        if (item->kind == ExprKind::kStarred) {
          if (starred) {
            source_.fail(item->place, "a second starred name; expected at most one");
          }
          starred = item.get();
        }
      }
      if (items.empty()) {
        source_.fail(expr->place, "unpacking into nothing is refused; expected names");
      }
      return make(ExprKind::kTuple, "", expr->place, std::move(items));
    }
    case ExprKind::kStarred:
      if (inPattern && expr->children[0]->kind == ExprKind::kName) {
        return expr;
      }
      break;
    default: break;
  }
  source_.fail(expr->place, "this cannot be assigned to; expected a name, a subscript or an attribute");
}

// Several targets unpack; a pattern of one stays a tuple: `(x,) = y`.
std::vector<ExprPtr> SyntaxParser::targetsOf(const ExprPtr& expr) {
  const ExprPtr pattern = target(expr, false);
  return pattern->kind == ExprKind::kTuple && pattern->children.size() > 1 ? pattern->children : std::vector{pattern};
}

StatementPtr SyntaxParser::simpleStatement() {
  const Place place = next().place;
  if (accept("pass")) {
    expectEndOfLine();
    return finished(begin(StatementKind::kPass, place));
  }
  if (accept("return")) {
    Statement result = begin(StatementKind::kReturn, place);
    if (next().kind != TokenKind::kNewline) {
      result.value = expressionList();
    }
    expectEndOfLine();
    return finished(std::move(result));
  }
  if (accept("del")) {
    Statement removal = begin(StatementKind::kDelete, place);
    do {
      Place namePlace;
      std::string name = expectName("the name of a variable", &namePlace);
      removal.targets.push_back(make(ExprKind::kName, std::move(name), namePlace, {}));
    } while (accept(","));
    expectEndOfLine();
    return finished(std::move(removal));
  }
  const Token first = next();
  ExprPtr value = expressionList();
  if (accept("=")) {
    Statement assignment = begin(StatementKind::kAssign, place);
    assignment.targets = targetsOf(value);
    assignment.value = expressionList();
    if (isNext("=")) {
      fail(next(), "a second `=` is refused; expected one assignment a statement");
    }
    expectEndOfLine();
    return finished(std::move(assignment));
  }
  if (isAugmented(next())) {
    Statement assignment = begin(StatementKind::kAugmentedAssign, place);
    assignment.targets = {target(value, false)};
    if (assignment.targets[0]->kind == ExprKind::kTuple) {
      source_.fail(value->place, "this cannot be assigned to; expected a name, a subscript or an attribute");
    }
    assignment.text = take().text;
    assignment.value = expressionList();
    expectEndOfLine();
    return finished(std::move(assignment));
  }
  if (isNext(":")) {
    fail(next(), "annotations are refused; expected `name = value`");
  }
  expectEndOfLine();
  if (value->kind != ExprKind::kCall) {
    fail(first, "an expression on its own does nothing and is refused; expected a call or an assignment");
  }
  Statement call = begin(StatementKind::kExpression, place);
  call.value = std::move(value);
  return finished(std::move(call));
}

Function SyntaxParser::function() {
  Function function;
  function.place = expect("def", "and a function").place;
  function.name = expectName("the function's name");
  expect("(", "and the function's parameters");
  while (!isNext(")")) {
    if (isNext("*") || isNext("**") || isNext("/")) {
      fail(next(), "`" + next().text + "` among the parameters is refused; expected plain names");
    }
    const Token token = next();
    std::string name = expectName("the name of a parameter");
    if (std::find(function.parameters.begin(), function.parameters.end(), name) != function.parameters.end()) {
      fail(token, "the parameter `" + name + "` is there twice; expected each name once");
    }
    function.parameters.push_back(std::move(name));
    if (isNext("=")) {
      fail(next(), "a default value is refused; expected plain names as parameters");
    }
    if (isNext(":")) {
      fail(next(), "annotations are refused; expected plain names as parameters");
    }
    if (!accept(",")) {
      break;
    }
  }
  expect(")", "to close the parameters, or `,` and another name");
  if (isNext("->")) {
    fail(next(), "annotations are refused; expected `:` after the parameters");
  }
  function.body = block("after the parameters");
  return function;
}

} // namespace touchstone::graph
