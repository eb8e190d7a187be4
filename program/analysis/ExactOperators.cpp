#include "program/analysis/ExactOperators.h"

#include "program/operators/OperatorFacts.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <unordered_set>

namespace touchstone::analysis {

namespace {

using NameSet = std::unordered_set<std::string_view>;

/// What a Program calls that is no operator: no tensor is computed.
const NameSet& exactWords() {
  static const NameSet names{"size",
                             "stride",
                             "dim",
                             "numel",
                             "item",
                             "tolist",
                             "len",
                             "range",
                             "print",
                             "requires_grad_",
                             "requires_grad",
                             "is_contiguous",
                             "is_floating_point",
                             "is_complex",
                             "storage_offset",
                             "element_size",
                             "backward",
                             "grad",
                             "no_grad",
                             "enable_grad",
                             "set_grad_enabled",
                             "inference_mode",
                             "graph_break",
                             "manual_seed",
                             "register_hook",
                             "retain_grad",
                             "is_grad_enabled",
                             "isinstance"};
  return names;
}

bool isExactLiteral(const std::string& text) {
  const double value = std::strtod(text.c_str(), nullptr);
  const double scaled = value * 64;
  return std::abs(value) <= 64 && scaled == std::floor(scaled);
}

constexpr std::array<std::string_view, 2> kInexactOperations{"/", "**"};
constexpr int kLargestPower = 4;

/// The operators of one syntax tree.
class ExactWalk {
 public:
  explicit ExactWalk(const language::Case& theCase) : case_(theCase) {}

  bool statement(const language::Statement& statement) const {
    if (statement.kind == language::StatementKind::kAugmentedAssign &&
        !operation(statement.text.substr(0, statement.text.size() - 1))) {
      return false;
    }
    if (statement.value && !expression(*statement.value)) {
      return false;
    }
    return expressions(statement.targets) && expressions(statement.items) && body(statement.body) &&
           body(statement.orElse);
  }

  bool body(const std::vector<language::StatementPtr>& statements) const {
    return std::all_of(statements.begin(), statements.end(),
                       [&](const language::StatementPtr& each) { return statement(*each); });
  }

 private:
  static bool operation(std::string_view op) {
    return std::find(kInexactOperations.begin(), kInexactOperations.end(), op) == kInexactOperations.end();
  }

  /// `x ** 2`
  static bool isSmallPower(const language::Expr& expr) {
    const language::Expr& exponent = *expr.children.back();
    return expr.text == "**" && exponent.kind == language::ExprKind::kInt &&
           std::atoi(exponent.text.c_str()) <= kLargestPower;
  }

  /// `dropout(x, p=0.5, training=False)` returns its input.
  static bool isDropoutWithoutTraining(const language::Expr& call) {
    const size_t firstKeyword = call.children.size() - call.keywords.size();
    for (size_t index = 0; index < call.keywords.size(); ++index) {
      if (call.keywords[index] == "training" &&
          call.children[firstKeyword + index]->kind == language::ExprKind::kFalse) {
        return call.children.front()->text == "dropout";
      }
    }
    return false;
  }

  bool expressions(const std::vector<language::ExprPtr>& list) const {
    return std::all_of(list.begin(), list.end(),
                       [&](const language::ExprPtr& each) { return !each || expression(*each); });
  }

  bool expression(const language::Expr& expr) const {
    switch (expr.kind) {
      case language::ExprKind::kFloat:
      case language::ExprKind::kImaginary:
        if (!isExactLiteral(expr.text)) {
          return false;
        }
        break;
      case language::ExprKind::kBinary:
        if (!operation(expr.text) && !isSmallPower(expr)) {
          return false;
        }
        break;
      case language::ExprKind::kCall:
        if (!callee(*expr.children.front()) && !isDropoutWithoutTraining(expr)) {
          return false;
        }
        break;
      default: break;
    }
    return expressions(expr.children);
  }

  bool callee(const language::Expr& expr) const {
    std::string name = expr.text;
    if (expr.kind == language::ExprKind::kName && case_.find(name)) {
      return true;
    }
    // torch.ops.aten.NAME.OVERLOAD
    if (expr.kind == language::ExprKind::kAttribute && expr.children.front()->kind == language::ExprKind::kAttribute &&
        !expr.children.front()->children.empty()) {
      const language::Expr& packet = *expr.children.front();
      const language::Expr& owner = *packet.children.front();
      if (owner.kind == language::ExprKind::kAttribute && owner.text == "aten") {
        name = packet.text;
      }
    }
    if (expr.kind != language::ExprKind::kName && expr.kind != language::ExprKind::kAttribute) {
      return false;
    }
    return isExactOperator(name);
  }

  const language::Case& case_;
};

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
  if (!theCase.customFunctions.empty()) {
    return false;
  }
  const ExactWalk walk(theCase);
  return std::all_of(theCase.functions.begin(), theCase.functions.end(), [&](const language::Function& function) {
    return language::isInputsName(function.name) || walk.body(function.body);
  });
}

} // namespace touchstone::analysis
