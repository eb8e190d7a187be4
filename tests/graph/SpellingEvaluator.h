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

namespace touchstone::tests {

/// Just enough of Python to evaluate one spelling by way of NameResolver, without the Evaluator.
class SpellingEvaluator {
 public:
  explicit SpellingEvaluator(torch_names::Dispatch dispatch) : dispatch_(std::move(dispatch)) {}

  std::map<std::string, values::Value> variables;

  values::Value evaluate(const language::Expr& expr) {
    switch (expr.kind) {
      case language::ExprKind::kName: return variables.at(expr.text);
      case language::ExprKind::kInt:
        return values::Value(values::Value::Payload(static_cast<int64_t>(std::stoll(expr.text))));
      case language::ExprKind::kFloat: return values::Value(values::Value::Payload(std::stod(expr.text)));
      case language::ExprKind::kImaginary:
        return values::Value(values::Value::Payload(std::complex<double>(0, std::stod(expr.text))));
      case language::ExprKind::kString: return values::Value(values::Value::Payload(expr.text));
      case language::ExprKind::kTrue: return values::Value(values::Value::Payload(true));
      case language::ExprKind::kFalse: return values::Value(values::Value::Payload(false));
      case language::ExprKind::kNone: return values::Value();
      case language::ExprKind::kEllipsis: return values::Value(values::Value::Payload(values::EllipsisValue{}));
      case language::ExprKind::kAttribute: return constant(dotted(expr).value_or(""));
      case language::ExprKind::kCall: return call(expr);
      case language::ExprKind::kSubscript: return subscript(expr);
      case language::ExprKind::kSlice: return slice(expr);
      case language::ExprKind::kList: return values::Value::list(all(expr.children));
      case language::ExprKind::kTuple: return values::Value::tuple(all(expr.children));
      case language::ExprKind::kUnary: return unary(expr);
      case language::ExprKind::kBinary: return binary(expr);
      default: throw std::logic_error("a spelling uses an expression that the test does not know");
    }
  }

  void assign(const language::Expr& target, const values::Value& value) {
    values::Value object = evaluate(*target.children[0]);
    torch_names::tensorSetItem(object.tensor(), index(target), value, dispatch_);
  }

 private:
  values::ValueList all(const std::vector<language::ExprPtr>& expressions) {
    values::ValueList values;
    for (const language::ExprPtr& expression : expressions) {
      values.push_back(evaluate(*expression));
    }
    return values;
  }

  // `torch.nn.functional.relu`; nothing when it begins with anything but `torch`.
  static std::optional<std::string> dotted(const language::Expr& expr) {
    if (expr.kind == language::ExprKind::kName) {
      return expr.text == "torch" ? std::optional(expr.text) : std::nullopt;
    }
    if (expr.kind != language::ExprKind::kAttribute) {
      return std::nullopt;
    }
    auto object = dotted(*expr.children[0]);
    return object ? std::optional(*object + "." + expr.text) : std::nullopt;
  }

  static values::Value constant(const std::string& name) {
    static const std::map<std::string, values::Value> constants = {
        {"torch.float64", values::Value(values::Value::Payload(at::kDouble))},
        {"torch.float32", values::Value(values::Value::Payload(at::kFloat))},
        {"torch.float16", values::Value(values::Value::Payload(at::kHalf))},
        {"torch.bfloat16", values::Value(values::Value::Payload(at::kBFloat16))},
        {"torch.int64", values::Value(values::Value::Payload(at::kLong))},
        {"torch.int32", values::Value(values::Value::Payload(at::kInt))},
        {"torch.uint8", values::Value(values::Value::Payload(at::kByte))},
        {"torch.contiguous_format", values::Value(values::Value::Payload(at::MemoryFormat::Contiguous))},
    };
    return constants.at(name);
  }

  values::Value call(const language::Expr& expr) {
    const language::Expr& callee = *expr.children[0];
    const size_t positionalCount = expr.children.size() - 1 - expr.keywords.size();
    values::ValueList positional;
    torch_names::KeywordList keywords;
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
      return torch_names::callNamed(torch_names::NameSpace::kMethod, callee.text, positional, keywords, dispatch_);
    }
    static const std::pair<const char*, torch_names::NameSpace> kPrefixes[] = {
        {"torch.nn.functional.", torch_names::NameSpace::kFunctional},
        {"torch.linalg.", torch_names::NameSpace::kLinalg},
        {"torch.fft.", torch_names::NameSpace::kFft},
        {"torch.special.", torch_names::NameSpace::kSpecial},
        {"torch.ops.aten.", torch_names::NameSpace::kAten},
        {"torch.", torch_names::NameSpace::kTorch},
    };
    for (const auto& [prefix, space] : kPrefixes) {
      if (path->starts_with(prefix)) {
        return torch_names::callNamed(space, path->substr(std::string(prefix).size()), positional, keywords, dispatch_);
      }
    }
    throw std::logic_error("no such callee: " + *path);
  }

  values::Value index(const language::Expr& subscript) {
    if (subscript.children.size() == 2) {
      return evaluate(*subscript.children[1]);
    }
    return values::Value::tuple(all({subscript.children.begin() + 1, subscript.children.end()}));
  }

  values::Value subscript(const language::Expr& expr) {
    values::Value object = evaluate(*expr.children[0]);
    return torch_names::tensorGetItem(object.tensor(), index(expr), dispatch_);
  }

  values::Value slice(const language::Expr& expr) {
    auto object = std::make_shared<values::SliceObject>();
    values::Value* parts[] = {&object->start, &object->stop, &object->step};
    for (size_t i = 0; i < 3; ++i) {
      if (expr.children.size() > i && expr.children[i]) {
        *parts[i] = evaluate(*expr.children[i]);
      }
    }
    return values::Value(values::Value::Payload(std::move(object)));
  }

  values::Value unary(const language::Expr& expr) {
    values::Value operand = evaluate(*expr.children[0]);
    if (operand.isTensor()) {
      return torch_names::tensorUnary(expr.text, operand, dispatch_);
    }
    if (auto* number = operand.maybe<int64_t>()) {
      return values::Value(values::Value::Payload(-*number));
    }
    return values::Value(values::Value::Payload(-operand.as<double>()));
  }

  static std::complex<double> toComplex(const values::Value& value) {
    if (auto* number = value.maybe<int64_t>()) {
      return static_cast<double>(*number);
    }
    return value.as<std::complex<double>>();
  }

  values::Value binary(const language::Expr& expr) {
    values::Value left = evaluate(*expr.children[0]);
    values::Value right = evaluate(*expr.children[1]);
    if (left.isTensor() || right.isTensor()) {
      return torch_names::tensorBinary(expr.text, left, right, dispatch_);
    }
    const std::complex<double> sign = expr.text == "-" ? -1 : 1;
    return values::Value(values::Value::Payload(toComplex(left) + sign * toComplex(right))); // complex literals
  }

  torch_names::Dispatch dispatch_;
};

} // namespace touchstone::tests
