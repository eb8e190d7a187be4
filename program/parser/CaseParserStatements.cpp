#include "program/parser/CaseParserSyntax.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace touchstone::parser {
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

language::StatementPtr finished(language::Statement statement) {
  return std::make_shared<const language::Statement>(std::move(statement));
}

language::Statement begin(language::StatementKind kind, language::Place place) {
  language::Statement statement{kind, "", {}, nullptr, {}, {}, {}, place};
  return statement;
}

} // namespace

void SyntaxParser::openBlock(const std::string& after) {
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
  if (next().kind == TokenKind::kDedent) {
    fail(next(), "a body of nothing but a docstring is refused; expected a statement below it");
  }
}

void SyntaxParser::closeBlock() {
  take();
  --blockDepth_;
}

std::vector<language::StatementPtr> SyntaxParser::block(const std::string& after) {
  openBlock(after);
  std::vector<language::StatementPtr> statements;
  while (next().kind != TokenKind::kDedent) {
    statements.push_back(statement());
  }
  closeBlock();
  return statements;
}

language::StatementPtr SyntaxParser::statement() {
  if (next().kind == TokenKind::kIndent) {
    fail(next(), "unexpected indentation; expected a statement of the same block");
  }
  const language::Place place = next().place;
  if (isNext("if")) {
    return ifStatement();
  }
  if (accept("while")) {
    language::Statement loop = begin(language::StatementKind::kWhile, place);
    loop.value = expression();
    ++loopDepth_;
    loop.body = block("after the condition");
    --loopDepth_;
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
  if (isNext("try")) {
    return tryStatement();
  }
  if (isNext("raise")) {
    return raiseStatement();
  }
  if (isNext("def")) {
    const Nesting nesting(*this);
    language::Statement definition = begin(language::StatementKind::kDef, place);
    definition.function = std::make_shared<const language::Function>(function());
    return finished(std::move(definition));
  }
  if (isNext("@")) {
    fail(next(), "decorators are refused; expected a plain function");
  }
  return simpleStatement();
}

language::StatementPtr SyntaxParser::ifStatement() {
  const Nesting nesting(*this); // each `elif` is one level
  language::Statement branch = begin(language::StatementKind::kIf, next().place);
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

// Not an expression: `in` would be taken for the operator.
language::ExprPtr SyntaxParser::loopTarget() {
  const Nesting nesting(*this);
  const language::Place place = next().place;
  const auto one = [&]() -> language::ExprPtr {
    if (accept("(")) {
      language::ExprPtr inner = loopTarget();
      expect(")", "to close `(`");
      return inner;
    }
    language::Place namePlace;
    std::string name = expectName("the name of the loop's variable", &namePlace);
    return make(language::ExprKind::kName, std::move(name), namePlace, {});
  };
  std::vector<language::ExprPtr> targets = {one()};
  while (accept(",")) {
    targets.push_back(one());
  }
  return targets.size() == 1 ? targets.front() : make(language::ExprKind::kTuple, "", place, std::move(targets));
}

language::StatementPtr SyntaxParser::assertion() {
  language::Statement made = begin(language::StatementKind::kAssert, next().place);
  made.value = expression();
  if (accept(",")) {
    made.items.push_back(expression());
  }
  expectEndOfLine();
  return finished(std::move(made));
}

language::StatementPtr SyntaxParser::forStatement() {
  language::Statement loop = begin(language::StatementKind::kFor, take().place);
  const language::ExprPtr target = loopTarget();
  loop.targets = target->kind == language::ExprKind::kTuple && target->children.size() > 1 ? target->children
                                                                                           : std::vector{target};
  expect("in", "and what the loop goes over");
  loop.value = expressionList();
  ++loopDepth_;
  loop.body = block("after what the loop goes over");
  --loopDepth_;
  if (isNext("else")) {
    fail(next(), "`else` of a loop is refused; expected the statements after the loop");
  }
  return finished(std::move(loop));
}

language::StatementPtr SyntaxParser::withStatement() {
  language::Statement with = begin(language::StatementKind::kWith, take().place);
  do {
    with.items.push_back(expression());
    if (accept("as")) {
      language::Place place;
      std::string name = expectName("the name of what is entered", &place);
      with.targets = {make(language::ExprKind::kName, std::move(name), place, {})};
      if (with.items.size() > 1 || isNext(",")) {
        source_.fail(place, "`as` beside other context managers is refused; expected a `with` of its own");
      }
    }
  } while (accept(","));
  with.body = block("after the context managers");
  return finished(std::move(with));
}

// A target in the form that is printed: `[a, b] = …` is `a, b = …`.
language::ExprPtr SyntaxParser::target(const language::ExprPtr& expr, bool inPattern) {
  switch (expr->kind) {
    case language::ExprKind::kName:
    case language::ExprKind::kSubscript:
    case language::ExprKind::kAttribute: return expr;
    case language::ExprKind::kTuple:
    case language::ExprKind::kList: {
      std::vector<language::ExprPtr> items;
      const language::Expr* starred = nullptr;
      for (const language::ExprPtr& item : expr->children) {
        items.push_back(target(item, true));
        if (item->kind == language::ExprKind::kStarred) {
          if (starred) {
            source_.fail(item->place, "a second starred name; expected at most one");
          }
          starred = item.get();
        }
      }
      if (items.empty()) {
        source_.fail(expr->place, "unpacking into nothing is refused; expected names");
      }
      return make(language::ExprKind::kTuple, "", expr->place, std::move(items));
    }
    case language::ExprKind::kStarred:
      if (inPattern && expr->children[0]->kind == language::ExprKind::kName) {
        return expr;
      }
      break;
    default: break;
  }
  source_.fail(expr->place, "this cannot be assigned to; expected a name, a subscript or an attribute");
}

// Several targets unpack; a pattern of one stays a tuple: `(x,) = y`.
std::vector<language::ExprPtr> SyntaxParser::targetsOf(const language::ExprPtr& expr) {
  const language::ExprPtr pattern = target(expr, false);
  return pattern->kind == language::ExprKind::kTuple && pattern->children.size() > 1 ? pattern->children
                                                                                     : std::vector{pattern};
}

language::StatementPtr SyntaxParser::simpleStatement() {
  const language::Place place = next().place;
  if (accept("pass")) {
    expectEndOfLine();
    return finished(begin(language::StatementKind::kPass, place));
  }
  for (const auto& [word, kind] : {std::pair("break", language::StatementKind::kBreak),
                                   std::pair("continue", language::StatementKind::kContinue)}) {
    if (accept(word)) {
      if (loopDepth_ == 0) {
        source_.fail(place, "`" + std::string(word) + "` is outside a loop; expected it in the body of one");
      }
      expectEndOfLine();
      return finished(begin(kind, place));
    }
  }
  if (accept("assert")) {
    return assertion();
  }
  if (accept("return")) {
    language::Statement result = begin(language::StatementKind::kReturn, place);
    if (next().kind != TokenKind::kNewline) {
      result.value = expressionList();
    }
    expectEndOfLine();
    return finished(std::move(result));
  }
  if (isNext("del") || isNext("nonlocal")) {
    language::Statement removal =
        begin(take().text == "del" ? language::StatementKind::kDelete : language::StatementKind::kNonlocal, place);
    do {
      language::Place namePlace;
      std::string name = expectName("the name of a variable", &namePlace);
      removal.targets.push_back(make(language::ExprKind::kName, std::move(name), namePlace, {}));
    } while (accept(","));
    expectEndOfLine();
    return finished(std::move(removal));
  }
  const Token first = next();
  language::ExprPtr value = expressionList();
  if (accept("=")) {
    language::Statement assignment = begin(language::StatementKind::kAssign, place);
    assignment.targets = targetsOf(value);
    assignment.value = expressionList();
    if (isNext("=")) {
      fail(next(), "a second `=` is refused; expected one assignment a statement");
    }
    expectEndOfLine();
    return finished(std::move(assignment));
  }
  if (isAugmented(next())) {
    language::Statement assignment = begin(language::StatementKind::kAugmentedAssign, place);
    assignment.targets = {target(value, false)};
    if (assignment.targets[0]->kind == language::ExprKind::kTuple) {
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
  if (value->kind != language::ExprKind::kCall) {
    fail(first, "an expression on its own does nothing and is refused; expected a call or an assignment");
  }
  language::Statement call = begin(language::StatementKind::kExpression, place);
  call.value = std::move(value);
  return finished(std::move(call));
}

void SyntaxParser::readParameters(language::Function& function, std::string_view end, bool mayAnnotate) {
  const auto isTaken = [&](const std::string& name) {
    return name == function.rest || std::ranges::find(function.parameters, name) != function.parameters.end();
  };
  std::vector<language::ExprPtr> annotations;
  while (!isNext(end)) {
    if (isNext("**") || isNext("/") || (isNext("*") && tokens_[position_ + 1].kind != TokenKind::kName)) {
      fail(next(), "`" + next().text + "` among the parameters is refused; expected plain names, or one after `*`");
    }
    const bool gathers = accept("*");
    const Token token = next();
    if (!function.rest.empty()) {
      fail(token, "a parameter after `*" + function.rest + "` is refused; expected that to be the last one");
    }
    std::string name = expectName("the name of a parameter");
    if (isTaken(name)) {
      fail(token, "the parameter `" + name + "` is there twice; expected each name once");
    }
    if (gathers) {
      function.rest = std::move(name);
      accept(",");
      continue;
    }
    function.parameters.push_back(std::move(name));
    annotations.push_back(mayAnnotate && accept(":") ? expression() : nullptr);
    if (accept("=")) {
      function.defaults.push_back(expression());
    } else if (!function.defaults.empty()) {
      fail(next(), "a parameter without a default value follows one that has one; expected `=` and a value");
    }
    if (!accept(",")) {
      break;
    }
  }
  if (std::ranges::any_of(annotations, [](const language::ExprPtr& each) { return each != nullptr; })) {
    function.annotations = std::move(annotations);
  }
}

language::Function SyntaxParser::function() {
  language::Function function;
  function.place = expect("def", "and a function").place;
  function.name = expectName("the function's name");
  expect("(", "and the function's parameters");
  readParameters(function, ")", /*mayAnnotate=*/true);
  expect(")", "to close the parameters, or `,` and another name");
  if (accept("->")) {
    function.returns = expression();
  }
  const int loops = std::exchange(loopDepth_, 0);
  function.body = block("after the parameters");
  loopDepth_ = loops;
  return function;
}

} // namespace touchstone::parser
