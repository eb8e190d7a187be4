#include "program/analysis/FlatProgram.h"

#include "program/analysis/OperatorNames.h"
#include "program/language/CasePrinter.h"
#include "program/operators/OperatorFacts.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::analysis {

namespace {

using language::Expr;
using language::ExprKind;
using language::ExprPtr;
using language::Statement;
using language::StatementKind;

constexpr size_t kMostOperations = 5000; // functions that call functions many times over

bool isNamed(const std::string& name, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Numbers, strings, dtypes, and tuples of these.
bool isText(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kName: return false;
    case ExprKind::kAttribute: return isTorchPath(expr);
    case ExprKind::kCall: return false;
    case ExprKind::kUnary:
    case ExprKind::kTuple:
    case ExprKind::kList:
    case ExprKind::kSlice:
      return std::all_of(expr.children.begin(), expr.children.end(),
                         [](const ExprPtr& child) { return child == nullptr || isText(*child); });
    case ExprKind::kSubscript:
    case ExprKind::kDict:
    case ExprKind::kBinary:
    case ExprKind::kConditional:
    case ExprKind::kLambda:
    case ExprKind::kComprehension:
    case ExprKind::kStarred: return false;
    default: return true;
  }
}

FlatOperand textOperand(const Expr& expr) {
  FlatOperand operand;
  // A slice cannot be printed outside of a subscript.
  operand.text = expr.kind == ExprKind::kSlice ? ":" : language::printExpression(expr);
  return operand;
}

bool hasNumber(const std::string& text, const std::string& number) { // `0` in `(2, 0)`
  for (size_t at = text.find(number); at != std::string::npos; at = text.find(number, at + 1)) {
    const bool begins = at == 0 || !(std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '.');
    const size_t end = at + number.size();
    const bool ends = end == text.size() || !(std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '.');
    if (begins && ends) {
      return true;
    }
  }
  return false;
}

/// Walks a Case's functions and notes the operations.
class Flattening {
 public:
  explicit Flattening(const language::Case& theCase) : case_(theCase) {}

  void forgetOperations() { // those so far; their values stay
    program_.operations.clear();
    madeBy_.clear();
  }
  FlatProgram finish() { return std::move(program_); }

  /// Of a tuple, list or dict; none of anything else.
  std::vector<FlatOperand> partsOf(const FlatOperand& operand) const {
    std::vector<FlatOperand> parts;
    if (operand.value >= 0) {
      for (const int part : program_.values[static_cast<size_t>(operand.value)].parts) {
        parts.push_back({"", part, "", sources_[static_cast<size_t>(part)]});
      }
    }
    return parts;
  }

  std::vector<FlatOperand> leavesOf(const FlatOperand& operand) const {
    const std::vector<FlatOperand> parts = partsOf(operand);
    if (parts.empty()) {
      return operand.value < 0 && operand.text.empty() ? std::vector<FlatOperand>{} : std::vector<FlatOperand>{operand};
    }
    std::vector<FlatOperand> leaves;
    for (const FlatOperand& part : parts) {
      for (FlatOperand& leaf : leavesOf(part)) {
        leaves.push_back(std::move(leaf));
      }
    }
    return leaves;
  }

  FlatOperand listOf(const std::vector<FlatOperand>& items) {
    FlatValue list;
    list.memory = nextMemory_++;
    std::set<int> sources;
    for (const FlatOperand& item : items) {
      FlatOperand part = item;
      if (part.value < 0) { // keeps its place
        FlatValue number;
        number.memory = nextMemory_++;
        part = newValue(number, {});
      }
      list.parts.push_back(part.value);
      list.requiresGrad = list.requiresGrad || program_.values[static_cast<size_t>(part.value)].requiresGrad;
      const std::set<int> now = sourcesNow(part);
      sources.insert(now.begin(), now.end());
    }
    return newValue(std::move(list), std::move(sources));
  }

  /// A number becomes a value, too.
  void markArgument(FlatOperand& operand) {
    if (operand.value < 0) {
      FlatValue number;
      number.memory = nextMemory_++;
      operand = newValue(number, {});
    }
    program_.values[static_cast<size_t>(operand.value)].isArgument = true;
    for (FlatOperand& part : partsOf(operand)) {
      markArgument(part);
    }
  }

  std::set<int> sourcesNow(const FlatOperand& operand) const {
    if (operand.value < 0) {
      return {};
    }
    const FlatValue& value = program_.values[static_cast<size_t>(operand.value)];
    std::set<int> sources = sources_[static_cast<size_t>(operand.value)];
    if (const auto written = written_.find(value.memory); written != written_.end()) {
      sources.insert(written->second.begin(), written->second.end());
    }
    for (const FlatOperand& part : partsOf(operand)) {
      const std::set<int> ofPart = sourcesNow(part);
      sources.insert(ofPart.begin(), ofPart.end());
    }
    return sources;
  }

  /// The body with these for its parameters; what it returns. In `region`, unless that is empty.
  FlatOperand callFunction(const language::Function& function, const std::vector<FlatOperand>& arguments,
                           const std::string& region = "") {
    if (!running_.insert(&function).second) {
      return operate(function.name, arguments); // one that calls itself stays a call
    }
    const size_t depth = regions_.size();
    if (!region.empty()) {
      regions_.push_back(region);
    }
    Frame frame;
    for (size_t i = 0; i < std::min(arguments.size(), function.parameters.size()); ++i) {
      const std::string& keyword = arguments[i].keyword;
      const std::string& name = keyword.empty() ? function.parameters[i] : keyword;
      frame.names[name] = arguments[i];
      frame.names[name].keyword.clear();
      if (arguments[i].value >= 0) {
        std::string& given = program_.values[static_cast<size_t>(arguments[i].value)].name;
        // Arguments are called as the Program calls them, not as what makes them does.
        given = given.empty() || function.name == "program" ? name : given;
      }
    }
    walk(function.body, frame);
    regions_.resize(depth);
    running_.erase(&function);
    if (frame.returned.empty()) {
      return {};
    }
    return frame.returned.size() == 1 ? frame.returned[0] : listOf(frame.returned);
  }

 private:
  using Names = std::map<std::string, FlatOperand>;
  struct Frame {
    Names names;
    std::vector<FlatOperand> returned;
  };

  FlatOperand newValue(FlatValue value, std::set<int> sources) {
    const int number = static_cast<int>(program_.values.size());
    program_.values.push_back(std::move(value));
    sources.insert(number);
    sources_.push_back(sources);
    FlatOperand operand;
    operand.value = number;
    operand.sources = std::move(sources);
    return operand;
  }

  void noteWrite(const FlatOperand& target, const std::set<int>& sources) {
    if (target.value >= 0) {
      written_[program_.values[static_cast<size_t>(target.value)].memory].insert(sources.begin(), sources.end());
    }
    for (const FlatOperand& part : partsOf(target)) {
      noteWrite(part, sources);
    }
  }

  bool isWithoutGrad() const {
    for (auto region = regions_.rbegin(); region != regions_.rend(); ++region) {
      if (*region == "no_grad" || *region == "inference_mode") {
        return true;
      }
      if (*region == "enable_grad") {
        return false;
      }
    }
    return false;
  }

  FlatValue resultOf(const FlatOperation& operation) const {
    FlatValue result;
    const FlatValue* first = nullptr;
    bool sameDtypes = true;
    for (const FlatOperand& operand : operation.operands) {
      if (operand.value >= 0) {
        const FlatValue& value = program_.values[static_cast<size_t>(operand.value)];
        first = first == nullptr ? &value : first;
        sameDtypes = sameDtypes && value.dtype == first->dtype;
        result.requiresGrad = result.requiresGrad || value.requiresGrad;
      }
    }
    // clang-format off
    static const std::set<std::string> kOtherDtype{
        "eq", "ne", "lt", "le", "gt", "ge", "isnan", "isfinite", "isinf", "signbit", "any", "all", "argmax", "argmin", "sort",
        "argsort", "topk", "bool", "float", "double", "half", "long", "int", "view_as_real", "view_as_complex", "real", "imag",
        ".real", ".imag", "angle"};
    // clang-format on
    const bool isAlias =
        first != nullptr &&
        &program_.values[static_cast<size_t>(std::max(operation.operands.front().value, 0))] == first &&
        mayReturnAlias(operation.name);
    const bool isPiece = first != nullptr && operation.name == "[]";
    result.memory = isAlias || isPiece ? first->memory : -1;
    if (first != nullptr && sameDtypes && !kOtherDtype.contains(operation.name) &&
        !operation.name.starts_with("logical_")) {
      result.dtype = first->dtype;
    }
    for (const FlatOperand& operand : operation.operands) {
      const size_t dot = operand.text.rfind('.');
      if (operand.text.starts_with("torch.") && parser::isDtypeName(operand.text.substr(dot + 1))) {
        result.dtype = operand.text.substr(dot + 1);
      }
    }
    const bool inherits = isAlias || isPiece;
    result.isExpanded = (inherits && first->isExpanded && operation.name != "contiguous") ||
                        isNamed(operation.name, {"expand", "expand_as", "broadcast_to"});
    result.isEmpty = first != nullptr && first->isEmpty && operation.name != "sum";
    if (operation.name == "data" && !operation.operands.empty()) {
      result.isEmpty = hasNumber(operation.operands.front().text, "0");
    }
    if (operation.name == "as_strided" && operation.operands.size() > 2) {
      result.isExpanded = hasNumber(operation.operands[2].text, "0");
    }
    if (operation.name == "detach" || operation.name.starts_with('.') || isWithoutGrad()) {
      result.requiresGrad = operation.name == ".grad" && result.requiresGrad;
    }
    return result;
  }

  /// Notes the operation, and gives its result.
  FlatOperand operate(const std::string& name, std::vector<FlatOperand> operands) {
    if (program_.operations.size() >= kMostOperations) {
      return {};
    }
    FlatOperation operation{name, std::move(operands), {}, regions_};
    std::set<int> sources;
    FlatOperand target; // of a write
    for (FlatOperand& operand : operation.operands) {
      operand.sources = sourcesNow(operand);
      sources.insert(operand.sources.begin(), operand.sources.end());
      if (operand.keyword == "out") {
        target = operand;
      }
      if (operand.keyword == "inplace" && operand.text == "True") {
        operation.name = name + "_";
      }
    }
    operation.name = operatorName(operation.name);
    if (operators::isInPlaceName(operation.name) && !operation.name.ends_with("__") && !operation.operands.empty()) {
      target = operation.operands.front();
    }
    FlatOperand result;
    if (target.value >= 0) {
      if (operation.name == "requires_grad_" || operation.name == "detach_") {
        program_.values[static_cast<size_t>(target.value)].requiresGrad = operation.name == "requires_grad_";
      } else {
        noteWrite(target, sources);
      }
      result = target;
      result.keyword.clear();
    } else {
      FlatValue value = resultOf(operation);
      value.memory = value.memory < 0 ? nextMemory_++ : value.memory;
      result = newValue(std::move(value), sources);
      madeBy_[result.value] = program_.operations.size();
    }
    operation.results = {result.value};
    program_.operations.push_back(std::move(operation));
    return result;
  }

  FlatOperand evaluateName(const Expr& expr, const Frame& frame) const {
    const auto found = frame.names.find(expr.text);
    FlatOperand operand;
    operand.text = expr.text; // a function of the file
    return found != frame.names.end() ? found->second : operand;
  }

  FlatOperand collect(const Expr& expr, Frame& frame) {
    std::vector<FlatOperand> items;
    const bool dict = expr.kind == ExprKind::kDict;
    for (size_t i = dict ? 1 : 0; i < expr.children.size(); i += dict ? 2 : 1) {
      items.push_back(evaluate(*expr.children[i], frame));
    }
    return listOf(items);
  }

  FlatOperand evaluate(const Expr& expr, Frame& frame) {
    if (isText(expr)) {
      return textOperand(expr);
    }
    std::vector<FlatOperand> operands;
    const auto evaluateAll = [&] {
      for (const ExprPtr& child : expr.children) {
        operands.push_back(child == nullptr ? FlatOperand{} : evaluate(*child, frame));
      }
    };
    switch (expr.kind) {
      case ExprKind::kName: return evaluateName(expr, frame);
      case ExprKind::kCall: return evaluateCall(expr, frame);
      case ExprKind::kTuple:
      case ExprKind::kList:
      case ExprKind::kDict: return collect(expr, frame);
      case ExprKind::kStarred: return evaluate(*expr.children[0], frame);
      case ExprKind::kSlice: evaluateAll(); return listOf(operands);
      case ExprKind::kConditional: {
        evaluateAll();
        operate("if", {operands[0]});
        return listOf({operands[1], operands[2]}); // either
      }
      case ExprKind::kLambda: {
        language::Function function{.name = "<lambda>", .parameters = expr.keywords};
        function.rest = expr.text;
        function.body = {language::makeReturn(expr.children[0])};
        return define(function, frame);
      }
      case ExprKind::kComprehension: return comprehend(expr, frame);
      default: evaluateAll(); return operate(writtenOperation(expr)->name, std::move(operands));
    }
  }

  FlatOperand unknownValue() {
    FlatValue value;
    value.memory = nextMemory_++;
    return newValue(value, {});
  }

  /// A function inside another: its operations are noted where it is made, for arguments of which nothing is known.
  FlatOperand define(const language::Function& function, const Frame& frame) {
    Frame inside = frame;
    inside.returned.clear();
    for (const std::string& name : language::boundNames(function)) {
      inside.names.erase(name);
    }
    for (const std::string& parameter : function.parameters) {
      inside.names[parameter] = unknownValue();
    }
    if (!function.rest.empty()) {
      inside.names[function.rest] = unknownValue();
    }
    walk(function.body, inside);
    return inside.returned.empty() ? unknownValue() : listOf(inside.returned);
  }

  FlatOperand comprehend(const Expr& expr, const Frame& frame) {
    Frame inside = frame;
    for (const language::Clause& clause : language::clausesOf(expr)) {
      const FlatOperand value = evaluate(*clause.value, inside);
      operate(clause.target != nullptr ? "for" : "if", {value});
      if (clause.target != nullptr) {
        assign(*clause.target, value, inside);
      }
    }
    std::vector<FlatOperand> elements;
    for (size_t i = 0; i < language::elementsOf(expr); ++i) {
      elements.push_back(evaluate(*expr.children[i], inside));
    }
    return listOf(elements);
  }

  FlatOperand evaluateCall(const Expr& expr, Frame& frame) {
    const Expr& callee = *expr.children[0];
    const language::Function* function = nullptr;
    std::vector<FlatOperand> operands;
    WrittenOperation written = *writtenOperation(expr);
    if (callee.kind == ExprKind::kName) {
      function = case_.find(callee.text);
      if (const auto module = frame.names.find(callee.text); module != frame.names.end()) {
        written.name = "module";
        operands.push_back(module->second);
      }
    } else if (callee.kind == ExprKind::kAttribute && callee.children[0]->kind == ExprKind::kName &&
               !isTorchPath(*callee.children[0]) && !frame.names.contains(callee.children[0]->text)) {
      written.name = callee.children[0]->text + "." + callee.text; // `KeepsNone.apply`
      written.operands.erase(written.operands.begin());
    }
    for (const WrittenOperation::Operand& each : written.operands) {
      operands.push_back(evaluate(*each.value, frame));
      operands.back().keyword = each.keyword;
    }
    if (function != nullptr) {
      return callFunction(*function, operands);
    }
    std::vector<const language::Function*> hooks;
    for (const FlatOperand& operand : operands) {
      if (operand.value < 0 && case_.find(operand.text) != nullptr) {
        hooks.push_back(case_.find(operand.text));
      }
    }
    FlatOperand result = operate(written.name, std::move(operands));
    for (const language::Function* hook : hooks) {
      std::vector<FlatOperand> gradients;
      for (size_t i = 0; i < hook->parameters.size(); ++i) {
        FlatValue gradient;
        gradient.memory = nextMemory_++;
        gradients.push_back(newValue(gradient, {}));
      }
      callFunction(*hook, gradients, "hook");
    }
    return result;
  }

  void walk(const std::vector<language::StatementPtr>& body, Frame& frame) {
    for (const language::StatementPtr& statement : body) {
      walkStatement(*statement, frame);
    }
  }

  void enterRegions(const Statement& statement, Frame& frame) {
    for (const ExprPtr& item : statement.items) {
      regions_.push_back(regionName(*item));
    }
    walk(statement.body, frame);
    regions_.resize(regions_.size() - statement.items.size());
  }

  void walkStatement(const Statement& statement, Frame& frame) {
    switch (statement.kind) {
      case StatementKind::kExpression: evaluate(*statement.value, frame); break;
      case StatementKind::kAssign: assignAll(statement.targets, evaluate(*statement.value, frame), frame); break;
      case StatementKind::kAugmentedAssign: {
        const FlatOperand target = evaluate(*statement.targets[0], frame);
        const FlatOperand result = operate(statement.text, {target, evaluate(*statement.value, frame)});
        if (statement.targets[0]->kind == ExprKind::kName) {
          assign(*statement.targets[0], result, frame);
        }
        break;
      }
      case StatementKind::kReturn:
        if (statement.value != nullptr) {
          frame.returned.push_back(evaluate(*statement.value, frame));
        }
        break;
      case StatementKind::kWith: enterRegions(statement, frame); break;
      case StatementKind::kIf:
      case StatementKind::kWhile:
      case StatementKind::kFor: {
        const FlatOperand header = evaluate(*statement.value, frame);
        const bool loops = statement.kind == StatementKind::kFor;
        operate(loops ? "for" : statement.kind == StatementKind::kIf ? "if" : "while", {header});
        if (loops) {
          assignAll(statement.targets, header, frame);
        }
        walk(statement.body, frame);
        walk(statement.orElse, frame);
        break;
      }
      case StatementKind::kDef: frame.names[statement.function->name] = define(*statement.function, frame); break;
      case StatementKind::kAssert: operate("assert", {evaluate(*statement.value, frame)}); break;
      case StatementKind::kBreak:
      case StatementKind::kContinue:
      case StatementKind::kDelete:
      case StatementKind::kNonlocal:
      case StatementKind::kPass: break;
    }
  }

  void assign(const Expr& target, const FlatOperand& value, Frame& frame) {
    switch (target.kind) {
      case ExprKind::kName: {
        FlatOperand bound = value;
        bound.keyword.clear();
        if (bound.value >= 0 && program_.values[static_cast<size_t>(bound.value)].name.empty()) {
          program_.values[static_cast<size_t>(bound.value)].name = target.text;
        }
        frame.names[target.text] = std::move(bound);
        break;
      }
      case ExprKind::kStarred: assign(*target.children[0], value, frame); break;
      case ExprKind::kTuple: assignAll(target.children, value, frame); break;
      case ExprKind::kSubscript:
      case ExprKind::kAttribute: {
        std::vector<FlatOperand> operands;
        for (const ExprPtr& child : target.children) {
          operands.push_back(child == nullptr ? FlatOperand{} : evaluate(*child, frame));
        }
        operands.push_back(value);
        operands.back().keyword.clear();
        const FlatOperand object = operands.front();
        operate(target.kind == ExprKind::kSubscript ? "[]=" : "." + target.text + "=", std::move(operands));
        noteWrite(object, sourcesNow(value));
        break;
      }
      default: break;
    }
  }

  void assignAll(const std::vector<ExprPtr>& targets, const FlatOperand& value, Frame& frame) {
    if (targets.size() == 1 && targets[0]->kind != ExprKind::kTuple) {
      assign(*targets[0], value, frame);
      return;
    }
    const std::vector<ExprPtr>& names = targets.size() == 1 ? targets[0]->children : targets;
    std::vector<FlatOperand> parts = partsOf(value);
    if (parts.size() != names.size()) { // the pieces of one result
      parts.clear();
      const auto maker = value.value >= 0 ? madeBy_.find(value.value) : madeBy_.end();
      const bool isKept = maker != madeBy_.end();
      const FlatOperation* made = isKept ? &program_.operations[maker->second] : nullptr;
      const bool isView = made != nullptr ? !made->operands.empty() && made->operands[0].value >= 0 &&
                                                program_.sharesMemory(made->operands[0].value, value.value)
                                          : value.value >= 0;
      for (size_t i = 0; i < names.size(); ++i) {
        FlatValue piece = value.value >= 0 ? program_.values[static_cast<size_t>(value.value)] : FlatValue{};
        piece.memory = isView ? piece.memory : nextMemory_++;
        piece.name.clear();
        piece.isArgument = false;
        parts.push_back(newValue(std::move(piece), sourcesNow(value)));
        if (isKept) {
          program_.operations[maker->second].results.push_back(parts.back().value);
        }
      }
      if (isKept) {
        std::erase(program_.operations[maker->second].results, value.value);
      }
    }
    for (size_t i = 0; i < names.size(); ++i) {
      assign(*names[i], parts[i], frame);
    }
  }

  const language::Case& case_;
  FlatProgram program_;
  std::vector<std::set<int>> sources_; // by value: what it was made of
  std::map<int, std::set<int>> written_; // by memory: what was written there
  std::map<int, size_t> madeBy_; // positions of operations, by result
  std::vector<std::string> regions_;
  std::set<const language::Function*> running_;
  int nextMemory_ = 0;
};

/// What the first call hands to the Program, as values of the same list.
std::vector<FlatOperand> argumentsOf(const language::Case& theCase, Flattening& flattening) {
  const language::Function* inputs = nullptr;
  for (const CallSpec& call : theCase.calls) {
    inputs = inputs == nullptr && call.inputs.has_value() ? theCase.find(*call.inputs) : inputs;
  }
  std::vector<FlatOperand> arguments;
  if (inputs != nullptr) {
    const FlatOperand both = flattening.callFunction(*inputs, {});
    arguments = flattening.partsOf(flattening.partsOf(both).empty() ? both : flattening.partsOf(both).front());
  }
  for (FlatOperand& argument : arguments) {
    flattening.markArgument(argument);
  }
  return arguments;
}

std::vector<FlatOperand> rootsOf(const language::Case& theCase, const FlatProgram& program) {
  std::vector<FlatOperand> roots;
  for (const CallSpec& call : theCase.calls) {
    for (const language::BackwardRoot& root : call.backward.value_or(std::vector<language::BackwardRoot>{})) {
      const std::vector<FlatOperand>& among = root.isArgument ? program.arguments : program.outputs;
      if (root.index >= 0 && static_cast<size_t>(root.index) < among.size()) {
        roots.push_back(among[static_cast<size_t>(root.index)]);
      }
    }
  }
  return roots;
}

} // namespace

FlatProgram flatten(const language::Case& theCase) {
  Flattening flattening(theCase);
  std::vector<FlatOperand> arguments = argumentsOf(theCase, flattening);
  flattening.forgetOperations(); // of making the inputs
  const FlatOperand returned = flattening.callFunction(theCase.program(), arguments);
  std::vector<FlatOperand> outputs = flattening.leavesOf(returned);
  std::set<std::string> between;
  for (const CallSpec& call : theCase.calls) {
    const language::Function* function = call.between.has_value() ? theCase.find(*call.between) : nullptr;
    if (function != nullptr && between.insert(function->name).second) {
      flattening.callFunction(*function, {flattening.listOf(arguments), flattening.listOf(outputs)}, "between");
    }
  }
  for (std::vector<FlatOperand>* operands : {&outputs, &arguments}) {
    for (FlatOperand& operand : *operands) { // as they are afterwards
      operand.sources = flattening.sourcesNow(operand);
    }
  }
  FlatProgram program = flattening.finish();
  program.outputs = std::move(outputs);
  program.arguments = std::move(arguments);
  program.roots = rootsOf(theCase, program);
  program.asks = requestsOf(theCase.calls);
  return program;
}

} // namespace touchstone::analysis
