#pragma once

#include "program/parser/CaseLexer.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace touchstone::parser {

/// Reads expressions, statements and functions from the tokens of one block, with Python's precedence and meaning;
/// names are not checked. The library's own `torch::jit::Parser` is not used: it reads `a or b and c` as
/// `(a or b) and c`, `~a + b` as `~(a + b)` and `1 < x < 3` as `(1 < x) < 3`, without a word.
class SyntaxParser {
 public:
  SyntaxParser(const SourceText& source, std::vector<Token> tokens, const ParseOptions& options)
      : source_(source), tokens_(std::move(tokens)), maximumDepth_(options.maximumDepth) {}

  language::ExprPtr expression(); // a conditional expression or what binds tighter
  language::ExprPtr expressionList(); // also `a, b` and `*rest, a` without parentheses
  language::StatementPtr statement();
  language::Function function();
  /// `class NAME(torch.autograd.Function):`. `importsDecorator`: `once_differentiable` stands for itself, too.
  language::CustomFunction customFunction(bool importsDecorator);
  void expectEnd(); // nothing is left
  void expectEndOfLine();
  bool accept(std::string_view text); // takes this operator or keyword if it is next
  Token expect(std::string_view text, const std::string& context);
  std::string expectName(const std::string& what, language::Place* place = nullptr);
  const Token& next() const { return tokens_[position_]; }
  [[noreturn]] void fail(const Token& token, const std::string& message) const { source_.fail(token.place, message); }

 private:
  // One level of nesting of what recurses here; refuses what is too deep.
  class Nesting {
   public:
    explicit Nesting(SyntaxParser& parser);
    ~Nesting() { --parser_.depth_; }

   private:
    SyntaxParser& parser_;
  };

  bool isNext(std::string_view text) const;
  Token take();
  language::ExprPtr make(language::ExprKind kind, std::string text, language::Place place,
                         std::vector<language::ExprPtr> children, std::vector<std::string> keywords = {});
  language::ExprPtr binary(int level);
  language::ExprPtr notTest();
  language::ExprPtr comparison();
  language::ExprPtr unary();
  language::ExprPtr power();
  language::ExprPtr postfix();
  language::ExprPtr atom();
  language::ExprPtr call(language::ExprPtr callee);
  language::ExprPtr subscript(language::ExprPtr object);
  language::ExprPtr index();
  language::ExprPtr parenthesized();
  language::ExprPtr list();
  language::ExprPtr dictionary();
  language::ExprPtr starredOr();
  language::ExprPtr lambda();
  language::ExprPtr comprehension(const std::string& kind, language::Place place,
                                  const std::vector<language::ExprPtr>& element);
  language::ExprPtr dictComprehension(language::Place place);
  /// The parameters of a function or a lambda, up to `end`.
  void readParameters(language::Function& function, std::string_view end, bool mayAnnotate);
  language::ExprPtr loopTarget();
  [[noreturn]] void refuseKeyword(const Token& token) const;

  void openBlock(const std::string& after);
  void closeBlock();
  void method(language::CustomFunction& custom, bool importsDecorator);
  std::vector<language::StatementPtr> block(const std::string& after);
  language::StatementPtr simpleStatement();
  language::StatementPtr ifStatement();
  language::StatementPtr forStatement();
  language::StatementPtr withStatement();
  language::StatementPtr assertion();
  language::ExprPtr target(const language::ExprPtr& expr, bool inPattern);
  std::vector<language::ExprPtr> targetsOf(const language::ExprPtr& expr);

  const SourceText& source_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  std::unordered_map<const language::Expr*, int> heights_; // of the trees made
  int depth_ = 0;
  int blockDepth_ = 0;
  int loopDepth_ = 0; // of the function that is read
  int maximumDepth_;
};

} // namespace touchstone::parser
