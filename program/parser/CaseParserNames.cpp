#include "program/parser/CaseParserNames.h"

#include "program/language/CasePrinter.h"
#include "program/language/PythonConstructs.h"
#include "program/language/StatementEditing.h"
#include "program/parser/DottedPaths.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>

namespace touchstone::parser {
namespace {

bool isDunder(const std::string& name) {
  return name.starts_with("__");
}

bool isIdentifier(const std::string& name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool isCustomFunction(const language::Case* theCase, const std::string& name) {
  static const std::vector<std::string> family = language::customFunctionNames();
  return theCase ? theCase->findCustomFunction(name) != nullptr
                 : std::find(family.begin(), family.end(), name) != family.end();
}

// Of a function of the file, or of a custom operator.
bool isFileFunction(const language::Case& theCase, const std::string& name) {
  return theCase.find(name) != nullptr || theCase.findCustomOperator(name) != nullptr;
}

bool isContextName(const language::Expr& expr) {
  return expr.kind == language::ExprKind::kName && expr.text == language::kContextParameter;
}

bool takesContext(const language::Function& method) {
  return !method.parameters.empty() && method.parameters.front() == language::kContextParameter;
}

// The fields of `ctx` that the statements assign.
void collectContextFields(const std::vector<language::StatementPtr>& statements, std::set<std::string>& fields) {
  for (const language::StatementPtr& statement : statements) {
    std::vector<const language::Expr*> open;
    for (const language::ExprPtr& target : statement->targets) {
      open.push_back(target.get());
    }
    while (!open.empty()) { // patterns hold others
      const language::Expr& target = *open.back();
      open.pop_back();
      if (target.kind == language::ExprKind::kAttribute && isContextName(*target.children[0])) {
        fields.insert(target.text);
      } else if (target.kind == language::ExprKind::kTuple) {
        for (const language::ExprPtr& child : target.children) {
          open.push_back(child.get());
        }
      }
    }
    collectContextFields(statement->body, fields);
    collectContextFields(statement->orElse, fields);
  }
}

// What goes over a generator at once.
bool takesGenerator(const language::Expr& callee) {
  static const Names kTaking = {"list", "max", "min", "sum", "tuple"};
  return callee.kind == language::ExprKind::kName && kTaking.contains(callee.text);
}

bool makesModule(const language::Expr& expr) {
  const std::vector<std::string> path =
      expr.kind == language::ExprKind::kCall ? dottedPath(*expr.children[0]) : std::vector<std::string>{};
  return path.size() == 3 && path[0] == "torch" && path[1] == "nn" && path[2] != "Parameter";
}

} // namespace

NameChecker::NameChecker(const SourceText& source, const language::Case* theCase) : source_(source), case_(theCase) {
  if (case_) {
    for (const language::Function& function : case_->functions) {
      collectFields(function.body);
    }
    for (const language::CustomFunction& function : case_->customFunctions) {
      for (const language::Function& method : function.methods) {
        hasContext_ = takesContext(method);
        collectFields(method.body);
      }
    }
    for (const language::CustomOperator& made : case_->customOperators) {
      for (const language::Function* body : made.bodies()) {
        hasContext_ = takesContext(*body);
        collectFields(body->body);
      }
    }
    hasContext_ = false;
    collectMembers();
    makesModules_ =
        !case_->classes.empty() || std::ranges::any_of(case_->allBodies(), [](const language::Function* function) {
          return language::anyExpression(function->body, makesModule);
        });
  }
}

void NameChecker::collectFields(const std::vector<language::StatementPtr>& statements) {
  for (const language::StatementPtr& statement : statements) {
    for (const language::ExprPtr& target : statement->targets) {
      if (target->kind == language::ExprKind::kAttribute && !isContext(*target->children[0])) {
        fields_.insert(target->text);
      }
    }
    if (statement->value) {
      collectFields(*statement->value);
    }
    collectFields(statement->body);
    collectFields(statement->orElse);
  }
}

void NameChecker::collectFields(const language::Expr& expr) {
  const bool registers =
      expr.kind == language::ExprKind::kCall && expr.children[0]->kind == language::ExprKind::kAttribute &&
      (expr.children[0]->text == "register_buffer" || expr.children[0]->text == "register_parameter");
  if (registers && expr.children.size() > 1 && expr.children[1]->kind == language::ExprKind::kString) {
    fields_.insert(expr.children[1]->text);
  }
}

bool NameChecker::isField(const std::string& name) const {
  return fields_.contains(name) || members_.contains(name) || isModuleField(name) || (!case_ && !name.starts_with("_"));
}

void NameChecker::define(const language::Expr& name) {
  const std::string& text = name.text;
  if (isDunder(text)) {
    fail(name, "names that begin with `__` are refused; expected another name");
  }
  const bool isOfFile =
      case_ && (case_->find(text) || case_->findClass(text) || case_->findConstant(text) || isPythonModule(text));
  const bool reserved = text == "torch" || text == "data" || text == "dict" || text == "CALLS" || text == "COMPILE" ||
                        kBuiltins.contains(text) || isCustomFunction(case_, text) ||
                        (case_ && isFileFunction(*case_, text)) || isOfFile;
  if (reserved || isContext(name)) {
    fail(name, "`" + text + "` has a meaning of its own in a case file; expected another name for a variable");
  }
  locals_.insert(text);
}

bool NameChecker::isContext(const language::Expr& expr) const {
  return hasContext_ && isContextName(expr);
}

void NameChecker::checkCustomFunction(const language::CustomFunction& function) {
  contextFields_.clear();
  for (const language::Function& method : function.methods) {
    collectContextFields(method.body, contextFields_);
  }
  for (const language::Function& method : function.methods) {
    hasContext_ = takesContext(method);
    checkFunction(method);
  }
  hasContext_ = false;
}

void NameChecker::checkCustomOperator(const language::CustomOperator& made) {
  checkFunction(made.body);
  if (made.fake) {
    checkFunction(*made.fake);
  }
  contextFields_.clear();
  for (const std::optional<language::Function>* each : {&made.setupContext, &made.backward}) {
    if (each->has_value()) {
      collectContextFields((*each)->body, contextFields_);
    }
  }
  hasContext_ = true;
  for (const std::optional<language::Function>* each : {&made.setupContext, &made.backward}) {
    if (each->has_value()) {
      isSetup_ = each == &made.setupContext;
      checkFunction(**each);
    }
  }
  hasContext_ = isSetup_ = false;
}

void NameChecker::checkFunction(const language::Function& function) {
  function_ = &function;
  locals_.clear();
  enclosing_.clear();
  for (const std::string& parameter : function.parameters) {
    if (hasContext_ && &parameter == &function.parameters.front()) {
      continue; // it is no variable
    }
    if ((function.name == "setup_context" || isSetup_) && parameter == "inputs") {
      locals_.insert(parameter); // what PyTorch calls it, and functions of the file, too
      continue;
    }
    language::Expr name{language::ExprKind::kName, parameter, {}, {}, function.place};
    define(name);
  }
  checkParameters(function);
  const bool isPlain = function.defaults.empty() && function.rest.empty();
  if (function.name == "program" && !isPlain) {
    source_.fail(function.place, "`program` is given all its arguments by CALLS; expected plain names as parameters");
  }
  if (!isMethod_ && language::isInputsName(function.name) &&
      (!isPlain || function.parameters != std::vector<std::string>{"seed", "kind"})) {
    source_.fail(function.place, "`" + function.name + "` makes inputs; expected the parameters `(seed, kind)`");
  }
  checkDecorators(function.decorators, isMethod_);
  checkBlock(function.body);
  function_ = nullptr;
}

bool NameChecker::takesFunctionsOfTheFile(const language::Expr& call, size_t count) const {
  return call.children.size() == count + 1 && call.keywords.empty() &&
         std::all_of(call.children.begin() + 1, call.children.end(), [this](const language::ExprPtr& argument) {
           return argument->kind == language::ExprKind::kName && !isLocal(argument->text) &&
                  (case_ == nullptr || isFunctionValue(argument->text));
         });
}

bool NameChecker::isFunctionValue(const std::string& name) const {
  return case_ != nullptr && case_->find(name) != nullptr && name != "program" && !language::isInputsName(name);
}

void NameChecker::checkBlock(const std::vector<language::StatementPtr>& statements) {
  for (const language::StatementPtr& statement : statements) {
    checkStatement(*statement);
  }
}

void NameChecker::checkStatement(const language::Statement& statement) {
  const bool readsTargets =
      statement.kind == language::StatementKind::kAugmentedAssign || statement.kind == language::StatementKind::kDelete;
  for (const language::ExprPtr& target : statement.targets) {
    if (readsTargets) {
      check(*target);
    }
  }
  if (statement.kind == language::StatementKind::kNonlocal) {
    checkNonlocal(statement);
    return;
  }
  if (statement.function) {
    language::Expr name{language::ExprKind::kName, statement.function->name, {}, {}, statement.function->place};
    define(name);
    checkInner(*statement.function);
    return;
  }
  for (const language::ExprPtr& item : statement.items) {
    if (statement.kind != language::StatementKind::kAssert) {
      checkContext(*item);
    } else if (item->kind != language::ExprKind::kString) {
      fail(*item, "the message of `assert` is a text; expected a string");
    }
  }
  checkExceptions(statement);
  if (statement.value) {
    const std::string called =
        statement.kind == language::StatementKind::kExpression ? joined(dottedPath(*statement.value->children[0])) : "";
    if (isMark(called) && !isLocal("torch")) {
      checkMark(*statement.value);
    } else {
      called == "torch.set_grad_enabled" ? checkArguments(*statement.value) : check(*statement.value);
    }
  }
  for (const language::ExprPtr& target : statement.targets) {
    checkTarget(*target);
  }
  checkBlock(statement.body);
  checkBlock(statement.orElse);
}

void NameChecker::checkTarget(const language::Expr& target) {
  switch (target.kind) {
    case language::ExprKind::kName: define(target); return;
    case language::ExprKind::kStarred:
    case language::ExprKind::kTuple:
      for (const language::ExprPtr& child : target.children) {
        checkTarget(*child);
      }
      return;
    case language::ExprKind::kAttribute: {
      if (isContext(*target.children[0])) {
        checkContextField(target, /*isWritten=*/true);
        return;
      }
      check(*target.children[0]);
      const bool refused =
          isReservedMember(target.text) || kModuleMethods.contains(target.text) ||
          (kTensorAttributes.contains(target.text) && target.text != "grad" && target.text != "requires_grad");
      if (refused || joined(dottedPath(target)).starts_with("torch.")) {
        fail(target, "`." + target.text +
                         "` cannot be assigned to; expected a field of a module, `.grad` or "
                         "`.requires_grad`");
      }
      if (!makesModules_ && !kTensorAttributes.contains(target.text)) {
        fail(target,
             "`." + target.text +
                 "` cannot be assigned to: the file makes no module that could have such a field, and of a tensor "
                 "it is not in the language; expected `.grad` or `.requires_grad`");
      }
      return;
    }
    default: check(target);
  }
}

void NameChecker::checkContext(const language::Expr& item) {
  const std::vector<std::string> path =
      item.kind == language::ExprKind::kCall ? dottedPath(*item.children[0]) : std::vector<std::string>{};
  if (joined(path) == "torch.autograd.graph.saved_tensors_hooks" && !isLocal("torch")) {
    if (!takesFunctionsOfTheFile(item, 2)) {
      fail(item,
           "`" + joined(path) + "` packs and unpacks what is saved; expected the names of two functions of the file");
    }
    checkArguments(item);
    return;
  }
  const bool isTorch = !path.empty() && path[0] == "torch" && !isLocal("torch");
  if (isTorch ? language::isPythonWord(language::WordUse::kContext, joined(path)) : case_ && !case_->classes.empty()) {
    isTorch ? checkArguments(item) : check(item); // an object of a class
    return;
  }
  if (path.size() != 2 || !isTorch || !kContextManagers.contains(path[1])) {
    fail(item,
         "this context manager is refused; expected `torch.no_grad()`, `torch.enable_grad()`, "
         "`torch.set_grad_enabled(…)`, `torch.inference_mode()`, `torch.autocast(…)` or "
         "`torch.autograd.graph.saved_tensors_hooks(pack, unpack)`");
  }
  checkArguments(item);
}

void NameChecker::check(const language::Expr& expr) {
  switch (expr.kind) {
    case language::ExprKind::kName: checkName(expr); return;
    case language::ExprKind::kAttribute: checkAttribute(expr); return;
    case language::ExprKind::kCall: checkCall(expr); return;
    case language::ExprKind::kLambda: checkLambda(expr); return;
    case language::ExprKind::kComprehension: checkComprehension(expr); return;
    case language::ExprKind::kBinary:
      if (checkTypeComparison(expr)) {
        return;
      }
      [[fallthrough]];
    default:
      for (const language::ExprPtr& child : expr.children) {
        if (child) {
          check(*child);
        }
      }
  }
}

void NameChecker::checkName(const language::Expr& name) {
  const std::string& text = name.text;
  if (isDunder(text)) {
    fail(name, "names that begin with `__` are refused; expected a variable");
  }
  if (isContext(name)) {
    fail(name, "`ctx` is no value; expected `ctx.` and a field or a method");
  }
  if (isLocal(text)) {
    return;
  }
  if (isFunctionValue(text) || isPythonValue(text)) {
    return;
  }
  if (text == "torch" || isPythonModule(text)) {
    fail(name, "`" + text + "` alone is no value; expected `" + text + ".…`");
  }
  if (case_ && case_->find(text)) {
    fail(name, "`" + text + "` is called by CALLS only; expected a function of another name");
  }
  if (kBuiltins.contains(text) || isCustomFunction(case_, text) || (case_ && case_->findCustomOperator(text))) {
    fail(name, "`" + text + "` is no value here; expected a call of it");
  }
  if (!case_) {
    return;
  }
  fail(name, "`" + text + "` is read but nothing was assigned to it before; expected a variable or a parameter" +
                 suggestion(nearestNames(text, locals_)));
}

void NameChecker::checkAttribute(const language::Expr& attribute) {
  if (isDunder(attribute.text)) {
    fail(attribute, "names that begin with `__` are refused; expected a listed attribute");
  }
  if (isContext(*attribute.children[0])) {
    checkContextField(attribute, /*isWritten=*/false);
    return;
  }
  const std::vector<std::string> path = dottedPath(attribute);
  if (!path.empty() && path[0] == "torch" && !isLocal("torch")) {
    checkTorchPath(attribute, path, false);
    return;
  }
  if (!path.empty() && isPythonModule(path[0]) && !isLocal(path[0])) {
    checkModulePath(attribute, joined(path), false);
    return;
  }
  if (attribute.text == "apply" && attribute.children[0]->kind == language::ExprKind::kName &&
      isCustomFunction(case_, attribute.children[0]->text) && !isLocal(attribute.children[0]->text)) {
    return; // a function as a value
  }
  check(*attribute.children[0]);
  if (!kTensorAttributes.contains(attribute.text) && !isField(attribute.text) &&
      !language::isPythonWord(language::WordUse::kAttribute, attribute.text)) {
    Names known = kTensorAttributes;
    known.insert(fields_.begin(), fields_.end());
    fail(attribute, "the attribute `." + attribute.text +
                        "` is not in the language; expected a listed attribute of a "
                        "tensor or a field of a module" +
                        suggestion(nearestNames(attribute.text, known)));
  }
}

void NameChecker::checkTorchPath(const language::Expr& expr, const std::vector<std::string>& path, bool isCall) {
  const std::string text = joined(path);
  for (const std::string& part : path) {
    if (isDunder(part)) {
      fail(expr, "names that begin with `__` are refused; expected an operator");
    }
  }
  if (!isCall) {
    const bool isConstant = path.size() == 2 && kTorchConstants.contains(path[1]);
    if (isConstant || text == "torch.jagged" || isOperator(path)) {
      return;
    }
    fail(expr, "`" + text + "` is no value; expected a dtype, a memory format, or a call" +
                   (path.size() == 2 ? suggestion(nearestNames(path[1], kTorchConstants)) : ""));
  }
  // Of a fragment, custom operators come from elsewhere.
  const bool mayBeCustom = !case_ && path.size() > 3 && path[1] == "ops" && !isOperatorSpace(path[2]);
  if (isTorchCall(text) || mayBeCustom || language::isPythonWord(language::WordUse::kCall, text) ||
      (case_ && case_->operatorCalled(expr) != nullptr)) {
    return;
  }
  if (isMark(text)) {
    fail(expr, "`" + text + "` marks a dimension of an input; expected it as a statement of its own");
  }
  if (path.size() == 2 && kContextManagers.contains(path[1])) {
    fail(expr, "`" + text + "` is a context manager; expected it after `with`");
  }
  std::vector<const std::string*> names;
  for (const std::string& part : path) {
    names.push_back(&part);
  }
  const auto name = torch_names::operatorName(c10::ArrayRef<const std::string*>(names).slice(1));
  std::vector<std::string> near;
  const torch_names::NameStatus status =
      name ? torch_names::nameStatus(name->space, name->name, &near) : torch_names::NameStatus::kUnknown;
  if (status == torch_names::NameStatus::kForbidden) {
    fail(expr, "`" + text + "` is forbidden" + denialText(name->space, name->name) +
                   "; expected nothing but operations on tensors");
  }
  if (status == torch_names::NameStatus::kUnknown) {
    if (path.size() == 3 && path[1] == "nn") {
      near = nearestNames(path[2], kModuleConstructors);
    }
    fail(expr, "`" + text + "` is unknown; expected an operator of PyTorch" + suggestion(near));
  }
}

void NameChecker::checkCall(const language::Expr& call) {
  const language::Expr& callee = *call.children[0];
  if (callee.kind == language::ExprKind::kName) {
    const std::string& name = callee.text;
    if (name == "data" && !isLocal(name)) {
      checkData(call);
      return;
    }
    const bool isFunction = case_ ? isFileFunction(*case_, name) : !isDunder(name);
    if (isFunction && (language::isInputsName(name) || name == "program")) {
      fail(callee, "`" + name + "` is called by CALLS only; expected a function of another name");
    }
    if (!isLocal(name) && !isFunction && language::isPythonWord(language::WordUse::kBuiltin, name)) {
      checkBuiltin(call);
      return;
    }
    if (!isLocal(name) && !kBuiltins.contains(name) && !isFunction) {
      checkName(callee);
    }
  } else if (callee.kind == language::ExprKind::kAttribute) {
    if (isSuperMethod(callee)) {
      checkArguments(call);
      return;
    }
    if (isDunder(callee.text)) {
      fail(callee, "names that begin with `__` are refused; expected a listed method");
    }
    const std::vector<std::string> path = dottedPath(callee);
    if (!path.empty() && path[0] == "torch" && !isLocal("torch")) {
      checkTorchPath(callee, path, true);
      checkWord(call, joined(path));
    } else if (!path.empty() && isPythonModule(path[0]) && !isLocal(path[0])) {
      checkModulePath(callee, joined(path), true);
    } else {
      checkMethod(callee);
    }
    if (takesHookOfModule(callee.text) && !takesFunctionsOfTheFile(call, 1)) {
      fail(call, "`" + callee.text + "` is refused here; expected the name of one function of the file");
    }
  } else {
    check(callee);
    const bool mayBeFunction =
        callee.kind == language::ExprKind::kCall || callee.kind == language::ExprKind::kSubscript ||
        callee.kind == language::ExprKind::kLambda || callee.kind == language::ExprKind::kConditional;
    if (!mayBeFunction) {
      fail(callee, "this cannot be called; expected a function of the file, an operator or a method");
    }
  }
  if (call.children.size() == 2 && call.children[1]->kind == language::ExprKind::kComprehension &&
      call.children[1]->text == "(" && !takesGenerator(callee)) {
    fail(*call.children[1], "a generator is refused here; expected a list in brackets");
  }
  checkArguments(call);
}

void NameChecker::checkMethod(const language::Expr& callee) {
  const language::Expr& object = *callee.children[0];
  if (isContext(object)) {
    checkContextMethod(callee);
    return;
  }
  if (object.kind == language::ExprKind::kName && isCustomFunction(case_, object.text) && !isLocal(object.text)) {
    if (callee.text != "apply") {
      fail(callee, "`" + object.text + "` is a custom autograd function; expected `" + object.text + ".apply(…)`");
    }
    return;
  }
  check(object);
  if (isField(callee.text) || isMethod(callee.text) ||
      language::isPythonWord(language::WordUse::kMethod, callee.text)) {
    return; // a module inside a module is called, or a method that is no operator
  }
  std::vector<std::string> near;
  const torch_names::NameStatus status = torch_names::nameStatus(torch_names::NameSpace::kMethod, callee.text, &near);
  if (status == torch_names::NameStatus::kForbidden) {
    fail(callee, "the method `" + callee.text + "` is forbidden" +
                     denialText(torch_names::NameSpace::kMethod, callee.text) +
                     "; expected nothing but operations on tensors");
  }
  if (status == torch_names::NameStatus::kUnknown) {
    fail(callee,
         "the method `" + callee.text + "` is unknown; expected one of a tensor or a module" + suggestion(near));
  }
}

void NameChecker::checkArguments(const language::Expr& call) {
  for (const std::string& keyword : call.keywords) {
    if (isDunder(keyword)) {
      fail(call, "names that begin with `__` are refused; expected the name of an argument");
    }
  }
  for (size_t index = 1; index < call.children.size(); ++index) {
    const language::Expr& argument = *call.children[index];
    check(argument);
  }
  const language::Expr& callee = *call.children[0];
  const bool registers = callee.kind == language::ExprKind::kAttribute &&
                         (callee.text == "register_buffer" || callee.text == "register_parameter");
  if (registers) {
    const language::Expr* name = call.children.size() > 1 ? call.children[1].get() : &call;
    if (name->kind != language::ExprKind::kString || !isIdentifier(name->text) || name->text.starts_with("_") ||
        kModuleMethods.contains(name->text)) {
      fail(*name, "`" + callee.text + "` needs the name of a field; expected a string with a plain name first");
    }
  }
}

void NameChecker::checkCallGraph() const {
  std::map<std::string, std::vector<std::string>> callees; // of functions and of classes
  std::map<std::string, language::Place> left;
  const auto add = [&](const std::string& caller, const language::Function& function) {
    language::forEachNameRead(*case_, function, [&](const std::string& name) {
      const bool isParameter = std::ranges::find(function.parameters, name) != function.parameters.end();
      if (!isParameter && (isFileFunction(*case_, name) || case_->findCustomFunction(name))) {
        callees[caller].push_back(name);
      }
    });
  };
  for (const language::Function& function : case_->functions) {
    left.emplace(function.name, function.place);
    add(function.name, function);
  }
  for (const language::CustomFunction& function : case_->customFunctions) {
    left.emplace(function.name, function.place);
    for (const language::Function& method : function.methods) {
      add(function.name, method);
    }
  }
  for (const language::CustomOperator& made : case_->customOperators) {
    left.emplace(made.body.name, made.place);
    for (const language::Function* body : made.bodies()) {
      add(made.body.name, *body);
    }
  }
  // Takes away what calls nothing that is left, until nothing changes; what stays calls itself.
  const auto callsNothingLeft = [&](const auto& entry) {
    return std::ranges::none_of(callees[entry.first], [&](const std::string& name) { return left.contains(name); });
  };
  while (std::erase_if(left, callsNothingLeft) > 0) {
  }
  const auto first = std::ranges::min_element(left, {}, [](const auto& entry) { return entry.second.line; });
  if (first != left.end()) {
    source_.fail(first->second, "`" + first->first +
                                    "` calls itself, directly or through other functions; expected functions that end");
  }
}

} // namespace touchstone::parser
