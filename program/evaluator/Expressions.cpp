#include "program/evaluator/Expressions.h"

#include "program/control_flow/ControlFlow.h"
#include "program/evaluator/FunctionContext.h"
#include "program/evaluator/Hooks.h"
#include "program/evaluator/State.h"
#include "program/semantics/Slices.h"
#include "program/values/Data.h"
#include "program/values/DefaultDevice.h"
#include "program/values/Teardown.h"

#include <c10/util/ScopeExit.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace touchstone::evaluator {

using namespace semantics;

using namespace std::string_view_literals; // their sizes are compared first

namespace {

values::Value parsedInt(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    values::raiseError("OverflowError", "The whole number {} is beyond the 64 bits that a case's numbers have.", text);
  }
  return intValue(value);
}

bool writesName(const std::vector<language::StatementPtr>& body, const std::string& name) {
  return std::any_of(body.begin(), body.end(), [&](const language::StatementPtr& statement) {
    const std::vector<std::string> written = language::namesWritten(*statement);
    return std::find(written.begin(), written.end(), name) != written.end();
  });
}

constexpr size_t kLongestPath = 4; // `ops.aten.f.overload` after `torch`

// The names after `torch` of a callee such as `torch.nn.functional.relu`.
struct TorchPath {
  std::array<const std::string*, kLongestPath> names{};
  size_t length = 0; // 0: not a path under `torch`

  std::string text() const { // `nn.functional.relu`
    std::string joined;
    for (size_t i = 0; i < length; ++i) {
      joined += (i > 0 ? "." : "") + *names[i];
    }
    return joined;
  }
};

TorchPath torchPath(const language::Expr& callee) {
  TorchPath path;
  const language::Expr* at = &callee;
  for (; at->kind == language::ExprKind::kAttribute; at = at->children[0].get()) {
    if (path.length == kLongestPath) {
      return {};
    }
    path.names[path.length++] = &at->text;
  }
  if (at->kind != language::ExprKind::kName || at->text != "torch") {
    return {};
  }
  std::reverse(path.names.begin(), path.names.begin() + path.length);
  return path;
}

// Arguments of a function are looked at where its statements do.
Use useOf(const values::Value& called) {
  return called.is<values::FunctionPtr>() ? Use::kMoved : Use::kWhole;
}

const language::Expr& rootOf(const language::Expr& callee) {
  const language::Expr* at = &callee;
  while (at->kind == language::ExprKind::kAttribute) {
    at = at->children[0].get();
  }
  return *at;
}

} // namespace

void Expressions::raiseUnbound(const std::string& name, const Frame& frame) const {
  const language::Function* function = frame.function;
  if (function &&
      (writesName(function->body, name) ||
       std::find(function->parameters.begin(), function->parameters.end(), name) != function->parameters.end())) {
    values::raiseError("UnboundLocalError", "cannot access local variable '{}' where it is not associated with a value",
                       name);
  }
  values::raiseError("NameError", "name '{}' is not defined", name);
}

FunctionContext* Expressions::contextOf(const language::Expr& expr, const Frame& frame) {
  const bool isContext =
      frame.context != nullptr && expr.kind == language::ExprKind::kName && expr.text == language::kContextParameter;
  return isContext ? frame.context : nullptr;
}

values::Value Expressions::evaluate(const language::Expr& expr, Frame& frame, Use use) {
  values::Value value = evaluateAny(expr, frame, use);
  if (use == Use::kWhole) {
    state_.watchers.reads(value);
  }
  return value;
}

void Expressions::appendStarred(const language::Expr& starred, Frame& frame, Use use, const char* notIterable,
                                values::ValueList& items) {
  const values::Value several = evaluate(*starred.children[0], frame, use);
  state_.watchers.readsItems(several);
  values::ValueList rest = state_.containers.iterate(several, notIterable);
  std::move(rest.begin(), rest.end(), std::back_inserter(items));
}

values::ValueList Expressions::items(const language::Expr& container, Frame& frame) {
  values::ValueList items;
  items.reserve(container.children.size());
  for (const language::ExprPtr& child : container.children) {
    if (child->kind == language::ExprKind::kStarred) {
      appendStarred(*child, frame, Use::kOpened, "Value after * must be an iterable, not {}", items);
    } else {
      items.push_back(evaluate(*child, frame, Use::kMoved));
      state_.limits.spend(items.back());
    }
  }
  return items;
}

values::Value Expressions::evaluateAny(const language::Expr& expr, Frame& frame, Use use) {
  switch (expr.kind) {
    case language::ExprKind::kName: {
      if (const values::Value* value = frame.find(expr.text)) {
        return *value;
      }
      const language::Function* function = state_.theCase.find(expr.text);
      return function ? state_.functionValues.ofFile(*function) : (raiseUnbound(expr.text, frame), values::Value());
    }
    case language::ExprKind::kInt: return parsedInt(expr.text);
    case language::ExprKind::kFloat: return floatValue(std::strtod(expr.text.c_str(), nullptr));
    case language::ExprKind::kImaginary:
      return values::Value(std::complex<double>(0, std::strtod(expr.text.c_str(), nullptr)));
    case language::ExprKind::kString: state_.limits.checkText(expr.text.size()); return textValue(expr.text);
    case language::ExprKind::kTrue: return boolValue(true);
    case language::ExprKind::kFalse: return boolValue(false);
    case language::ExprKind::kNone: return {};
    case language::ExprKind::kEllipsis: return values::Value(values::EllipsisValue{});
    case language::ExprKind::kAttribute: {
      const language::Expr& object = *expr.children[0];
      if (object.kind == language::ExprKind::kName && object.text == "torch"sv && !frame.find("torch")) {
        return torchConstant(expr.text, state_.precision);
      }
      if (const FunctionContext* context = contextOf(object, frame)) {
        return context->get(expr.text);
      }
      if (object.kind == language::ExprKind::kName && expr.text == "apply"sv && !frame.find(object.text)) {
        if (const language::CustomFunction* function = state_.theCase.findCustomFunction(object.text)) {
          return state_.functionValues.ofCustomFunction(*function);
        }
      }
      const values::Value owner = evaluate(object, frame, Use::kOpened);
      state_.watchers.readsAttribute(owner, expr.text);
      return state_.attributes.get(owner, expr.text);
    }
    case language::ExprKind::kCall: return call(expr, frame);
    case language::ExprKind::kSubscript: {
      const values::Value object = evaluate(*expr.children[0], frame, Use::kOpened);
      const values::Value at = index(expr, frame);
      state_.watchers.readsItem(object, at);
      return state_.containers.getItem(object, at);
    }
    case language::ExprKind::kSlice: {
      auto slice = std::make_shared<values::SliceObject>();
      values::Value* parts[] = {&slice->start, &slice->stop, &slice->step};
      for (size_t i = 0; i < expr.children.size() && i < 3; ++i) {
        if (expr.children[i]) {
          *parts[i] = evaluate(*expr.children[i], frame);
        }
      }
      return values::Value(std::move(slice));
    }
    case language::ExprKind::kList: return values::Value::list(items(expr, frame));
    case language::ExprKind::kTuple: return values::Value::tuple(items(expr, frame));
    case language::ExprKind::kDict: {
      values::Value dict{values::makeShared(values::DictObject())};
      for (size_t i = 0; i + 1 < expr.children.size(); i += 2) {
        const values::Value key = evaluate(*expr.children[i], frame);
        state_.containers.setItem(dict, key, evaluate(*expr.children[i + 1], frame, Use::kMoved));
      }
      return dict;
    }
    case language::ExprKind::kUnary: return state_.operators.unary(expr.text, evaluate(*expr.children[0], frame));
    case language::ExprKind::kBinary: return binary(expr, frame, use);
    case language::ExprKind::kConditional: {
      const bool holds = state_.operators.truth(evaluate(*expr.children[0], frame));
      return evaluate(*expr.children[holds ? 1 : 2], frame, use);
    }
    case language::ExprKind::kStarred: values::raiseError("SyntaxError", "can't use starred expression here");
    case language::ExprKind::kLambda: return state_.functionValues.lambda(expr, frame);
    case language::ExprKind::kComprehension: return comprehension(expr, frame);
    case language::ExprKind::kFormatted: break; // Python's: language::needsPython()
  }
  values::raiseError("SystemError", "The expression is of a kind that the evaluator does not know.");
}

// Runs in variables of its own but for what the first `for` goes over (docs.python.org/3/reference/expressions.html).
values::Value Expressions::comprehension(const language::Expr& expr, Frame& frame) {
  const std::vector<language::Clause> clauses = language::clausesOf(expr);
  const auto iterate = [&](const language::Expr& iterated, Frame& where) {
    const values::Value value = evaluate(iterated, where, Use::kOpened);
    state_.watchers.readsItems(value);
    return state_.containers.iterate(value);
  };
  values::ValueList first = iterate(*clauses.front().value, frame);
  const auto environment = std::make_shared<Environment>();
  environment->enclosing = frame.environment->weak_from_this().lock();
  if (!environment->enclosing) {
    environment->enclosing = {std::shared_ptr<void>(), frame.environment};
  }
  environment->scope = std::make_shared<const Scope>(scopeOfComprehension(expr));
  environment->function = frame.environment->function;
  const auto over = c10::make_scope_exit([&] { environment->finish(); });
  Frame inner{frame.function, environment.get(), {}, frame.context};
  const bool isDict = expr.text == language::kDictComprehension;
  values::Value made = isDict ? values::Value(values::makeShared(values::DictObject())) : values::Value::list({});
  const auto add = [&] {
    values::Value element = evaluate(*expr.children[0], inner, Use::kMoved);
    if (isDict) {
      state_.containers.setItem(made, element, evaluate(*expr.children[1], inner, Use::kMoved));
    } else {
      made.as<values::ListPtr>()->items.push_back(std::move(element));
      state_.limits.spend(made.items()->back());
    }
  };
  const std::function<void(size_t)> run = [&](size_t clause) {
    if (clause == clauses.size()) {
      add();
    } else if (clauses[clause].target == nullptr) {
      if (state_.operators.truth(evaluate(*clauses[clause].value, inner))) {
        run(clause + 1);
      }
    } else {
      for (values::Value& item : clause == 0 ? first : iterate(*clauses[clause].value, inner)) {
        state_.statements.assign(*clauses[clause].target, std::move(item), inner);
        run(clause + 1);
      }
    }
  };
  run(0);
  return made;
}

values::Value Expressions::callValue(const values::Value& called, values::ValueList positional,
                                     torch_names::KeywordList keywords) {
  if (const auto* function = called.maybe<values::FunctionPtr>()) {
    return (*function)->call(std::move(positional), std::move(keywords));
  }
  return state_.modules.callValue(called, positional, keywords);
}

values::Value Expressions::binary(const language::Expr& expr, Frame& frame, Use use) {
  const std::string& op = expr.text;
  Operators& operators = state_.operators;
  if (op == "is"sv || op == "is not"sv) { // who they are, not what is in them
    const values::Value left = evaluate(*expr.children[0], frame, Use::kMoved);
    return operators.binary(op, left, evaluate(*expr.children[1], frame, Use::kMoved));
  }
  values::Value left = evaluate(*expr.children[0], frame);
  if (op == "in"sv || op == "not in"sv) {
    const values::Value right = evaluate(*expr.children[1], frame, Use::kOpened);
    if (!right.is<values::DictPtr>()) { // of a dict its keys decide
      state_.watchers.reads(right);
    }
    return operators.binary(op, left, right);
  }
  if (op == "and"sv || op == "or"sv) {
    return operators.truth(left) == (op == "and"sv) ? evaluate(*expr.children[1], frame, use) : left;
  }
  return operators.binary(op, left, evaluate(*expr.children[1], frame));
}

values::Value Expressions::index(const language::Expr& subscript, Frame& frame) {
  if (subscript.children.size() == 2 && subscript.children[1]->kind != language::ExprKind::kStarred) {
    return evaluate(*subscript.children[1], frame);
  }
  values::ValueList indices;
  for (size_t i = 1; i < subscript.children.size(); ++i) {
    const language::Expr& child = *subscript.children[i];
    if (child.kind == language::ExprKind::kStarred) {
      values::ValueList rest = state_.containers.iterate(evaluate(*child.children[0], frame));
      std::move(rest.begin(), rest.end(), std::back_inserter(indices));
    } else {
      indices.push_back(evaluate(child, frame));
    }
  }
  return values::Value::tuple(std::move(indices));
}

CallArguments Expressions::arguments(const language::Expr& call, Frame& frame, Use use) {
  CallArguments given;
  const size_t positionalCount = call.children.size() - 1 - call.keywords.size();
  given.positional.reserve(positionalCount + 1); // a method's own object comes before them
  for (size_t i = 1; i <= positionalCount; ++i) {
    const language::Expr& child = *call.children[i];
    if (child.kind == language::ExprKind::kStarred) {
      appendStarred(child, frame, use == Use::kWhole ? use : Use::kOpened,
                    "argument after * must be an iterable, not {}", given.positional);
    } else {
      given.positional.push_back(evaluate(child, frame, use));
    }
  }
  given.keywords.reserve(call.keywords.size());
  for (size_t i = 0; i < call.keywords.size(); ++i) {
    given.keywords.emplace_back(call.keywords[i], evaluate(*call.children[1 + positionalCount + i], frame, use));
  }
  return given;
}

values::Value Expressions::call(const language::Expr& call, Frame& frame) {
  switch (call.children[0]->kind) {
    case language::ExprKind::kName: return callName(call, frame);
    case language::ExprKind::kAttribute: return callMethod(call, frame);
    default: {
      const values::Value called = evaluate(*call.children[0], frame);
      CallArguments given = arguments(call, frame, useOf(called));
      return callValue(called, std::move(given.positional), std::move(given.keywords));
    }
  }
}

values::Value Expressions::callName(const language::Expr& call, Frame& frame) {
  const std::string& name = call.children[0]->text;
  if (const values::Value* value = frame.find(name)) {
    const values::Value called = *value;
    state_.watchers.reads(called);
    CallArguments given = arguments(call, frame, useOf(called));
    return callValue(called, std::move(given.positional), std::move(given.keywords));
  }
  if (name == "data"sv) {
    return callData(call, frame);
  }
  const language::Function* function = state_.theCase.find(name);
  if (const language::CustomOperator* made = state_.theCase.findCustomOperator(name)) {
    return state_.customOperators.call(*made, arguments(call, frame));
  }
  const bool isLength = !function && name == "len"sv;
  CallArguments given = arguments(call, frame, function || isLength ? Use::kMoved : Use::kWhole);
  if (isLength && !given.positional.empty() && given.positional[0].isTensor()) {
    state_.watchers.reads(given.positional[0]); // of containers the length is not among the items
  }
  if (function) {
    return state_.statements.call(*function, std::move(given));
  }
  if (!isBuiltinFunction(name)) {
    raiseUnbound(name, frame);
  }
  return state_.builtins.call(name, given.positional, given.keywords);
}

values::Value Expressions::callMethod(const language::Expr& call, Frame& frame) {
  const language::Expr& callee = *call.children[0];
  const std::string& name = callee.text;
  const language::Expr& root = rootOf(callee);
  if (FunctionContext* context = contextOf(*callee.children[0], frame)) {
    const CallArguments given = arguments(call, frame);
    context->call(name, given.positional, given.keywords);
    return {};
  }
  if (root.kind == language::ExprKind::kName && !frame.find(root.text)) {
    if (const language::CustomOperator* made = state_.theCase.operatorCalled(callee)) {
      return state_.customOperators.call(*made, arguments(call, frame));
    }
    if (const TorchPath path = torchPath(callee); path.length > 0) {
      CallArguments given = arguments(call, frame);
      if (path.length == 3 && *path.names[0] == "utils"sv && name == "checkpoint"sv) {
        return state_.functionValues.checkpointed(std::move(given));
      }
      if (control_flow::mayBeControlFlow(name) && control_flow::isControlFlow(path.text())) {
        return state_.functionValues.controlFlow(path.text(), given);
      }
      return state_.calls.torch({path.names.data(), path.length}, given.positional, given.keywords);
    }
    const bool isApplied = name == "apply"sv && callee.children[0].get() == &root;
    if (const language::CustomFunction* function = isApplied ? state_.theCase.findCustomFunction(root.text) : nullptr) {
      return state_.customFunctions.apply(*function, arguments(call, frame));
    }
  }
  const values::Value object = evaluate(*callee.children[0], frame, Use::kOpened);
  const bool isList = object.is<values::ListPtr>();
  const bool isDict = object.is<values::DictPtr>();
  const bool isAppend = isList && name == "append"sv;
  const bool isGet = isDict && name == "get"sv;
  if (object.isTensor()) {
    state_.watchers.readsAttribute(object, name);
  } else if ((isList && name == "copy"sv) || (isDict && (name == "values"sv || name == "items"sv))) {
    state_.watchers.readsItems(object);
  } else if (!isAppend && !isGet) {
    state_.watchers.reads(object);
  }
  if (object.isTensor() && isHookRegistration(name)) {
    return registerHook(call, object.tensor(), frame);
  }
  if (const auto* module = object.maybe<values::ModulePtr>()) {
    if (const auto kind = moduleHookKind(name)) {
      const std::string function = functionNamed(call, 1, 1, frame);
      state_.watchers.cannotCapture("a hook of a module is registered");
      return addModuleHook(*module, *kind, function);
    }
  }
  CallArguments given = arguments(call, frame, isAppend ? Use::kMoved : Use::kWhole);
  if (isGet && !given.positional.empty()) {
    state_.watchers.readsItem(object, given.positional[0]);
  }
  return state_.calls.method(object, name, given.positional, given.keywords);
}

values::Value Expressions::registerHook(const language::Expr& call, const at::Tensor& tensor, Frame& frame) {
  const std::string& method = call.children[0]->text;
  const bool isNamed = call.children.size() == 2 && call.children[1]->kind == language::ExprKind::kName &&
                       !frame.find(call.children[1]->text) && state_.theCase.find(call.children[1]->text);
  if (isNamed) {
    return state_.hooks.add(tensor, method, call.children[1]->text);
  }
  const CallArguments given = arguments(call, frame);
  const Arguments named(method, {"hook"}, given.positional, given.keywords, 1);
  const auto* function = named.at(0).maybe<values::FunctionPtr>();
  if (function == nullptr) {
    values::raiseError("TypeError", "`{}` takes a function, not {}.", method, named.at(0).typeName());
  }
  return state_.hooks.add(tensor, method, *function);
}

const std::string& Expressions::functionNamed(const language::Expr& call, size_t argument, size_t count,
                                              Frame& frame) const {
  const bool isComplete = call.children.size() == count + 1 && call.keywords.empty();
  const language::Expr* name = isComplete ? call.children[argument].get() : nullptr;
  if (name == nullptr || name->kind != language::ExprKind::kName || frame.find(name->text) ||
      !state_.theCase.find(name->text)) {
    values::raiseError("TypeError", "`{}` takes the {} of the file.", call.children[0]->text,
                       count == 1 ? "name of one function" : "names of two functions");
  }
  return name->text;
}

values::Value Expressions::callData(const language::Expr& call, Frame& frame) {
  CallArguments given;
  {
    const bool widened =
        std::exchange(state_.precision.inDouble, false); // the declared dtype decides which values there are
    const auto over = c10::make_scope_exit([&] { state_.precision.inDouble = widened; });
    given = arguments(call, frame);
  }
  const Arguments named("data", {"shape", "dtype", "seed", "kind"}, given.positional, given.keywords, 4);
  const values::ValueList* seed = named.at(2).items();
  if (!named.at(1).is<at::ScalarType>() || !seed || seed->size() != 2 || !named.at(3).is<std::string>()) {
    values::raiseError("TypeError", "`data` takes a shape, a dtype, a pair (seed, number) and the name of a kind.");
  }
  const auto number = [&](const values::Value& value) { return indexOf(value, state_.dispatch); };
  std::vector<int64_t> shape;
  for (const values::Value& size : state_.containers.iterate(named.at(0))) {
    shape.push_back(number(size));
  }
  const at::ScalarType dtype = named.at(1).as<at::ScalarType>();
  const at::ScalarType wanted = state_.precision.of(dtype);
  at::Tensor made = values::data(shape, dtype, number((*seed)[0]), number((*seed)[1]), named.at(3).as<std::string>());
  if (state_.options.onData) {
    made = state_.options.onData(std::move(made));
  }
  if (wanted != dtype) {
    made = made.to(wanted);
  }
  return made.device() == values::defaultDevice() ? made : made.to(values::defaultDevice());
}

} // namespace touchstone::evaluator
