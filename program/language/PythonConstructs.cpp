#include "program/language/PythonConstructs.h"

#include "program/language/TorchConstants.h"
#include "program/language/TraceableBodies.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace touchstone::language {
namespace {

// Builtins whose types are values: `isinstance(n, int)`, `map(float, xs)`.
constexpr std::array<std::string_view, 10> kBuiltinValues = {"abs", "bool", "complex", "float", "int",
                                                             "len", "list", "max",     "min",   "tuple"};

/// What runs functions as often as tensors say, and which functions.
struct ControlFlow {
  struct Taken {
    size_t position;
    std::string_view name;
  };
  std::string_view path;
  std::vector<Taken> functions;
};

const std::vector<ControlFlow> kControlFlow = {
    {"torch.cond", {{1, "true_fn"}, {2, "false_fn"}}},
    {"torch.while_loop", {{0, "cond_fn"}, {1, "body_fn"}}},
    {"torch._higher_order_ops.while_loop", {{0, "cond_fn"}, {1, "body_fn"}}},
    {"torch._higher_order_ops.scan", {{0, "combine_fn"}}},
    {"torch._higher_order_ops.associative_scan", {{0, "combine_fn"}}},
    {"torch._higher_order_ops.map", {{0, "f"}}},
};

std::string pathOf(const Expr& expr) {
  if (expr.kind == ExprKind::kName) {
    return expr.text;
  }
  if (expr.kind != ExprKind::kAttribute) {
    return "";
  }
  const std::string object = pathOf(*expr.children[0]);
  return object.empty() ? "" : object + "." + expr.text;
}

std::string_view firstOf(std::string_view path) {
  return path.substr(0, path.find('.'));
}

/// Walks over one piece of a Case and tells each construct, path and name that it meets.
class Walk {
 public:
  struct Found {
    std::vector<std::string> constructs; // each once
    std::set<std::string> paths, names; // that are read
  };

  Walk(const Case& theCase, Found& found) : case_(theCase), found_(found) {}

  void visitFunction(const Function& function) {
    const std::vector<std::string> before = bound_;
    anyStatement(function.body, [&](const Statement& statement) {
      if (statement.function) {
        inner_[statement.function->name] = statement.function.get();
      }
      return false;
    });
    for (const ExprPtr& decorator : function.decorators) {
      visitDecorator(*decorator);
    }
    for (const ExprPtr& value : function.defaults) {
      visit(value);
    }
    const std::vector<std::string> own = boundNames(function);
    bound_.insert(bound_.end(), own.begin(), own.end());
    visitBlock(function.body);
    bound_ = before;
  }

  void visitClass(const PythonClass& made) {
    const size_t before = found_.constructs.size();
    for (const ExprPtr& decorator : made.decorators) {
      visitDecorator(*decorator);
    }
    for (const ExprPtr& base : made.bases) {
      const std::string path = pathOf(*base);
      found_.paths.insert(path);
      found_.names.insert(path);
      addRow(WordUse::kBase, path);
    }
    if (found_.constructs.size() == before) {
      add("class"); // of no kind that says more
    }
    for (const ClassField& field : made.fields) {
      visit(field.value);
    }
    for (const Function& method : made.methods) {
      visitFunction(method);
    }
  }

  void visit(const ExprPtr& expr) {
    if (expr) {
      visit(*expr);
    }
  }

 private:
  void add(std::string_view construct) {
    if (std::ranges::find(found_.constructs, construct) == found_.constructs.end()) {
      found_.constructs.emplace_back(construct);
    }
  }
  void addRow(WordUse use, std::string_view word) {
    if (const PythonWords* row = pythonWordsOf(use, word)) {
      add(row->construct);
    }
  }
  bool isBound(std::string_view name) const { return std::ranges::find(bound_, name) != bound_.end(); }
  /// The path begins with `torch` or another module, and not with a variable.
  bool isOfModule(std::string_view path) const {
    const std::string_view first = firstOf(path);
    return first.size() < path.size() && !isBound(first) &&
           (first == "torch" || std::ranges::find(pythonModules(), first) != pythonModules().end());
  }
  static bool isConstant(const std::string& path) {
    constexpr std::string_view kTorch = "torch.";
    return path.starts_with(kTorch) && torchConstants().contains(path.substr(kTorch.size()));
  }
  bool isBuiltin(std::string_view name) const { return !isBound(name) && case_.find(std::string(name)) == nullptr; }

  void visitDecorator(const Expr& decorator) {
    const bool isCall = decorator.kind == ExprKind::kCall;
    const std::string path = pathOf(isCall ? *decorator.children[0] : decorator);
    found_.paths.insert(path);
    if (pythonWordsOf(WordUse::kDecorator, path)) {
      addRow(WordUse::kDecorator, path);
    } else {
      add("decorator");
    }
    for (size_t index = 1; isCall && index < decorator.children.size(); ++index) {
      visit(decorator.children[index]);
    }
  }

  void visitBlock(const std::vector<StatementPtr>& statements) {
    for (const StatementPtr& statement : statements) {
      visitStatement(*statement);
    }
  }

  void visitStatement(const Statement& statement) {
    const StatementKind kind = statement.kind;
    if (kind == StatementKind::kTry) {
      add("try");
    } else if (kind == StatementKind::kRaise) {
      add("raise");
    } else if (kind == StatementKind::kWith && !statement.targets.empty()) {
      add("with … as");
    } else if (kind == StatementKind::kAssign || kind == StatementKind::kAugmentedAssign) {
      for (const ExprPtr& target : statement.targets) {
        if (target->kind == ExprKind::kAttribute) {
          visit(target->children[0]);
        }
      }
    }
    if (statement.function) {
      visitFunction(*statement.function);
    }
    for (const ExprPtr& item : statement.items) {
      if (kind == StatementKind::kWith && item->kind == ExprKind::kCall) {
        addRow(WordUse::kContext, pathOf(*item->children[0]));
      } else if (kind == StatementKind::kWith) {
        add("objects as context managers");
      }
      visit(item);
    }
    visit(statement.value);
    for (const ExprPtr& target : statement.targets) {
      if (target->kind == ExprKind::kSubscript) {
        visit(target);
      }
    }
    visitBlock(statement.body);
    visitBlock(statement.orElse);
  }

  void visitAll(const std::vector<ExprPtr>& children, size_t from = 0) {
    for (size_t index = from; index < children.size(); ++index) {
      visit(children[index]);
    }
  }

  void visit(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kCall: visitCall(expr); return;
      case ExprKind::kAttribute: {
        const std::string path = pathOf(expr);
        if (isOfModule(path)) {
          found_.paths.insert(path);
          if (pythonWordsOf(WordUse::kValue, path)) {
            addRow(WordUse::kValue, path);
          } else if (!isConstant(path)) {
            add("operators as values");
          }
          return;
        }
        addRow(WordUse::kAttribute, expr.text);
        visit(expr.children[0]);
        return;
      }
      case ExprKind::kName: visitName(expr.text); return;
      case ExprKind::kStarred:
        if (!expr.text.empty()) {
          add("** in a call");
        }
        break;
      case ExprKind::kFormatted: add("f-string"); break;
      case ExprKind::kLambda: {
        const std::vector<std::string> before = bound_;
        visitAll(expr.children, 1);
        bound_.insert(bound_.end(), expr.keywords.begin(), expr.keywords.end());
        bound_.push_back(expr.text);
        visit(expr.children[0]);
        bound_ = before;
        return;
      }
      case ExprKind::kComprehension: {
        const std::vector<std::string> before = bound_;
        for (const Clause& clause : clausesOf(expr)) {
          if (clause.target != nullptr) {
            const std::vector<std::string> names = namesRead(*clause.target);
            bound_.insert(bound_.end(), names.begin(), names.end());
          }
        }
        visitAll(expr.children);
        bound_ = before;
        return;
      }
      default: break;
    }
    visitAll(expr.children);
  }

  void visitName(const std::string& name) {
    if (isBound(name)) {
      return;
    }
    found_.names.insert(name);
    if (case_.findConstant(name) != nullptr) {
      add("constant");
    } else if (case_.find(name) == nullptr && pythonWordsOf(WordUse::kBuiltin, name)) {
      addRow(WordUse::kBuiltin, name);
    } else if (case_.find(name) == nullptr && std::ranges::find(kBuiltinValues, name) != kBuiltinValues.end()) {
      add("types as values");
    }
  }

  /// Without reentrance and contexts an evaluator has it.
  static bool isPlainCheckpoint(const std::string& path, const Expr& call) {
    const auto given = [&](const char* keyword) -> const Expr* {
      const auto found = std::ranges::find(call.keywords, keyword);
      const size_t first = call.children.size() - call.keywords.size();
      return found == call.keywords.end()
                 ? nullptr
                 : call.children[first + static_cast<size_t>(found - call.keywords.begin())].get();
    };
    const Expr* reentrant = given("use_reentrant");
    return path == "torch.utils.checkpoint.checkpoint" && reentrant != nullptr && reentrant->kind == ExprKind::kFalse &&
           given("context_fn") == nullptr && given("debug") == nullptr;
  }

  /// The functions that it runs are in the text, and the evaluator runs them as a trace stands for them.
  bool isPlainControlFlow(const std::string& path, const Expr& call) const {
    const auto row = std::ranges::find(kControlFlow, path, &ControlFlow::path);
    const bool isStarred = std::ranges::any_of(
        call.children, [](const ExprPtr& each) { return each != nullptr && each->kind == ExprKind::kStarred; });
    return row != kControlFlow.end() && !isStarred &&
           std::ranges::all_of(row->functions, [&](const ControlFlow::Taken& taken) {
             const Expr* given = argumentOf(call, taken.position, taken.name);
             const std::optional<Function> function = given != nullptr ? functionIn(*given) : std::nullopt;
             return function && !whatIsNotTraced(case_, *function, /*forOtherSizes=*/false) &&
                    !callsVariables(*function);
           });
  }

  static const Expr* argumentOf(const Expr& call, size_t position, std::string_view name) {
    const size_t positional = call.children.size() - 1 - call.keywords.size();
    if (position < positional) {
      return call.children[position + 1].get();
    }
    const auto found = std::ranges::find(call.keywords, name);
    return found == call.keywords.end()
               ? nullptr
               : call.children[1 + positional + static_cast<size_t>(found - call.keywords.begin())].get();
  }

  std::optional<Function> functionIn(const Expr& expr) const {
    if (expr.kind == ExprKind::kLambda) {
      Function function{.name = "<lambda>", .parameters = expr.keywords};
      Statement body{.kind = StatementKind::kReturn, .value = expr.children[0], .place = expr.place};
      function.body = {std::make_shared<const Statement>(std::move(body))};
      return function;
    }
    if (expr.kind != ExprKind::kName) {
      return std::nullopt;
    }
    const auto inner = inner_.find(expr.text);
    const Function* found = !isBound(expr.text)     ? case_.find(expr.text)
                            : inner != inner_.end() ? inner->second
                                                    : nullptr;
    return found != nullptr ? std::optional(*found) : std::nullopt;
  }

  /// Which may be modules.
  bool callsVariables(const Function& function) const {
    const std::vector<std::string> own = boundNames(function);
    return anyExpression(function.body, [&](const Expr& expr) {
      const bool isNamed = expr.kind == ExprKind::kCall && expr.children[0]->kind == ExprKind::kName;
      const std::string& name = isNamed ? expr.children[0]->text : expr.text;
      const bool isVariable = std::ranges::find(own, name) != own.end() || isBound(name);
      return isNamed && isVariable && !inner_.contains(name);
    });
  }

  void visitCall(const Expr& call) {
    const Expr& callee = *call.children[0];
    if (callee.kind == ExprKind::kName) {
      found_.names.insert(callee.text);
      if (isBuiltin(callee.text)) {
        addRow(WordUse::kBuiltin, callee.text);
      }
    } else if (callee.kind == ExprKind::kAttribute) {
      const std::string path = pathOf(callee);
      if (isOfModule(path)) {
        found_.paths.insert(path);
        if (!isPlainCheckpoint(path, call) && !isPlainControlFlow(path, call)) {
          addRow(WordUse::kCall, path);
        }
      } else {
        const Expr& object = *callee.children[0];
        const bool isClass = object.kind == ExprKind::kName && case_.findCustomFunction(object.text) != nullptr;
        addRow(WordUse::kMethod, callee.text);
        if (isClass) {
          found_.names.insert(object.text);
        } else {
          visit(object);
        }
      }
    } else {
      visit(callee);
    }
    visitAll(call.children, 1);
  }

  const Case& case_;
  Found& found_;
  std::vector<std::string> bound_;
  std::map<std::string, const Function*> inner_; // functions inside others
};

/// Walks over a function and all of the Case that it uses.
class Reach {
 public:
  explicit Reach(const Case& theCase) : case_(theCase), walk_(theCase, found) {}

  void add(const Function& function) {
    walk_.visitFunction(function);
    follow();
  }
  void addAll() {
    for (const Constant& constant : case_.constants) {
      addNamed(constant.name);
    }
    for (const PythonClass& each : case_.classes) {
      addNamed(each.name);
    }
    for (const CustomFunction& each : case_.customFunctions) {
      addNamed(each.name);
    }
    for (const Function& function : case_.functions) {
      addNamed(function.name);
    }
  }

  Walk::Found found;

 private:
  void follow() {
    for (size_t before = 0; before != seen_.size() || first_;) {
      first_ = false;
      before = seen_.size();
      const std::set<std::string> names = found.names;
      for (const std::string& name : names) {
        addNamed(name);
      }
    }
  }

  void addNamed(const std::string& name) {
    if (!seen_.insert(name).second) {
      return;
    }
    if (const Constant* constant = case_.findConstant(name)) {
      found.constructs.emplace_back("constant");
      walk_.visit(constant->value);
    } else if (const PythonClass* made = case_.findClass(name)) {
      walk_.visitClass(*made);
    } else if (const CustomFunction* custom = case_.findCustomFunction(name)) {
      for (const Function& method : custom->methods) {
        walk_.visitFunction(method);
      }
    } else if (const Function* function = case_.find(name)) {
      walk_.visitFunction(*function);
    }
  }

  const Case& case_;
  Walk walk_;
  std::set<std::string> seen_;
  bool first_ = true;
};

std::vector<std::string> onceEach(std::vector<std::string> names) {
  std::vector<std::string> once;
  for (std::string& name : names) {
    if (std::ranges::find(once, name) == once.end()) {
      once.push_back(std::move(name));
    }
  }
  return once;
}

} // namespace

std::vector<std::string> needsPython(const Case& theCase) {
  Reach reach(theCase);
  reach.addAll();
  return onceEach(std::move(reach.found.constructs));
}

std::vector<std::string> needsPython(const Case& theCase, const Function& function) {
  Reach reach(theCase);
  reach.add(function);
  return onceEach(std::move(reach.found.constructs));
}

std::vector<std::string> modulesUsed(const Case& theCase) {
  Reach reach(theCase);
  reach.addAll();
  std::vector<std::string> used;
  for (const std::string_view module : pythonModules()) {
    const std::string prefix = std::string(module) + ".";
    if (module == "torch.utils.checkpoint") {
      continue; // there with `torch`
    }
    if (std::ranges::any_of(reach.found.paths, [&](const std::string& path) { return path.starts_with(prefix); })) {
      used.emplace_back(module);
    }
  }
  return used;
}

} // namespace touchstone::language
