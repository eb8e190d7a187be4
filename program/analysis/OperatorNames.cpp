#include "program/analysis/OperatorNames.h"

#include "program/analysis/FlatProgram.h"
#include "program/operators/OperatorFacts.h"

#include <map>

namespace touchstone::analysis {

using language::Expr;
using language::ExprKind;

std::string calleeName(const Expr& callee) {
  if (callee.kind == ExprKind::kName) {
    return callee.text;
  }
  const Expr& object = callee.children.empty() ? callee : *callee.children[0];
  const bool overload = object.kind == ExprKind::kAttribute && !object.children.empty() &&
                        object.children[0]->kind == ExprKind::kAttribute && object.children[0]->text == "aten";
  return overload ? object.text : callee.text;
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
  static const std::map<std::string, std::string> kNames{{"+", "add"},
                                                         {"-", "sub"},
                                                         {"*", "mul"},
                                                         {"/", "div"},
                                                         {"//", "floor_divide"},
                                                         {"%", "remainder"},
                                                         {"**", "pow"},
                                                         {"@", "matmul"},
                                                         {"&", "bitwise_and"},
                                                         {"|", "bitwise_or"},
                                                         {"^", "bitwise_xor"},
                                                         {"~", "bitwise_not"},
                                                         {"<<", "bitwise_left_shift"},
                                                         {">>", "bitwise_right_shift"},
                                                         {"==", "eq"},
                                                         {"!=", "ne"},
                                                         {"<", "lt"},
                                                         {"<=", "le"},
                                                         {">", "gt"},
                                                         {">=", "ge"},
                                                         {"subtract", "sub"},
                                                         {"multiply", "mul"},
                                                         {"true_divide", "div"},
                                                         {"divide", "div"},
                                                         {"negative", "neg"},
                                                         {"absolute", "abs"},
                                                         {"clip", "clamp"},
                                                         {"fix", "trunc"},
                                                         {"swapaxes", "transpose"},
                                                         {"swapdims", "transpose"},
                                                         {"greater", "gt"},
                                                         {"less", "lt"},
                                                         {"moveaxis", "movedim"}};
  // `+=` and `subtract_` are `add_` and `sub_`.
  const bool augmented = spelled.size() > 1 && spelled.back() == '=' && !kNames.contains(spelled);
  const bool inPlace = spelled.size() > 1 && spelled.back() == '_';
  const std::string plain = augmented || inPlace ? spelled.substr(0, spelled.size() - 1) : spelled;
  const auto found = kNames.find(plain);
  return found == kNames.end() ? spelled : found->second + (augmented || inPlace ? "_" : "");
}

} // namespace touchstone::analysis
