#include "program/analysis/ExactOperators.h"

#include "program/analysis/OperatorNames.h"
#include "program/operators/OperatorFacts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

namespace touchstone::analysis {

namespace {

using NameSet = std::unordered_set<std::string_view>;

/// What a Program calls that is no operator: no tensor is computed.
const NameSet& exactWords() {
  // clang-format off
  static const NameSet names{
      "size", "stride", "dim", "numel", "item", "tolist", "len", "range", "print", "requires_grad_", "requires_grad",
      "is_contiguous", "is_floating_point", "is_complex", "storage_offset", "element_size", "backward", "grad", "no_grad",
      "enable_grad", "set_grad_enabled", "inference_mode", "graph_break", "manual_seed", "register_hook", "retain_grad",
      "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook", "register_full_backward_pre_hook", "remove",
      "is_grad_enabled", "isinstance"};
  // clang-format on
  return names;
}

bool isExactLiteral(const std::string& text) {
  const double value = std::strtod(text.c_str(), nullptr);
  const double scaled = value * 64;
  return std::abs(value) <= 64 && scaled == std::floor(scaled);
}

/// `x ** 2`
bool isSmallPower(const language::Expr& expr) {
  constexpr int kLargestPower = 4;
  const language::Expr& exponent = *expr.children.back();
  return exponent.kind == language::ExprKind::kInt && std::atoi(exponent.text.c_str()) <= kLargestPower;
}

/// `dropout(x, p=0.5, training=False)` returns its input.
bool isDropoutWithoutTraining(const WrittenOperation& call) {
  return call.name == "dropout" &&
         std::any_of(call.operands.begin(), call.operands.end(), [](const WrittenOperation::Operand& each) {
           return each.keyword == "training" && each.value->kind == language::ExprKind::kFalse;
         });
}

bool rounds(const language::Expr& expr, const language::Case& theCase, const std::set<std::string>& locals) {
  switch (expr.kind) {
    case language::ExprKind::kFloat:
    case language::ExprKind::kImaginary: return !isExactLiteral(expr.text);
    case language::ExprKind::kBinary: return expr.text == "/" || (expr.text == "**" && !isSmallPower(expr));
    case language::ExprKind::kCall: {
      const WrittenOperation call = *writtenOperation(expr);
      const language::Expr& callee = *expr.children[0];
      // A function of the file or a value: what is in its body is looked at there.
      const bool isFunction = callee.kind == language::ExprKind::kName &&
                              (theCase.find(call.name) != nullptr || locals.contains(call.name));
      const bool isCheckpoint = call.name == "checkpoint" && isTorchPath(callee);
      return !isFunction && !isCheckpoint && !isExactOperator(call.name) && !isDropoutWithoutTraining(call);
    }
    default: return false;
  }
}

/// Names that some function binds, also inside others.
std::set<std::string> localsOf(const language::Case& theCase) {
  std::set<std::string> names;
  const auto add = [&](const language::Function& function) {
    for (std::string& name : language::boundNames(function)) {
      names.insert(std::move(name));
    }
  };
  for (const language::Function& function : theCase.functions) {
    add(function);
    language::anyStatement(function.body, [&](const language::Statement& statement) {
      if (statement.function) {
        add(*statement.function);
      }
      return false;
    });
  }
  return names;
}

} // namespace

bool isExactOperator(std::string_view name) {
  return operators::factsOf(name).isExact() || exactWords().contains(name) ||
         exactWords().contains(operators::outOfPlaceName(name));
}

bool usesExactOperatorsOnly(const language::Case& theCase) {
  static const std::unordered_set<std::string_view> kExactKinds{"grid", "zeros", "ones"};
  for (const language::CallSpec& call : theCase.calls) {
    if (!kExactKinds.contains(call.kind) || call.autocast) {
      return false;
    }
  }
  if (theCase.hasCustomCode()) {
    return false;
  }
  const auto writesRounded = [](const language::Statement& statement) {
    return statement.kind == language::StatementKind::kAugmentedAssign &&
           (statement.text == "/=" || statement.text == "**=");
  };
  const std::set<std::string> locals = localsOf(theCase);
  return std::none_of(theCase.functions.begin(), theCase.functions.end(), [&](const language::Function& function) {
    return !language::isInputsName(function.name) &&
           (language::anyStatement(function.body, writesRounded) ||
            language::anyExpression(function.body,
                                    [&](const language::Expr& each) { return rounds(each, theCase, locals); }));
  });
}

} // namespace touchstone::analysis
