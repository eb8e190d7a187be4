#include "backends/aot_autograd/ProgramRefusals.h"

#include "graph/program/CompiledProgram.h"

#include <algorithm>
#include <string>
#include <vector>

namespace touchstone::backends {

namespace {

class Refusals {
 public:
  explicit Refusals(const graph::Case& theCase) : case_(theCase) {}

  void enter(const std::string& name) {
    const auto function = std::find_if(case_.functions.begin(), case_.functions.end(),
                                       [&](const graph::Function& each) { return each.name == name; });
    if (function != case_.functions.end() && std::find(seen_.begin(), seen_.end(), name) == seen_.end()) {
      seen_.push_back(name);
      visit(function->body);
    }
  }

 private:
  void visit(const std::vector<graph::StatementPtr>& body) {
    for (const graph::StatementPtr& statement : body) {
      for (const auto* expressions : {&statement->targets, &statement->items}) {
        for (const graph::ExprPtr& expr : *expressions) {
          visit(*expr);
        }
      }
      if (statement->value) {
        visit(*statement->value);
      }
      visit(statement->body);
      visit(statement->orElse);
    }
  }

  void visit(const graph::Expr& expr) {
    if (expr.kind == graph::ExprKind::kAttribute) {
      refuseAttribute(expr);
    } else if (expr.kind == graph::ExprKind::kName) {
      enter(expr.text);
    }
    for (const graph::ExprPtr& child : expr.children) {
      if (child) {
        visit(*child);
      }
    }
  }

  static void refuseAttribute(const graph::Expr& expr) {
    if (expr.text == "tolist") {
      throw graph::Unsupported("control flow: values are read from tensor data (`tolist`)");
    }
    if (expr.text == "manual_seed" || expr.text == "set_rng_state") {
      throw graph::Unsupported("the generator is seeded inside the program");
    }
    if (expr.text == "backward" || expr.text == "grad") {
      const bool isFunction = !expr.children.empty() && expr.children[0]->kind == graph::ExprKind::kAttribute &&
                              expr.children[0]->text == "autograd";
      if (!isFunction || expr.text == "backward") {
        throw graph::Unsupported("a backward runs, or `.grad` is used, inside the program");
      }
    }
  }

  const graph::Case& case_;
  std::vector<std::string> seen_;
};

} // namespace

void refuseWhatTracingLoses(const graph::Case& theCase) {
  Refusals(theCase).enter("program");
}

} // namespace touchstone::backends
