#include "program/language/CasePrinter.h"
#include "program/language/PythonConstructs.h"
#include "program/language/StatementEditing.h"
#include "program/parser/CaseParserNames.h"
#include "program/parser/DottedPaths.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>

namespace touchstone::parser {
namespace {

bool isIdentifier(const std::string& name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// What goes over a generator at once.
bool takesGenerator(const language::Expr& callee) {
  static const Names kTaking = {"list", "max", "min", "sum", "tuple"};
  return callee.kind == language::ExprKind::kName && kTaking.contains(callee.text);
}

} // namespace

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
  if (kBuiltins.contains(text) || isCustomFunction(text) || (case_ && case_->findCustomOperator(text))) {
    fail(name, "`" + text + "` is no value here; expected a call of it");
  }
  if (!case_) {
    return;
  }
  if (isTaken(text)) {
    fail(name, "`" + text + "` is refused; expected the operator, the attribute or the condition itself");
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
      isCustomFunction(attribute.children[0]->text) && !isLocal(attribute.children[0]->text)) {
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
    const bool isFunction = case_ ? isFileFunction(name) : !isDunder(name);
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
  if (object.kind == language::ExprKind::kName && isCustomFunction(object.text) && !isLocal(object.text)) {
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

} // namespace touchstone::parser
