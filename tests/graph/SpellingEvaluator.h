#pragma once

#include "program/language/Ast.h"
#include "program/torch_names/NameResolver.h"
#include "program/values/RaisedException.h"

#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <complex>
#include <map>
#include <optional>
#include <sstream>
#include <string>

namespace touchstone::graph {

/// Just enough of Python to evaluate one spelling by way of NameResolver, without the Evaluator.
class SpellingEvaluator {
 public:
  explicit SpellingEvaluator(Dispatch dispatch) : dispatch_(std::move(dispatch)) {}

  std::map<std::string, Value> variables;

  Value evaluate(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kName: return variables.at(expr.text);
      case ExprKind::kInt: return Value(Value::Payload(static_cast<int64_t>(std::stoll(expr.text))));
      case ExprKind::kFloat: return Value(Value::Payload(std::stod(expr.text)));
      case ExprKind::kImaginary: return Value(Value::Payload(std::complex<double>(0, std::stod(expr.text))));
      case ExprKind::kString: return Value(Value::Payload(expr.text));
      case ExprKind::kTrue: return Value(Value::Payload(true));
      case ExprKind::kFalse: return Value(Value::Payload(false));
      case ExprKind::kNone: return Value();
      case ExprKind::kEllipsis: return Value(Value::Payload(EllipsisValue{}));
      case ExprKind::kAttribute: return constant(dotted(expr).value_or(""));
      case ExprKind::kCall: return call(expr);
      case ExprKind::kSubscript: return subscript(expr);
      case ExprKind::kSlice: return slice(expr);
      case ExprKind::kList: return Value::list(all(expr.children));
      case ExprKind::kTuple: return Value::tuple(all(expr.children));
      case ExprKind::kUnary: return unary(expr);
      case ExprKind::kBinary: return binary(expr);
      default: throw std::logic_error("a spelling uses an expression that the test does not know");
    }
  }

  void assign(const Expr& target, const Value& value) {
    Value object = evaluate(*target.children[0]);
    tensorSetItem(object.tensor(), index(target), value, dispatch_);
  }

 private:
  ValueList all(const std::vector<ExprPtr>& expressions) {
    ValueList values;
    for (const ExprPtr& expression : expressions) {
      values.push_back(evaluate(*expression));
    }
    return values;
  }

  // `torch.nn.functional.relu`; nothing when it begins with anything but `torch`.
  static std::optional<std::string> dotted(const Expr& expr) {
    if (expr.kind == ExprKind::kName) {
      return expr.text == "torch" ? std::optional(expr.text) : std::nullopt;
    }
    if (expr.kind != ExprKind::kAttribute) {
      return std::nullopt;
    }
    auto object = dotted(*expr.children[0]);
    return object ? std::optional(*object + "." + expr.text) : std::nullopt;
  }

  static Value constant(const std::string& name) {
    static const std::map<std::string, Value> constants = {
        {"torch.float64", Value(Value::Payload(at::kDouble))},
        {"torch.float32", Value(Value::Payload(at::kFloat))},
        {"torch.float16", Value(Value::Payload(at::kHalf))},
        {"torch.bfloat16", Value(Value::Payload(at::kBFloat16))},
        {"torch.int64", Value(Value::Payload(at::kLong))},
        {"torch.int32", Value(Value::Payload(at::kInt))},
        {"torch.uint8", Value(Value::Payload(at::kByte))},
        {"torch.contiguous_format", Value(Value::Payload(at::MemoryFormat::Contiguous))},
    };
    return constants.at(name);
  }

  Value call(const Expr& expr) {
    const Expr& callee = *expr.children[0];
    const size_t positionalCount = expr.children.size() - 1 - expr.keywords.size();
    ValueList positional;
    KeywordList keywords;
    std::optional<std::string> path = dotted(callee);
    if (!path) {
      positional.push_back(evaluate(*callee.children[0]));
    }
    for (size_t i = 0; i < positionalCount; ++i) {
      positional.push_back(evaluate(*expr.children[1 + i]));
    }
    for (size_t i = 0; i < expr.keywords.size(); ++i) {
      keywords.emplace_back(expr.keywords[i], evaluate(*expr.children[1 + positionalCount + i]));
    }
    if (!path) {
      return callNamed(NameSpace::kMethod, callee.text, positional, keywords, dispatch_);
    }
    static const std::pair<const char*, NameSpace> kPrefixes[] = {
        {"torch.nn.functional.", NameSpace::kFunctional},
        {"torch.linalg.", NameSpace::kLinalg},
        {"torch.fft.", NameSpace::kFft},
        {"torch.special.", NameSpace::kSpecial},
        {"torch.ops.aten.", NameSpace::kAten},
        {"torch.", NameSpace::kTorch},
    };
    for (const auto& [prefix, space] : kPrefixes) {
      if (path->starts_with(prefix)) {
        return callNamed(space, path->substr(std::string(prefix).size()), positional, keywords, dispatch_);
      }
    }
    throw std::logic_error("no such callee: " + *path);
  }

  Value index(const Expr& subscript) {
    if (subscript.children.size() == 2) {
      return evaluate(*subscript.children[1]);
    }
    return Value::tuple(all({subscript.children.begin() + 1, subscript.children.end()}));
  }

  Value subscript(const Expr& expr) {
    Value object = evaluate(*expr.children[0]);
    return tensorGetItem(object.tensor(), index(expr), dispatch_);
  }

  Value slice(const Expr& expr) {
    auto object = std::make_shared<SliceObject>();
    Value* parts[] = {&object->start, &object->stop, &object->step};
    for (size_t i = 0; i < 3; ++i) {
      if (expr.children.size() > i && expr.children[i]) {
        *parts[i] = evaluate(*expr.children[i]);
      }
    }
    return Value(Value::Payload(std::move(object)));
  }

  Value unary(const Expr& expr) {
    Value operand = evaluate(*expr.children[0]);
    if (operand.isTensor()) {
      return tensorUnary(expr.text, operand, dispatch_);
    }
    if (auto* number = operand.maybe<int64_t>()) {
      return Value(Value::Payload(-*number));
    }
    return Value(Value::Payload(-operand.as<double>()));
  }

  static std::complex<double> toComplex(const Value& value) {
    if (auto* number = value.maybe<int64_t>()) {
      return static_cast<double>(*number);
    }
    return value.as<std::complex<double>>();
  }

  Value binary(const Expr& expr) {
    Value left = evaluate(*expr.children[0]);
    Value right = evaluate(*expr.children[1]);
    if (left.isTensor() || right.isTensor()) {
      return tensorBinary(expr.text, left, right, dispatch_);
    }
    const std::complex<double> sign = expr.text == "-" ? -1 : 1;
    return Value(Value::Payload(toComplex(left) + sign * toComplex(right))); // complex literals
  }

  Dispatch dispatch_;
};

} // namespace touchstone::graph
