#include "program/language/TraceableBodies.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace touchstone::language {
namespace {

/// Attributes, methods and functions by their last name.
const char* whatIsNamed(const std::string& name) {
  static const std::unordered_map<std::string_view, const char*> kNames = {
      {"grad", "`.grad` or torch.autograd.grad in a custom function"},
      {"backward", "a backward runs in a custom function"},
      {"is_leaf", "`.is_leaf` is read in a custom function"},
      {"retains_grad", "`.retains_grad` is read in a custom function"},
      {"retain_grad", "a gradient is retained in a custom function"},
      {"requires_grad_", "`requires_grad` is set in a custom function"},
      {"requires_grad", "`.requires_grad` is read in a custom function"},
      {"set_grad_enabled", "a custom function sets the gradient mode"},
      {"storage_offset", "where a tensor lies in memory is read in a custom function"},
      {"is_set_to", "where a tensor lies in memory is read in a custom function"},
      {"item", "values are read from tensor data in a custom function"},
      {"tolist", "values are read from tensor data in a custom function"},
      {"equal", "values are read from tensor data in a custom function"},
      {"allclose", "values are read from tensor data in a custom function"},
      {"is_nonzero", "values are read from tensor data in a custom function"},
      {"print", "a custom function prints"},
      {"register_hook", "a custom function registers a hook"},
      {"register_post_accumulate_grad_hook", "a custom function registers a hook"},
      {"register_forward_pre_hook", "a custom function registers a hook"},
      {"register_forward_hook", "a custom function registers a hook"},
      {"register_full_backward_pre_hook", "a custom function registers a hook"},
      {"register_full_backward_hook", "a custom function registers a hook"},
      {"manual_seed", "the generator is seeded in a custom function"},
      {"graph_break", "torch._dynamo.graph_break() in a custom function"},
      {"is_grad_enabled", "the gradient mode is read in a custom function"},
      {"is_inference_mode_enabled", "the inference mode is read in a custom function"},
      {"inference_mode", "a custom function enters inference mode"},
      {"autocast", "a custom function enters autocast"},
      {"append", "a custom function changes a list or dict"},
      {"clear", "a custom function changes a list or dict"},
      {"extend", "a custom function changes a list or dict"},
      {"insert", "a custom function changes a list or dict"},
      {"pop", "a custom function changes a list or dict"},
      {"reverse", "a custom function changes a list or dict"},
  };
  const auto found = kNames.find(name);
  return found == kNames.end() ? nullptr : found->second;
}

/// What the body of a custom operator may do: a trace has one node for it, and no statement of it.
bool stands(std::string_view name) {
  static const std::set<std::string_view> kNames = {"item",        "tolist",  "equal",   "allclose", "is_nonzero",
                                                    "graph_break", "append",  "clear",   "extend",   "insert",
                                                    "pop",         "reverse", "autocast"};
  return kNames.contains(name);
}

bool isTransform(const Expr& expr) { // `torch.func.grad`
  const Expr& owner = *expr.children[0];
  return owner.kind == ExprKind::kAttribute && owner.text == "func";
}

bool isModule(const Expr& expr) { // `torch.nn.Linear`, but not `torch.nn.functional.relu`
  const Expr& owner = *expr.children[0];
  return owner.kind == ExprKind::kAttribute && owner.text == "nn" && expr.text != "functional";
}

bool isNone(const Expr& expr) {
  return expr.kind == ExprKind::kNone;
}

/// `x is None`, `ctx.needs_input_grad[0]` and what `not`, `and` and `or` make of them: the same for all sizes.
bool asksForNoNumber(const Expr& condition) {
  const auto all = [](const Expr& expr) {
    return std::all_of(expr.children.begin(), expr.children.end(),
                       [](const ExprPtr& child) { return asksForNoNumber(*child); });
  };
  switch (condition.kind) {
    case ExprKind::kTrue:
    case ExprKind::kFalse: return true;
    case ExprKind::kUnary: return condition.text == "not" && all(condition);
    case ExprKind::kBinary:
      return condition.text == "is" || condition.text == "is not" ||
             ((condition.text == "and" || condition.text == "or") && all(condition));
    case ExprKind::kSubscript: {
      const Expr& object = *condition.children[0];
      return object.kind == ExprKind::kAttribute && object.text == "needs_input_grad";
    }
    default: return false;
  }
}

/// What may make another number of a size, or go another way by it.
bool mayDecideByNumbers(const Expr& expr) {
  static const std::set<std::string_view> kOperators = {"<", ">", "==", "!=", "<=", ">=", "//", "%"};
  static const std::set<std::string_view> kFunctions = {"abs", "bool", "float", "int",   "len",
                                                        "max", "min",  "range", "round", "sum"};
  switch (expr.kind) {
    case ExprKind::kConditional: return !asksForNoNumber(*expr.children[0]);
    case ExprKind::kUnary: return expr.text == "not" && !asksForNoNumber(expr);
    case ExprKind::kBinary:
      return kOperators.contains(expr.text) || ((expr.text == "and" || expr.text == "or") && !asksForNoNumber(expr));
    case ExprKind::kCall:
      return expr.children[0]->kind == ExprKind::kName && kFunctions.contains(expr.children[0]->text);
    default: return false;
  }
}

bool branchesByNumbers(const Statement& statement) {
  const bool mayBranch = statement.kind == StatementKind::kIf || statement.kind == StatementKind::kWhile;
  return statement.kind == StatementKind::kFor || (mayBranch && !asksForNoNumber(*statement.value));
}

const char* whatIsWritten(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kName: return expr.text == "print" ? whatIsNamed(expr.text) : nullptr; // others are variables
    case ExprKind::kAttribute:
      return isTransform(expr) ? nullptr
             : isModule(expr)  ? "a parameter or a module is made in a custom function"
                               : whatIsNamed(expr.text);
    case ExprKind::kBinary: {
      const bool asksWho = expr.text == "is" || expr.text == "is not";
      if (asksWho && !isNone(*expr.children[0]) && !isNone(*expr.children[1])) {
        return "a custom function asks whether two objects are one";
      }
      return expr.text == "in" || expr.text == "not in" ? "a custom function looks for a value in a container"
                                                        : nullptr;
    }
    default: return nullptr;
  }
}

bool isOfContext(const Expr& target) {
  const Expr* at = &target;
  while (at->kind == ExprKind::kAttribute || at->kind == ExprKind::kSubscript) {
    at = at->children[0].get();
  }
  return at != &target && at->kind == ExprKind::kName && at->text == kContextParameter;
}

/// The first thing in one body that a trace does not stand for.
const char* whatIsIn(const Function& body, bool isBackward, bool forOtherSizes) {
  const char* what = nullptr;
  const auto note = [&](const char* found) {
    what = what != nullptr ? what : found;
    return what != nullptr;
  };
  anyExpression(body.body, [&](const Expr& expr) { return note(whatIsWritten(expr)); });
  if (forOtherSizes && (anyExpression(body.body, mayDecideByNumbers) || anyStatement(body.body, branchesByNumbers))) {
    note("numbers may decide something in a custom function that is traced for all sizes");
  }
  anyStatement(body.body, [&](const Statement& statement) {
    for (const ExprPtr& target : statement.targets) {
      if (isBackward && isOfContext(*target)) {
        note("the backward of a custom function changes `ctx`");
      } else if (target->kind == ExprKind::kAttribute && !isOfContext(*target)) {
        note("a custom function assigns to an attribute");
      }
    }
    return what != nullptr;
  });
  return what;
}

using Bodies = std::vector<std::pair<const Function*, bool>>; // with whether it is a backward

void addMethods(const CustomFunction& custom, Bodies& bodies) {
  for (const Function& method : custom.methods) {
    bodies.emplace_back(&method, method.name == "backward");
  }
}

using Look = std::function<const char*(const Function& body, bool isBackward)>;

/// The first thing that `look` finds in these and in what they call. `known`: names of functions that are among them.
const char* whatIsInAny(const Case& theCase, Bodies open, std::set<std::string> known, const Look& look) {
  while (!open.empty()) {
    const auto [body, isBackward] = open.back();
    open.pop_back();
    if (const char* what = look(*body, isBackward)) {
      return what;
    }
    const std::vector<std::string> bound =
        boundNames(*body); // `inputs` of a `setup_context` is no function of the file
    for (const StatementPtr& statement : body->body) {
      for (const std::string& name : namesRead(*statement)) {
        if (std::ranges::find(bound, name) != bound.end() || !known.insert(name).second) {
          continue;
        }
        if (const Function* called = theCase.find(name)) {
          open.emplace_back(called, false);
        } else if (const CustomFunction* applied = theCase.findCustomFunction(name)) {
          addMethods(*applied, open);
        }
      }
    }
  }
  return nullptr;
}

Look forTraces(bool forOtherSizes) {
  return [forOtherSizes](const Function& body, bool isBackward) { return whatIsIn(body, isBackward, forOtherSizes); };
}

/// An assignment to a name, or to an item of what a name holds, that the function has not bound.
bool changesWhatIsAround(const Function& function) {
  const std::vector<std::string> bound = boundNames(function);
  return anyStatement(function.body, [&](const Statement& statement) {
    return statement.kind == StatementKind::kNonlocal ||
           std::ranges::any_of(statement.targets, [&](const ExprPtr& target) {
             const Expr* at = target.get();
             while (at->kind == ExprKind::kSubscript) {
               at = at->children[0].get();
             }
             return at != target.get() && at->kind == ExprKind::kName &&
                    std::ranges::find(bound, at->text) == bound.end();
           });
  });
}

} // namespace

const char* whatIsNotTraced(const Case& theCase, const CustomFunction& function, bool forOtherSizes) {
  Bodies bodies;
  addMethods(function, bodies);
  return whatIsInAny(theCase, std::move(bodies), {function.name}, forTraces(forOtherSizes));
}

const char* whatIsNotTraced(const Case& theCase, const CustomOperator& made, bool forOtherSizes) {
  Bodies bodies;
  for (const std::optional<Function>* each : {&made.setupContext, &made.backward}) {
    if (each->has_value()) {
      bodies.emplace_back(&**each, each == &made.backward);
    }
  }
  if (const char* what = whatIsInAny(theCase, std::move(bodies), {made.body.name}, forTraces(forOtherSizes))) {
    return what;
  }
  return whatIsInAny(theCase, {{&made.body, false}}, {made.body.name}, [](const Function& body, bool) {
    const char* found = nullptr;
    anyExpression(body.body, [&](const Expr& expr) {
      const bool isNamed = expr.kind == ExprKind::kAttribute || (expr.kind == ExprKind::kName && expr.text == "print");
      found = isNamed && found == nullptr && !stands(expr.text) ? whatIsNamed(expr.text) : found;
      return found != nullptr;
    });
    return found;
  });
}

std::optional<std::string> whatIsNotTraced(const Case& theCase, const Function& function, bool forOtherSizes) {
  constexpr std::string_view kCustom = "a custom function";
  if (changesWhatIsAround(function)) {
    return "a transformed function changes variables of one around it";
  }
  const char* what = whatIsInAny(theCase, {{&function, false}}, {function.name}, forTraces(forOtherSizes));
  if (what == nullptr) {
    return std::nullopt;
  }
  std::string text = what;
  const size_t at = text.find(kCustom);
  return at == std::string::npos ? text : text.replace(at, kCustom.size(), "a transformed function");
}

} // namespace touchstone::language
