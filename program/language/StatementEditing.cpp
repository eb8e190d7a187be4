#include "program/language/StatementEditing.h"

#include <algorithm>
#include <set>

namespace touchstone::language {

namespace {

/// A block with what is left of it; one that has an `else` alone gets a `pass`. Null: nothing is left.
StatementPtr blockWith(const Statement& statement, std::vector<StatementPtr> body, std::vector<StatementPtr> orElse) {
  if (body.empty() && orElse.empty()) {
    return nullptr;
  }
  auto block = std::make_shared<Statement>(statement);
  if (body.empty()) {
    auto pass = std::make_shared<Statement>();
    pass->kind = StatementKind::kPass;
    body.push_back(std::move(pass));
  }
  block->body = std::move(body);
  block->orElse = std::move(orElse);
  return block;
}

StatementPtr withInnerBody(const Statement& definition, std::vector<StatementPtr> body) {
  auto function = std::make_shared<Function>(*definition.function);
  function->body = std::move(body);
  auto edited = std::make_shared<Statement>(definition);
  edited->function = std::move(function);
  return edited;
}

/// Of a `try`: it stands nowhere else.
bool isClause(const Statement& statement) {
  return statement.kind == StatementKind::kExcept || statement.kind == StatementKind::kElse ||
         statement.kind == StatementKind::kFinally;
}

std::vector<StatementPtr> editFrom(const std::vector<StatementPtr>& body, const std::vector<Fate>& fates,
                                   size_t& number) {
  std::vector<StatementPtr> result;
  for (const StatementPtr& statement : body) {
    const Fate fate = fates.at(number++);
    if (statement->function) {
      std::vector<StatementPtr> inside = editFrom(statement->function->body, fates, number);
      if (fate != Fate::kDrop) {
        result.push_back(withInnerBody(*statement, std::move(inside)));
      }
      continue;
    }
    std::vector<StatementPtr> inner = editFrom(statement->body, fates, number);
    std::vector<StatementPtr> other = editFrom(statement->orElse, fates, number);
    if (fate == Fate::kDrop) {
      continue;
    }
    const bool block = !statement->body.empty();
    if (!block) {
      result.push_back(statement);
    } else if (fate == Fate::kUnwrap && !isClause(*statement)) {
      result.insert(result.end(), inner.begin(), inner.end());
    } else if (StatementPtr edited = blockWith(*statement, std::move(inner), std::move(other))) {
      result.push_back(std::move(edited));
    }
  }
  return result;
}

bool readsOnly(const std::vector<std::string>& names, const std::set<std::string>& locals,
               const std::set<std::string>& defined) {
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return locals.count(name) == 0 || defined.count(name) != 0; });
}

StatementPtr returnWithout(const Statement& statement, const std::set<std::string>& locals,
                           const std::set<std::string>& defined) {
  std::vector<ExprPtr> items;
  const bool tuple = statement.value->kind == ExprKind::kTuple;
  const std::vector<ExprPtr> all = tuple ? statement.value->children : std::vector<ExprPtr>{statement.value};
  for (const ExprPtr& item : all) {
    if (readsOnly(namesRead(*item), locals, defined)) {
      items.push_back(item);
    }
  }
  if (items.size() == all.size()) {
    return std::make_shared<Statement>(statement);
  }
  return items.empty() ? makeReturn(nullptr) : makeReturn(items.size() == 1 ? items[0] : makeTuple(items));
}

void defineTargets(const Statement& statement, std::set<std::string>& defined) {
  for (const std::string& name : namesWritten(ownPart(statement))) {
    statement.kind == StatementKind::kDelete ? (void)defined.erase(name) : (void)defined.insert(name);
  }
}

std::vector<StatementPtr> keepDefined(const std::vector<StatementPtr>& body, const std::set<std::string>& locals,
                                      std::set<std::string>& defined) {
  std::vector<StatementPtr> result;
  for (const StatementPtr& statement : body) {
    if (statement->kind == StatementKind::kReturn && statement->value != nullptr) {
      result.push_back(returnWithout(*statement, locals, defined));
      continue;
    }
    if (!readsOnly(namesRead(ownPart(*statement)), locals, defined)) {
      continue;
    }
    defineTargets(*statement, defined);
    if (statement->body.empty()) {
      result.push_back(statement);
      continue;
    }
    std::vector<StatementPtr> inner = keepDefined(statement->body, locals, defined);
    std::vector<StatementPtr> other = keepDefined(statement->orElse, locals, defined);
    if (StatementPtr edited = blockWith(*statement, std::move(inner), std::move(other))) {
      result.push_back(std::move(edited));
    }
  }
  return result;
}

ExprPtr rewriteExpr(const ExprPtr& expr, const std::function<ExprPtr(const ExprPtr&)>& rewrite) {
  if (expr == nullptr) {
    return nullptr;
  }
  ExprPtr current = expr;
  std::vector<ExprPtr> children;
  bool changed = false;
  for (const ExprPtr& child : expr->children) {
    children.push_back(rewriteExpr(child, rewrite));
    changed = changed || children.back() != child;
  }
  if (changed) {
    auto edited = std::make_shared<Expr>(*expr);
    edited->children = std::move(children);
    current = std::move(edited);
  }
  ExprPtr replaced = rewrite(current);
  return replaced != nullptr ? replaced : current;
}

std::vector<StatementPtr> rewriteBody(const std::vector<StatementPtr>& body,
                                      const std::function<ExprPtr(const ExprPtr&)>& rewrite) {
  std::vector<StatementPtr> result;
  for (const StatementPtr& statement : body) {
    auto edited = std::make_shared<Statement>(*statement);
    for (ExprPtr& target : edited->targets) {
      target = rewriteExpr(target, rewrite);
    }
    for (ExprPtr& item : edited->items) {
      item = rewriteExpr(item, rewrite);
    }
    edited->value = rewriteExpr(edited->value, rewrite);
    edited->body = rewriteBody(edited->body, rewrite);
    edited->orElse = rewriteBody(edited->orElse, rewrite);
    if (statement->function) {
      auto function = std::make_shared<Function>(*statement->function);
      function->body = rewriteBody(function->body, rewrite);
      for (ExprPtr& value : function->defaults) {
        value = rewriteExpr(value, rewrite);
      }
      edited->function = std::move(function);
    }
    result.push_back(std::move(edited));
  }
  return result;
}

} // namespace

Statement ownPart(const Statement& statement) {
  Statement alone = statement;
  alone.body.clear();
  alone.orElse.clear();
  return alone;
}

std::vector<StatementPtr> editStatements(const std::vector<StatementPtr>& body, const std::vector<Fate>& fates) {
  size_t number = 0;
  return editFrom(body, fates, number);
}

std::vector<StatementPtr> replaceStatement(const std::vector<StatementPtr>& body, const StatementPtr& old,
                                           const StatementPtr& replacement) {
  return replaceStatements(body, old, {replacement});
}

std::vector<StatementPtr> replaceStatements(const std::vector<StatementPtr>& body, const StatementPtr& old,
                                            const std::vector<StatementPtr>& replacements) {
  std::vector<StatementPtr> result;
  for (const StatementPtr& statement : body) {
    if (statement == old) {
      result.insert(result.end(), replacements.begin(), replacements.end());
    } else if (statement->function) {
      result.push_back(withInnerBody(*statement, replaceStatements(statement->function->body, old, replacements)));
    } else if (statement->body.empty()) {
      result.push_back(statement);
    } else {
      auto edited = std::make_shared<Statement>(*statement);
      edited->body = replaceStatements(statement->body, old, replacements);
      edited->orElse = replaceStatements(statement->orElse, old, replacements);
      result.push_back(std::move(edited));
    }
  }
  return result;
}

Function withoutDangling(Function function, const Function& before) {
  std::set<std::string> locals(before.parameters.begin(), before.parameters.end());
  for (const StatementPtr& statement : before.body) {
    for (const std::string& name : namesWritten(*statement)) {
      locals.insert(name);
    }
  }
  std::set<std::string> defined(function.parameters.begin(), function.parameters.end());
  function.body = keepDefined(function.body, locals, defined);
  return function;
}

Function rewriteExpressions(const Function& function, const std::function<ExprPtr(const ExprPtr&)>& rewrite) {
  Function result = function;
  result.body = rewriteBody(function.body, rewrite);
  return result;
}

std::vector<ExprPtr> returnedItems(const Function& function) {
  if (function.body.empty() || function.body.back()->kind != StatementKind::kReturn ||
      function.body.back()->value == nullptr) {
    return {};
  }
  const ExprPtr& value = function.body.back()->value;
  return value->kind == ExprKind::kTuple ? value->children : std::vector<ExprPtr>{value};
}

Function withReturned(const Function& function, const std::vector<ExprPtr>& items, bool tupleOfOne) {
  Function result = function;
  if (!result.body.empty() && result.body.back()->kind == StatementKind::kReturn) {
    result.body.pop_back();
  }
  const ExprPtr value = items.empty() ? nullptr : items.size() == 1 && !tupleOfOne ? items[0] : makeTuple(items);
  result.body.push_back(makeReturn(value));
  return result;
}

void forEachNameRead(const Case& theCase, const Function& function, const NameVisitor& visit) {
  for (const StatementPtr& statement : function.body) {
    forEachNameRead(*statement, visit);
  }
  anyExpression(function.body, [&](const Expr& expr) {
    const CustomOperator* called = expr.kind == ExprKind::kAttribute ? theCase.operatorCalled(expr) : nullptr;
    if (called != nullptr) {
      visit(called->body.name);
    }
    return false;
  });
}

Case withOperatorSpaces(Case theCase, const std::string& suffix) {
  std::set<std::string> spaces;
  for (CustomOperator& made : theCase.customOperators) {
    spaces.insert(made.space);
    made.space += "_" + suffix;
  }
  const auto renamed = [&](const ExprPtr& expr) -> ExprPtr {
    const bool isSpace = expr->kind == ExprKind::kAttribute && spaces.contains(expr->text) &&
                         sameExpr(*expr->children[0], *makeDotted("torch.ops"));
    return isSpace ? makeAttribute(expr->children[0], expr->text + "_" + suffix) : nullptr;
  };
  for (Function& function : theCase.functions) {
    function = rewriteExpressions(function, renamed);
  }
  for (CustomFunction& function : theCase.customFunctions) {
    for (Function& method : function.methods) {
      method = rewriteExpressions(method, renamed);
    }
  }
  for (CustomOperator& made : theCase.customOperators) {
    for (Function* body : made.bodies()) {
      *body = rewriteExpressions(*body, renamed);
    }
  }
  return theCase;
}

Case withoutUnusedFunctions(Case theCase) {
  std::vector<std::string> open{"program"};
  for (const CallSpec& call : theCase.calls) {
    for (const std::optional<std::string>* name : {&call.inputs, &call.between}) {
      if (name->has_value()) {
        open.push_back(**name);
      }
    }
  }
  std::set<std::string> used;
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (!used.insert(name).second) {
      continue;
    }
    const auto openNamesOf = [&](const Function& function) {
      for (const ExprPtr& decorator : function.decorators) {
        const std::vector<std::string> names = namesRead(*decorator);
        open.insert(open.end(), names.begin(), names.end());
      }
      for (const ExprPtr& value : function.defaults) {
        const std::vector<std::string> names = namesRead(*value);
        open.insert(open.end(), names.begin(), names.end());
      }
      forEachNameRead(theCase, function, [&](const std::string& read) { open.push_back(read); });
    };
    if (const Function* function = theCase.find(name)) {
      openNamesOf(*function);
    } else if (const CustomFunction* custom = theCase.findCustomFunction(name)) {
      std::ranges::for_each(custom->methods, openNamesOf);
    } else if (const CustomOperator* made = theCase.findCustomOperator(name)) {
      for (const Function* body : made->bodies()) {
        openNamesOf(*body);
      }
    } else if (const PythonClass* made = theCase.findClass(name)) {
      std::ranges::for_each(made->methods, openNamesOf);
      const auto openNamesIn = [&](const ExprPtr& expr) {
        const std::vector<std::string> names = expr ? namesRead(*expr) : std::vector<std::string>();
        open.insert(open.end(), names.begin(), names.end());
      };
      std::ranges::for_each(made->bases, openNamesIn);
      for (const ClassField& field : made->fields) {
        openNamesIn(field.annotation);
        openNamesIn(field.value);
      }
    } else if (const Constant* constant = theCase.findConstant(name)) {
      const std::vector<std::string> names = namesRead(*constant->value);
      open.insert(open.end(), names.begin(), names.end());
    }
  }
  std::erase_if(theCase.functions, [&](const Function& function) { return !used.contains(function.name); });
  std::erase_if(theCase.customFunctions, [&](const CustomFunction& function) { return !used.contains(function.name); });
  std::erase_if(theCase.customOperators, [&](const CustomOperator& made) { return !used.contains(made.body.name); });
  std::erase_if(theCase.classes, [&](const PythonClass& made) { return !used.contains(made.name); });
  std::erase_if(theCase.constants, [&](const Constant& constant) { return !used.contains(constant.name); });
  return theCase;
}

} // namespace touchstone::language
