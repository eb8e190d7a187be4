#include "program/language/Ast.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace touchstone::language {
namespace {

ExprPtr makeExpr(ExprKind kind, std::string text, std::vector<ExprPtr> children = {},
                 std::vector<std::string> keywords = {}) {
  return std::make_shared<const Expr>(Expr{kind, std::move(text), std::move(children), std::move(keywords), {}});
}

void addOnce(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

void addTargetWrites(const Expr& target, std::vector<std::string>& names);

/// Visits but for these names, which are bound where it looks.
NameVisitor visitBut(const NameVisitor& visit, std::vector<std::string> bound) {
  return [&visit, bound = std::move(bound)](const std::string& name) {
    if (std::find(bound.begin(), bound.end(), name) == bound.end()) {
      visit(name);
    }
  };
}

void visitNames(const Expr& expr, const NameVisitor& visit) {
  if (expr.kind == ExprKind::kLambda) {
    for (size_t i = 1; i < expr.children.size(); ++i) {
      visitNames(*expr.children[i], visit);
    }
    std::vector<std::string> bound = expr.keywords;
    bound.push_back(expr.text);
    visitNames(*expr.children[0], visitBut(visit, std::move(bound)));
    return;
  }
  if (expr.kind == ExprKind::kComprehension) {
    std::vector<std::string> bound;
    for (const Clause& clause : clausesOf(expr)) {
      if (clause.target != nullptr) {
        addTargetWrites(*clause.target, bound);
      }
    }
    const NameVisitor outside = visitBut(visit, std::move(bound));
    for (const ExprPtr& child : expr.children) {
      visitNames(*child, outside);
    }
    return;
  }
  if (expr.kind == ExprKind::kName) {
    visit(expr.text);
  }
  for (const ExprPtr& child : expr.children) {
    if (child) {
      visitNames(*child, visit);
    }
  }
}

bool isPattern(const Expr& target) {
  return target.kind == ExprKind::kTuple || target.kind == ExprKind::kList || target.kind == ExprKind::kStarred;
}

// What a target reads: nothing for a name that is bound, the object and the indices of `x[i] = …` and `m.field = …`.
void visitTargetReads(const Expr& target, const NameVisitor& visit) {
  if (isPattern(target)) {
    for (const ExprPtr& child : target.children) {
      visitTargetReads(*child, visit);
    }
  } else if (target.kind != ExprKind::kName) {
    visitNames(target, visit);
  }
}

void addTargetWrites(const Expr& target, std::vector<std::string>& names) {
  if (isPattern(target)) {
    for (const ExprPtr& child : target.children) {
      addTargetWrites(*child, names);
    }
  } else if (target.kind == ExprKind::kName) {
    addOnce(names, target.text);
  }
}

void addWrites(const Statement& statement, std::vector<std::string>& names) {
  if (statement.kind == StatementKind::kNonlocal) {
    return; // says where they are bound
  }
  if (statement.function) {
    addOnce(names, statement.function->name);
  }
  for (const ExprPtr& target : statement.targets) {
    addTargetWrites(*target, names);
  }
  for (const auto* block : {&statement.body, &statement.orElse}) {
    for (const StatementPtr& inner : *block) {
      addWrites(*inner, names);
    }
  }
}

} // namespace

std::string pythonFloatText(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific).ptr;
  std::string digits(buffer, end);
  std::string sign;
  if (digits[0] == '-') {
    sign = "-";
    digits.erase(0, 1);
  }
  const size_t mark = digits.find('e');
  const int exponent = std::stoi(digits.substr(mark + 1));
  digits.resize(mark);
  if (digits.size() > 1) {
    digits.erase(1, 1); // the point
  }
  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    std::string mantissa = count > 1 ? digits.substr(0, 1) + "." + digits.substr(1) : digits;
    const std::string power = std::to_string(std::abs(exponent));
    return sign + mantissa + "e" + (exponent < 0 ? "-" : "+") + (power.size() < 2 ? "0" : "") + power;
  }
  if (exponent < 0) {
    return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  }
  if (count <= exponent + 1) {
    return sign + digits + std::string(static_cast<size_t>(exponent + 1 - count), '0') + ".0";
  }
  return sign + digits.substr(0, static_cast<size_t>(exponent + 1)) + "." +
         digits.substr(static_cast<size_t>(exponent + 1));
}

ExprPtr makeName(std::string name) {
  return makeExpr(ExprKind::kName, std::move(name));
}

ExprPtr makeInt(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) {
    // Its magnitude is no literal below 2^63.
    return makeBinary("-", makeInt(value + 1), makeInt(1));
  }
  if (value < 0) {
    return makeUnary("-", makeInt(-value));
  }
  return makeExpr(ExprKind::kInt, std::to_string(value));
}

ExprPtr makeFloat(double value) {
  if (std::isnan(value)) {
    return makeCall(makeName("float"), {makeString("nan")});
  }
  if (std::signbit(value)) {
    return makeUnary("-", makeFloat(-value));
  }
  if (std::isinf(value)) {
    return makeCall(makeName("float"), {makeString("inf")});
  }
  return makeExpr(ExprKind::kFloat, pythonFloatText(value));
}

ExprPtr makeBool(bool value) {
  return makeExpr(value ? ExprKind::kTrue : ExprKind::kFalse, "");
}
ExprPtr makeNone() {
  return makeExpr(ExprKind::kNone, "");
}
ExprPtr makeString(std::string text) {
  return makeExpr(ExprKind::kString, std::move(text));
}

ExprPtr makeAttribute(ExprPtr object, std::string attribute) {
  return makeExpr(ExprKind::kAttribute, std::move(attribute), {std::move(object)});
}

ExprPtr makeDotted(const std::string& path) {
  size_t dot = path.find('.');
  ExprPtr expr = makeName(path.substr(0, dot));
  while (dot != std::string::npos) {
    const size_t next = path.find('.', dot + 1);
    expr = makeAttribute(expr, path.substr(dot + 1, next == std::string::npos ? next : next - dot - 1));
    dot = next;
  }
  return expr;
}

ExprPtr makeCall(ExprPtr callee, std::vector<ExprPtr> positional,
                 std::vector<std::pair<std::string, ExprPtr>> keywords) {
  std::vector<ExprPtr> children = {std::move(callee)};
  children.insert(children.end(), positional.begin(), positional.end());
  std::vector<std::string> names;
  for (auto& [name, value] : keywords) {
    names.push_back(std::move(name));
    children.push_back(std::move(value));
  }
  return makeExpr(ExprKind::kCall, "", std::move(children), std::move(names));
}

ExprPtr makeMethodCall(ExprPtr object, std::string method, std::vector<ExprPtr> positional,
                       std::vector<std::pair<std::string, ExprPtr>> keywords) {
  return makeCall(makeAttribute(std::move(object), std::move(method)), std::move(positional), std::move(keywords));
}

ExprPtr makeSubscript(ExprPtr object, std::vector<ExprPtr> indices) {
  indices.insert(indices.begin(), std::move(object));
  return makeExpr(ExprKind::kSubscript, "", std::move(indices));
}

ExprPtr makeSlice(ExprPtr start, ExprPtr stop, ExprPtr step) {
  return makeExpr(ExprKind::kSlice, "", {std::move(start), std::move(stop), std::move(step)});
}

ExprPtr makeTuple(std::vector<ExprPtr> items) {
  return makeExpr(ExprKind::kTuple, "", std::move(items));
}
ExprPtr makeList(std::vector<ExprPtr> items) {
  return makeExpr(ExprKind::kList, "", std::move(items));
}

ExprPtr makeUnary(std::string op, ExprPtr operand) {
  return makeExpr(ExprKind::kUnary, std::move(op), {std::move(operand)});
}

ExprPtr makeBinary(std::string op, ExprPtr left, ExprPtr right) {
  return makeExpr(ExprKind::kBinary, std::move(op), {std::move(left), std::move(right)});
}

StatementPtr makeAssign(std::vector<ExprPtr> targets, ExprPtr value) {
  Statement statement{StatementKind::kAssign, "", std::move(targets), std::move(value), {}, {}, {}, {}};
  return std::make_shared<const Statement>(std::move(statement));
}

StatementPtr makeExpressionStatement(ExprPtr value) {
  Statement statement{StatementKind::kExpression, "", {}, std::move(value), {}, {}, {}, {}};
  return std::make_shared<const Statement>(std::move(statement));
}

StatementPtr makeReturn(ExprPtr value) {
  Statement statement{StatementKind::kReturn, "", {}, std::move(value), {}, {}, {}, {}};
  return std::make_shared<const Statement>(std::move(statement));
}

std::vector<Clause> clausesOf(const Expr& comprehension) {
  std::vector<Clause> clauses;
  size_t at = elementsOf(comprehension);
  for (const std::string& keyword : comprehension.keywords) {
    const bool isFor = keyword == "for";
    clauses.push_back({isFor ? comprehension.children[at].get() : nullptr, comprehension.children[at + isFor].get()});
    at += isFor ? 2 : 1;
  }
  return clauses;
}

size_t elementsOf(const Expr& comprehension) {
  return comprehension.text == kDictComprehension ? 2 : 1;
}

std::vector<std::string> boundNames(const Function& function) {
  std::vector<std::string> names = function.parameters;
  if (!function.rest.empty()) {
    names.push_back(function.rest);
  }
  std::vector<std::string> fromOutside;
  anyStatement(function.body, [&](const Statement& statement) {
    if (statement.kind == StatementKind::kNonlocal) {
      for (const ExprPtr& target : statement.targets) {
        fromOutside.push_back(target->text);
      }
    }
    return false;
  });
  for (const StatementPtr& statement : function.body) {
    addWrites(*statement, names);
  }
  std::erase_if(names,
                [&](const std::string& name) { return std::ranges::find(fromOutside, name) != fromOutside.end(); });
  return names;
}

const Function* CustomFunction::find(std::string_view method) const {
  const auto found = std::ranges::find(methods, method, &Function::name);
  return found == methods.end() ? nullptr : &*found;
}

bool sameExpr(const Expr& left, const Expr& right) {
  if (left.kind != right.kind || left.text != right.text || left.keywords != right.keywords ||
      left.children.size() != right.children.size()) {
    return false;
  }
  for (size_t index = 0; index < left.children.size(); ++index) {
    const Expr* a = left.children[index].get();
    const Expr* b = right.children[index].get();
    if (a != b && (!a || !b || !sameExpr(*a, *b))) {
      return false;
    }
  }
  return true;
}

void forEachNameRead(const Statement& statement, const NameVisitor& visit) {
  if (statement.function) {
    for (const ExprPtr& value : statement.function->defaults) {
      visitNames(*value, visit);
    }
    const NameVisitor outside = visitBut(visit, boundNames(*statement.function));
    for (const StatementPtr& inner : statement.function->body) {
      forEachNameRead(*inner, outside);
    }
    return;
  }
  if (statement.value) {
    visitNames(*statement.value, visit);
  }
  for (const ExprPtr& item : statement.items) {
    visitNames(*item, visit);
  }
  const bool targetsAreRead =
      statement.kind == StatementKind::kAugmentedAssign || statement.kind == StatementKind::kDelete;
  for (const ExprPtr& target : statement.targets) {
    targetsAreRead ? visitNames(*target, visit) : visitTargetReads(*target, visit);
  }
  for (const auto* block : {&statement.body, &statement.orElse}) {
    for (const StatementPtr& inner : *block) {
      forEachNameRead(*inner, visit);
    }
  }
}

std::vector<std::string> namesRead(const Expr& expr) {
  std::vector<std::string> names;
  visitNames(expr, [&](const std::string& name) { addOnce(names, name); });
  return names;
}

std::vector<std::string> namesRead(const Statement& statement) {
  std::vector<std::string> names;
  forEachNameRead(statement, [&](const std::string& name) { addOnce(names, name); });
  return names;
}

std::vector<std::string> namesWritten(const Statement& statement) {
  std::vector<std::string> names;
  addWrites(statement, names);
  return names;
}

static bool anyInside(const ExprPtr& expr, const std::function<bool(const Expr&)>& holds) {
  return expr && (holds(*expr) || std::any_of(expr->children.begin(), expr->children.end(),
                                              [&](const ExprPtr& child) { return anyInside(child, holds); }));
}

bool anyExpression(const std::vector<StatementPtr>& statements, const std::function<bool(const Expr&)>& holds) {
  const auto inside = [&](const ExprPtr& expr) { return anyInside(expr, holds); };
  return anyStatement(statements, [&](const Statement& statement) {
    return inside(statement.value) || std::any_of(statement.targets.begin(), statement.targets.end(), inside) ||
           std::any_of(statement.items.begin(), statement.items.end(), inside) ||
           (statement.function && std::ranges::any_of(statement.function->defaults, inside));
  });
}

bool anyStatement(const std::vector<StatementPtr>& statements, const std::function<bool(const Statement&)>& holds) {
  return std::any_of(statements.begin(), statements.end(), [&](const StatementPtr& statement) {
    return holds(*statement) || anyStatement(statement->body, holds) || anyStatement(statement->orElse, holds) ||
           (statement->function && anyStatement(statement->function->body, holds));
  });
}

} // namespace touchstone::language
