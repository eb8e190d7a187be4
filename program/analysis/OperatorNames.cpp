#include "program/analysis/OperatorNames.h"

#include "program/analysis/FlatProgram.h"

#include <map>
#include <set>

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
  static const std::vector<std::string> kNames{
      "abs",        "acos",       "acosh",       "asin",      "asinh",      "atan",       "atanh",      "ceil",
      "celu",       "clamp",      "clamp_min",   "clamp_max", "cos",        "cosh",       "deg2rad",    "digamma",
      "elu",        "erf",        "erfc",        "exp",       "exp2",       "expm1",      "floor",      "frac",
      "gelu",       "hardshrink", "hardsigmoid", "hardswish", "hardtanh",   "leaky_relu", "lgamma",     "log",
      "log10",      "log1p",      "log2",        "logit",     "logsigmoid", "mish",       "nan_to_num", "neg",
      "positive",   "rad2deg",    "reciprocal",  "relu",      "relu6",      "round",      "rsqrt",      "selu",
      "sgn",        "sigmoid",    "sign",        "silu",      "sin",        "sinc",       "sinh",       "softplus",
      "softshrink", "softsign",   "sqrt",        "square",    "tan",        "tanh",       "tanhshrink", "threshold",
      "trunc"};
  return kNames;
}

// By names of our own: what PyTorch tags `pointwise` has `clone` in it, and `max`, whose other overload reduces.
bool isElementwise(const std::string& name) {
  static const std::set<std::string> kNames = [] {
    std::set<std::string> names{"add",     "sub",  "rsub",    "mul",     "div",   "pow",       "maximum",
                                "minimum", "fmax", "fmin",    "atan2",   "hypot", "remainder", "fmod",
                                "where",   "lerp", "addcmul", "addcdiv", "xlogy", "copysign"};
    names.insert(elementwiseOfOne().begin(), elementwiseOfOne().end());
    return names;
  }();
  return kNames.contains(name);
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
