#include "graph/program/CaseParserNames.h"

#include "graph/program/CasePrinter.h"
#include "graph/program/Data.h"
#include "graph/program/LanguageNames.h"

#include <algorithm>

namespace touchstone::graph {
namespace {

bool isDunder(const std::string& name) {
  return name.starts_with("__");
}

bool isIdentifier(const std::string& name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// `torch.nn.functional.relu` as its parts; empty when the expression is no chain of names.
std::vector<std::string> dottedPath(const Expr& expr) {
  std::vector<std::string> path;
  const Expr* at = &expr;
  for (; at->kind == ExprKind::kAttribute; at = at->children[0].get()) {
    path.push_back(at->text);
  }
  if (at->kind != ExprKind::kName) {
    return {};
  }
  path.push_back(at->text);
  std::reverse(path.begin(), path.end());
  return path;
}

std::string joined(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& part : path) {
    text += (text.empty() ? "" : ".") + part;
  }
  return text;
}

bool isCustomFunction(const Case* theCase, const std::string& name) {
  const std::vector<std::string> family = customFunctionNames();
  const std::vector<std::string>& names = theCase ? theCase->customFunctions : family;
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool makesModule(const Expr& expr) {
  const std::vector<std::string> path =
      expr.kind == ExprKind::kCall ? dottedPath(*expr.children[0]) : std::vector<std::string>{};
  const bool isModule = path.size() == 3 && path[0] == "torch" && path[1] == "nn" && path[2] != "Parameter";
  return isModule || std::any_of(expr.children.begin(), expr.children.end(),
                                 [](const ExprPtr& child) { return child && makesModule(*child); });
}

bool makesModule(const std::vector<StatementPtr>& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const StatementPtr& statement) {
    return (statement->value && makesModule(*statement->value)) || makesModule(statement->body) ||
           makesModule(statement->orElse);
  });
}

} // namespace

NameChecker::NameChecker(const SourceText& source, const Case* theCase) : source_(source), case_(theCase) {
  if (case_) {
    makesModules_ = false;
    for (const Function& function : case_->functions) {
      collectFields(function.body);
      makesModules_ = makesModules_ || makesModule(function.body);
    }
  }
}

void NameChecker::collectFields(const std::vector<StatementPtr>& statements) {
  for (const StatementPtr& statement : statements) {
    for (const ExprPtr& target : statement->targets) {
      if (target->kind == ExprKind::kAttribute) {
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

void NameChecker::collectFields(const Expr& expr) {
  const bool registers =
      expr.kind == ExprKind::kCall && expr.children[0]->kind == ExprKind::kAttribute &&
      (expr.children[0]->text == "register_buffer" || expr.children[0]->text == "register_parameter");
  if (registers && expr.children.size() > 1 && expr.children[1]->kind == ExprKind::kString) {
    fields_.insert(expr.children[1]->text);
  }
}

bool NameChecker::isField(const std::string& name) const {
  return fields_.contains(name) || isModuleField(name) || (!case_ && !name.starts_with("_"));
}

void NameChecker::define(const Expr& name) {
  const std::string& text = name.text;
  if (isDunder(text)) {
    fail(name, "names that begin with `__` are refused; expected another name");
  }
  const bool reserved = text == "torch" || text == "data" || text == "dict" || text == "CALLS" || text == "COMPILE" ||
                        isBuiltin(text) || isCustomFunction(case_, text) || (case_ && case_->find(text));
  if (reserved) {
    fail(name, "`" + text + "` has a meaning of its own in a case file; expected another name for a variable");
  }
  locals_.insert(text);
}

void NameChecker::checkFunction(const Function& function) {
  function_ = &function;
  locals_.clear();
  for (const std::string& parameter : function.parameters) {
    Expr name{ExprKind::kName, parameter, {}, {}, function.place};
    define(name);
  }
  if (isInputsName(function.name) && function.parameters != std::vector<std::string>{"seed", "kind"}) {
    source_.fail(function.place, "`" + function.name + "` makes inputs; expected the parameters `(seed, kind)`");
  }
  checkBlock(function.body);
  function_ = nullptr;
}

void NameChecker::checkBlock(const std::vector<StatementPtr>& statements) {
  for (const StatementPtr& statement : statements) {
    checkStatement(*statement);
  }
}

void NameChecker::checkStatement(const Statement& statement) {
  const bool readsTargets =
      statement.kind == StatementKind::kAugmentedAssign || statement.kind == StatementKind::kDelete;
  for (const ExprPtr& target : statement.targets) {
    if (readsTargets) {
      check(*target);
    }
  }
  for (const ExprPtr& item : statement.items) {
    checkContext(*item);
  }
  if (statement.value) {
    const bool isModeSwitch = statement.kind == StatementKind::kExpression &&
                              joined(dottedPath(*statement.value->children[0])) == "torch.set_grad_enabled";
    isModeSwitch ? checkArguments(*statement.value, false) : check(*statement.value);
  }
  for (const ExprPtr& target : statement.targets) {
    checkTarget(*target);
  }
  checkBlock(statement.body);
  checkBlock(statement.orElse);
}

void NameChecker::checkTarget(const Expr& target) {
  switch (target.kind) {
    case ExprKind::kName: define(target); return;
    case ExprKind::kStarred:
    case ExprKind::kTuple:
      for (const ExprPtr& child : target.children) {
        checkTarget(*child);
      }
      return;
    case ExprKind::kAttribute: {
      check(*target.children[0]);
      const bool refused = target.text.starts_with("_") || isModuleMethod(target.text) ||
                           (isTensorAttribute(target.text) && target.text != "grad" && target.text != "requires_grad");
      if (refused || joined(dottedPath(target)).starts_with("torch.")) {
        fail(target, "`." + target.text +
                         "` cannot be assigned to; expected a field of a module, `.grad` or "
                         "`.requires_grad`");
      }
      if (!makesModules_ && !isTensorAttribute(target.text)) {
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

void NameChecker::checkContext(const Expr& item) {
  const std::vector<std::string> path =
      item.kind == ExprKind::kCall ? dottedPath(*item.children[0]) : std::vector<std::string>{};
  if (path.size() != 2 || path[0] != "torch" || !isContextManager(path[1]) || isLocal("torch")) {
    fail(item,
         "this context manager is refused; expected `torch.no_grad()`, `torch.enable_grad()`, "
         "`torch.set_grad_enabled(…)`, `torch.inference_mode()` or `torch.autocast(…)`");
  }
  checkArguments(item, false);
}

void NameChecker::check(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kName: checkName(expr); return;
    case ExprKind::kAttribute: checkAttribute(expr); return;
    case ExprKind::kCall: checkCall(expr); return;
    default:
      for (const ExprPtr& child : expr.children) {
        if (child) {
          check(*child);
        }
      }
  }
}

void NameChecker::checkName(const Expr& name) {
  const std::string& text = name.text;
  if (isDunder(text)) {
    fail(name, "names that begin with `__` are refused; expected a variable");
  }
  if (isLocal(text)) {
    return;
  }
  if (text == "torch") {
    fail(name, "`torch` alone is no value; expected `torch.…`");
  }
  if (case_ && case_->find(text)) {
    fail(name, "the function `" + text + "` is no value; expected a call, or to pass it to `register_hook`");
  }
  if (isBuiltin(text) || isCustomFunction(case_, text)) {
    fail(name, "`" + text + "` is no value here; expected a call of it");
  }
  if (!case_) {
    return;
  }
  std::vector<std::string> known(locals_.begin(), locals_.end());
  fail(name, "`" + text + "` is read but nothing was assigned to it before; expected a variable or a parameter" +
                 suggestion(nearestNames(text, known)));
}

void NameChecker::checkAttribute(const Expr& attribute) {
  if (isDunder(attribute.text)) {
    fail(attribute, "names that begin with `__` are refused; expected a listed attribute");
  }
  const std::vector<std::string> path = dottedPath(attribute);
  if (!path.empty() && path[0] == "torch" && !isLocal("torch")) {
    checkTorchPath(attribute, path, false);
    return;
  }
  check(*attribute.children[0]);
  if (!isTensorAttribute(attribute.text) && !isField(attribute.text)) {
    std::vector<std::string> known = tensorAttributes();
    known.insert(known.end(), fields_.begin(), fields_.end());
    fail(attribute, "the attribute `." + attribute.text +
                        "` is not in the language; expected a listed attribute of a "
                        "tensor or a field of a module" +
                        suggestion(nearestNames(attribute.text, known)));
  }
}

void NameChecker::checkTorchPath(const Expr& expr, const std::vector<std::string>& path, bool isCall) {
  const std::string text = joined(path);
  for (const std::string& part : path) {
    if (isDunder(part)) {
      fail(expr, "names that begin with `__` are refused; expected an operator");
    }
  }
  if (!isCall) {
    if (path.size() == 2 && isTorchConstant(path[1])) {
      return;
    }
    fail(expr, "`" + text + "` is no value; expected a dtype, a memory format, or a call" +
                   (path.size() == 2 ? suggestion(nearestNames(path[1], torchConstants())) : ""));
  }
  if (isTorchCall(text)) {
    return;
  }
  if (path.size() == 2 && isContextManager(path[1])) {
    fail(expr, "`" + text + "` is a context manager; expected it after `with`");
  }
  const std::optional<OperatorName> name = operatorName(path);
  std::vector<std::string> near;
  const NameStatus status = name ? nameStatus(name->space, name->name, &near) : NameStatus::kUnknown;
  if (status == NameStatus::kForbidden) {
    fail(expr, "`" + text + "` is forbidden" + denialText(name->space, name->name) +
                   "; expected nothing but operations on tensors");
  }
  if (status == NameStatus::kUnknown) {
    if (path.size() == 3 && path[1] == "nn") {
      near = nearestNames(path[2], moduleConstructors());
    }
    fail(expr, "`" + text + "` is unknown; expected an operator of PyTorch" + suggestion(near));
  }
}

void NameChecker::checkCall(const Expr& call) {
  const Expr& callee = *call.children[0];
  if (callee.kind == ExprKind::kName) {
    const std::string& name = callee.text;
    if (name == "data" && !isLocal(name)) {
      checkData(call);
      return;
    }
    const bool isFunction = case_ ? case_->find(name) != nullptr : !isDunder(name);
    if (isFunction && (isInputsName(name) || name == "program")) {
      fail(callee, "`" + name + "` is called by CALLS only; expected a function of another name");
    }
    if (!isLocal(name) && !isBuiltin(name) && !isFunction) {
      checkName(callee);
    }
  } else if (callee.kind == ExprKind::kAttribute) {
    if (isDunder(callee.text)) {
      fail(callee, "names that begin with `__` are refused; expected a listed method");
    }
    const std::vector<std::string> path = dottedPath(callee);
    if (!path.empty() && path[0] == "torch" && !isLocal("torch")) {
      checkTorchPath(callee, path, true);
    } else {
      checkMethod(callee);
    }
  } else {
    fail(callee, "this cannot be called; expected a function of the file, an operator or a method");
  }
  checkArguments(call, callee.kind == ExprKind::kAttribute && takesHook(callee.text));
}

void NameChecker::checkMethod(const Expr& callee) {
  const Expr& object = *callee.children[0];
  if (object.kind == ExprKind::kName && isCustomFunction(case_, object.text) && !isLocal(object.text)) {
    if (callee.text != "apply") {
      fail(callee, "`" + object.text + "` is a custom autograd function; expected `" + object.text + ".apply(…)`");
    }
    return;
  }
  check(object);
  if (isField(callee.text) || isMethod(callee.text)) {
    return; // a module inside a module is called, or a method that is no operator
  }
  std::vector<std::string> near;
  const NameStatus status = nameStatus(NameSpace::kMethod, callee.text, &near);
  if (status == NameStatus::kForbidden) {
    fail(callee, "the method `" + callee.text + "` is forbidden" + denialText(NameSpace::kMethod, callee.text) +
                     "; expected nothing but operations on tensors");
  }
  if (status == NameStatus::kUnknown) {
    fail(callee,
         "the method `" + callee.text + "` is unknown; expected one of a tensor or a module" + suggestion(near));
  }
}

void NameChecker::checkArguments(const Expr& call, bool takesFunction) {
  for (const std::string& keyword : call.keywords) {
    if (isDunder(keyword)) {
      fail(call, "names that begin with `__` are refused; expected the name of an argument");
    }
  }
  for (size_t index = 1; index < call.children.size(); ++index) {
    const Expr& argument = *call.children[index];
    const bool isFunction = argument.kind == ExprKind::kName && case_ && case_->find(argument.text) &&
                            argument.text != "program" && !isInputsName(argument.text);
    if (!(takesFunction && isFunction)) {
      check(argument);
    }
  }
  const Expr& callee = *call.children[0];
  const bool registers =
      callee.kind == ExprKind::kAttribute && (callee.text == "register_buffer" || callee.text == "register_parameter");
  if (registers) {
    const Expr* name = call.children.size() > 1 ? call.children[1].get() : &call;
    if (name->kind != ExprKind::kString || !isIdentifier(name->text) || name->text.starts_with("_") ||
        isModuleMethod(name->text)) {
      fail(*name, "`" + callee.text + "` needs the name of a field; expected a string with a plain name first");
    }
  }
}

// `data((2, 3), torch.float32, (seed, 0), kind)`, in this form only: the values then depend on nothing else.
void NameChecker::checkData(const Expr& call) {
  const std::string form = "expected `data((2, 3), torch.float32, (seed, 0), kind)`";
  if (function_ && !isInputsName(function_->name)) {
    fail(call, "`data` makes inputs; expected it in a function whose name begins with `inputs`");
  }
  if (call.children.size() != 5 || !call.keywords.empty()) {
    fail(call, "`data` takes a shape, a dtype, a seed and a kind; " + form);
  }
  const Expr& shape = *call.children[1];
  const auto isInt = [](const ExprPtr& expr) { return expr->kind == ExprKind::kInt; };
  if (shape.kind != ExprKind::kTuple || !std::all_of(shape.children.begin(), shape.children.end(), isInt)) {
    fail(shape, "the shape is no tuple of numbers; " + form);
  }
  const std::vector<std::string> dtype = dottedPath(*call.children[2]);
  if (dtype.size() != 2 || dtype[0] != "torch" || !isDtypeName(dtype[1])) {
    fail(*call.children[2], "this is no dtype; " + form);
  }
  const Expr& seed = *call.children[3];
  const bool isPair = seed.kind == ExprKind::kTuple && seed.children.size() == 2 &&
                      seed.children[0]->kind == ExprKind::kName && seed.children[0]->text == "seed" &&
                      isInt(seed.children[1]);
  if (!isPair) {
    fail(seed, "the seed is no pair of `seed` and a number; " + form);
  }
  if (seed.children[1]->text.size() > 6) { // kTangentNumber has seven digits
    fail(*seed.children[1],
         "the number of a tensor is too large; expected one below " + std::to_string(kTangentNumber));
  }
  const Expr& kind = *call.children[4];
  const std::vector<std::string> kinds = dataKinds();
  const bool isKind =
      (kind.kind == ExprKind::kName && kind.text == "kind") ||
      (kind.kind == ExprKind::kString && std::find(kinds.begin(), kinds.end(), kind.text) != kinds.end());
  if (!isKind) {
    fail(kind, "this is no kind of data; expected `kind`, \"grid\", \"uniform\", \"special\", \"zeros\" or \"ones\"");
  }
}

void NameChecker::checkCallGraph() const {
  std::map<std::string, std::vector<std::string>> callees;
  for (const Function& function : case_->functions) {
    for (const StatementPtr& statement : function.body) {
      for (const std::string& name : namesRead(*statement)) {
        if (case_->find(name)) {
          callees[function.name].push_back(name);
        }
      }
    }
  }
  // Takes away what calls nothing that is left, until nothing changes; what stays calls itself.
  std::set<std::string> left;
  for (const Function& function : case_->functions) {
    left.insert(function.name);
  }
  const auto callsNothingLeft = [&](const Function& function) {
    const std::vector<std::string>& names = callees[function.name];
    return std::none_of(names.begin(), names.end(), [&](const std::string& name) { return left.contains(name); });
  };
  for (size_t before = left.size() + 1; before != left.size();) {
    before = left.size();
    for (const Function& function : case_->functions) {
      if (left.contains(function.name) && callsNothingLeft(function)) {
        left.erase(function.name);
      }
    }
  }
  for (const Function& function : case_->functions) {
    if (left.contains(function.name)) {
      source_.fail(function.place, "`" + function.name +
                                       "` calls itself, directly or through other functions; expected "
                                       "functions that end");
    }
  }
}

} // namespace touchstone::graph
