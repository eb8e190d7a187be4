#include "oracles/compare/Recompiles.h"

#include "program/language/PythonConstructs.h"
#include "program/parser/LanguageNames.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace touchstone::compare {

namespace {

using language::Expr;
using language::ExprKind;

/// True when the result of the call, or the shape of it, depends on values that a compiler may have to specialize on.
bool readsValues(const Expr& call) {
  static const std::unordered_set<std::string_view> names{
      "vjp", // gives a function that is another each time, and may stand behind a break
      "item",     "tolist", "nonzero",     "argwhere", "masked_select", "unique",    "unique_consecutive",
      "bincount", "equal",  "is_nonzero",  "allclose", "histc",         "histogram", "combinations",
      "one_hot",  "print",  "tensor_split"};
  static const std::unordered_set<std::string_view> builtIns{"float", "int", "bool", "complex", "len"};
  static const std::unordered_set<std::string_view> sized{
      "full", "zeros",  "ones", "empty",    "rand",      "randn",    "arange",    "expand",  "reshape",
      "view", "repeat", "tile", "new_full", "new_zeros", "new_ones", "new_empty", "linspace"};
  const Expr& callee = *call.children.front();
  if (callee.kind == ExprKind::kAttribute && callee.children.front()->kind == ExprKind::kAttribute &&
      callee.children.front()->text == "optim") {
    return true; // behind the break at its backward it is another object in each call
  }
  if (sized.contains(callee.text)) { // a name among the sizes may be a tensor
    const auto isName = [](const language::ExprPtr& each) { return each && each->kind == ExprKind::kName; };
    for (size_t i = 1; i < call.children.size(); ++i) {
      const Expr& argument = *call.children[i];
      const bool isList = argument.kind == ExprKind::kTuple || argument.kind == ExprKind::kList;
      if (isName(call.children[i]) ||
          (isList && std::any_of(argument.children.begin(), argument.children.end(), isName))) {
        return true;
      }
    }
  }
  const size_t positional = call.children.size() - 1 - call.keywords.size();
  if (callee.text == "where") { // with a condition alone: nonzero
    return call.children.size() == 2;
  }
  if (callee.text == "repeat_interleave") { // as often as a tensor says
    return std::none_of(call.children.begin() + 1, call.children.begin() + 1 + static_cast<std::ptrdiff_t>(positional),
                        [](const language::ExprPtr& each) { return each->kind == ExprKind::kInt; });
  }
  return names.contains(callee.text) || (callee.kind == ExprKind::kName && builtIns.contains(callee.text));
}

bool isPlainIndex(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kInt:
    case ExprKind::kNone:
    case ExprKind::kEllipsis:
    case ExprKind::kSlice: return true;
    case ExprKind::kUnary: return expr.children.front()->kind == ExprKind::kInt;
    case ExprKind::kTuple:
      return std::all_of(expr.children.begin(), expr.children.end(),
                         [](const language::ExprPtr& each) { return isPlainIndex(*each); });
    default: return false;
  }
}

bool dependsOnValues(const Expr& expr) {
  if (expr.kind == ExprKind::kConditional) {
    return true;
  }
  if (expr.kind == ExprKind::kBinary &&
      (expr.text == "and" || expr.text == "or" || expr.text == "in" || expr.text == "not in")) {
    return true;
  }
  if (expr.kind == ExprKind::kUnary && expr.text == "not") {
    return true;
  }
  if (expr.kind == ExprKind::kCall && readsValues(expr)) {
    return true;
  }
  if (expr.kind == ExprKind::kSubscript &&
      !std::all_of(expr.children.begin() + 1, expr.children.end(),
                   [](const language::ExprPtr& each) { return isPlainIndex(*each); })) {
    return true;
  }
  return std::any_of(expr.children.begin(), expr.children.end(),
                     [](const language::ExprPtr& each) { return each && dependsOnValues(*each); });
}

bool dependsOnValues(const std::vector<language::StatementPtr>& body) {
  return std::any_of(body.begin(), body.end(), [](const language::StatementPtr& statement) {
    using Kind = language::StatementKind;
    if (statement->kind == Kind::kIf || statement->kind == Kind::kWhile || statement->kind == Kind::kFor) {
      return true;
    }
    const auto any = [](const std::vector<language::ExprPtr>& list) {
      return std::any_of(list.begin(), list.end(),
                         [](const language::ExprPtr& each) { return each && dependsOnValues(*each); });
    };
    return (statement->value && dependsOnValues(*statement->value)) || any(statement->targets) ||
           any(statement->items) || dependsOnValues(statement->body) || dependsOnValues(statement->orElse) ||
           (statement->function && dependsOnValues(statement->function->body));
  });
}

/// `seed` and `kind` are used as arguments of `data(...)` alone.
bool usesSeedForDataOnly(const Expr& expr) {
  if (expr.kind == ExprKind::kName) {
    return expr.text != "seed" && expr.text != "kind";
  }
  if (expr.kind == ExprKind::kCall && expr.children.front()->kind == ExprKind::kName &&
      expr.children.front()->text == "data") {
    return true;
  }
  return std::all_of(expr.children.begin(), expr.children.end(),
                     [](const language::ExprPtr& each) { return !each || usesSeedForDataOnly(*each); });
}

bool usesSeedForDataOnly(const std::vector<language::StatementPtr>& body) {
  return std::all_of(body.begin(), body.end(), [](const language::StatementPtr& statement) {
    const auto all = [](const std::vector<language::ExprPtr>& list) {
      return std::all_of(list.begin(), list.end(),
                         [](const language::ExprPtr& each) { return !each || usesSeedForDataOnly(*each); });
    };
    return (!statement->value || usesSeedForDataOnly(*statement->value)) && all(statement->targets) &&
           all(statement->items) && usesSeedForDataOnly(statement->body) && usesSeedForDataOnly(statement->orElse) &&
           (!statement->function || usesSeedForDataOnly(statement->function->body));
  });
}

bool readsInputsOnly(const language::Case& theCase) {
  return std::ranges::all_of(theCase.allBodies(), [](const language::Function* function) {
    return language::isInputsName(function->name) ? usesSeedForDataOnly(function->body)
                                                  : !dependsOnValues(function->body);
  });
}

bool raised(const observe::CallObservation& call) {
  return call.exception || call.backwardException;
}

/// Some call of [begin, end) compiled more than backwards.
bool compilesForward(const observe::CaseObservation& compiled, size_t begin, size_t end) {
  return std::any_of(
      compiled.calls.begin() + static_cast<std::ptrdiff_t>(begin),
      compiled.calls.begin() + static_cast<std::ptrdiff_t>(end),
      [](const observe::CallObservation& call) { return call.graphsCompiled > call.backwardGraphsCompiled; });
}

/// The spec with everything taken out that only decides values.
language::CallSpec withoutValues(language::CallSpec spec) {
  spec.seed = 0;
  spec.kind = "grid";
  spec.rngSeed = 0;
  spec.tangentSeed = 0;
  return spec;
}

/// What decides values, tangents and roots; `zeros` and `ones` do not depend on the seed.
language::CallSpec valuesOnly(language::CallSpec spec) {
  if (spec.kind == "zeros" || spec.kind == "ones") {
    spec.seed = 0;
  }
  if (!spec.backward) {
    spec.tangentSeed = 0;
    spec.tangentLayout = language::TangentLayout::kLike;
  }
  spec.reset = false;
  return spec;
}

} // namespace

std::optional<Difference> needlessRecompile(const language::Case& theCase, int call,
                                            const observe::CaseObservation& compiled) {
  const auto index = static_cast<size_t>(call);
  const observe::CallObservation& now = compiled.calls.at(index);
  const language::CallSpec& spec = theCase.calls.at(index);
  if (now.graphsCompiled == 0 || raised(now) || theCase.takesEarlierObjects(index) || spec.reset) {
    return std::nullopt;
  }
  const language::Function* inputs = spec.inputs ? theCase.find(*spec.inputs) : nullptr;
  if (inputs != nullptr && !language::needsPython(theCase, *inputs).empty()) {
    return std::nullopt; // of objects, which object it is may be a guard
  }
  if (std::ranges::count(language::modulesUsed(theCase), "random") > 0) {
    return std::nullopt; // Python's own numbers are no tensors
  }
  bool known = false, valuesAreFree = false;
  for (size_t earlier = index; earlier-- > 0;) {
    if (theCase.calls[earlier + 1].reset) {
      break;
    }
    const observe::CallObservation& before = compiled.calls[earlier];
    if (raised(before) || before.compiledRuns == 0 || !(withoutValues(theCase.calls[earlier]) == withoutValues(spec))) {
      if (theCase.calls[earlier].reset) {
        break;
      }
      continue;
    }
    if (!std::exchange(known, true)) {
      valuesAreFree = readsInputsOnly(theCase);
    }
    const bool sameValues = theCase.calls[earlier].seed == spec.seed && theCase.calls[earlier].kind == spec.kind &&
                            theCase.calls[earlier].rngSeed == spec.rngSeed;
    if (!valuesAreFree && !sameValues) {
      continue;
    }
    if (now.graphsCompiled == now.backwardGraphsCompiled && compilesForward(compiled, earlier + 1, index)) {
      return std::nullopt; // other code of the Program may have run, whose backward is another
    }
    return Difference{language::Property::kRecompiles, "",
                      fmt::format("compiled {} graphs again, although call {} had the same inputs but for values",
                                  now.graphsCompiled, earlier)};
  }
  return std::nullopt;
}

bool saysSomethingNew(const language::Case& theCase, int call, int earlier, const observe::CaseObservation& eager) {
  const language::CallSpec &now = theCase.calls.at(static_cast<size_t>(call)),
                           &before = theCase.calls.at(static_cast<size_t>(earlier));
  if (!(valuesOnly(now) == valuesOnly(before))) {
    return true;
  }
  if (!now.feed.empty()) {
    return true;
  }
  if (now.inputs) {
    return false;
  }
  // The very same objects again: new where a call in between changed them.
  for (int each = earlier; each < call; ++each) {
    const observe::CallObservation& observed = eager.calls.at(static_cast<size_t>(each));
    for (const auto* list : {&observed.arguments, &observed.watched}) {
      if (std::any_of(list->begin(), list->end(),
                      [](const observe::TensorObservation& tensor) { return tensor.versionBumped; })) {
        return true;
      }
    }
  }
  return false;
}

} // namespace touchstone::compare
