#include "program/language/CasePrinter.h"
#include "program/language/PythonConstructs.h"
#include "program/parser/CaseParserNames.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>

// Names of what only Python runs. All that a Program can name is listed, here and in PythonConstructs.cpp, or defined by the file.

namespace touchstone::parser {
namespace {

using language::Expr;
using language::ExprKind;
using language::WordUse;

bool hasUnderscores(const std::string& name) {
  return name.starts_with("__");
}

std::string writtenPath(const Expr& expr) {
  return expr.kind == ExprKind::kName || expr.kind == ExprKind::kAttribute ? language::printExpression(expr) : "";
}

bool isCallOfName(const Expr& expr, std::string_view name) {
  return expr.kind == ExprKind::kCall && expr.children[0]->kind == ExprKind::kName && expr.children[0]->text == name;
}

// Attributes that the statements assign, whatever of, and names of fields in `register_buffer("n", t)` and the like.
void collectAssigned(const std::vector<language::StatementPtr>& statements, std::set<std::string>& names) {
  for (const language::StatementPtr& statement : statements) {
    std::vector<const Expr*> open;
    for (const language::ExprPtr& target : statement->targets) {
      open.push_back(target.get());
    }
    while (!open.empty()) {
      const Expr& target = *open.back();
      open.pop_back();
      if (target.kind == ExprKind::kAttribute) {
        names.insert(target.text);
      }
      for (const language::ExprPtr& child : target.children) {
        if (target.kind == ExprKind::kTuple && child) {
          open.push_back(child.get());
        }
      }
    }
    collectAssigned(statement->body, names);
    collectAssigned(statement->orElse, names);
  }
}

const Names kAnnotations = {"bool", "complex", "dict", "float", "int", "list", "object", "str", "tuple"};
const Names kTypeNames = {"bool", "complex", "dict", "float", "int", "list", "set", "str", "tuple"};
const Names kFlags = {"eq", "frozen", "kw_only", "order"}; // of dataclasses.dataclass
const Names kNestedBackends = {"aot_eager", "eager"};

constexpr size_t kAnyNumber = 10'000;

// Functions of which some arguments run code that is none of the file's, or end in the text of a kernel.
struct GuardedCall {
  std::string_view path; // the beginning of it
  Names refused; // arguments by name
  size_t positional; // how many arguments may be without a name
  bool mayStar;
};

const std::vector<GuardedCall> kGuardedCalls = {
    {"torch.Tensor._make_wrapper_subclass", {}, 2, false},
    {"torch.nn.attention.flex_attention.create_block_mask", {"_compile"}, 7, false},
    {"torch.nn.attention.flex_attention.flex_attention", {"kernel_options"}, 8, false},
    {"torch.nn.utils.parametriz", {}, kAnyNumber, false},
    {"torch.utils.checkpoint.", {"context_fn", "debug"}, kAnyNumber, true},
};

} // namespace

void NameChecker::collectMembers() {
  for (const language::PythonClass& made : case_->classes) {
    for (const language::ClassField& field : made.fields) {
      members_.insert(field.name);
    }
    for (const language::Function& method : made.methods) {
      if (!hasUnderscores(method.name)) {
        members_.insert(method.name);
      }
      collectAssigned(method.body, members_);
      collectFields(method.body);
    }
  }
  for (const language::Constant& constant : case_->constants) { // of named tuples
    const Expr& value = *constant.value;
    if (value.kind == ExprKind::kCall && value.children.size() == 3 && value.children[2]->kind == ExprKind::kList) {
      for (const language::ExprPtr& field : value.children[2]->children) {
        members_.insert(field->text);
      }
    }
  }
}

void NameChecker::checkMember(const std::string& name, language::Place place) const {
  if (isReservedMember(name)) {
    source_.fail(place, "`" + name +
                            "` would be readable of any object, and objects of Python have something of that name; "
                            "expected another name for a field or a method");
  }
}

void NameChecker::checkClass(const language::PythonClass& made) {
  for (const language::ExprPtr& decorator : made.decorators) {
    checkClassDecorator(*decorator);
  }
  for (const language::ExprPtr& base : made.bases) {
    checkBase(made, *base);
  }
  const bool isTuple = std::ranges::any_of(
      made.bases, [](const language::ExprPtr& base) { return writtenPath(*base) == "typing.NamedTuple"; });
  std::set<std::string> seen;
  const auto once = [&](const std::string& name, language::Place place, bool isSetter) {
    if (!seen.insert(name).second && !isSetter) {
      source_.fail(place, "`" + name + "` is there twice in its class; expected each name once");
    }
  };
  for (const language::ClassField& field : made.fields) {
    once(field.name, field.place, false);
    checkField(field, isTuple || !made.decorators.empty());
  }
  isMethod_ = true;
  for (const language::Function& method : made.methods) {
    const bool isSetter = !method.decorators.empty() && writtenPath(*method.decorators[0]) == method.name + ".setter";
    once(method.name, method.place, isSetter);
    if (hasUnderscores(method.name) && !kClassMethods.contains(method.name)) {
      source_.fail(method.place, "the method `" + method.name + "` is refused; expected a listed one" +
                                     suggestion(nearestNames(method.name, kClassMethods)));
    }
    if (!hasUnderscores(method.name)) {
      checkMember(method.name, method.place);
    }
    checkFunction(method);
  }
  isMethod_ = false;
}

void NameChecker::checkClassDecorator(const Expr& decorator) {
  const bool isCall = decorator.kind == ExprKind::kCall;
  const Expr& named = isCall ? *decorator.children[0] : decorator;
  if (writtenPath(named) != "dataclasses.dataclass") {
    fail(decorator, "this decorator of a class is refused; expected `@dataclasses.dataclass`");
  }
  if (isCall && decorator.children.size() - 1 != decorator.keywords.size()) {
    fail(decorator, "`dataclasses.dataclass` takes flags by name; expected `eq=`, `frozen=`, `kw_only=` or `order=`");
  }
  for (size_t index = 0; index < decorator.keywords.size() && isCall; ++index) {
    const Expr& value = *decorator.children[index + 1];
    if (!kFlags.contains(decorator.keywords[index]) ||
        (value.kind != ExprKind::kTrue && value.kind != ExprKind::kFalse)) {
      fail(value, "this flag is refused; expected `eq=`, `frozen=`, `kw_only=` or `order=`, and True or False");
    }
  }
}

void NameChecker::checkBase(const language::PythonClass& made, const Expr& base) {
  const std::string path = writtenPath(base);
  const bool isListed =
      language::isPythonWord(WordUse::kBase, path) ||
      (language::isPythonWord(WordUse::kBuiltin, path) && (path.ends_with("Error") || path == "Exception"));
  const language::PythonClass* other = case_->findClass(path);
  if (!isListed && other == nullptr) {
    fail(base,
         "a class that derives from something else is refused; expected `torch.autograd.Function`, `torch.nn.Module`, "
         "`torch.Tensor`, `typing.NamedTuple`, `Exception` or a class of the file");
  }
  if (other != nullptr && other->place.line >= made.place.line && made.place.line > 0) {
    fail(base, "`" + path + "` stands below; expected it above the class that derives from it");
  }
}

void NameChecker::checkField(const language::ClassField& field, bool needsAnnotation) {
  if (hasUnderscores(field.name)) {
    source_.fail(field.place, "names that begin with `__` are refused; expected the name of a field");
  }
  checkMember(field.name, field.place);
  if (field.annotation) {
    const std::string path = writtenPath(*field.annotation);
    if (!kAnnotations.contains(path) && path != "torch.Tensor" && path != "torch.nn.Module" &&
        case_->findClass(path) == nullptr) {
      fail(*field.annotation,
           "this annotation is refused; expected `int`, `float`, `bool`, `str`, `list`, `tuple`, `dict`, "
           "`object`, `torch.Tensor`, `torch.nn.Module` or a class of the file");
    }
  } else if (needsAnnotation) {
    source_.fail(field.place, "`" + field.name + "` has no annotation; expected `" + field.name + ": torch.Tensor`");
  }
  if (field.value) {
    checkLiteral(*field.value, "the value of a field");
  }
}

// Definitions run before any call: nothing but values that are written down.
void NameChecker::checkLiteral(const Expr& value, const std::string& what) {
  const std::string expected =
      what + " is evaluated before all calls; expected numbers, strings, tuples, lists and dicts of them";
  switch (value.kind) {
    case ExprKind::kInt:
    case ExprKind::kFloat:
    case ExprKind::kImaginary:
    case ExprKind::kString:
    case ExprKind::kTrue:
    case ExprKind::kFalse:
    case ExprKind::kNone: return;
    case ExprKind::kName:
      if (case_->findConstant(value.text) == nullptr) {
        fail(value, expected);
      }
      return;
    case ExprKind::kAttribute:
      if (const std::string path = writtenPath(value);
          !path.starts_with("torch.") || !kTorchConstants.contains(path.substr(6))) {
        fail(value, expected);
      }
      return;
    case ExprKind::kCall: {
      const std::string path = writtenPath(*value.children[0]);
      if (path == "dataclasses.field" && value.children.size() == 2 && value.keywords.size() == 1) {
        const Expr& given = *value.children[1];
        const bool isFactory = value.keywords[0] == "default_factory";
        if (isFactory && (given.text == "list" || given.text == "dict") && given.kind == ExprKind::kName) {
          return;
        }
        if (value.keywords[0] == "default") {
          checkLiteral(given, what);
          return;
        }
      }
      const bool isTensor =
          path == "torch.tensor" || path == "torch.ones" || path == "torch.zeros" || path == "torch.arange";
      if (!isTensor) {
        fail(value, expected);
      }
      for (size_t index = 1; index < value.children.size(); ++index) {
        checkLiteral(*value.children[index], what);
      }
      return;
    }
    case ExprKind::kUnary:
    case ExprKind::kTuple:
    case ExprKind::kList:
    case ExprKind::kDict:
      for (const language::ExprPtr& child : value.children) {
        checkLiteral(*child, what);
      }
      return;
    default: fail(value, expected);
  }
}

void NameChecker::checkConstant(const language::Constant& constant) {
  if (constant.name.starts_with("_") || isTaken(constant.name)) {
    source_.fail(constant.place,
                 "`" + constant.name + "` has a meaning of its own in a case file; expected another name");
  }
  if (constant.value->kind == ExprKind::kCall &&
      writtenPath(*constant.value->children[0]) == "collections.namedtuple") {
    checkNamedTuple(constant);
    return;
  }
  checkLiteral(*constant.value, "a constant");
  for (const std::string& name : language::namesRead(*constant.value)) {
    const language::Constant* read = case_->findConstant(name);
    if (read != nullptr && read->place.line >= constant.place.line && constant.place.line > 0) {
      fail(*constant.value, "`" + name + "` stands below; expected it above");
    }
  }
}

// `Pair = collections.namedtuple("Pair", ["a", "b"])`, in this form only.
void NameChecker::checkNamedTuple(const language::Constant& constant) {
  const Expr& call = *constant.value;
  const std::string form =
      "expected `" + constant.name + " = collections.namedtuple(\"" + constant.name + "\", [\"a\", \"b\"])`";
  const bool isForm = call.children.size() == 3 && call.keywords.empty() &&
                      call.children[1]->kind == ExprKind::kString && call.children[1]->text == constant.name &&
                      call.children[2]->kind == ExprKind::kList;
  if (!isForm) {
    fail(call, "a named tuple of another form; " + form);
  }
  for (const language::ExprPtr& field : call.children[2]->children) {
    const bool isName =
        field->kind == ExprKind::kString && !field->text.empty() && std::ranges::all_of(field->text, [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        });
    if (!isName || (field->text[0] >= '0' && field->text[0] <= '9')) {
      fail(*field, "this is no name of a field; " + form);
    }
    checkMember(field->text, field->place);
  }
}

void NameChecker::checkDecorators(const std::vector<language::ExprPtr>& decorators, bool ofMethod) {
  for (const language::ExprPtr& decorator : decorators) {
    const bool isCall = decorator->kind == ExprKind::kCall;
    const std::string path = writtenPath(isCall ? *decorator->children[0] : *decorator);
    const bool isMode = path == "torch.no_grad" || path == "torch.enable_grad" || path == "torch.inference_mode";
    const bool isOfMethods = path == "property" || path == "staticmethod" || path == "classmethod";
    const bool isSetter = ofMethod && function_ != nullptr && path == function_->name + ".setter";
    if (isCall && path == "torch.compile" && decorator->children.size() == decorator->keywords.size() + 1) {
      checkCompile(*decorator);
    } else if (isCall && path == "torch.compiler.disable") {
      checkDisable(*decorator);
    } else if (isCall ? isMode && decorator->children.size() == 1
                      : (isOfMethods && ofMethod) || isSetter || path.starts_with("torch.compiler.")) {
      if (path.starts_with("torch.") && !isMode && !language::isPythonWord(WordUse::kDecorator, path)) {
        fail(*decorator, "this decorator is refused; expected `@torch.compiler.disable` or another listed one");
      }
    } else {
      fail(*decorator,
           "decorators are refused but for a few; expected `@torch.compiler.disable`, `@torch.no_grad()`, of methods "
           "`@property`, `@staticmethod` or `@classmethod`, or a plain function");
    }
  }
}

bool NameChecker::isPythonModule(const std::string& name) const {
  return std::ranges::any_of(language::pythonModules(), [&](std::string_view module) {
    return module.substr(0, module.find('.')) == name && name != "torch";
  });
}

bool NameChecker::isPythonValue(const std::string& name) const {
  if (!case_) {
    return false;
  }
  const bool isBuiltin = language::isPythonWord(WordUse::kBuiltin, name) && name != "type" && name != "super" &&
                         name != "isinstance" && name != "issubclass";
  static const Names values = {"abs", "bool", "complex", "float", "int", "len", "list", "max", "min", "tuple"};
  return isBuiltin || values.contains(name) || case_->findClass(name) || case_->findConstant(name);
}

// An operator of PyTorch, which may be passed to something that calls it.
bool NameChecker::isOperator(const std::vector<std::string>& path) const {
  std::vector<const std::string*> names;
  for (const std::string& part : path) {
    names.push_back(&part);
  }
  const auto name = torch_names::operatorName(c10::ArrayRef<const std::string*>(names).slice(1));
  return name && torch_names::nameStatus(name->space, name->name) == torch_names::NameStatus::kKnown;
}

void NameChecker::checkModulePath(const Expr& expr, const std::string& path, bool isCall) {
  if (isCall && language::isPythonWord(WordUse::kCall, path) && path != "collections.namedtuple" &&
      path != "dataclasses.field") {
    return;
  }
  fail(expr, "`" + path + "` is refused here; expected a function of that module that is listed");
}

bool NameChecker::isSuperMethod(const Expr& callee) const {
  if (!isCallOfName(*callee.children[0], "super") || isLocal("super")) {
    return false;
  }
  if (!isMethod_ || callee.children[0]->children.size() != 1) {
    fail(callee, "`super()` is for methods of a class, without arguments; expected `super().__init__()`");
  }
  if (!kClassMethods.contains(callee.text) && !members_.contains(callee.text) && callee.text != "forward") {
    fail(callee, "`super()." + callee.text + "` is refused; expected a method that a class of the file defines");
  }
  return true;
}

void NameChecker::checkType(const Expr& type) {
  if (type.kind == ExprKind::kTuple) {
    for (const language::ExprPtr& each : type.children) {
      checkType(*each);
    }
    return;
  }
  if (isCallOfName(type, "type") && type.children.size() == 2 && type.keywords.empty()) {
    check(*type.children[1]);
    return;
  }
  const std::string path = writtenPath(type);
  const bool isConstant = case_ && case_->findConstant(path) != nullptr;
  const bool isListed = kTypeNames.contains(path) || path == "torch.Tensor" || path == "torch.nn.Module" ||
                        path == "torch.nn.Parameter" || (case_ && case_->findClass(path)) || isConstant;
  if (!isListed || isLocal(path)) {
    fail(type,
         "this is no type that is listed; expected `int`, `torch.Tensor`, a class of the file, or a tuple of such");
  }
}

bool NameChecker::checkTypeComparison(const Expr& comparison) {
  const bool compares = comparison.text == "is" || comparison.text == "is not" || comparison.text == "==" ||
                        comparison.text == "!=" || comparison.text == "in" || comparison.text == "not in";
  const bool isOfTypes = isCallOfName(*comparison.children[0], "type") || isCallOfName(*comparison.children[1], "type");
  if (!compares || !isOfTypes || isLocal("type") || (case_ && case_->find("type"))) {
    return false;
  }
  checkType(*comparison.children[0]);
  checkType(*comparison.children[1]);
  return true;
}

void NameChecker::checkBuiltin(const Expr& call) {
  const std::string& name = call.children[0]->text;
  if (name == "type") {
    fail(call, "`type` is no value; expected a comparison, `type(x) is int`");
  }
  if (name == "super") {
    fail(call, "`super()` is no value; expected `super().__init__()`");
  }
  if (name == "isinstance" || name == "issubclass") {
    if (call.children.size() != 3 || !call.keywords.empty()) {
      fail(call, "`" + name + "` takes a value and a type; expected `" + name + "(x, int)`");
    }
    name == "isinstance" ? check(*call.children[1]) : checkType(*call.children[1]);
    checkType(*call.children[2]);
    return;
  }
  static const Names overGenerators = {"all", "any", "enumerate", "filter", "map", "set", "sorted", "zip"};
  for (size_t index = 1; index < call.children.size(); ++index) {
    const bool isGenerator =
        call.children[index]->kind == ExprKind::kComprehension && call.children[index]->text == "(";
    if (isGenerator && !overGenerators.contains(name)) {
      fail(*call.children[index], "a generator is refused here; expected a list in brackets");
    }
  }
  checkArguments(call);
}

// Of `raise` and `except`.
void NameChecker::checkExceptions(const language::Statement& statement) {
  const bool raises = statement.kind == language::StatementKind::kRaise;
  if (!statement.value || (!raises && statement.kind != language::StatementKind::kExcept)) {
    return;
  }
  const auto isException = [&](const Expr& type) {
    const std::string path = writtenPath(type);
    const bool isListed =
        language::isPythonWord(WordUse::kBuiltin, path) && (path.ends_with("Error") || path == "Exception");
    return !isLocal(path) && (isListed || path == "StopIteration" || (case_ && case_->findClass(path)));
  };
  const Expr& value = *statement.value;
  const bool isTuple = !raises && value.kind == ExprKind::kTuple;
  const bool isGood = isTuple
                          ? std::ranges::all_of(value.children, [&](const auto& each) { return isException(*each); })
                          : isException(raises && value.kind == ExprKind::kCall ? *value.children[0] : value);
  if (!isGood) {
    fail(
        value,
        "this is no exception that is listed; expected `ValueError`, `RuntimeError` or another one, or a class of the file");
  }
}

// Calls that a wrong argument would open. A checkpoint's other arguments are its function's own, and may be starred.
void NameChecker::checkWord(const Expr& call, const std::string& path) {
  if (path == "torch.compile") {
    checkCompile(call);
    return;
  }
  const auto guarded =
      std::ranges::find_if(kGuardedCalls, [&](const auto& each) { return path.starts_with(each.path); });
  if (guarded == kGuardedCalls.end()) {
    return;
  }
  for (const std::string& keyword : call.keywords) {
    if (guarded->refused.contains(keyword)) {
      fail(call, "`" + keyword + "=` is refused here; expected other arguments of `" + path + "`");
    }
  }
  for (const language::ExprPtr& argument : call.children) {
    if (argument->kind == ExprKind::kStarred && (!guarded->mayStar || !argument->text.empty())) {
      fail(*argument, "starred arguments of `" + path + "` are refused; expected each argument by itself");
    }
  }
  if (call.children.size() - call.keywords.size() > 1 + guarded->positional) {
    fail(call, "`" + path + "` is given too many arguments without names; expected at most " +
                   std::to_string(guarded->positional));
  }
  if (path.starts_with("torch.nn.utils.parametriz")) {
    const bool isName = call.children.size() > 2 && call.children[2]->kind == ExprKind::kString;
    if (call.children.size() > 2 && (!isName || call.children[2]->text.starts_with("_"))) {
      fail(*call.children[2], "this is no name of a parameter; expected a string");
    }
  } else if (path == "torch.Tensor._make_wrapper_subclass") {
    static const Names known = {"device", "dtype", "layout", "requires_grad", "storage_offset", "strides"};
    const bool isInNew = function_ != nullptr && isMethod_ && function_->name == "__new__";
    for (const std::string& keyword : call.keywords) {
      if (!known.contains(keyword)) {
        fail(call, "`" + keyword +
                       "=` is refused here; expected `dtype=`, `strides=`, `storage_offset=`, `device=`, "
                       "`layout=` or `requires_grad=`");
      }
    }
    if (!isInNew || call.children.size() - call.keywords.size() != 3) {
      fail(
          call,
          "a wrapper is made in `__new__`; expected `torch.Tensor._make_wrapper_subclass(cls, x.shape, dtype=x.dtype)`");
    }
  }
}

/// As a decorator: `@torch.compiler.disable(recursive=False)`.
void NameChecker::checkDisable(const Expr& call) {
  const bool isForm = call.children.size() == call.keywords.size() + 1 &&
                      std::ranges::all_of(call.keywords, [](const std::string& keyword) {
                        return keyword == "recursive" || keyword == "reason";
                      });
  if (!isForm) {
    fail(call, "this is refused of `torch.compiler.disable`; expected `recursive=` or `reason=`");
  }
  for (size_t index = 1; index < call.children.size(); ++index) {
    checkLiteral(*call.children[index], "an argument of a decorator");
  }
}

void NameChecker::checkCompile(const Expr& call) {
  bool hasBackend = false;
  const size_t positional = call.children.size() - call.keywords.size();
  for (const language::ExprPtr& argument : call.children) {
    if (argument->kind == ExprKind::kStarred) {
      fail(*argument, "starred arguments of `torch.compile` are refused; expected each argument by itself");
    }
  }
  for (size_t index = 0; index < call.keywords.size(); ++index) {
    const std::string& keyword = call.keywords[index];
    const Expr& value = *call.children[positional + index];
    hasBackend = hasBackend || keyword == "backend";
    const bool isBackend = value.kind == ExprKind::kString && kNestedBackends.contains(value.text);
    const bool isFlag =
        value.kind == ExprKind::kTrue || value.kind == ExprKind::kFalse || value.kind == ExprKind::kNone;
    if (keyword == "backend" ? !isBackend : !(isFlag && (keyword == "dynamic" || keyword == "fullgraph"))) {
      fail(value,
           "this is refused of `torch.compile`; expected `backend=\"eager\"` or `backend=\"aot_eager\"`, `dynamic=`, "
           "`fullgraph=`");
    }
  }
  if (!hasBackend) {
    fail(call, "`torch.compile` without a backend is refused; expected `backend=\"eager\"` or `backend=\"aot_eager\"`");
  }
}

} // namespace touchstone::parser
