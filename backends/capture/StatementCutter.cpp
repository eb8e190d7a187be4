#include "backends/capture/StatementCutter.h"

#include <algorithm>

namespace touchstone::capture {

namespace {

using language::Expr;
using language::ExprKind;
using language::ExprPtr;
using language::Statement;
using language::StatementKind;
using language::StatementPtr;

bool isLiteral(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kInt:
    case ExprKind::kFloat:
    case ExprKind::kImaginary:
    case ExprKind::kString:
    case ExprKind::kTrue:
    case ExprKind::kFalse:
    case ExprKind::kNone:
    case ExprKind::kEllipsis: return true;
    case ExprKind::kUnary: return expr.text == "-" && isLiteral(*expr.children[0]);
    default: return false;
  }
}

/// `torch.float32`, `torch.ops.aten.sin`, …: nothing is evaluated but a name.
bool isTorchPath(const Expr& expr) {
  const Expr* at = &expr;
  while (at->kind == ExprKind::kAttribute) {
    at = at->children[0].get();
  }
  return expr.kind == ExprKind::kAttribute && at->kind == ExprKind::kName && at->text == "torch";
}

bool isAtom(const Expr& expr) {
  return expr.kind == ExprKind::kName || isLiteral(expr) || isTorchPath(expr);
}

/// Cuts statements into such with one operation each.
class Cutter {
 public:
  Cutter(const language::Case& theCase, int& temporaries) : case_(theCase), temporaries_(temporaries) {}

  std::vector<StatementPtr> cut(const StatementPtr& statement) {
    place_ = statement->place;
    Statement last = *statement;
    switch (statement->kind) {
      case StatementKind::kExpression: last.value = reduced(statement->value); break;
      case StatementKind::kAssign:
        last.value = reduced(statement->value);
        cutTargets(last);
        break;
      case StatementKind::kAugmentedAssign: return cutAugmented(*statement);
      case StatementKind::kDelete:
      case StatementKind::kFor:
        if (statement->value) {
          last.value = atom(statement->value);
        }
        break;
      case StatementKind::kReturn:
        if (statement->value) {
          last.value = inlined(statement->value);
        }
        break;
      case StatementKind::kIf: last.value = atom(statement->value); break;
      case StatementKind::kWhile: break; // its condition is cut anew in each round
      case StatementKind::kWith:
        if (statement->items.size() > 1) { // each is looked at inside those before it
          Statement inner = *statement;
          inner.items.erase(inner.items.begin());
          last.body = {std::make_shared<const Statement>(std::move(inner))};
        }
        last.items = {heldArguments(reduced(statement->items[0]))};
        break;
      case StatementKind::kAssert: last.value = atom(statement->value); break;
      default: break; // nothing is evaluated, or Python alone runs it
    }
    made_.push_back(std::make_shared<const Statement>(std::move(last)));
    return std::move(made_);
  }

  /// The condition of a `while` as an `if` whose body is the loop's.
  std::vector<StatementPtr> cutRound(const StatementPtr& loop) {
    place_ = loop->place;
    Statement branch{.kind = StatementKind::kIf, .value = atom(loop->value), .body = loop->body, .place = loop->place};
    made_.push_back(std::make_shared<const Statement>(std::move(branch)));
    return std::move(made_);
  }

 private:
  ExprPtr temporary() { return language::makeName("$" + std::to_string(++temporaries_)); }

  void assign(const ExprPtr& name, ExprPtr value) {
    made_.push_back(std::make_shared<const Statement>(
        Statement{.kind = StatementKind::kAssign, .targets = {name}, .value = std::move(value), .place = place_}));
  }

  ExprPtr atom(const ExprPtr& expr) {
    if (isAtom(*expr)) {
      return expr;
    }
    ExprPtr value = reduced(expr);
    if (isAtom(*value)) {
      return value;
    }
    ExprPtr name = temporary();
    assign(name, std::move(value));
    return name;
  }

  /// Displays stay where they are used; what is in them becomes atoms.
  ExprPtr inlined(const ExprPtr& expr) {
    switch (expr->kind) {
      case ExprKind::kTuple:
      case ExprKind::kList:
      case ExprKind::kSlice:
      case ExprKind::kStarred:
      case ExprKind::kDict: return withOperands(*expr, [&](const ExprPtr& child) { return inlined(child); });
      default: return atom(expr);
    }
  }

  template <class Change>
  static ExprPtr withChildren(const Expr& expr, Change&& change, size_t first = 0) {
    Expr copy = expr;
    for (size_t i = first; i < copy.children.size(); ++i) {
      if (copy.children[i]) {
        copy.children[i] = change(copy.children[i]);
      }
    }
    return std::make_shared<const Expr>(std::move(copy));
  }

  /// The call with its variable arguments under names that nothing binds anew: a region may be entered again later on.
  ExprPtr heldArguments(const ExprPtr& expr) {
    if (expr->kind != ExprKind::kCall) {
      return expr;
    }
    return withChildren(
        *expr,
        [&](const ExprPtr& child) {
          if (isLiteral(*child) || isTorchPath(*child)) {
            return child;
          }
          return child->kind == ExprKind::kStarred ? copied(child) : held(child);
        },
        1);
  }

  /// `*items`, as they are now.
  ExprPtr copied(const ExprPtr& starred) {
    Expr items = *starred;
    items.children = {held(language::makeTuple({starred}))};
    return std::make_shared<const Expr>(std::move(items));
  }

  /// Operands in their order: items are taken out before later operands can change what they are in.
  template <class Change>
  ExprPtr withOperands(const Expr& expr, Change&& change, size_t first = 0) {
    Expr copy = expr;
    for (size_t i = first; i < copy.children.size(); ++i) {
      if (!copy.children[i]) {
        continue;
      }
      copy.children[i] = change(copy.children[i]);
      const auto rest = copy.children.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      if (copy.children[i]->kind == ExprKind::kStarred &&
          std::any_of(rest, copy.children.end(), [](const ExprPtr& child) { return child && !isAtom(*child); })) {
        copy.children[i] = copied(copy.children[i]);
      }
    }
    return std::make_shared<const Expr>(std::move(copy));
  }

  /// One operation on atoms.
  ExprPtr reduced(const ExprPtr& expr) {
    const auto inlinedChild = [&](const ExprPtr& child) { return inlined(child); };
    switch (expr->kind) {
      case ExprKind::kCall: {
        const Expr& callee = *expr->children[0];
        ExprPtr function = expr->children[0];
        const bool isCustom = callee.kind == ExprKind::kAttribute && callee.children[0]->kind == ExprKind::kName &&
                              case_.findCustomFunction(callee.children[0]->text) != nullptr;
        if (callee.kind == ExprKind::kAttribute && !isTorchPath(callee) && !isCustom) {
          Expr method = callee;
          method.children[0] = atom(callee.children[0]);
          function = std::make_shared<const Expr>(std::move(method));
        } else if (callee.kind != ExprKind::kAttribute) {
          function = atom(function);
        }
        Expr copy = *withOperands(*expr, inlinedChild, 1);
        copy.children[0] = std::move(function);
        return std::make_shared<const Expr>(std::move(copy));
      }
      case ExprKind::kBinary:
        if (expr->text == "and" || expr->text == "or") {
          return choice(expr->children[0], nullptr, expr->children[1], expr->text == "and");
        }
        return withChildren(*expr, [&](const ExprPtr& child) { return atom(child); });
      case ExprKind::kConditional: return choice(expr->children[0], expr->children[1], expr->children[2], false);
      case ExprKind::kSubscript: {
        Expr copy = *expr;
        copy.children[0] = atom(expr->children[0]);
        return withChildren(copy, inlinedChild, 1);
      }
      case ExprKind::kAttribute:
        return isTorchPath(*expr) ? expr : withChildren(*expr, [&](const ExprPtr& child) { return atom(child); });
      case ExprKind::kUnary:
        return isLiteral(*expr) ? expr : withChildren(*expr, [&](const ExprPtr& child) { return atom(child); });
      case ExprKind::kLambda:
      case ExprKind::kComprehension: return expr; // what is inside runs as one step
      default: return isAtom(*expr) ? expr : inlined(expr);
    }
  }

  /// `a and b`, `a or b`: the first operand unless its truth asks for the second; `x if c else y`: `first` is x.
  ExprPtr choice(const ExprPtr& condition, const ExprPtr& first, const ExprPtr& second, bool secondWhenTrue) {
    ExprPtr name = temporary();
    auto give = [&](const ExprPtr& value) {
      return std::make_shared<const Statement>(
          Statement{.kind = StatementKind::kAssign, .targets = {name}, .value = value, .place = place_});
    };
    Statement branch{.kind = StatementKind::kIf, .place = place_};
    if (first) {
      branch.value = atom(condition);
      branch.body = {give(first)};
      branch.orElse = {give(second)};
    } else {
      assign(name, atom(condition));
      branch.value = name;
      (secondWhenTrue ? branch.body : branch.orElse).push_back(give(second));
    }
    made_.push_back(std::make_shared<const Statement>(std::move(branch)));
    return name;
  }

  /// The value comes first, then what it is bound to.
  void cutTargets(Statement& last) {
    if (last.targets.size() != 1 || last.targets[0]->kind == ExprKind::kName) {
      return;
    }
    const ExprPtr target = last.targets[0];
    if (target->kind == ExprKind::kAttribute || target->kind == ExprKind::kSubscript) {
      last.value = isAtom(*last.value) ? last.value : held(last.value);
      last.targets = {reduced(target)};
    }
  }

  ExprPtr held(const ExprPtr& value) {
    ExprPtr name = temporary();
    assign(name, value);
    return name;
  }

  /// `a[i] += v`: the item is read, changed and put back.
  std::vector<StatementPtr> cutAugmented(const Statement& statement) {
    const ExprPtr& target = statement.targets[0];
    Statement last = statement;
    if (target->kind == ExprKind::kName) {
      last.value = atom(statement.value);
      made_.push_back(std::make_shared<const Statement>(std::move(last)));
      return std::move(made_);
    }
    const ExprPtr place = reduced(target);
    const ExprPtr item = held(place);
    last.targets = {item};
    last.value = atom(statement.value);
    made_.push_back(std::make_shared<const Statement>(std::move(last)));
    made_.push_back(std::make_shared<const Statement>(
        Statement{.kind = StatementKind::kAssign, .targets = {place}, .value = item, .place = place_}));
    return std::move(made_);
  }

  const language::Case& case_;
  int& temporaries_;
  language::Place place_;
  std::vector<StatementPtr> made_;
};

} // namespace

std::vector<StatementPtr> cutStatement(const language::Case& theCase, const StatementPtr& statement, int& temporaries) {
  return Cutter(theCase, temporaries).cut(statement);
}

std::vector<StatementPtr> cutRound(const language::Case& theCase, const StatementPtr& loop, int& temporaries) {
  return Cutter(theCase, temporaries).cutRound(loop);
}

} // namespace touchstone::capture
