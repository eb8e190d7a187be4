#include "program/parser/CaseLexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace touchstone::parser {
namespace {

constexpr std::array<std::string_view, 35> kKeywords = {
    "False",  "None",     "True",   "and", "as",       "assert", "async",  "await",   "break",
    "class",  "continue", "def",    "del", "elif",     "else",   "except", "for",     "from",
    "global", "if",       "import", "in",  "is",       "lambda", "not",    "finally", "or",
    "pass",   "raise",    "return", "try", "nonlocal", "while",  "with",   "yield"};

// Longest first.
constexpr std::array<std::string_view, 47> kOperators = {
    "**=", "//=", "<<=", ">>=", "...", "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^=", "**", "//",
    "<<",  ">>",  "==",  "!=",  "<=",  ">=", "->", ":=", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",
    "^",   "~",   "<",   ">",   "(",   ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",  "=",  ";"};

bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isNamePart(char c) {
  return isNameStart(c) || isDigit(c);
}

// Length of the UTF-8 sequence at `at`, 0 when it is none (overlong forms and surrogates included).
size_t utf8Length(const std::string& text, size_t at) {
  const auto byte = [&](size_t offset) {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0u;
  };
  const unsigned first = byte(0), second = byte(1);
  const auto follows = [&](size_t offset) { return (byte(offset) & 0xC0u) == 0x80u; };
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return follows(1) ? 2 : 0;
  }
  if (first >= 0xE0 && first <= 0xEF) {
    const bool tooLow = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second >= 0xA0;
    return follows(1) && follows(2) && !tooLow && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool outside = (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
    return follows(1) && follows(2) && follows(3) && !outside ? 4 : 0;
  }
  return 0;
}

// Python reads another encoding when a comment in the first two lines holds `coding` and `:` or `=`. Printing may move a
// header there, so it is refused in every line.
bool namesEncoding(const std::string& line) {
  const size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') {
    return false;
  }
  for (size_t at = line.find("coding"); at != std::string::npos; at = line.find("coding", at + 1)) {
    if (at + 6 < line.size() && (line[at + 6] == ':' || line[at + 6] == '=')) {
      return true;
    }
  }
  return false;
}

// Reads the tokens of one block, line by line.
class BlockLexer {
 public:
  BlockLexer(const SourceText& source, int firstLine, int maximumDepth)
      : source_(source), line_(firstLine), maximumDepth_(maximumDepth) {}

  std::vector<Token> run(int& endLine) {
    while (line_ <= source_.lineCount()) {
      const std::string& text = source_.line(line_);
      const size_t indent = text.find_first_not_of(' ');
      if (indent == std::string::npos || text[indent] == '#') {
        ++line_;
        continue;
      }
      if (indent == 0 && !tokens_.empty()) {
        break;
      }
      lexIndent(static_cast<int>(indent));
      column_ = indent;
      if (!skipDocstring()) {
        lexLogicalLine();
      }
    }
    endLine = line_;
    const language::Place place{std::min(line_, source_.lineCount()), 1};
    for (; indents_.size() > 1; indents_.pop_back()) {
      tokens_.push_back({TokenKind::kDedent, "", place});
    }
    tokens_.push_back({TokenKind::kEnd, "", place});
    return std::move(tokens_);
  }

 private:
  const std::string& text() const { return source_.line(line_); }
  char peek(size_t offset = 0) const { return column_ + offset < text().size() ? text()[column_ + offset] : '\0'; }
  language::Place here() const { return {line_, static_cast<int>(column_) + 1}; }
  [[noreturn]] void fail(const std::string& message) const { source_.fail(here(), message); }
  void add(TokenKind kind, std::string tokenText, language::Place place) {
    tokens_.push_back({kind, std::move(tokenText), place});
  }

  void lexIndent(int indent) {
    const language::Place place{line_, indent + 1};
    if (tokens_.empty()) {
      if (indent != 0) {
        source_.fail(place, "unexpected indentation; expected a definition at the beginning of the line");
      }
      return;
    }
    if (indent > indents_.back()) {
      indents_.push_back(indent);
      add(TokenKind::kIndent, "", place);
    }
    while (indent < indents_.back()) {
      indents_.pop_back();
      add(TokenKind::kDedent, "", place);
    }
    if (indent != indents_.back()) {
      source_.fail(place, "this indentation matches no outer block; expected one of the blocks above");
    }
  }

  // Whether this line is the first of the body of a function or a class.
  bool beginsBody() const {
    if (tokens_.empty() || tokens_.back().kind != TokenKind::kIndent) {
      return false;
    }
    size_t header = tokens_.size() - 2; // the end of its line
    const auto ends = [](TokenKind kind) {
      return kind == TokenKind::kNewline || kind == TokenKind::kIndent || kind == TokenKind::kDedent;
    };
    while (header > 0 && !ends(tokens_[header - 1].kind)) {
      --header;
    }
    return tokens_[header].text == "def" || tokens_[header].text == "class";
  }

  // A string alone at the beginning of a body says something to people only, and is not kept. Leaves `line_` behind it.
  bool skipDocstring() {
    const char quote = peek();
    if ((quote != '"' && quote != '\'') || !beginsBody()) {
      return false;
    }
    const bool isTriple = peek(1) == quote && peek(2) == quote;
    const std::string end(isTriple ? 3 : 1, quote);
    const language::Place begin = here();
    size_t at = column_ + end.size(), found = 0;
    int last = line_;
    for (;; ++last, at = 0) {
      if (last > source_.lineCount()) {
        source_.fail(begin, "this string is never closed; expected `" + end + "`");
      }
      const std::string& all = source_.line(last);
      found = all.find(end, at);
      if (found == std::string::npos && !isTriple) {
        return false; // said where a string is read
      }
      const size_t escape = all.find('\\', at);
      if (escape < std::min(found, all.size())) {
        source_.fail({last, static_cast<int>(escape) + 1}, "a `\\` in a docstring is refused; expected plain text");
      }
      if (found != std::string::npos) {
        break;
      }
    }
    const size_t behind = source_.line(last).find_first_not_of(' ', found + end.size());
    if (behind != std::string::npos && source_.line(last)[behind] != '#') {
      if (!isTriple) {
        return false; // an expression
      }
      source_.fail({last, static_cast<int>(behind) + 1},
                   "unexpected text behind a docstring; expected the end of the line");
    }
    line_ = last + 1;
    column_ = 0;
    return true;
  }

  // Up to the end of a line outside brackets; leaves `line_` behind it.
  void lexLogicalLine() {
    std::vector<Token> open;
    while (true) {
      const char c = peek();
      if (c == '\0' || c == '#') {
        const language::Place end = here();
        const bool last = line_ == source_.lineCount();
        if (!open.empty() && last) {
          source_.fail(open.back().place, "`" + open.back().text + "` is never closed; expected `" +
                                              std::string(1, closing(open.back().text[0])) + "`");
        }
        ++line_;
        column_ = 0;
        if (open.empty()) {
          add(TokenKind::kNewline, "", end);
          return;
        }
      } else if (c == ' ') {
        ++column_;
      } else if (c == '\\') {
        if (column_ + 1 != text().size() || line_ == source_.lineCount()) {
          fail("unexpected `\\`; expected it at the end of a line that goes on");
        }
        ++line_;
        column_ = 0;
      } else {
        lexToken(open);
      }
    }
  }

  static char closing(char bracket) { return bracket == '(' ? ')' : bracket == '[' ? ']' : '}'; }

  void lexToken(std::vector<Token>& open) {
    const char c = peek();
    if (c == '\t') {
      fail("a tab; expected spaces");
    }
    if (c == '"' || c == '\'') {
      lexString();
    } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
      lexNumber();
    } else if (isNameStart(c)) {
      lexName();
    } else {
      lexOperator(open);
    }
  }

  void lexName() {
    const language::Place place = here();
    size_t end = column_;
    while (end < text().size() && isNamePart(text()[end])) {
      ++end;
    }
    std::string name = text().substr(column_, end - column_);
    if (end < text().size() && (text()[end] == '"' || text()[end] == '\'')) {
      if (name != "f") {
        fail("a string with the prefix `" + name + "` is refused; expected a plain string");
      }
      column_ = end;
      lexFormatted(place);
      return;
    }
    column_ = end;
    const bool keyword = isKeyword(name);
    add(keyword ? TokenKind::kKeyword : TokenKind::kName, std::move(name), place);
  }

  void lexNumber() {
    const language::Place place = here();
    const std::string& line = text();
    size_t end = column_;
    const auto digits = [&] {
      while (end < line.size() && isDigit(line[end])) {
        ++end;
      }
    };
    digits();
    bool isFloat = false;
    if (end < line.size() && line[end] == '.') {
      isFloat = true;
      ++end;
      digits();
    }
    if (end < line.size() && (line[end] == 'e' || line[end] == 'E')) {
      const size_t sign = end + 1 < line.size() && (line[end + 1] == '+' || line[end + 1] == '-') ? 1 : 0;
      if (end + 1 + sign < line.size() && isDigit(line[end + 1 + sign])) {
        isFloat = true;
        end += 1 + sign;
        digits();
      }
    }
    const std::string number = line.substr(column_, end - column_);
    const bool imaginary = end < line.size() && (line[end] == 'j' || line[end] == 'J');
    end += imaginary ? 1 : 0;
    if (end < line.size() && isNamePart(line[end])) {
      fail("this number is refused; expected decimal digits, without `_`, prefixes or suffixes");
    }
    column_ = end;
    if (isFloat || imaginary) {
      addFloat(number, imaginary, place);
      return;
    }
    uint64_t value = 0;
    const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
    if (result.ec != std::errc() || value >= (uint64_t{1} << 63)) {
      source_.fail(place, "this integer is too large; expected one below 2^63");
    }
    if (number.size() > 1 && number[0] == '0') {
      source_.fail(place, "an integer with leading zeros is refused; expected `" + std::to_string(value) + "`");
    }
    add(TokenKind::kInt, number, place);
  }

  void addFloat(const std::string& number, bool imaginary, language::Place place) {
    // from_chars wants a digit before the point and reports what is too small as an error; strtod obeys the locale.
    double value = 0;
    const std::string padded = "0" + number;
    const auto result = std::from_chars(padded.data(), padded.data() + padded.size(), value);
    if (result.ec == std::errc::result_out_of_range) {
      source_.fail(place,
                   "this number is too large or too small for a float; expected one in range, or `float(\"inf\")`");
    }
    std::string text = language::pythonFloatText(value);
    if (imaginary && text.size() > 2 && text.substr(text.size() - 2) == ".0") {
      text.resize(text.size() - 2); // `2j`
    }
    add(imaginary ? TokenKind::kImaginary : TokenKind::kFloat, text, place);
  }

  void lexString() {
    const language::Place place = here();
    const char quote = peek();
    if (peek(1) == quote && peek(2) == quote) {
      fail("a triple-quoted string is refused but as a docstring; expected a string on one line");
    }
    ++column_;
    std::string value;
    while (peek() != quote) {
      if (column_ >= text().size()) {
        source_.fail(place, std::string("this string does not end on its line; expected `") + quote + "`");
      }
      value += peek() == '\\' ? readEscape() : text()[column_++];
    }
    ++column_;
    if (!tokens_.empty() && tokens_.back().kind == TokenKind::kString) {
      source_.fail(place, "two strings side by side are refused; expected one string");
    }
    add(TokenKind::kString, std::move(value), place);
  }

  // Values in an f-string have no strings, formats and conversions.
  void lexFormatted(language::Place start) {
    const char quote = peek();
    if (peek(1) == quote && peek(2) == quote) {
      fail("a triple-quoted string is refused but as a docstring; expected a string on one line");
    }
    ++column_;
    add(TokenKind::kFormatStart, "f" + std::string(1, quote), start);
    std::string value;
    language::Place place = here();
    while (peek() != quote) {
      const char c = peek();
      if (column_ >= text().size()) {
        source_.fail(start, std::string("this string does not end on its line; expected `") + quote + "`");
      }
      if ((c == '{' || c == '}') && peek(1) == c) {
        value += c;
        column_ += 2;
      } else if (c == '{') {
        add(TokenKind::kString, std::exchange(value, ""), place);
        lexFormattedValue();
        place = here();
      } else if (c == '}') {
        fail("`}` closes nothing; expected `}}`");
      } else {
        value += c == '\\' ? readEscape() : text()[column_++];
      }
    }
    ++column_;
    add(TokenKind::kString, std::move(value), place);
    add(TokenKind::kFormatEnd, std::string(1, quote), here());
  }

  void lexFormattedValue() {
    add(TokenKind::kOperator, "{", here());
    ++column_;
    std::vector<Token> open;
    while (!(open.empty() && peek() == '}')) {
      const char c = peek();
      if (c == '\0' || c == '"' || c == '\'' || c == '\\' || c == '#' ||
          (open.empty() && (c == '!' || c == ':' || c == '='))) {
        fail("this is refused in an f-string; expected a value without strings and formats, and `}`");
      }
      if (c == ' ') {
        ++column_;
      } else {
        lexToken(open);
      }
    }
    add(TokenKind::kOperator, "}", here());
    ++column_;
  }

  char readEscape() {
    constexpr std::string_view names = "\\\"'ntr", values = "\\\"'\n\t\r";
    const char name = peek(1);
    const size_t known = name ? names.find(name) : std::string_view::npos;
    if (known != std::string_view::npos) {
      column_ += 2;
      return values[known];
    }
    unsigned value = 0;
    const char* digits = text().data() + std::min(column_ + 2, text().size());
    const char* end = text().data() + std::min(column_ + 4, text().size());
    const auto result = std::from_chars(digits, end, value, 16);
    if (name != 'x' || end - digits != 2 || result.ptr != end || result.ec != std::errc() || value >= 0x80) {
      fail("this escape is refused; expected one of \\\\ \\\" \\' \\n \\t \\r, or \\x00 to \\x7f");
    }
    column_ += 4;
    return static_cast<char>(value);
  }

  void lexOperator(std::vector<Token>& open) {
    const language::Place place = here();
    const std::string_view rest = std::string_view(text()).substr(column_);
    const auto found = std::find_if(kOperators.begin(), kOperators.end(),
                                    [&](std::string_view candidate) { return rest.starts_with(candidate); });
    if (found == kOperators.end()) {
      fail("`" + text().substr(column_, std::max<size_t>(1, utf8Length(text(), column_))) +
           "` is no part of the language; expected a name, a number, a string or an operator");
    }
    if (*found == ":=") {
      fail("an assignment inside an expression (`:=`) is refused; expected an assignment of its own");
    }
    if (*found == ";") {
      fail("`;` is refused; expected one statement a line");
    }
    Token token{TokenKind::kOperator, std::string(*found), place};
    column_ += found->size();
    const char c = token.text.size() == 1 ? token.text[0] : '\0';
    if (c == '(' || c == '[' || c == '{') {
      if (static_cast<int>(open.size()) >= maximumDepth_) {
        source_.fail(place, "brackets are nested too deep; expected at most " + std::to_string(maximumDepth_));
      }
      open.push_back(token);
    } else if (c == ')' || c == ']' || c == '}') {
      if (open.empty() || closing(open.back().text[0]) != c) {
        source_.fail(place, open.empty() ? "`" + token.text + "` closes nothing; expected an opening bracket before it"
                                         : "`" + token.text + "` does not close `" + open.back().text +
                                               "`; expected `" + std::string(1, closing(open.back().text[0])) + "`");
      }
      open.pop_back();
    }
    tokens_.push_back(std::move(token));
  }

  const SourceText& source_;
  int line_;
  size_t column_ = 0;
  int maximumDepth_;
  std::vector<int> indents_ = {0};
  std::vector<Token> tokens_;
};

} // namespace

ParseError::ParseError(const std::string& file, language::Place place, const std::string& line,
                       const std::string& message)
    : std::runtime_error([&] {
        // Of a very long line only what stands around the place is shown. The caret counts characters, not bytes.
        constexpr size_t kShown = 160;
        const size_t column = std::min(line.size(), static_cast<size_t>(std::max(place.column - 1, 0)));
        size_t from = column > kShown / 2 && line.size() > kShown ? column - kShown / 2 : 0;
        while (from > 0 && (static_cast<unsigned char>(line[from]) & 0xC0u) == 0x80u) {
          --from;
        }
        const auto isCharacter = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; };
        const auto at = [&](size_t offset) { return line.begin() + static_cast<std::ptrdiff_t>(offset); };
        size_t to = std::min(line.size(), from + kShown);
        while (to < line.size() && !isCharacter(line[to])) {
          ++to;
        }
        const auto indent = std::count_if(at(from), at(column), isCharacter);
        return file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + message +
               "\n    " + line.substr(from, to - from) + "\n    " + std::string(static_cast<size_t>(indent), ' ') + "^";
      }()),
      place_(place),
      message_(message) {}

SourceText::SourceText(const std::string& text, const ParseOptions& options) : file_(options.file) {
  if (text.size() > options.maximumBytes) {
    throw ParseError(file_, {1, 1}, "",
                     "the file has " + std::to_string(text.size()) + " bytes; expected at most " +
                         std::to_string(options.maximumBytes));
  }
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    std::string line = text.substr(from, end - from);
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    lines_.push_back(std::move(line));
    from = end + 1;
  }
  if (lines_.empty()) {
    lines_.emplace_back();
  }
  for (int number = 1; number <= lineCount(); ++number) {
    const std::string& content = line(number);
    for (size_t at = 0, length = 0; at < content.size(); at += length) {
      const auto byte = static_cast<unsigned char>(content[at]);
      length = utf8Length(content, at);
      if (length == 0 || (byte < 0x20 && byte != '\t') || byte == 0x7f) {
        throw ParseError(file_, {number, static_cast<int>(at) + 1}, "",
                         length == 0 ? "this byte is not UTF-8; expected text" : "a control character; expected text");
      }
    }
    if (namesEncoding(content)) {
      fail({number, 1}, "this comment names an encoding, and Python would obey it; expected UTF-8 and no such comment");
    }
  }
}

void SourceText::fail(language::Place place, const std::string& message) const {
  throw ParseError(file_, place, place.line >= 1 && place.line <= lineCount() ? line(place.line) : "", message);
}

std::vector<Token> lexBlock(const SourceText& source, int firstLine, int maximumDepth, int& endLine) {
  return BlockLexer(source, firstLine, maximumDepth).run(endLine);
}

bool isKeyword(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

std::string describeToken(const Token& token) {
  switch (token.kind) {
    case TokenKind::kNewline: return "the end of the line";
    case TokenKind::kIndent: return "more indentation";
    case TokenKind::kDedent: return "less indentation";
    case TokenKind::kEnd: return "the end of the text";
    case TokenKind::kString: return "a string";
    default: return "`" + token.text + "`";
  }
}

} // namespace touchstone::parser
