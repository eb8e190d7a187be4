#include "program/evaluator/Statements.h"

#include "program/evaluator/Contexts.h"
#include "program/evaluator/FunctionContext.h"
#include "program/evaluator/State.h"
#include "program/semantics/Slices.h"

#include <c10/util/ScopeExit.h>

#include <algorithm>

namespace touchstone::evaluator {

using namespace semantics;
namespace {

bool isRangeCall(const language::Expr& expr) {
  return expr.kind == language::ExprKind::kCall && expr.keywords.empty() &&
         expr.children[0]->kind == language::ExprKind::kName && expr.children[0]->text == "range";
}

/// A region of autocast that whoever takes callables sees begin and end.
class RecordedRegion : public Context {
 public:
  RecordedRegion(const Watchers& watchers, const CallArguments& given)
      : watchers_(watchers), region_(watchers.call(autocastRegion(given.positional, given.keywords))) {}
  ~RecordedRegion() override { region_.as<values::HandlePtr>()->remove(); }
  void leave() override { watchers_.call(endOfRegion(region_)); }

 private:
  const Watchers& watchers_;
  values::Value region_;
};

[[noreturn]] void raiseTooManyFor(const language::Function& function, const std::string& called, size_t given) {
  const size_t most = function.parameters.size();
  if (function.defaults.empty()) {
    raiseTooMany(called, most, given);
  }
  values::raiseError("TypeError", "{}() takes from {} to {} positional arguments but {} {} given", called,
                     most - function.defaults.size(), most, given, given == 1 ? "was" : "were");
}

// Gives the variables that a function begins with.
void bindParameters(const language::Function& function, const std::string& called, CallArguments arguments,
                    const values::ValueList& defaults, Environment& environment) {
  const std::vector<std::string>& parameters = function.parameters;
  const size_t given = arguments.positional.size();
  if (given > parameters.size() && function.rest.empty()) {
    raiseTooManyFor(function, called, given);
  }
  const size_t byPosition = std::min(given, parameters.size());
  for (size_t i = 0; i < byPosition; ++i) {
    environment.names.emplace(parameters[i], std::move(arguments.positional[i]));
  }
  if (!function.rest.empty()) {
    values::ValueList& all = arguments.positional;
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(byPosition));
    environment.names.emplace(function.rest, values::Value::tuple(std::move(all)));
  }
  for (auto& [name, value] : arguments.keywords) {
    if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) {
      values::raiseError("TypeError", "{}() got an unexpected keyword argument '{}'", called, name);
    }
    if (!environment.names.emplace(name, std::move(value)).second) {
      values::raiseError("TypeError", "{}() got multiple values for argument '{}'", called, name);
    }
  }
  const size_t required = parameters.size() - defaults.size();
  for (size_t i = 0; i < defaults.size(); ++i) {
    environment.names.try_emplace(parameters[required + i], defaults[i]);
  }
  std::vector<std::string> missing;
  std::copy_if(parameters.begin(), parameters.end(), std::back_inserter(missing),
               [&](const std::string& parameter) { return !environment.names.contains(parameter); });
  checkMissing(called, missing);
}

} // namespace

void Statements::start() {
  raisedThrough_.clear();
  state_.limits.start();
}

values::Value Statements::run(const language::Function& function, values::ValueList arguments) {
  start();
  const values::ValueList given = arguments; // lists and dicts among them may have grown
  values::Value returned = call(function, {std::move(arguments), {}});
  state_.limits.checkResult(returned, "The call returns");
  for (const values::Value& argument : given) {
    state_.limits.checkResult(argument, "The call leaves in an argument");
  }
  return returned;
}

values::Value Statements::call(const language::Function& function, CallArguments arguments, const CalledAs& as) {
  DepthScope scope(state_.limits);
  const auto environment = std::make_shared<Environment>();
  environment->enclosing = as.enclosing;
  environment->scope = as.scope;
  environment->function = as.name.empty() ? function.name : as.name;
  bindParameters(function, environment->function, std::move(arguments),
                 as.defaults != nullptr ? *as.defaults : literalDefaults(function), *environment);
  const auto over = c10::make_scope_exit([&] { environment->finish(); });
  Frame frame{&function, environment.get(), {}, as.context};
  const language::Statement*& running = state_.limits.running;
  const language::Statement* caller = running;
  try {
    executeBody(function.body, frame);
  } catch (...) {
    raisedThrough_.push_back({.line = running != nullptr ? running->place.line : 0, .function = function.name});
    running = caller;
    throw;
  }
  if (caller != nullptr) { // of the outermost call, the last statement stays the place of what is said of its result
    running = caller;
  }
  return std::move(frame.returned);
}

values::ValueList Statements::literalDefaults(const language::Function& function) {
  values::ValueList defaults;
  Environment none;
  Frame frame{nullptr, &none, {}};
  for (const language::ExprPtr& value : function.defaults) {
    defaults.push_back(state_.expressions.evaluate(*value, frame));
  }
  return defaults;
}

Flow Statements::executeBody(const std::vector<language::StatementPtr>& body, Frame& frame) {
  for (const language::StatementPtr& statement : body) {
    if (const Flow flow = execute(*statement, frame); flow != Flow::kNext) {
      return flow;
    }
  }
  return Flow::kNext;
}

Flow Statements::execute(const language::Statement& statement, Frame& frame) {
  Expressions& expressions = state_.expressions;
  const auto index = static_cast<int>(state_.limits.statementsRun());
  state_.limits.countStatement(statement);
  if (state_.options.onStatement) {
    state_.options.onStatement(statement, index);
  }
  const auto condition = [&] { return state_.operators.truth(expressions.evaluate(*statement.value, frame)); };
  switch (statement.kind) {
    case language::StatementKind::kExpression: expressions.evaluate(*statement.value, frame); return Flow::kNext;
    case language::StatementKind::kAssign:
      assignTo(statement.targets, expressions.evaluate(*statement.value, frame, Use::kMoved), frame);
      return Flow::kNext;
    case language::StatementKind::kAugmentedAssign: executeAugmented(statement, frame); return Flow::kNext;
    case language::StatementKind::kDelete:
      for (const language::ExprPtr& target : statement.targets) {
        remove(*target, frame);
      }
      return Flow::kNext;
    case language::StatementKind::kReturn:
      frame.returned = statement.value ? expressions.evaluate(*statement.value, frame, Use::kMoved) : values::Value();
      return Flow::kReturn;
    case language::StatementKind::kIf: return executeBody(condition() ? statement.body : statement.orElse, frame);
    case language::StatementKind::kWhile:
      while (condition()) {
        const Flow flow = executeBody(statement.body, frame);
        if (flow == Flow::kReturn) {
          return flow;
        }
        if (flow == Flow::kBreak) {
          break;
        }
        state_.limits.countStatement(statement); // a body of nothing would never count
      }
      return Flow::kNext;
    case language::StatementKind::kFor: return executeFor(statement, frame);
    case language::StatementKind::kWith: return executeWith(statement, 0, frame);
    case language::StatementKind::kPass:
    case language::StatementKind::kNonlocal: return Flow::kNext;
    case language::StatementKind::kBreak: return Flow::kBreak;
    case language::StatementKind::kContinue: return Flow::kContinue;
    case language::StatementKind::kDef:
      frame.environment->set(statement.function->name, state_.functionValues.inner(statement.function, frame));
      return Flow::kNext;
    case language::StatementKind::kAssert:
      if (!condition()) {
        values::raiseError("AssertionError", "{}", statement.items.empty() ? "" : statement.items[0]->text);
      }
      return Flow::kNext;
    case language::StatementKind::kTry: // Python's: language::needsPython()
    case language::StatementKind::kExcept:
    case language::StatementKind::kElse:
    case language::StatementKind::kFinally:
    case language::StatementKind::kRaise: break;
  }
  values::raiseError("SystemError", "The statement is of a kind that the evaluator does not know.");
}

Flow Statements::executeFor(const language::Statement& statement, Frame& frame) {
  // Whether the loop goes on after this item.
  Flow flow = Flow::kNext;
  const auto runBody = [&](values::Value item) {
    assignTo(statement.targets, std::move(item), frame);
    flow = executeBody(statement.body, frame);
    return flow == Flow::kNext || flow == Flow::kContinue;
  };
  const auto ended = [&] { return flow == Flow::kReturn ? flow : Flow::kNext; };
  const language::Expr& iterated = *statement.value;
  if (isRangeCall(iterated) && !frame.find("range")) {
    const Range range = rangeOf(state_.expressions.arguments(iterated, frame).positional, state_.dispatch);
    for (int64_t i = 0; i < range.count; ++i) {
      if (!runBody(intValue(range.start + i * range.step))) {
        break;
      }
    }
    return ended();
  }
  values::Value value = state_.expressions.evaluate(iterated, frame, Use::kOpened);
  state_.watchers.readsItems(value);
  if (const auto* list = value.maybe<values::ListPtr>()) {
    // A list that the body changes is seen as it is at each step.
    for (size_t i = 0; i < (*list)->items.size(); ++i) {
      if (!runBody((*list)->items[i])) {
        break;
      }
    }
    return ended();
  }
  for (values::Value& item : state_.containers.iterate(value)) {
    if (!runBody(std::move(item))) {
      break;
    }
  }
  return ended();
}

Flow Statements::executeWith(const language::Statement& statement, size_t item, Frame& frame) {
  if (item == statement.items.size()) {
    return executeBody(statement.body, frame);
  }
  const std::unique_ptr<Context> context = enterItem(*statement.items[item], frame);
  const Flow flow = executeWith(statement, item + 1, frame);
  context->leave();
  return flow;
}

std::unique_ptr<Context> Statements::enterItem(const language::Expr& item, Frame& frame) {
  const std::string* name = contextName(item);
  if (!name || frame.find("torch")) {
    const values::Value value = state_.expressions.evaluate(item, frame);
    values::raiseError("TypeError", "'{}' object does not support the context manager protocol", value.typeName());
  }
  if (*name == kSavedTensorsHooks) {
    return enterSavedTensorsHooks({state_.hooks.callable(state_.expressions.functionNamed(item, 1, 2, frame)),
                                   state_.hooks.callable(state_.expressions.functionNamed(item, 2, 2, frame))});
  }
  const CallArguments given = state_.expressions.arguments(item, frame);
  if (*name == "autocast" && state_.watchers.takeCallables()) {
    return std::make_unique<RecordedRegion>(state_.watchers, given);
  }
  return enterContext(*name, given.positional, given.keywords, state_.precision.inDouble);
}

void Statements::executeAugmented(const language::Statement& statement, Frame& frame) {
  Expressions& expressions = state_.expressions;
  const language::Expr& target = *statement.targets[0];
  const auto changed = [&](const values::Value& before) {
    return state_.operators.augmented(statement.text.substr(0, statement.text.size() - 1), before,
                                      expressions.evaluate(*statement.value, frame));
  };
  if (target.kind == language::ExprKind::kSubscript) {
    const values::Value object = expressions.evaluate(*target.children[0], frame);
    const values::Value index = expressions.index(target, frame);
    state_.containers.setItem(object, index, changed(state_.containers.getItem(object, index)));
  } else if (target.kind == language::ExprKind::kAttribute) {
    if (FunctionContext* context = Expressions::contextOf(*target.children[0], frame)) {
      context->set(target.text, changed(context->get(target.text)));
      return;
    }
    const values::Value object = expressions.evaluate(*target.children[0], frame);
    state_.attributes.set(object, target.text, changed(state_.attributes.get(object, target.text)));
  } else {
    assign(target, changed(expressions.evaluate(target, frame)), frame);
  }
}

void Statements::assignTo(const std::vector<language::ExprPtr>& targets, values::Value value, Frame& frame) {
  if (targets.size() == 1 && targets[0]->kind != language::ExprKind::kStarred) {
    assign(*targets[0], std::move(value), frame);
  } else {
    unpack(targets, value, frame);
  }
}

void Statements::assign(const language::Expr& target, values::Value value, Frame& frame) {
  switch (target.kind) {
    case language::ExprKind::kName: frame.environment->set(target.text, std::move(value)); return;
    case language::ExprKind::kTuple:
    case language::ExprKind::kList: unpack(target.children, value, frame); return;
    case language::ExprKind::kAttribute: {
      if (FunctionContext* context = Expressions::contextOf(*target.children[0], frame)) {
        context->set(target.text, std::move(value));
        return;
      }
      const values::Value object = state_.expressions.evaluate(*target.children[0], frame, Use::kOpened);
      state_.watchers.writesAttribute(object, target.text);
      state_.attributes.set(object, target.text, value);
      return;
    }
    case language::ExprKind::kSubscript: {
      const values::Value object = state_.expressions.evaluate(*target.children[0], frame, Use::kOpened);
      const values::Value index = state_.expressions.index(target, frame);
      state_.watchers.readsItem(object, index);
      if (object.isTensor()) {
        state_.watchers.reads(value);
      }
      state_.containers.setItem(object, index, value);
      return;
    }
    default: values::raiseError("SyntaxError", "cannot assign to this expression");
  }
}

void Statements::unpack(const std::vector<language::ExprPtr>& targets, const values::Value& value, Frame& frame) {
  state_.watchers.readsItems(value);
  values::ValueList items = state_.containers.iterate(value, "cannot unpack non-iterable {} object");
  size_t starred = targets.size();
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i]->kind == language::ExprKind::kStarred) {
      starred = i;
    }
  }
  const bool hasRest = starred < targets.size();
  const size_t fixed = targets.size() - (hasRest ? 1 : 0);
  if (items.size() < fixed) {
    values::raiseError("ValueError", "not enough values to unpack (expected {}{}, got {})", hasRest ? "at least " : "",
                       fixed, items.size());
  }
  if (!hasRest && items.size() > fixed) {
    values::raiseError("ValueError", "too many values to unpack (expected {})", fixed);
  }
  size_t next = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (i != starred) {
      assign(*targets[i], std::move(items[next++]), frame);
      continue;
    }
    values::ValueList rest;
    for (const size_t end = items.size() - (targets.size() - i - 1); next < end; ++next) {
      rest.push_back(std::move(items[next]));
    }
    assign(*targets[i]->children[0], values::Value::list(std::move(rest)), frame);
  }
}

void Statements::remove(const language::Expr& target, Frame& frame) {
  Expressions& expressions = state_.expressions;
  switch (target.kind) {
    case language::ExprKind::kName:
      if (frame.environment->names.erase(target.text) == 0) {
        expressions.raiseUnbound(target.text, frame);
      }
      return;
    case language::ExprKind::kSubscript: {
      const values::Value object = expressions.evaluate(*target.children[0], frame);
      state_.containers.deleteItem(object, expressions.index(target, frame));
      return;
    }
    case language::ExprKind::kAttribute:
      state_.attributes.remove(expressions.evaluate(*target.children[0], frame), target.text);
      return;
    case language::ExprKind::kTuple:
    case language::ExprKind::kList:
      for (const language::ExprPtr& child : target.children) {
        remove(*child, frame);
      }
      return;
    default: values::raiseError("SyntaxError", "cannot delete this expression");
  }
}

} // namespace touchstone::evaluator
