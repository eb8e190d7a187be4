#include "generators/catalogue/CalledOperators.h"

#include "program/analysis/OperatorNames.h"

#include <algorithm>

namespace touchstone::catalogue {

namespace {

using language::Expr;
using language::ExprKind;

std::string nameOf(const Expr& expr) {
  const std::optional<analysis::WrittenOperation> operation = analysis::writtenOperation(expr);
  if (!operation || analysis::isTorchPath(expr)) {
    return "";
  }
  const bool isGrad = operation->name == "grad" && expr.kind == ExprKind::kCall &&
                      analysis::isTorchPath(*expr.children[0]); // `torch.autograd.grad`, not a method
  return isGrad ? "autograd_grad" : analysis::operatorName(operation->name);
}

} // namespace

std::vector<std::string> operatorsCalled(const std::vector<language::StatementPtr>& statements) {
  std::vector<std::string> called;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(called.begin(), called.end(), name) == called.end()) {
      called.push_back(name);
    }
  };
  language::anyStatement(statements, [&](const language::Statement& statement) {
    add(statement.kind == language::StatementKind::kAugmentedAssign ? analysis::operatorName(statement.text) : "");
    return false;
  });
  language::anyExpression(statements, [&](const Expr& expr) {
    add(nameOf(expr));
    return false;
  });
  return called;
}

bool refusesCalled(Exclusions* exclusions, const std::vector<std::string>& called) {
  return exclusions != nullptr &&
         std::any_of(called.begin(), called.end(), [&](const std::string& name) { return exclusions->refuses(name); });
}

} // namespace touchstone::catalogue
