#include "program/parser/CaseParserSyntax.h"

#include <algorithm>

// What only Python runs: classes, `try`, `raise`.

namespace touchstone::parser {
namespace {

language::Statement opened(language::StatementKind kind, language::Place place) {
  return {kind, "", {}, nullptr, {}, {}, {}, place};
}

language::StatementPtr closed(language::Statement statement) {
  return std::make_shared<const language::Statement>(std::move(statement));
}

} // namespace

std::vector<language::ExprPtr> SyntaxParser::decorators() {
  std::vector<language::ExprPtr> decorators;
  while (accept("@")) {
    decorators.push_back(expression());
    expectEndOfLine();
  }
  return decorators;
}

bool SyntaxParser::isCustomFunctionNext() const {
  std::string base;
  for (size_t at = position_ + 3; at < tokens_.size() && tokens_[at].text != ")"; ++at) {
    base += tokens_[at].text;
  }
  return base == "torch.autograd.Function";
}

language::ClassField SyntaxParser::classField() {
  language::ClassField field;
  field.name = expectName("a field or a method of the class", &field.place);
  if (accept(":")) {
    field.annotation = expression();
  } else if (!isNext("=")) {
    fail(next(),
         "unexpected " + describeToken(next()) + " in a class; expected a method, `name = value` or `name: type`");
  }
  if (accept("=")) {
    field.value = expressionList();
  }
  expectEndOfLine();
  return field;
}

language::PythonClass SyntaxParser::pythonClass(std::vector<language::ExprPtr> decorators) {
  language::PythonClass made;
  made.decorators = std::move(decorators);
  made.place = expect("class", "and its name").place;
  made.name = expectName("the name of the class");
  if (accept("(")) {
    while (!isNext(")")) {
      const Token first = next();
      made.bases.push_back(expression());
      if (isNext("=")) {
        fail(first, "`" + first.text + "=` of a class is refused; expected the classes that it derives from");
      }
      if (!accept(",")) {
        break;
      }
    }
    expect(")", "to close the bases, or `,` and another one");
  }
  openBlock("after the class");
  while (next().kind != TokenKind::kDedent) {
    if (accept("pass")) {
      expectEndOfLine();
    } else if (isNext("@") || isNext("def")) {
      std::vector<language::ExprPtr> above = this->decorators();
      made.methods.push_back(function());
      made.methods.back().decorators = std::move(above);
    } else if (!made.methods.empty()) {
      fail(next(), "unexpected " + describeToken(next()) + " behind a method; expected fields above the methods");
    } else {
      made.fields.push_back(classField());
    }
  }
  closeBlock();
  return made;
}

language::StatementPtr SyntaxParser::clause(language::StatementKind kind, const std::string& after) {
  language::Statement made = opened(kind, next().place);
  made.body = block(after);
  return closed(std::move(made));
}

language::StatementPtr SyntaxParser::tryStatement() {
  language::Statement made = opened(language::StatementKind::kTry, take().place);
  made.body = block("after `try`");
  while (isNext("except")) {
    language::Statement handler = opened(language::StatementKind::kExcept, take().place);
    if (isNext(":")) {
      source_.fail(handler.place, "`except` alone would catch what ends the run; expected `except Exception`");
    }
    handler.value = expression();
    if (accept("as")) {
      language::Place place;
      std::string name = expectName("the name of the exception", &place);
      handler.targets = {make(language::ExprKind::kName, std::move(name), place, {})};
    }
    handler.body = block("after the exceptions");
    made.orElse.push_back(closed(std::move(handler)));
  }
  if (!made.orElse.empty() && accept("else")) {
    made.orElse.push_back(clause(language::StatementKind::kElse, "after `else`"));
  }
  if (accept("finally")) {
    made.orElse.push_back(clause(language::StatementKind::kFinally, "after `finally`"));
  }
  if (made.orElse.empty()) {
    fail(next(), "unexpected " + describeToken(next()) + "; expected `except` or `finally` after the block of `try`");
  }
  return closed(std::move(made));
}

language::StatementPtr SyntaxParser::raiseStatement() {
  language::Statement made = opened(language::StatementKind::kRaise, take().place);
  if (next().kind != TokenKind::kNewline) {
    made.value = expression();
  }
  expectEndOfLine();
  return closed(std::move(made));
}

language::ExprPtr SyntaxParser::formatted(const Token& token) {
  take();
  std::vector<language::ExprPtr> pieces;
  while (next().kind != TokenKind::kFormatEnd) {
    if (next().kind == TokenKind::kString) {
      const Token text = take();
      if (!text.text.empty()) {
        pieces.push_back(make(language::ExprKind::kString, text.text, text.place, {}));
      }
      continue;
    }
    expect("{", "and a value");
    pieces.push_back(expression());
    expect("}", "to close `{`");
  }
  take();
  return make(language::ExprKind::kFormatted, "", token.place, std::move(pieces));
}

} // namespace touchstone::parser
