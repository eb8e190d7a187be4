#pragma once

#include "program/language/Case.h"

#include <stdexcept>
#include <string>

namespace touchstone::parser {

/// A case file that cannot be read. `what()` is the whole message for a person:
/// `FILE:LINE:COLUMN: what is wrong; what was expected`, then the line itself and a caret.
class ParseError : public std::runtime_error {
 public:
  ParseError(const std::string& file, language::Place place, const std::string& line, const std::string& message);
  const language::Place& place() const { return place_; }
  const std::string& message() const { return message_; } // without file, line and caret

 private:
  language::Place place_;
  std::string message_;
};

struct ParseOptions {
  std::string file = "<text>"; // for messages
  bool checkMainPart = true; // refuse a `__main__` part that is not the generated one (`--rewrite` turns it off)
  size_t maximumBytes = 1 << 20;
  int maximumDepth = 100; // nesting of brackets; Python itself refuses more than about 200
  bool checkNames = true; // refuse operators that there are not, and names that stand for nothing
};

/// Reads a whole case file. Everything outside the closed subset is refused with a ParseError. Names of operators are
/// resolved (unknown and forbidden ones refused), but nothing is run.
language::Case parseCase(const std::string& text, const ParseOptions& options = {});

/// parseCase() of what printCase() wrote, or of what was read already: the `__main__` part is not looked at.
language::Case parsePrinted(const std::string& text, const std::string& file = "<case>");

/// Reads one file from disk; throws std::runtime_error naming the file when it cannot be opened.
language::Case readCase(const std::string& path, ParseOptions options = {});

/// Parses one expression, statement, function or class of the subset; for tests, mutators, importers and patterns. Operators are
/// checked unless the options say otherwise; variables and the file's functions are not: they may come from elsewhere.
language::ExprPtr parseExpression(const std::string& text, const ParseOptions& options = {});
language::StatementPtr parseStatement(const std::string& text, const ParseOptions& options = {});
language::Function parseFunction(const std::string& text, const ParseOptions& options = {});
language::CustomFunction parseCustomFunction(const std::string& text, const ParseOptions& options = {});

/// Reads functions, classes and custom operators of a case file, without its import, CALLS and the rest.
language::Case parseDefinitions(const std::string& text, const ParseOptions& options = {});

} // namespace touchstone::parser
