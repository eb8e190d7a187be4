#include "program/language/CasePrinter.h"

#include "program/language/PythonConstructs.h"

#include <algorithm>
#include <map>
#include "program/language/CompileFlags.h"

namespace touchstone::language {
namespace {

// How tight an expression binds, after Python's grammar.
enum Precedence {
  kAnything,
  kLambdaLevel,
  kConditionalLevel,
  kOrLevel,
  kAndLevel,
  kNotLevel,
  kComparisonLevel,
  kBitOrLevel,
  kBitXorLevel,
  kBitAndLevel,
  kShiftLevel,
  kSumLevel,
  kProductLevel,
  kUnaryLevel,
  kPowerLevel,
  kAtomLevel,
};

const std::map<std::string_view, int> kBinaryLevels = {
    {"or", kOrLevel},         {"and", kAndLevel},
    {"<", kComparisonLevel},  {">", kComparisonLevel},
    {"==", kComparisonLevel}, {"!=", kComparisonLevel},
    {"<=", kComparisonLevel}, {">=", kComparisonLevel},
    {"is", kComparisonLevel}, {"is not", kComparisonLevel},
    {"in", kComparisonLevel}, {"not in", kComparisonLevel},
    {"|", kBitOrLevel},       {"^", kBitXorLevel},
    {"&", kBitAndLevel},      {"<<", kShiftLevel},
    {">>", kShiftLevel},      {"+", kSumLevel},
    {"-", kSumLevel},         {"*", kProductLevel},
    {"/", kProductLevel},     {"//", kProductLevel},
    {"%", kProductLevel},     {"@", kProductLevel},
    {"**", kPowerLevel},
};

int precedenceOf(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLambda: return kLambdaLevel;
    case ExprKind::kConditional: return kConditionalLevel;
    case ExprKind::kUnary: return expr.text == "not" ? kNotLevel : kUnaryLevel;
    case ExprKind::kBinary: return kBinaryLevels.at(expr.text);
    case ExprKind::kStarred:
    case ExprKind::kSlice: return kAnything;
    default: return kAtomLevel;
  }
}

std::string print(const Expr& expr, int atLeast);

std::string printItems(const std::vector<ExprPtr>& items, size_t from = 0) {
  std::string text;
  for (size_t index = from; index < items.size(); ++index) {
    text += (index > from ? ", " : "") + print(*items[index], kAnything);
  }
  return text;
}

// A number before a dot would be read as a float.
std::string printObject(const Expr& expr) {
  const bool isNumber =
      expr.kind == ExprKind::kInt || expr.kind == ExprKind::kFloat || expr.kind == ExprKind::kImaginary;
  return isNumber ? "(" + expr.text + ")" : print(expr, kAtomLevel);
}

std::string printArguments(const Expr& call) {
  if (call.children.size() == 2 && call.children[1]->kind == ExprKind::kComprehension &&
      call.children[1]->text == "(") {
    const std::string text = print(*call.children[1], kAnything); // which needs no parentheses of its own
    return text.substr(1, text.size() - 2);
  }
  const size_t positional = call.children.size() - call.keywords.size();
  std::string text;
  for (size_t index = 1; index < call.children.size(); ++index) {
    text += index > 1 ? ", " : "";
    text += index >= positional ? call.keywords[index - positional] + "=" : "";
    text += print(*call.children[index], kAnything);
  }
  return text;
}

std::string printDict(const Expr& dict) {
  std::string text;
  for (size_t index = 0; index + 1 < dict.children.size(); index += 2) {
    text += (index ? ", " : "") + print(*dict.children[index], kAnything) + ": " +
            print(*dict.children[index + 1], kAnything);
  }
  return "{" + text + "}";
}

std::string printSlice(const Expr& slice) {
  const auto bound = [&](size_t index) {
    return slice.children[index] ? print(*slice.children[index], kAnything) : std::string();
  };
  return bound(0) + ":" + bound(1) + (slice.children[2] ? ":" + bound(2) : "");
}

std::string printBinary(const Expr& expr) {
  const int level = kBinaryLevels.at(expr.text);
  const bool isPower = level == kPowerLevel, isComparison = level == kComparisonLevel;
  const int left = isPower ? kAtomLevel : isComparison ? level + 1 : level;
  const int right = isPower ? kUnaryLevel : level + 1;
  return print(*expr.children[0], left) + " " + expr.text + " " + print(*expr.children[1], right);
}

// `x, scale=2, *rest`, as of a lambda and of a `def`.
std::string printParameters(const std::vector<std::string>& names, const std::vector<ExprPtr>& defaults,
                            const std::string& rest, const std::vector<ExprPtr>& annotations = {}) {
  std::string text;
  for (size_t index = 0; index < names.size(); ++index) {
    text += (index ? ", " : "") + names[index];
    const bool isAnnotated = index < annotations.size() && annotations[index];
    text += isAnnotated ? ": " + print(*annotations[index], kConditionalLevel) : "";
    if (index + defaults.size() >= names.size()) {
      const Expr& value = *defaults[index + defaults.size() - names.size()];
      text += (isAnnotated ? " = " : "=") + print(value, kLambdaLevel);
    }
  }
  return rest.empty() ? text : text + (text.empty() ? "*" : ", *") + rest;
}

std::string printLambda(const Expr& lambda) {
  const std::vector<ExprPtr> defaults(lambda.children.begin() + 1, lambda.children.end());
  const std::string parameters = printParameters(lambda.keywords, defaults, lambda.text);
  return "lambda" + (parameters.empty() ? "" : " " + parameters) + ": " + print(*lambda.children[0], kLambdaLevel);
}

std::string printComprehension(const Expr& expr) {
  std::string text = print(*expr.children[0], kLambdaLevel);
  if (expr.text == kDictComprehension) {
    text += ": " + print(*expr.children[1], kLambdaLevel);
  }
  for (const Clause& clause : clausesOf(expr)) {
    if (clause.target == nullptr) {
      text += " if " + print(*clause.value, kOrLevel);
      continue;
    }
    const bool isTuple = clause.target->kind == ExprKind::kTuple && clause.target->children.size() > 1;
    text += " for " + (isTuple ? printItems(clause.target->children) : print(*clause.target, kAnything)) + " in " +
            print(*clause.value, kOrLevel);
  }
  return expr.text.substr(0, 1) + text + (expr.text == "[" ? "]" : expr.text == "(" ? ")" : "}");
}

// `f"{x} and {{"`; values in it have no strings of their own.
std::string printFormatted(const Expr& expr) {
  std::string text;
  for (const ExprPtr& piece : expr.children) {
    if (piece->kind != ExprKind::kString) {
      text += "{" + print(*piece, kLambdaLevel) + "}";
      continue;
    }
    const std::string quoted = printString(piece->text);
    for (const char c : quoted.substr(1, quoted.size() - 2)) {
      text += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
    }
  }
  return "f\"" + text + "\"";
}

std::string printBare(const Expr& expr) {
  const std::vector<ExprPtr>& items = expr.children;
  switch (expr.kind) {
    case ExprKind::kName:
    case ExprKind::kInt:
    case ExprKind::kFloat: return expr.text;
    case ExprKind::kImaginary: return expr.text + "j";
    case ExprKind::kString: return printString(expr.text);
    case ExprKind::kTrue: return "True";
    case ExprKind::kFalse: return "False";
    case ExprKind::kNone: return "None";
    case ExprKind::kEllipsis: return "...";
    case ExprKind::kAttribute: return printObject(*items[0]) + "." + expr.text;
    case ExprKind::kCall: return print(*items[0], kAtomLevel) + "(" + printArguments(expr) + ")";
    case ExprKind::kSubscript: return print(*items[0], kAtomLevel) + "[" + printItems(items, 1) + "]";
    case ExprKind::kSlice: return printSlice(expr);
    case ExprKind::kList: return "[" + printItems(items) + "]";
    case ExprKind::kTuple: return "(" + printItems(items) + (items.size() == 1 ? ",)" : ")");
    case ExprKind::kDict: return printDict(expr);
    case ExprKind::kUnary:
      return expr.text == "not" ? "not " + print(*items[0], kNotLevel) : expr.text + print(*items[0], kUnaryLevel);
    case ExprKind::kBinary: return printBinary(expr);
    case ExprKind::kConditional:
      return print(*items[1], kOrLevel) + " if " + print(*items[0], kOrLevel) + " else " +
             print(*items[2], kConditionalLevel);
    case ExprKind::kStarred: return (expr.text.empty() ? "*" : expr.text) + print(*items[0], kBitOrLevel);
    case ExprKind::kLambda: return printLambda(expr);
    case ExprKind::kComprehension: return printComprehension(expr);
    case ExprKind::kFormatted: return printFormatted(expr);
  }
  return "";
}

std::string print(const Expr& expr, int atLeast) {
  return precedenceOf(expr) < atLeast ? "(" + printBare(expr) + ")" : printBare(expr);
}

// The value of `return` and of an assignment: a tuple of two or more needs no parentheses there.
std::string printValue(const Expr& expr) {
  return expr.kind == ExprKind::kTuple && expr.children.size() > 1 ? printItems(expr.children) : print(expr, kAnything);
}

std::string printBlock(const std::vector<StatementPtr>& statements, int indent) {
  if (statements.empty()) {
    return std::string(static_cast<size_t>(indent) * 4, ' ') + "pass\n";
  }
  std::string text;
  for (const StatementPtr& statement : statements) {
    text += printStatement(*statement, indent);
  }
  return text;
}

std::string printIf(const Statement& branch, const std::string& margin, int indent) {
  std::string text;
  const Statement* at = &branch;
  std::string keyword = "if ";
  while (true) {
    text += margin + keyword + print(*at->value, kAnything) + ":\n" + printBlock(at->body, indent + 1);
    if (at->orElse.size() != 1 || at->orElse[0]->kind != StatementKind::kIf) {
      break;
    }
    at = at->orElse[0].get();
    keyword = "elif ";
  }
  return at->orElse.empty() ? text : text + margin + "else:\n" + printBlock(at->orElse, indent + 1);
}

// What is left of one that was edited may have no `except`: an `else` then goes on where the body ends, and without a `finally` the
// statement is its body.
std::string printTry(const Statement& statement, const std::string& margin, int indent) {
  const auto has = [&](StatementKind kind) {
    return std::ranges::any_of(statement.orElse, [&](const StatementPtr& clause) { return clause->kind == kind; });
  };
  std::vector<StatementPtr> body = statement.body;
  std::string clauses;
  for (const StatementPtr& clause : statement.orElse) {
    if (clause->kind == StatementKind::kElse && !has(StatementKind::kExcept)) {
      body.insert(body.end(), clause->body.begin(), clause->body.end());
      continue;
    }
    const std::string name = clause->targets.empty() ? "" : " as " + print(*clause->targets[0], kAnything);
    clauses += margin + (clause->kind == StatementKind::kExcept ? "except " + print(*clause->value, kAnything) + name
                         : clause->kind == StatementKind::kElse ? "else"
                                                                : "finally");
    clauses += ":\n" + printBlock(clause->body, indent + 1);
  }
  return clauses.empty() ? printBlock(body, indent) : margin + "try:\n" + printBlock(body, indent + 1) + clauses;
}

std::string printDecorators(const std::vector<ExprPtr>& decorators, const std::string& margin) {
  std::string text;
  for (const ExprPtr& decorator : decorators) {
    text += margin + "@" + print(*decorator, kAnything) + "\n";
  }
  return text;
}

bool usesData(const Case& theCase) {
  const auto readsData = [](const StatementPtr& statement) {
    const std::vector<std::string> names = namesRead(*statement);
    return std::find(names.begin(), names.end(), "data") != names.end();
  };
  return std::any_of(theCase.functions.begin(), theCase.functions.end(),
                     [&](const Function& function) {
                       return std::any_of(function.body.begin(), function.body.end(), readsData);
                     }) ||
         std::any_of(theCase.calls.begin(), theCase.calls.end(), [](const CallSpec& call) {
           return call.backward && call.tangentLayout != TangentLayout::kNone; // tangents are made by `data`
         });
}

} // namespace

std::string printString(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr const char* digits = "0123456789abcdef";
    switch (c) {
      case '"': result += "\\\""; break;
      case '\\': result += "\\\\"; break;
      case '\n': result += "\\n"; break;
      case '\t': result += "\\t"; break;
      case '\r': result += "\\r"; break;
      default:
        if (byte < 0x20 || byte == 0x7f) {
          result += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        } else {
          result += c;
        }
    }
  }
  return result + "\"";
}

std::string printExpression(const Expr& expr) {
  return print(expr, kAnything);
}

std::string printStatement(const Statement& statement, int indent) {
  const std::string margin(static_cast<size_t>(indent) * 4, ' ');
  switch (statement.kind) {
    case StatementKind::kExpression: return margin + print(*statement.value, kAnything) + "\n";
    case StatementKind::kAssign:
      return margin + printItems(statement.targets) + " = " + printValue(*statement.value) + "\n";
    case StatementKind::kAugmentedAssign:
      return margin + print(*statement.targets[0], kAnything) + " " + statement.text + " " +
             print(*statement.value, kAnything) + "\n";
    case StatementKind::kDelete: return margin + "del " + printItems(statement.targets) + "\n";
    case StatementKind::kReturn:
      return margin + (statement.value ? "return " + printValue(*statement.value) : "return") + "\n";
    case StatementKind::kIf: return printIf(statement, margin, indent);
    case StatementKind::kWhile:
      return margin + "while " + print(*statement.value, kAnything) + ":\n" + printBlock(statement.body, indent + 1);
    case StatementKind::kFor:
      return margin + "for " + printItems(statement.targets) + " in " + print(*statement.value, kAnything) + ":\n" +
             printBlock(statement.body, indent + 1);
    case StatementKind::kWith:
      return margin + "with " + printItems(statement.items) +
             (statement.targets.empty() ? "" : " as " + print(*statement.targets[0], kAnything)) + ":\n" +
             printBlock(statement.body, indent + 1);
    case StatementKind::kPass: return margin + "pass\n";
    case StatementKind::kDef: return printFunction(*statement.function, indent);
    case StatementKind::kNonlocal: return margin + "nonlocal " + printItems(statement.targets) + "\n";
    case StatementKind::kBreak: return margin + "break\n";
    case StatementKind::kContinue: return margin + "continue\n";
    case StatementKind::kAssert:
      return margin + "assert " + print(*statement.value, kLambdaLevel) +
             (statement.items.empty() ? "" : ", " + print(*statement.items[0], kLambdaLevel)) + "\n";
    case StatementKind::kTry: return printTry(statement, margin, indent);
    case StatementKind::kExcept: // inside kTry
    case StatementKind::kElse:
    case StatementKind::kFinally: break;
    case StatementKind::kRaise:
      return margin + (statement.value ? "raise " + print(*statement.value, kAnything) : "raise") + "\n";
  }
  return "";
}

std::string printFunction(const Function& function, int indent) {
  const std::string margin(static_cast<size_t>(indent) * 4, ' ');
  return printDecorators(function.decorators, margin) + margin + "def " + function.name + "(" +
         printParameters(function.parameters, function.defaults, function.rest, function.annotations) + ")" +
         (function.returns ? " -> " + print(*function.returns, kLambdaLevel) : "") + ":\n" +
         printBlock(function.body, indent + 1);
}

std::string printClass(const PythonClass& made) {
  std::string bases;
  for (const ExprPtr& base : made.bases) {
    bases += (bases.empty() ? "" : ", ") + print(*base, kAnything);
  }
  std::string text =
      printDecorators(made.decorators, "") + "class " + made.name + (bases.empty() ? "" : "(" + bases + ")") + ":\n";
  for (const ClassField& field : made.fields) {
    text += "    " + field.name + (field.annotation ? ": " + print(*field.annotation, kConditionalLevel) : "") +
            (field.value ? " = " + printValue(*field.value) : "") + "\n";
  }
  for (const Function& method : made.methods) {
    text += (&method == &made.methods.front() && made.fields.empty() ? "" : "\n") + printFunction(method, 1);
  }
  return made.fields.empty() && made.methods.empty() ? text + "    pass\n" : text;
}

std::string printCustomFunction(const CustomFunction& function) {
  std::string text = "class " + function.name + "(torch.autograd.Function):\n";
  for (const Function& method : function.methods) {
    text += &method == &function.methods.front() ? "" : "\n";
    text += "    @staticmethod\n";
    if (function.isOnceDifferentiable && method.name == "backward") {
      text += std::string("    @") + kOnceDifferentiable + "\n";
    }
    text += printFunction(method, 1);
  }
  return text;
}

std::string printCustomOperator(const CustomOperator& made) {
  std::string mutated;
  for (const std::string& name : made.mutated) {
    mutated += (mutated.empty() ? "" : " ") + printString(name) + ",";
  }
  if (made.mutated.size() > 1) {
    mutated.pop_back();
  }
  std::string text = "@torch.library.custom_op(" + printString(made.qualifiedName()) + ", mutates_args=(" + mutated +
                     "))\n" + printFunction(made.body);
  if (made.fake) {
    text += "\n\n@" + made.body.name + ".register_fake\n" + printFunction(*made.fake);
  }
  if (made.setupContext) {
    text += "\n\n" + printFunction(*made.setupContext);
  }
  if (made.backward) {
    text += "\n\n" + printFunction(*made.backward) + "\n\n" + made.body.name + ".register_autograd(" +
            made.backward->name + (made.setupContext ? ", setup_context=" + made.setupContext->name : "") + ")\n";
  }
  return text;
}

std::string printIndices(const std::vector<int>& indices) {
  std::string text;
  for (const int index : indices) {
    text += (text.empty() ? "" : ", ") + std::to_string(index);
  }
  return text;
}

std::string printCall(const CallSpec& call) {
  const CallSpec defaults;
  std::string text;
  const auto add = [&](const std::string& key, const std::string& value) {
    text += (text.empty() ? "" : ", ") + key + "=" + value;
  };
  const auto addNumber = [&](const std::string& key, int64_t value, int64_t otherwise) {
    if (value != otherwise) {
      add(key, std::to_string(value));
    }
  };
  const auto addFlag = [&](const std::string& key, bool value) {
    if (value) {
      add(key, "True");
    }
  };
  add("inputs", call.inputs ? printString(*call.inputs) : "None");
  addNumber("seed", call.seed, defaults.seed);
  if (call.kind != defaults.kind) {
    add("kind", printString(call.kind));
  }
  addFlag("reset", call.reset);
  addNumber("rng_seed", call.rngSeed, defaults.rngSeed);
  if (call.gradMode != defaults.gradMode) {
    add("grad_mode", printString(std::string(gradModeName(call.gradMode))));
  }
  if (call.autocast) {
    add("autocast", "torch." + *call.autocast);
  }
  if (call.backward) {
    std::string roots;
    for (const BackwardRoot& root : *call.backward) {
      const std::string index = std::to_string(root.index);
      roots += (roots.empty() ? "" : ", ") + (root.isArgument ? printString("arg " + index) : index);
    }
    add("backward", "[" + roots + "]");
  }
  if (call.via != defaults.via) {
    add("via", printString("grad"));
  }
  if (call.wrt) {
    add("wrt", "[" + printIndices(*call.wrt) + "]");
  }
  addNumber("tangent_seed", call.tangentSeed, defaults.tangentSeed);
  if (call.tangentLayout != defaults.tangentLayout) {
    add("tangent_layout", printString(std::string(tangentLayoutName(call.tangentLayout))));
  }
  addNumber("backward_times", call.backwardTimes, defaults.backwardTimes);
  addFlag("create_graph", call.createGraph);
  addNumber("derivatives", call.derivatives, defaults.derivatives);
  if (!call.backwardAfter.empty()) {
    const std::string indices = printIndices(call.backwardAfter);
    add("backward_after", call.backwardAfter.size() == 1 ? indices : "[" + indices + "]");
  }
  if (call.between) {
    add("between", printString(*call.between));
  }
  addFlag("compiled_autograd", call.compiledAutograd);
  if (!call.feed.empty()) {
    std::string pairs;
    for (const FedArgument& fed : call.feed) {
      pairs += (pairs.empty() ? "(" : ", (") + std::to_string(fed.argument) + ", " + std::to_string(fed.output) + ")";
    }
    add("feed", "[" + pairs + "]");
  }
  addNumber("instance", call.instance, defaults.instance);
  return "dict(" + text + ")";
}

std::string printDefinitions(const Case& theCase, CaseForm form) {
  std::string text, imported;
  for (const std::string& module : modulesUsed(theCase)) {
    (module.starts_with("torch") ? text : imported) += "import " + module + "\n";
  }
  imported += (imported.empty() ? "" : "\n");
  text = imported + "import torch\n" + text;
  const auto addBlock = [&](const std::string& block) { text += "\n\n" + block; };
  const std::optional<std::string> device = theCase.header(kDeviceHeader);
  if (device) {
    text += "\n" + deviceStatement(*device);
  }
  if (form == CaseForm::kWhole && usesData(theCase)) {
    addBlock(dataPreamble());
    if (device) {
      addBlock(dataOnDevicePreamble());
    }
  }
  std::string constants;
  for (const Constant& constant : theCase.constants) {
    constants += constant.name + " = " + printValue(*constant.value) + "\n";
  }
  text += constants.empty() ? "" : "\n" + constants;
  for (const PythonClass& each : theCase.classes) {
    addBlock(printClass(each));
  }
  for (const CustomFunction& function : theCase.customFunctions) {
    addBlock(printCustomFunction(function));
  }
  for (const CustomOperator& made : theCase.customOperators) {
    addBlock(printCustomOperator(made));
  }
  for (const Function& function : theCase.functions) {
    addBlock(printFunction(function));
  }
  std::string calls = "CALLS = [\n";
  for (const CallSpec& call : theCase.calls) {
    calls += "    " + printCall(call) + ",\n";
  }
  addBlock(calls + "]\n");
  const CompileSpec& compile = theCase.compile;
  std::string entries;
  if (compile.dynamic != std::optional<bool>(false)) {
    entries += compile.dynamic ? "dynamic=True" : "dynamic=None";
  }
  if (compile.fullgraph) {
    entries += (entries.empty() ? "" : ", ") + std::string("fullgraph=True");
  }
  for (const auto& [key, literals] : {std::pair("options=", &compile.options), std::pair("config=", &compile.config)}) {
    if (!literals->empty()) {
      entries += (entries.empty() ? "" : ", ") + (key + printLiterals(*literals));
    }
  }
  return entries.empty() ? text : text + "COMPILE = dict(" + entries + ")\n";
}

} // namespace touchstone::language
