#include "program/parser/CaseParserSyntax.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace touchstone::parser {
namespace {

// Left-associative operators, loosest first; comparisons and `not` stand between the second and the third level.
const std::array<std::set<std::string_view>, 8> kLevels = {{
    {"or"},
    {"and"},
    {"|"},
    {"^"},
    {"&"},
    {"<<", ">>"},
    {"+", "-"},
    {"*", "/", "//", "%", "@"},
}};
constexpr int kAndRow = 1, kBitwiseOrRow = 2, kTightestRow = 7;

const std::set<std::string_view> kComparisons = {"<", ">", "==", "!=", "<=", ">=", "in", "is", "not"};

// Keywords that Python has and the subset has not: what to say.
const std::map<std::string_view, std::string_view> kRefusedKeywords = {
    {"yield", "`yield` is refused; expected `return`"},
    {"await", "`await` is refused; expected a plain call"},
    {"async", "`async` is refused; expected a plain function or statement"},
    {"try", "`try` is no expression; expected a value"},
    {"except", "`except` without `try`; expected `try` above it"},
    {"finally", "`finally` without `try`; expected `try` above it"},
    {"raise", "`raise` is no expression; expected a value"},
    {"global", "`global` is refused; expected the function to return what it makes"},
    {"import", "an import inside a function is refused; expected it above the definitions"},
    {"from", "an import inside a function is refused; expected it above the definitions"},
    {"class", "a class inside a function is refused; expected it at the top level of the file"},
    {"as", "`as` is refused here; expected the expression alone"},
    {"assert", "`assert` is a statement; expected an expression"},
    {"def", "a function is defined by a statement of its own; expected an expression"},
};

} // namespace

SyntaxParser::Nesting::Nesting(SyntaxParser& parser) : parser_(parser) {
  if (++parser_.depth_ > parser_.maximumDepth_ + 1) {
    const Token& token = parser_.next();
    --parser_.depth_;
    parser_.fail(token,
                 "this is nested too deep; expected at most " + std::to_string(parser_.maximumDepth_) + " levels");
  }
}

bool SyntaxParser::isNext(std::string_view text) const {
  const Token& token = next();
  return (token.kind == TokenKind::kOperator || token.kind == TokenKind::kKeyword) && token.text == text;
}

Token SyntaxParser::take() {
  return tokens_[position_ + 1 < tokens_.size() ? position_++ : position_];
}

bool SyntaxParser::accept(std::string_view text) {
  if (!isNext(text)) {
    return false;
  }
  take();
  return true;
}

Token SyntaxParser::expect(std::string_view text, const std::string& context) {
  if (!isNext(text)) {
    if (isNext("as")) {
      refuseKeyword(next());
    }
    fail(next(), "unexpected " + describeToken(next()) + "; expected `" + std::string(text) + "` " + context);
  }
  return take();
}

std::string SyntaxParser::expectName(const std::string& what, language::Place* place) {
  const Token token = take();
  if (token.kind != TokenKind::kName) {
    fail(token, "unexpected " + describeToken(token) + "; expected " + what);
  }
  if (place) {
    *place = token.place;
  }
  return token.text;
}

void SyntaxParser::expectEnd() {
  while (next().kind == TokenKind::kNewline) {
    if (position_ + 1 == tokens_.size()) {
      return;
    }
    take();
  }
  if (next().kind != TokenKind::kEnd) {
    fail(next(), "unexpected " + describeToken(next()) + "; expected the end of the text");
  }
}

void SyntaxParser::expectEndOfLine() {
  if (next().kind != TokenKind::kNewline) {
    fail(next(), "unexpected " + describeToken(next()) + "; expected the end of the line");
  }
  take();
}

void SyntaxParser::refuseKeyword(const Token& token) const {
  const auto found = kRefusedKeywords.find(token.text);
  if (found != kRefusedKeywords.end()) {
    fail(token, std::string(found->second));
  }
  fail(token, "unexpected `" + token.text + "`; expected an expression");
}

language::ExprPtr SyntaxParser::make(language::ExprKind kind, std::string text, language::Place place,
                                     std::vector<language::ExprPtr> children, std::vector<std::string> keywords) {
  int height = 1;
  for (const language::ExprPtr& child : children) {
    if (child) {
      height = std::max(height, 1 + heights_.at(child.get()));
    }
  }
  // Recursion over a tree must not run out of stack, and a chain of operators makes a tree as deep as it is long.
  if (height > 3 * maximumDepth_) {
    source_.fail(place, "this expression is too long; expected several statements");
  }
  language::ExprPtr expr = std::make_shared<const language::Expr>(
      language::Expr{kind, std::move(text), std::move(children), std::move(keywords), place});
  heights_[expr.get()] = height;
  return expr;
}

language::ExprPtr SyntaxParser::expression() {
  const Nesting nesting(*this);
  if (isNext("lambda")) {
    return lambda();
  }
  language::ExprPtr value = binary(0);
  if (!isNext("if")) {
    return value;
  }
  const language::Place place = take().place;
  language::ExprPtr condition = binary(0);
  expect("else", "and the other value of the conditional expression");
  language::ExprPtr other = expression();
  return make(language::ExprKind::kConditional, "", place, {std::move(condition), std::move(value), std::move(other)});
}

language::ExprPtr SyntaxParser::starredOr() {
  if (!isNext("*")) {
    return expression();
  }
  const language::Place place = take().place;
  return make(language::ExprKind::kStarred, "", place, {binary(kBitwiseOrRow)});
}

language::ExprPtr SyntaxParser::expressionList() {
  const language::Place place = next().place;
  std::vector<language::ExprPtr> items = {starredOr()};
  if (!isNext(",")) {
    if (items[0]->kind == language::ExprKind::kStarred) {
      source_.fail(items[0]->place, "a starred expression alone is no value; expected it in a tuple, a list or a call");
    }
    return items[0];
  }
  while (accept(",")) {
    if (next().kind == TokenKind::kNewline || isNext("=") || isNext(":") || isNext(")") || isNext("]") ||
        next().kind == TokenKind::kEnd) {
      break;
    }
    items.push_back(starredOr());
  }
  return make(language::ExprKind::kTuple, "", place, std::move(items));
}

language::ExprPtr SyntaxParser::binary(int level) {
  const auto operand = [&] {
    return level == kAndRow ? notTest() : level == kTightestRow ? unary() : binary(level + 1);
  };
  language::ExprPtr left = operand();
  while (kLevels[static_cast<size_t>(level)].contains(next().text) &&
         (next().kind == TokenKind::kOperator || next().kind == TokenKind::kKeyword)) {
    const Token op = take();
    language::ExprPtr right = operand();
    left = make(language::ExprKind::kBinary, op.text, op.place, {std::move(left), std::move(right)});
  }
  return left;
}

language::ExprPtr SyntaxParser::notTest() {
  if (!isNext("not")) {
    return comparison();
  }
  const Nesting nesting(*this);
  const language::Place place = take().place;
  return make(language::ExprKind::kUnary, "not", place, {notTest()});
}

language::ExprPtr SyntaxParser::comparison() {
  const auto isComparison = [&] {
    return (next().kind == TokenKind::kOperator || next().kind == TokenKind::kKeyword) &&
           kComparisons.contains(next().text);
  };
  language::ExprPtr left = binary(kBitwiseOrRow);
  if (!isComparison()) {
    return left;
  }
  const Token op = take();
  std::string name = op.text;
  if (name == "not") {
    expect("in", "after `not`");
    name = "not in";
  } else if (name == "is" && accept("not")) {
    name = "is not";
  }
  language::ExprPtr right = binary(kBitwiseOrRow);
  if (isComparison()) {
    fail(next(), "a chained comparison is refused; expected two comparisons joined by `and`, or parentheses");
  }
  return make(language::ExprKind::kBinary, name, op.place, {std::move(left), std::move(right)});
}

language::ExprPtr SyntaxParser::unary() {
  if (isNext("-") || isNext("~")) {
    const Nesting nesting(*this);
    const Token op = take();
    return make(language::ExprKind::kUnary, op.text, op.place, {unary()});
  }
  if (isNext("+")) {
    fail(next(), "a unary `+` is refused; expected the operand alone");
  }
  return power();
}

language::ExprPtr SyntaxParser::power() {
  language::ExprPtr base = postfix();
  if (!isNext("**")) {
    return base;
  }
  const Nesting nesting(*this);
  const language::Place place = take().place;
  return make(language::ExprKind::kBinary, "**", place, {std::move(base), unary()});
}

language::ExprPtr SyntaxParser::postfix() {
  language::ExprPtr value = atom();
  while (isNext(".") || isNext("(") || isNext("[")) {
    if (isNext("(")) {
      value = call(std::move(value));
    } else if (isNext("[")) {
      value = subscript(std::move(value));
    } else {
      take();
      language::Place place;
      if (next().kind == TokenKind::kKeyword) {
        fail(next(), "`" + next().text + "` is a keyword of Python; expected the name of an attribute or a method");
      }
      std::string name = expectName("the name of an attribute or a method", &place);
      value = make(language::ExprKind::kAttribute, std::move(name), place, {std::move(value)});
    }
  }
  return value;
}

language::ExprPtr SyntaxParser::atom() {
  const Token token = next();
  switch (token.kind) {
    case TokenKind::kName: take(); return make(language::ExprKind::kName, token.text, token.place, {});
    case TokenKind::kInt: take(); return make(language::ExprKind::kInt, token.text, token.place, {});
    case TokenKind::kFloat: take(); return make(language::ExprKind::kFloat, token.text, token.place, {});
    case TokenKind::kImaginary: take(); return make(language::ExprKind::kImaginary, token.text, token.place, {});
    case TokenKind::kString: take(); return make(language::ExprKind::kString, token.text, token.place, {});
    case TokenKind::kFormatStart: return formatted(token);
    case TokenKind::kKeyword:
      for (const auto& [text, kind] :
           {std::pair("True", language::ExprKind::kTrue), std::pair("False", language::ExprKind::kFalse),
            std::pair("None", language::ExprKind::kNone)}) {
        if (accept(text)) {
          return make(kind, "", token.place, {});
        }
      }
      refuseKeyword(token);
    default: break;
  }
  if (isNext("(")) {
    return parenthesized();
  }
  if (isNext("[")) {
    return list();
  }
  if (isNext("{")) {
    return dictionary();
  }
  if (accept("...")) {
    return make(language::ExprKind::kEllipsis, "", token.place, {});
  }
  fail(token, "unexpected " + describeToken(token) + "; expected an expression");
}

// `lambda x, scale=2, *rest: …`
language::ExprPtr SyntaxParser::lambda() {
  const language::Place place = take().place;
  language::Function parameters;
  readParameters(parameters, ":", /*mayAnnotate=*/false);
  expect(":", "after the parameters of a lambda, or `,` and another name");
  std::vector<language::ExprPtr> children = {expression()};
  children.insert(children.end(), parameters.defaults.begin(), parameters.defaults.end());
  return make(language::ExprKind::kLambda, parameters.rest, place, std::move(children),
              std::move(parameters.parameters));
}

// What follows the element of a comprehension, if that is what it is: null otherwise.
language::ExprPtr SyntaxParser::comprehension(const std::string& kind, language::Place place,
                                              const std::vector<language::ExprPtr>& element) {
  if (!isNext("for")) {
    return nullptr;
  }
  if (element[0]->kind == language::ExprKind::kStarred) {
    source_.fail(element[0]->place, "a starred expression is no element of a comprehension; expected a value");
  }
  std::vector<language::ExprPtr> children = element;
  std::vector<std::string> clauses;
  while (isNext("for") || isNext("if")) {
    clauses.push_back(take().text);
    if (clauses.back() == "for") {
      children.push_back(loopTarget());
      expect("in", "and what the comprehension goes over");
    }
    children.push_back(binary(0));
  }
  return make(language::ExprKind::kComprehension, kind, place, std::move(children), std::move(clauses));
}

language::ExprPtr SyntaxParser::parenthesized() {
  const language::Place place = take().place;
  if (accept(")")) {
    return make(language::ExprKind::kTuple, "", place, {});
  }
  language::ExprPtr value = expressionList();
  if (isNext("for")) {
    fail(next(), "a generator is refused here; expected a list in brackets, or it as the only argument of a call");
  }
  expect(")", "to close `(`");
  if (value->kind == language::ExprKind::kTuple) {
    return make(language::ExprKind::kTuple, "", place, value->children);
  }
  return value;
}

language::ExprPtr SyntaxParser::list() {
  const language::Place place = take().place;
  std::vector<language::ExprPtr> items;
  while (!isNext("]")) {
    items.push_back(starredOr());
    if (language::ExprPtr made = items.size() == 1 ? comprehension("[", place, items) : nullptr) {
      expect("]", "to close `[`");
      return made;
    }
    if (!accept(",")) {
      break;
    }
  }
  expect("]", "to close `[`, or `,` and another item");
  return make(language::ExprKind::kList, "", place, std::move(items));
}

language::ExprPtr SyntaxParser::dictionary() {
  const language::Place place = take().place;
  std::vector<language::ExprPtr> items;
  std::set<std::string> keys;
  while (!isNext("}")) {
    if (items.empty() && next().kind != TokenKind::kString) {
      return dictComprehension(place);
    }
    const Token key = take();
    if (key.kind != TokenKind::kString) {
      fail(key, "unexpected " + describeToken(key) + "; expected a string as the key of a dict");
    }
    if (!keys.insert(key.text).second) {
      fail(key, "the key \"" + key.text + "\" is there twice; expected each key once");
    }
    items.push_back(make(language::ExprKind::kString, key.text, key.place, {}));
    expect(":", "and a value after the key; sets are refused");
    items.push_back(expression());
    if (!accept(",")) {
      break;
    }
  }
  expect("}", "to close `{`, or `,` and another entry");
  return make(language::ExprKind::kDict, "", place, std::move(items));
}

// `{key: value for key, value in items}`
language::ExprPtr SyntaxParser::dictComprehension(language::Place place) {
  const Token first = next();
  std::vector<language::ExprPtr> element = {expression()};
  expect(":", "and a value after the key; sets are refused");
  element.push_back(expression());
  language::ExprPtr made = comprehension(language::kDictComprehension, place, element);
  if (!made) {
    fail(first, "unexpected " + describeToken(first) + "; expected a string as the key of a dict");
  }
  expect("}", "to close `{`");
  return made;
}

language::ExprPtr SyntaxParser::call(language::ExprPtr callee) {
  const language::Place place = callee->place;
  take();
  std::vector<language::ExprPtr> positional, named;
  std::vector<std::string> keywords;
  while (!isNext(")")) {
    if (isNext("**")) {
      const language::Place star = take().place;
      positional.push_back(make(language::ExprKind::kStarred, "**", star, {binary(kBitwiseOrRow)}));
      if (!named.empty()) {
        source_.fail(star, "`**` behind an argument with a name is refused; expected it before");
      }
      if (!accept(",")) {
        break;
      }
      continue;
    }
    const bool isKeyword = next().kind == TokenKind::kName && tokens_[position_ + 1].kind == TokenKind::kOperator &&
                           tokens_[position_ + 1].text == "=";
    if (isKeyword) {
      const Token name = take();
      take();
      if (std::find(keywords.begin(), keywords.end(), name.text) != keywords.end()) {
        fail(name, "the argument `" + name.text + "` is given twice; expected each name once");
      }
      keywords.push_back(name.text);
      named.push_back(expression());
    } else {
      const Token first = next();
      const bool isBehind = !positional.empty() && positional.back()->text == "**" &&
                            positional.back()->kind == language::ExprKind::kStarred;
      positional.push_back(starredOr());
      if (!named.empty() || isBehind) {
        fail(first, "an argument without a name after one with a name; expected `name=value`");
      }
      if (language::ExprPtr made = comprehension("(", first.place, {positional.back()})) {
        if (positional.size() > 1) {
          fail(first, "a generator beside other arguments is refused; expected a list in brackets");
        }
        positional.back() = std::move(made);
        break;
      }
    }
    if (!accept(",")) {
      break;
    }
  }
  expect(")", "to close the call, or `,` and another argument");
  std::vector<language::ExprPtr> children = {std::move(callee)};
  children.insert(children.end(), positional.begin(), positional.end());
  children.insert(children.end(), named.begin(), named.end());
  return make(language::ExprKind::kCall, "", place, std::move(children), std::move(keywords));
}

language::ExprPtr SyntaxParser::index() {
  const language::Place place = next().place;
  const auto bound = [&]() -> language::ExprPtr {
    return isNext(":") || isNext(",") || isNext("]") ? nullptr : expression();
  };
  if (isNext("*")) {
    fail(next(), "a starred index is refused; expected the indices one by one");
  }
  language::ExprPtr start = bound();
  if (!isNext(":")) {
    if (!start) {
      fail(next(), "unexpected " + describeToken(next()) + "; expected an index or a slice");
    }
    return start;
  }
  take();
  language::ExprPtr stop = bound();
  language::ExprPtr step = accept(":") ? bound() : nullptr;
  return make(language::ExprKind::kSlice, "", place, {std::move(start), std::move(stop), std::move(step)});
}

language::ExprPtr SyntaxParser::subscript(language::ExprPtr object) {
  const language::Place place = take().place;
  std::vector<language::ExprPtr> children = {std::move(object), index()};
  bool trailingComma = false;
  while (accept(",")) {
    trailingComma = isNext("]");
    if (trailingComma) {
      break;
    }
    children.push_back(index());
  }
  expect("]", "to close the subscript, or `,` and another index");
  if (trailingComma && children.size() == 2) {
    if (children[1]->kind == language::ExprKind::kSlice) {
      source_.fail(place, "a slice with a comma after it is refused; expected the slice alone");
    }
    children[1] = make(language::ExprKind::kTuple, "", children[1]->place, {children[1]});
  }
  return make(language::ExprKind::kSubscript, "", place, std::move(children));
}

} // namespace touchstone::parser
