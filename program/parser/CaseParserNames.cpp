#include "program/parser/CaseParserNames.h"

#include "program/language/CasePrinter.h"
#include "program/language/PythonConstructs.h"
#include "program/language/StatementEditing.h"
#include "program/parser/DottedPaths.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>

namespace touchstone::parser {
namespace {

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

bool NameChecker::isDunder(const std::string& name) {
  return name.starts_with("__");
}

bool NameChecker::isCustomFunction(const std::string& name) const {
  static const std::vector<std::string> family = language::customFunctionNames();
  return case_ ? case_->findCustomFunction(name) != nullptr
               : std::find(family.begin(), family.end(), name) != family.end();
}

bool NameChecker::isFileFunction(const std::string& name) const {
  return case_ && (case_->find(name) != nullptr || case_->findCustomOperator(name) != nullptr);
}

void NameChecker::define(const language::Expr& name) {
  const std::string& text = name.text;
  if (isDunder(text)) {
    fail(name, "names that begin with `__` are refused; expected another name");
  }
  const bool isOfFile =
      case_ && (case_->find(text) || case_->findClass(text) || case_->findConstant(text) || isPythonModule(text));
  const bool reserved = text == "torch" || text == "data" || text == "dict" || text == "CALLS" || text == "COMPILE" ||
                        kBuiltins.contains(text) || isCustomFunction(text) || isFileFunction(text) || isOfFile;
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
      if (target.text.starts_with("_")) {
        fail(target,
             "`." + target.text + "` cannot be assigned to, as no name that begins with `_`; expected another name");
      }
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

void NameChecker::checkCallGraph() const {
  std::map<std::string, std::vector<std::string>> callees; // of functions and of classes
  std::map<std::string, language::Place> left;
  const auto add = [&](const std::string& caller, const language::Function& function) {
    language::forEachNameRead(*case_, function, [&](const std::string& name) {
      const bool isParameter = std::ranges::find(function.parameters, name) != function.parameters.end();
      if (!isParameter && (isFileFunction(name) || case_->findCustomFunction(name))) {
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
