#include "program/parser/CaseParser.h"

#include "program/language/CasePrinter.h"
#include "program/language/PythonConstructs.h"
#include "program/parser/CaseParserCalls.h"
#include "program/parser/CaseParserImports.h"
#include "program/parser/CaseParserNames.h"
#include "program/parser/CaseParserSyntax.h"
#include "program/parser/LanguageNames.h"
#include "program/standalone/MainPart.h"
#include "program/values/DefaultDevice.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <utility>

namespace touchstone::parser {
namespace {

constexpr std::string_view kMainStart = "if __name__";
constexpr const char* kTopLevel =
    "expected a function, a custom autograd function, a custom operator, `CALLS = …` or `COMPILE = …`";

// One whole file, from top to bottom.
class FileParser {
 public:
  FileParser(const std::string& text, const ParseOptions& options) : source_(text, options), options_(options) {}

  language::Case run() {
    readHeader();
    while (skipToCode()) {
      readDefinition();
    }
    checkWhole();
    return std::move(case_);
  }

  language::Case runDefinitions() {
    imports_.assumeTorch();
    while (skipToCode()) {
      readDefinition();
    }
    if (options_.checkNames) {
      checkNames();
    }
    return std::move(case_);
  }

 private:
  const std::string& line() const { return source_.line(line_); }
  bool startsWith(std::string_view text) const { return std::string_view(line()).starts_with(text); }
  [[noreturn]] void fail(const std::string& message) const { source_.fail({line_, 1}, message); }

  // Comments before the first line of code.
  void readHeader() {
    bool hasVersion = false;
    for (; line_ <= source_.lineCount(); ++line_) {
      const std::string& text = line();
      const size_t start = text.find_first_not_of(" \t");
      if (start == std::string::npos) {
        continue;
      }
      if (text[start] != '#') {
        break;
      }
      size_t at = std::min(text.find_first_not_of(" #", start), text.size());
      const size_t keyStart = at;
      while (at < text.size() && ((text[at] >= 'a' && text[at] <= 'z') || (text[at] >= '0' && text[at] <= '9') ||
                                  text[at] == '-' || text[at] == '_')) {
        ++at;
      }
      const std::string key = text.substr(keyStart, at - keyStart);
      const bool isHeader =
          !key.empty() && at < text.size() && text[at] == ':' && (at + 1 == text.size() || text[at + 1] == ' ');
      if (!isHeader) {
        continue; // a comment for people
      }
      const size_t valueStart = std::min(text.find_first_not_of(" \t", at + 1), text.size());
      std::string value = text.substr(valueStart);
      value.erase(value.find_last_not_of(" \t") + 1);
      const language::Place place{line_, static_cast<int>(valueStart) + 1};
      hasVersion |= key == "touchstone";
      readHeaderLine(key, value, place);
    }
    if (!hasVersion) {
      source_.fail({1, 1}, "this is no case file: it has no line `# touchstone: " +
                               std::to_string(language::kCaseFormatVersion) + "`; expected it at the top");
    }
  }

  void readHeaderLine(const std::string& key, const std::string& value, language::Place place) {
    if (key == "touchstone") {
      int version = 0;
      const auto result = std::from_chars(value.data(), value.data() + value.size(), version);
      if (result.ec != std::errc() || result.ptr != value.data() + value.size() || version < 1) {
        source_.fail(place,
                     "`" + value + "` is no format version; expected " + std::to_string(language::kCaseFormatVersion));
      }
      if (version > language::kCaseFormatVersion) {
        source_.fail(place, "the file has format version " + value +
                                " and is newer than this Touchstone; expected at most " +
                                std::to_string(language::kCaseFormatVersion));
      }
    } else if (key == "expect") {
      try {
        case_.expectations.push_back(language::parseExpectation(value));
      } catch (const std::invalid_argument& error) {
        source_.fail(place, error.what());
      }
    } else {
      if (key == language::kDeviceHeader) {
        try {
          values::deviceNamed(value);
        } catch (const std::invalid_argument& error) {
          source_.fail(place, error.what());
        }
      }
      case_.headers.push_back({key, value});
    }
  }

  bool skipToCode() {
    while (line_ <= source_.lineCount()) {
      const size_t start = line().find_first_not_of(' ');
      if (start != std::string::npos && line()[start] != '#') {
        return true;
      }
      ++line_;
    }
    return false;
  }

  void readDefinition() {
    if (startsWith(kMainStart)) {
      mainLine_ = line_;
      line_ = source_.lineCount() + 1;
      return;
    }
    if (startsWith("import ") || startsWith("from ")) {
      readImport();
    } else if (!imports_.hasTorch()) {
      fail("unexpected code above the import; expected `import torch` first");
    } else if (startsWith("class ")) {
      readClass();
    } else if (startsWith("def data(")) {
      expectText(language::dataPreamble(), "`data` is fixed");
    } else if (startsWith("def on_default_device(")) {
      expectText(language::dataOnDevicePreamble(), "what moves the values of `data` is fixed");
    } else if (startsWith("torch.set_default_device(")) {
      readDevice();
    } else if (startsWith("def ")) {
      readFunction();
    } else if (startsWith("@")) {
      isOfOperator() ? readDecorated() : readDecorators();
    } else {
      readAssignment();
    }
  }

  SyntaxParser parserOfBlock() {
    return SyntaxParser(source_, lexBlock(source_, line_, options_.maximumDepth, line_), options_);
  }

  void readImport() {
    const int first = line_;
    imports_.read(source_, {first, 1}, lexBlock(source_, line_, options_.maximumDepth, line_));
  }

  language::Place placeOf(const std::string& text) const {
    for (int number = 1; number <= source_.lineCount(); ++number) {
      if (const size_t at = source_.line(number).find(text); at != std::string::npos) {
        return {number, static_cast<int>(at) + 1};
      }
    }
    return {1, 1};
  }

  // What the text uses it imports; what it imports besides is not printed.
  void checkImports() const {
    for (const std::string& module : language::modulesUsed(case_)) {
      if (!imports_.has(module)) {
        source_.fail(placeOf(module + "."),
                     "the file uses `" + module + "` and does not import it; expected `import " + module + "`");
      }
    }
  }

  void readDevice() {
    const std::optional<std::string> device = case_.header(language::kDeviceHeader);
    if (!device) {
      fail("the file has no line `# device: NAME`; expected one above, with the device that is set here");
    }
    expectText(language::deviceStatement(*device), "the default device is that of the line `# device:`");
  }

  // The lines of a fixed text, character by character; spaces at a line's end do not count.
  void expectText(const std::string& text, const std::string& what) {
    std::istringstream lines(text);
    for (std::string expected; std::getline(lines, expected); ++line_) {
      if (line_ > source_.lineCount()) {
        source_.fail({source_.lineCount(), 1},
                     what + ", and the file ends inside it; expected the line `" + expected + "`");
      }
      std::string found = line();
      found.erase(found.find_last_not_of(' ') + 1);
      if (found != expected) {
        const auto difference = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
        source_.fail({line_, static_cast<int>(difference.first - found.begin()) + 1},
                     what + ", and this line differs; expected `" + expected + "`");
      }
    }
    // What is indented more would belong to it.
    if (line_ <= source_.lineCount() && startsWith(" ") && line().find_first_not_of(' ') != std::string::npos &&
        line()[line().find_first_not_of(' ')] != '#') {
      fail(what + ", and this line is too much; expected the next definition");
    }
  }

  // They are blocks of their own.
  // `@torch.library.…`, or `@NAME.…` of one that stands above.
  bool isOfOperator() const {
    const std::string& text = line();
    return startsWith("@torch.library.") || std::ranges::any_of(case_.customOperators, [&](const auto& made) {
             return text.starts_with("@" + made.body.name + ".");
           });
  }

  void readDecorators() {
    SyntaxParser parser = parserOfBlock();
    const std::vector<language::ExprPtr> read = parser.decorators();
    decorators_.insert(decorators_.end(), read.begin(), read.end());
    parser.expectEnd();
    if (!startsWith("@") && !startsWith("class ") && !startsWith("def ")) {
      fail("unexpected line behind a decorator; expected a class or a function");
    }
  }

  void readClass() {
    SyntaxParser parser = parserOfBlock();
    if (!parser.isCustomFunctionNext() || !decorators_.empty()) {
      language::PythonClass made = parser.pythonClass(std::exchange(decorators_, {}));
      parser.expectEnd();
      checkDefined(made.name, made.place);
      case_.classes.push_back(std::move(made));
      return;
    }
    language::CustomFunction function = parser.customFunction(imports_.hasDecorator());
    parser.expectEnd();
    checkDefined(function.name, function.place);
    case_.customFunctions.push_back(std::move(function));
  }

  // The name of a function or class.
  void checkDefined(const std::string& name, language::Place place) {
    if (isTaken(name)) {
      source_.fail(place, "`" + name + "` has a meaning of its own in a case file; expected another name");
    }
    if (case_.find(name) || case_.findCustomFunction(name) || case_.findCustomOperator(name) || case_.findClass(name) ||
        case_.findConstant(name)) {
      source_.fail(place, "`" + name + "` is there twice; expected each name once");
    }
  }

  void readFunction() {
    SyntaxParser parser = parserOfBlock();
    language::Function function = parser.function();
    function.decorators = std::exchange(decorators_, {});
    parser.expectEnd();
    checkDefined(function.name, function.place);
    case_.functions.push_back(std::move(function));
  }

  // A custom operator, or what is registered as its fake.
  void readDecorated() {
    SyntaxParser parser = parserOfBlock();
    parser.expect("@", "and a decorator");
    const language::ExprPtr decorator = parser.expression();
    parser.expectEndOfLine();
    parser.expectEnd();
    const bool makesOperator = isOperatorDecorator(*decorator);
    language::CustomOperator* registered = makesOperator ? nullptr : registeredBy(*decorator, "register_fake");
    if (!makesOperator && registered == nullptr) {
      source_.fail(
          decorator->place,
          "this decorator is refused; expected `@torch.library.custom_op(…)`, `@NAME.register_fake` of a custom "
          "operator, or a plain function");
    }
    if (!skipToCode() || !startsWith("def ")) {
      fail("unexpected code below a decorator; expected `def`");
    }
    SyntaxParser decorated = parserOfBlock();
    language::Function function = decorated.operatorFunction(/*isAnnotated=*/makesOperator);
    decorated.expectEnd();
    if (registered != nullptr) {
      if (registered->fake) {
        source_.fail(function.place, "`" + registered->body.name + "` has a fake already; expected one");
      }
      registered->fake = std::move(function);
      return;
    }
    checkDefined(function.name, function.place);
    if (language::isInputsName(function.name) || function.name == "program") {
      source_.fail(function.place, "`" + function.name + "` is called by CALLS; expected another name for an operator");
    }
    language::CustomOperator made;
    readOperatorDecorator(source_, *decorator, made);
    made.body = std::move(function);
    checkOperator(source_, made);
    for (const language::CustomOperator& other : case_.customOperators) {
      if (other.qualifiedName() == made.qualifiedName()) {
        source_.fail(made.place, "the operator `" + made.qualifiedName() + "` is there twice; expected each once");
      }
    }
    case_.customOperators.push_back(std::move(made));
  }

  // The operator of `NAME.METHOD`, `NAME.METHOD(…)` or `torch.library.METHOD("SPACE::NAME", …)`; null: it is none of these.
  language::CustomOperator* registeredBy(const language::Expr& expr, const std::string& method) {
    const language::Expr& named = expr.kind == language::ExprKind::kCall ? *expr.children[0] : expr;
    if (named.kind != language::ExprKind::kAttribute || named.text != method) {
      return nullptr;
    }
    const std::string owner = language::printExpression(*named.children[0]);
    const bool isByText =
        owner == "torch.library" && expr.kind == language::ExprKind::kCall && expr.children.size() > 1;
    for (language::CustomOperator& made : case_.customOperators) {
      const bool isText = isByText && expr.children[1]->kind == language::ExprKind::kString &&
                          expr.children[1]->text == made.qualifiedName();
      if (isText || owner == made.body.name) {
        return &made;
      }
    }
    return nullptr;
  }

  // A function above that is only what is registered: it is none of the file's own any more.
  language::Function takeFunction(const language::Expr& name) {
    const auto found = std::ranges::find_if(case_.functions, [&](const language::Function& function) {
      return name.kind == language::ExprKind::kName && function.name == name.text;
    });
    if (found == case_.functions.end() || language::isInputsName(found->name) || found->name == "program") {
      source_.fail(name.place, "this is no function that may be registered; expected one that stands above");
    }
    language::Function taken = std::move(*found);
    case_.functions.erase(found);
    return taken;
  }

  void readRegistration(SyntaxParser& parser) {
    const language::ExprPtr call = parser.expression();
    parser.expectEndOfLine();
    parser.expectEnd();
    language::CustomOperator* made =
        call->kind == language::ExprKind::kCall ? registeredBy(*call, "register_autograd") : nullptr;
    if (made == nullptr) {
      source_.fail(call->place, std::string(kTopLevel) + ", or `NAME.register_autograd(…)` of a custom operator");
    }
    const size_t first = language::printExpression(*call->children[0]) == "torch.library.register_autograd" ? 2 : 1;
    const size_t positional = call->children.size() - call->keywords.size();
    const bool hasSetup = call->keywords == std::vector<std::string>{"setup_context"};
    if (positional != first + 1 || (!hasSetup && !call->keywords.empty())) {
      source_.fail(call->place, "`register_autograd` is given a backward, and perhaps a setup; expected `" +
                                    made->body.name + ".register_autograd(backward, setup_context=setup)`");
    }
    language::Function backward = takeFunction(*call->children[first]);
    std::optional<language::Function> setup;
    if (hasSetup && call->children.back()->kind != language::ExprKind::kNone) {
      setup = takeFunction(*call->children.back());
    }
    setBackward(source_, *made, std::move(backward), std::move(setup), call->place);
  }

  void readAssignment() {
    SyntaxParser parser = parserOfBlock();
    const Token name = parser.next();
    if (name.kind == TokenKind::kName && (name.text == "torch" || case_.findCustomOperator(name.text) != nullptr)) {
      readRegistration(parser);
      return;
    }
    if (name.kind != TokenKind::kName) {
      source_.fail(name.place, "unexpected " + describeToken(name) + " at the top level; " + kTopLevel);
    }
    parser.expectName("`CALLS`, `COMPILE` or the name of a constant");
    parser.expect("=", "after `" + name.text + "`");
    if (name.text != "CALLS" && name.text != "COMPILE") {
      language::ExprPtr constant = parser.expressionList();
      parser.expectEndOfLine();
      parser.expectEnd();
      checkDefined(name.text, name.place);
      case_.constants.push_back({name.text, std::move(constant), name.place});
      return;
    }
    language::ExprPtr value = parser.expression();
    parser.expectEndOfLine();
    parser.expectEnd();
    language::ExprPtr& place = name.text == "CALLS" ? calls_ : compile_;
    if (place) {
      source_.fail(name.place, "`" + name.text + "` is there twice; expected it once");
    }
    place = std::move(value);
    if (name.text == "CALLS") {
      case_.calls = readCalls(source_, *calls_);
    } else {
      case_.compile = readCompile(source_, *compile_);
    }
  }

  void checkNames() {
    NameChecker checker(source_, &case_);
    for (const language::Constant& constant : case_.constants) {
      checker.checkConstant(constant);
    }
    for (const language::PythonClass& made : case_.classes) {
      checker.checkClass(made);
    }
    for (const language::Function& function : case_.functions) {
      checker.checkFunction(function);
    }
    for (const language::CustomFunction& function : case_.customFunctions) {
      checker.checkCustomFunction(function);
    }
    for (const language::CustomOperator& made : case_.customOperators) {
      checker.checkCustomOperator(made);
    }
    checker.checkCallGraph();
  }

  void checkWhole() {
    const language::Place end{source_.lineCount(), 1};
    if (!imports_.hasTorch()) {
      source_.fail(end, "the file has no `import torch`; expected it above the definitions");
    }
    if (!case_.find("program")) {
      source_.fail(end, "the file has no function `program`; expected `def program(…):`");
    }
    if (!calls_) {
      source_.fail(end, "the file has no CALLS; expected `CALLS = [dict(inputs=\"inputs\", seed=7)]`");
    }
    checkNames();
    checkImports();
    checkCalls(source_, case_, *calls_);
    if (mainLine_ && options_.checkMainPart) {
      line_ = *mainLine_;
      expectText(standalone::printMainPart(case_),
                 "the `__main__` part is generated from the rest of the file (--rewrite replaces it)");
      for (; line_ <= source_.lineCount(); ++line_) {
        if (line().find_first_not_of(' ') != std::string::npos) {
          fail(
              "the `__main__` part is generated from the rest of the file (--rewrite replaces it), and this line is "
              "too "
              "much; expected the end of the file");
        }
      }
    }
  }

  SourceText source_;
  ParseOptions options_;
  language::Case case_;
  int line_ = 1;
  Imports imports_;
  std::vector<language::ExprPtr> decorators_; // of what comes next
  language::ExprPtr calls_, compile_;
  std::optional<int> mainLine_;
};

SyntaxParser parserOf(const SourceText& source, const ParseOptions& options) {
  int endLine = 1;
  std::vector<Token> tokens = lexBlock(source, 1, options.maximumDepth, endLine);
  for (; endLine <= source.lineCount(); ++endLine) {
    const size_t start = source.line(endLine).find_first_not_of(' ');
    if (start != std::string::npos && source.line(endLine)[start] != '#') {
      source.fail({endLine, 1}, "unexpected text after the end; expected one expression, statement or function");
    }
  }
  return SyntaxParser(source, std::move(tokens), options);
}

} // namespace

language::Case parseCase(const std::string& text, const ParseOptions& options) {
  return FileParser(text, options).run();
}

language::Case parsePrinted(const std::string& text, const std::string& file) {
  ParseOptions options;
  options.file = file;
  options.checkMainPart = false;
  return parseCase(text, options);
}

language::Case readCase(const std::string& path, ParseOptions options) {
  std::ifstream file(path, std::ios::binary);
  // One byte more than allowed, so that what is too large is told from what is not.
  std::string text(options.maximumBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    throw std::runtime_error("The case file `" + path + "` cannot be read; expected a file with text.");
  }
  text.resize(static_cast<size_t>(file.gcount()));
  options.file = path;
  return parseCase(text, options);
}

language::Case parseDefinitions(const std::string& text, const ParseOptions& options) {
  return FileParser(text, options).runDefinitions();
}

language::ExprPtr parseExpression(const std::string& text, const ParseOptions& options) {
  const SourceText source(text, options);
  SyntaxParser parser = parserOf(source, options);
  language::ExprPtr expr = parser.expressionList();
  parser.expectEnd();
  if (options.checkNames) {
    NameChecker(source, nullptr).checkExpression(*expr);
  }
  return expr;
}

language::StatementPtr parseStatement(const std::string& text, const ParseOptions& options) {
  const SourceText source(text, options);
  SyntaxParser parser = parserOf(source, options);
  language::StatementPtr statement = parser.statement();
  parser.expectEnd();
  if (options.checkNames) {
    NameChecker(source, nullptr).checkFunction(language::Function{"statement", {}, {statement}, {}});
  }
  return statement;
}

language::CustomFunction parseCustomFunction(const std::string& text, const ParseOptions& options) {
  const SourceText source(text, options);
  SyntaxParser parser = parserOf(source, options);
  language::CustomFunction function = parser.customFunction(/*importsDecorator=*/false);
  parser.expectEnd();
  if (options.checkNames) {
    NameChecker(source, nullptr).checkCustomFunction(function);
  }
  return function;
}

language::Function parseFunction(const std::string& text, const ParseOptions& options) {
  const SourceText source(text, options);
  SyntaxParser parser = parserOf(source, options);
  language::Function function = parser.function();
  parser.expectEnd();
  if (options.checkNames) {
    NameChecker(source, nullptr).checkFunction(function);
  }
  return function;
}

} // namespace touchstone::parser
