#include "program/analysis/OperatorNames.h"

#include "program/operators/OperatorFacts.h"

#include <algorithm>
#include <map>

namespace touchstone::analysis {

using language::Expr;
using language::ExprKind;
using language::ExprPtr;

bool isTorchPath(const Expr& expr) {
  return expr.kind == ExprKind::kName ? expr.text == "torch"
                                      : expr.kind == ExprKind::kAttribute && isTorchPath(*expr.children[0]);
}

std::string calleeName(const Expr& callee) {
  if (callee.kind == ExprKind::kName) {
    return callee.text;
  }
  const bool isValue = callee.kind == ExprKind::kCall || callee.kind == ExprKind::kSubscript ||
                       callee.kind == ExprKind::kLambda || callee.kind == ExprKind::kConditional;
  if (isValue) {
    return "call"; // of a function
  }
  const Expr& object = callee.children.empty() ? callee : *callee.children[0];
  const bool overload = object.kind == ExprKind::kAttribute && !object.children.empty() &&
                        object.children[0]->kind == ExprKind::kAttribute && object.children[0]->text == "aten";
  return overload ? object.text : callee.text;
}

std::optional<WrittenOperation> writtenOperation(const Expr& expr) {
  WrittenOperation operation;
  const auto add = [&](const ExprPtr& operand) { operation.operands.push_back({"", operand}); };
  switch (expr.kind) {
    case ExprKind::kCall: {
      const Expr& callee = *expr.children[0];
      operation.name = calleeName(callee);
      if (callee.kind == ExprKind::kAttribute && !isTorchPath(*callee.children[0])) {
        add(callee.children[0]);
      }
      const size_t positional = expr.children.size() - expr.keywords.size();
      for (size_t i = 1; i < expr.children.size(); ++i) {
        operation.operands.push_back({i < positional ? "" : expr.keywords[i - positional], expr.children[i]});
      }
      return operation;
    }
    case ExprKind::kAttribute: operation.name = "." + expr.text; break;
    case ExprKind::kSubscript: operation.name = "[]"; break;
    case ExprKind::kUnary: operation.name = expr.text == "-" ? "neg" : expr.text; break;
    case ExprKind::kBinary: operation.name = expr.text; break;
    default: return std::nullopt;
  }
  std::for_each(expr.children.begin(), expr.children.end(), add);
  return operation;
}

bool WrittenOperation::isInPlace() const {
  return operators::isInPlaceName(name) && name[name.size() - 2] != '_' && name != "requires_grad_" &&
         name != "detach_";
}

const Expr* WrittenOperation::written() const {
  const auto out =
      std::find_if(operands.begin(), operands.end(), [](const auto& each) { return each.keyword == "out"; });
  return out != operands.end()              ? out->value.get()
         : isInPlace() && !operands.empty() ? operands[0].value.get()
                                            : nullptr;
}

std::string regionName(const Expr& manager) {
  const bool isCall = manager.kind == ExprKind::kCall;
  const std::string name = calleeName(isCall ? *manager.children[0] : manager);
  const ExprKind argument = isCall && manager.children.size() == 2 ? manager.children[1]->kind : ExprKind::kName;
  const bool isOff = argument == ExprKind::kFalse;
  return name == "set_grad_enabled" && (isOff || argument == ExprKind::kTrue) ? (isOff ? "no_grad" : "enable_grad")
         : name == "inference_mode" && isOff                                  ? "no inference_mode"
                                                                              : name;
}

bool mayReturnAlias(std::string_view name) {
  name.remove_prefix(name.starts_with('.') ? 1 : 0);
  return operators::has(name, operators::kMayAlias) || (operators::isInPlaceName(name) && name[name.size() - 2] != '_');
}

const std::vector<std::string>& elementwiseOfOne() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const operators::OperatorFacts& row : operators::operatorTable()) {
      if (row.has(operators::kOneOperand)) {
        names.emplace_back(row.name);
      }
    }
    return names;
  }();
  return kNames;
}

bool isElementwise(const std::string& name) {
  return operators::has(name, operators::kElementwise);
}

std::string operatorName(const std::string& spelled) {
  static const std::map<std::string, std::string> kNames{
      // clang-format off
      {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}, {"//", "floor_divide"}, {"%", "remainder"},
      {"**", "pow"}, {"@", "matmul"}, {"&", "bitwise_and"}, {"|", "bitwise_or"}, {"^", "bitwise_xor"},
      {"~", "bitwise_not"}, {"<<", "bitwise_left_shift"}, {">>", "bitwise_right_shift"}, {"==", "eq"},
      {"!=", "ne"}, {"<", "lt"}, {"<=", "le"}, {">", "gt"}, {">=", "ge"}, {"subtract", "sub"},
      {"multiply", "mul"}, {"true_divide", "div"}, {"divide", "div"}, {"negative", "neg"}, {"absolute", "abs"},
      {"clip", "clamp"}, {"fix", "trunc"}, {"swapaxes", "transpose"}, {"swapdims", "transpose"},
      {"greater", "gt"}, {"less", "lt"}, {"moveaxis", "movedim"},
      // clang-format on
  };
  // `+=` and `subtract_` are `add_` and `sub_`.
  const bool augmented = spelled.size() > 1 && spelled.back() == '=' && !kNames.contains(spelled);
  const bool inPlace = spelled.size() > 1 && spelled.back() == '_';
  const std::string plain = augmented || inPlace ? spelled.substr(0, spelled.size() - 1) : spelled;
  const auto found = kNames.find(plain);
  return found == kNames.end() ? spelled : found->second + (augmented || inPlace ? "_" : "");
}

} // namespace touchstone::analysis
