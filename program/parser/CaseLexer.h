#pragma once

#include "program/parser/CaseParser.h"

#include <string>
#include <string_view>
#include <vector>

namespace touchstone::parser {

/// The text of a case file by lines, checked to be text: valid UTF-8 without control characters, within the size cap,
/// without a line that would make Python read it in another encoding. CRLF counts as a line's end.
class SourceText {
 public:
  SourceText(const std::string& text, const ParseOptions& options); // throws ParseError
  int lineCount() const { return static_cast<int>(lines_.size()); }
  const std::string& line(int number) const { return lines_.at(static_cast<size_t>(number - 1)); } // 1-based
  [[noreturn]] void fail(language::Place place, const std::string& message) const;

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

enum class TokenKind {
  kName,
  kKeyword, // any of Python's, also those that the subset has no use for
  kInt, // text: decimal digits below 2^63
  kFloat, // text: Python's shortest form
  kImaginary,
  kString, // text: unescaped
  kFormatStart, // of an f-string: kString tokens follow, and between them `{`, the tokens of a value, `}`
  kFormatEnd,
  kOperator,
  kNewline, // end of a logical line
  kIndent,
  kDedent,
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  language::Place place;
};

/// Tokens of one top-level block: the logical line that begins at `firstLine` and the more indented ones that follow.
/// Ends with kEnd; `endLine` is the first line after the block. Brackets nest at most `maximumDepth` deep.
std::vector<Token> lexBlock(const SourceText& source, int firstLine, int maximumDepth, int& endLine);

bool isKeyword(std::string_view word); // of Python's

/// `end of line`, `name `x``, … for messages.
std::string describeToken(const Token& token);

} // namespace touchstone::parser
