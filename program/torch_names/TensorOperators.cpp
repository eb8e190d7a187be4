#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"
#include "program/values/RaiseError.h"
#include "program/values/RaisedException.h"

#include <c10/util/Exception.h>

#include <optional>
#include <unordered_map>

namespace touchstone::torch_names {
namespace {

/// One of Python's binary operators on tensors, after `torch/_tensor.py` and the table at the end of
/// `tools/autograd/templates/python_variable_methods.cpp`.
struct BinaryOperator {
  const char* method; // of the left operand
  const char* reflectedFunction; // torch.NAME(left, right) where the tensor is on the right; null: reflectedMethod
  const char* reflectedMethod; // right.NAME(left)
  const char* inPlace; // null: Python falls back to the binary operator
};

const std::unordered_map<std::string_view, BinaryOperator>& binaryOperators() {
  static const std::unordered_map<std::string_view, BinaryOperator> operators = {
      {"+", {"add", nullptr, "add", "add_"}},
      {"-", {"sub", nullptr, nullptr, "sub_"}}, // __rsub__: rsub(self, other)
      {"*", {"mul", nullptr, "mul", "mul_"}},
      {"/", {"div", nullptr, nullptr, "div_"}}, // __rdiv__: self.reciprocal() * other
      {"//", {"floor_divide", "floor_divide", nullptr, "floor_divide_"}},
      {"%", {"remainder", "remainder", nullptr, "remainder_"}},
      {"**", {"pow", "pow", nullptr, "pow_"}},
      {"@", {"matmul", "matmul", nullptr, nullptr}},
      {"&", {"__and__", nullptr, "bitwise_and", "__iand__"}},
      {"|", {"__or__", nullptr, "bitwise_or", "__ior__"}},
      {"^", {"__xor__", nullptr, "bitwise_xor", "__ixor__"}},
      {"<<", {"__lshift__", "bitwise_left_shift", nullptr, "__ilshift__"}},
      {">>", {"__rshift__", "bitwise_right_shift", nullptr, "__irshift__"}},
      {"==", {"eq", nullptr, "eq", nullptr}},
      {"!=", {"ne", nullptr, "ne", nullptr}},
      {"<", {"lt", nullptr, "gt", nullptr}},
      {"<=", {"le", nullptr, "ge", nullptr}},
      {">", {"gt", nullptr, "lt", nullptr}},
      {">=", {"ge", nullptr, "le", nullptr}},
  };
  return operators;
}

const BinaryOperator& findBinary(const std::string& op) {
  auto found = binaryOperators().find(op);
  if (found == binaryOperators().end()) {
    values::raiseError("TypeError", "`{}` is not an operator of tensors", op);
  }
  return found->second;
}

values::Value callTable(TableSpace space, const char* name, c10::ArrayRef<values::Value> operands,
                        const Dispatch& dispatch) {
  static const KeywordList none;
  const SignatureGroup* group = findSignatures(space, name);
  TORCH_INTERNAL_ASSERT(group, "the signature table has no `", name, "`");
  if (group->isMethod) {
    return callGroup(*group, &operands[0], operands.slice(1), none, dispatch);
  }
  return callGroup(*group, nullptr, operands, none, dispatch);
}

// A TypeError, raised by us or by an operator, is NotImplemented to Python's protocol.
template <class Call>
std::optional<values::Value> unlessNotImplemented(const Call& call) {
  try {
    return call();
  } catch (const values::RaisedException& error) {
    if (error.type() != "TypeError") {
      throw;
    }
  } catch (const c10::TypeError&) {
  }
  return std::nullopt;
}

values::Value callReflected(const std::string& op, const BinaryOperator& entry, const values::Value& left,
                            const values::Value& right, const Dispatch& dispatch) {
  if (entry.reflectedMethod) {
    return callTable(TableSpace::kMethod, entry.reflectedMethod, {right, left}, dispatch);
  }
  if (entry.reflectedFunction) {
    return callTable(TableSpace::kTorch, entry.reflectedFunction, {left, right}, dispatch);
  }
  if (op == "-") {
    return callTable(TableSpace::kTorch, "rsub", {right, left}, dispatch);
  }
  values::Value reciprocal = callTable(TableSpace::kMethod, "reciprocal", {right}, dispatch);
  return tensorBinary("*", reciprocal, left, dispatch);
}

bool isOrdering(const std::string& op) {
  return op == "<" || op == "<=" || op == ">" || op == ">=";
}

} // namespace

void raiseUnsupported(const std::string& op, const values::Value& left, const values::Value& right) {
  if (isOrdering(op)) {
    values::raiseError("TypeError", "'{}' not supported between instances of '{}' and '{}'", op, left.typeName(),
                       right.typeName());
  }
  values::raiseError("TypeError", "unsupported operand type(s) for {}: '{}' and '{}'", op == "**" ? "** or pow()" : op,
                     left.typeName(), right.typeName());
}

values::Value tensorBinary(const std::string& op, const values::Value& left, const values::Value& right,
                           const Dispatch& dispatch) {
  const BinaryOperator& entry = findBinary(op);
  if (left.isTensor()) {
    if (auto result = unlessNotImplemented([&] {
          return callTable(TableSpace::kMethod, entry.method, {left, right}, dispatch);
        })) {
      return std::move(*result);
    }
  }
  // Two tensors are of one type, whose reflected method Python does not try after the method itself.
  const bool sameType = left.isTensor() && right.isTensor();
  const bool triesReflected = right.isTensor() && (!sameType || isOrdering(op) || op == "==" || op == "!=");
  if (triesReflected) {
    if (auto result = unlessNotImplemented([&] { return callReflected(op, entry, left, right, dispatch); })) {
      return std::move(*result);
    }
  }
  if (op == "==" || op == "!=") {
    // Python's last resort is identity.
    const bool same = sameType && left.tensor().is_same(right.tensor());
    return flag(same == (op == "=="));
  }
  raiseUnsupported(op, left, right);
}

values::Value tensorUnary(const std::string& op, const values::Value& operand, const Dispatch& dispatch) {
  const char* method = op == "-" ? "neg" : op == "+" ? "positive" : op == "~" ? "bitwise_not" : nullptr;
  if (!method) {
    values::raiseError("TypeError", "bad operand type for unary {}: 'Tensor'", op);
  }
  if (op == "~" && !at::isIntegralType(operand.tensor().scalar_type(), /*includeBool=*/true)) {
    values::raiseError("TypeError", "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
  }
  return callTable(TableSpace::kMethod, method, {operand}, dispatch);
}

values::Value tensorAugmented(const std::string& op, const values::Value& target, const values::Value& value,
                              const Dispatch& dispatch) {
  const BinaryOperator& entry = findBinary(op);
  if (target.isTensor() && entry.inPlace) {
    if (auto result = unlessNotImplemented([&] {
          return callTable(TableSpace::kMethod, entry.inPlace, {target, value}, dispatch);
        })) {
      return std::move(*result);
    }
  }
  try {
    return tensorBinary(op, target, value, dispatch);
  } catch (const values::RaisedException& error) {
    const std::string usual = fmt::format("for {}: ", op);
    const size_t at = error.message().find(usual);
    if (error.type() != "TypeError" || at == std::string::npos) {
      throw;
    }
    std::string message = error.message();
    values::raiseError("TypeError", message.replace(at, usual.size(), fmt::format("for {}=: ", op)));
  }
}

} // namespace touchstone::torch_names
