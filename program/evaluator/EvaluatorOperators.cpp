#include "program/evaluator/EvaluatorState.h"

#include <fmt/format.h>

#include <algorithm>

// Python's operators on values that are not tensors, and the choice between them and the tensor part.

namespace touchstone::evaluator {

using namespace std::string_view_literals; // their sizes are compared first

namespace {

bool isComparison(const std::string& op) {
  return op == "=="sv || op == "!="sv || op == "<"sv || op == "<="sv || op == ">"sv || op == ">="sv;
}

/// What Python asks the right operand for.
std::string reflected(const std::string& comparison) {
  std::string result = comparison;
  if (result[0] == '<' || result[0] == '>') {
    result[0] = result[0] == '<' ? '>' : '<';
  }
  return result;
}

bool isSize(const values::Value& value) {
  const auto* tuple = value.maybe<values::TuplePtr>();
  return tuple && (*tuple)->isSize;
}

bool sameObject(const values::Value& left, const values::Value& right) {
  if (left.payload().index() != right.payload().index()) {
    return false;
  }
  if (left.isTensor()) {
    return left.tensor().is_same(right.tensor());
  }
  if (const auto* list = left.maybe<values::ListPtr>()) {
    return *list == right.as<values::ListPtr>();
  }
  if (const auto* tuple = left.maybe<values::TuplePtr>()) {
    return *tuple == right.as<values::TuplePtr>();
  }
  if (const auto* dict = left.maybe<values::DictPtr>()) {
    return *dict == right.as<values::DictPtr>();
  }
  if (const auto* module = left.maybe<values::ModulePtr>()) {
    return *module == right.as<values::ModulePtr>();
  }
  return false;
}

// `is`: constants are one object each; equal numbers and strings count as one, as they are in the interpreter for what
// is written in the file.
bool identical(const values::Value& left, const values::Value& right) {
  if (sameObject(left, right)) {
    return true;
  }
  if (left.payload().index() != right.payload().index()) {
    return false;
  }
  if (left.isNumber()) {
    return equalNumbers(left, right);
  }
  if (const auto* text = left.maybe<std::string>()) {
    return *text == right.as<std::string>();
  }
  if (const auto* dtype = left.maybe<at::ScalarType>()) {
    return *dtype == right.as<at::ScalarType>();
  }
  if (const auto* layout = left.maybe<at::Layout>()) {
    return *layout == right.as<at::Layout>();
  }
  if (const auto* format = left.maybe<at::MemoryFormat>()) {
    return *format == right.as<at::MemoryFormat>();
  }
  return left.isNone() || left.is<values::EllipsisValue>();
}

values::Value repeated(Evaluator::State& state, const values::Value& sequence, int64_t times) {
  const values::ValueList& items = *sequence.items();
  times = items.empty() || times < 0 ? 0 : times;
  state.spend(items, times);
  values::ValueList result;
  for (int64_t i = 0; i < times; ++i) {
    result.insert(result.end(), items.begin(), items.end());
  }
  if (sequence.is<values::ListPtr>()) {
    return values::Value::list(std::move(result));
  }
  values::Value value = values::Value::tuple(std::move(result));
  value.as<values::TuplePtr>()->isSize = isSize(sequence);
  return value;
}

values::Value concatenated(Evaluator::State& state, const values::Value& left, const values::Value& right) {
  state.spend(*left.items());
  state.spend(*right.items());
  values::ValueList items = *left.items();
  items.insert(items.end(), right.items()->begin(), right.items()->end());
  if (left.is<values::ListPtr>()) {
    return values::Value::list(std::move(items));
  }
  values::Value value = values::Value::tuple(std::move(items));
  value.as<values::TuplePtr>()->isSize = isSize(left) || isSize(right);
  return value;
}

bool orderHolds(const std::string& op, int order) {
  if (order == 2) {
    return false;
  }
  return op == "<" ? order < 0 : op == "<=" ? order <= 0 : op == ">" ? order > 0 : order >= 0;
}

} // namespace

bool Evaluator::State::truth(const values::Value& value) {
  if (const auto* flag = value.maybe<bool>()) {
    return *flag;
  }
  if (value.isTensor()) {
    return torch_names::callNamed(torch_names::NameSpace::kMethod, "is_nonzero", {value}, {}, dispatch).as<bool>();
  }
  if (value.isNone()) {
    return false;
  }
  if (const auto* number = value.maybe<int64_t>()) {
    return *number != 0;
  }
  if (const auto* number = value.maybe<double>()) {
    return *number != 0;
  }
  if (const auto* number = value.maybe<std::complex<double>>()) {
    return *number != std::complex<double>(0, 0);
  }
  if (const auto* text = value.maybe<std::string>()) {
    return !text->empty();
  }
  if (const values::ValueList* items = value.items()) {
    return !items->empty();
  }
  if (const auto* dict = value.maybe<values::DictPtr>()) {
    return !(*dict)->entries.empty();
  }
  return true;
}

bool Evaluator::State::equal(const values::Value& left, const values::Value& right) {
  readsIdentity();
  return sameObject(left, right) || truth(compare("==", left, right));
}

values::Value Evaluator::State::compare(const std::string& op, const values::Value& left, const values::Value& right) {
  if (left.isTensor() && right.isTensor() && isParameter(right.tensor()) && !isParameter(left.tensor())) {
    return torch_names::tensorBinary(reflected(op), right, left, dispatch); // an operand of a subclass comes first
  }
  if (left.isTensor() || right.isTensor()) {
    return torch_names::tensorBinary(op, left, right, dispatch);
  }
  const DepthScope scope(depth);
  spend(1);
  const bool wantsEqual = op == "==";
  auto answer = [](bool value) { return values::Value(values::Value::Payload(value)); };
  if (wantsEqual || op == "!=") {
    bool same = false;
    if (left.isNumber() && right.isNumber()) {
      same = equalNumbers(left, right);
    } else if (left.items() && left.payload().index() == right.payload().index()) {
      const values::ValueList& a = *left.items();
      const values::ValueList& b = *right.items();
      same = a.size() == b.size();
      for (size_t i = 0; same && i < a.size(); ++i) {
        same = equal(a[i], b[i]);
      }
    } else if (left.is<values::DictPtr>() && right.is<values::DictPtr>()) {
      const auto& a = left.as<values::DictPtr>()->entries;
      const auto& b = right.as<values::DictPtr>()->entries;
      same = a.size() == b.size();
      for (size_t i = 0; same && i < a.size(); ++i) {
        auto other = std::find_if(b.begin(), b.end(), [&](const auto& entry) { return entry.first == a[i].first; });
        same = other != b.end() && equal(a[i].second, other->second);
      }
    } else if (left.is<at::Device>() && right.is<at::Device>()) {
      same = left.as<at::Device>() == right.as<at::Device>();
    } else {
      same = identical(left, right);
    }
    return answer(same == wantsEqual);
  }
  const bool areReal =
      left.isNumber() && right.isNumber() && !left.is<std::complex<double>>() && !right.is<std::complex<double>>();
  if (areReal) {
    return answer(orderHolds(op, compareNumbers(left, right)));
  }
  if (left.is<std::string>() && right.is<std::string>()) {
    return answer(orderHolds(op, left.as<std::string>().compare(right.as<std::string>())));
  }
  if (left.items() && left.payload().index() == right.payload().index()) {
    const values::ValueList& a = *left.items();
    const values::ValueList& b = *right.items();
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
      if (!equal(a[i], b[i])) {
        return compare(op, a[i], b[i]);
      }
    }
    return answer(orderHolds(op, a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0));
  }
  raiseError("TypeError", fmt::format("'{}' not supported between instances of '{}' and '{}'", op, left.typeName(),
                                      right.typeName()));
}

bool Evaluator::State::contains(const values::Value& container, const values::Value& item) {
  if (const values::ValueList* items = container.items()) {
    for (size_t i = 0; i < items->size(); ++i) {
      if (equal((*items)[i], item)) {
        return true;
      }
    }
    return false;
  }
  if (const auto* dict = container.maybe<values::DictPtr>()) {
    const auto* key = item.maybe<std::string>();
    for (const auto& entry : (*dict)->entries) {
      if (key && entry.first == *key) {
        return true;
      }
    }
    return false;
  }
  if (const auto* text = container.maybe<std::string>()) {
    if (!item.is<std::string>()) {
      raiseError("TypeError", fmt::format("'in <string>' requires string as left operand, not {}", item.typeName()));
    }
    return text->find(item.as<std::string>()) != std::string::npos;
  }
  if (container.isTensor()) {
    if (!item.isTensor() && !item.isNumber()) {
      raiseError("RuntimeError",
                 fmt::format("Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class '{}'>.",
                             item.typeName()));
    }
    const values::Value matches = torch_names::tensorBinary("==", item.isTensor() ? item : container,
                                                            item.isTensor() ? container : item, dispatch);
    return truth(torch_names::callNamed(
        torch_names::NameSpace::kMethod, "item",
        {torch_names::callNamed(torch_names::NameSpace::kMethod, "any", {matches}, {}, dispatch)}, {}, dispatch));
  }
  raiseError("TypeError", fmt::format("argument of type '{}' is not iterable", container.typeName()));
}

values::Value Evaluator::State::binary(const std::string& op, const values::Value& left, const values::Value& right) {
  if (op == "is"sv || op == "is not"sv) {
    readsIdentity();
    return values::Value(values::Value::Payload(identical(left, right) == (op == "is"sv)));
  }
  if (op == "in"sv || op == "not in"sv) {
    return values::Value(values::Value::Payload(contains(right, left) == (op == "in"sv)));
  }
  if (isComparison(op)) {
    return compare(op, left, right);
  }
  if (left.isTensor() || right.isTensor()) {
    const values::Value& other = left.isTensor() ? right : left;
    const bool isSequence = other.items() || other.is<std::string>();
    if (!left.isTensor() && isSequence && op == "*"sv) {
      return binary(op, left, values::Value(values::Value::Payload(indexOf(right))));
    }
    if (left.isTensor() || !isSequence || op != "+"sv) {
      spendOnArguments({left, right}, {});
      return torch_names::tensorBinary(op, left, right, dispatch);
    }
  }
  if (left.isNumber() && right.isNumber()) {
    return numberBinary(op, left, right);
  }
  if (op == "+"sv) {
    if (left.is<values::ListPtr>()) {
      if (right.is<values::ListPtr>()) {
        return concatenated(*this, left, right);
      }
      raiseError("TypeError", fmt::format("can only concatenate list (not \"{}\") to list", right.typeName()));
    }
    if (left.is<values::TuplePtr>()) {
      if (right.is<values::TuplePtr>()) {
        return concatenated(*this, left, right);
      }
      raiseError("TypeError", isSize(left)
                                  ? fmt::format("can only concatenate tuple (not {}) to torch.Size", right.typeName())
                                  : fmt::format("can only concatenate tuple (not \"{}\") to tuple", right.typeName()));
    }
    if (left.is<std::string>()) {
      if (right.is<std::string>()) {
        checkText(left.as<std::string>().size() + right.as<std::string>().size());
        return values::Value(values::Value::Payload(left.as<std::string>() + right.as<std::string>()));
      }
      raiseError("TypeError", fmt::format("can only concatenate str (not \"{}\") to str", right.typeName()));
    }
  }
  if (op == "*") {
    const bool isLeft = left.items() || left.is<std::string>();
    const values::Value& sequence = isLeft ? left : right;
    const values::Value& count = isLeft ? right : left;
    if ((sequence.items() || sequence.is<std::string>()) && (count.is<int64_t>() || count.is<bool>())) {
      const int64_t times = indexOf(count);
      if (sequence.items()) {
        return repeated(*this, sequence, times);
      }
      std::string text;
      checkText(sequence.as<std::string>().size(), times);
      for (int64_t i = 0; i < times && !sequence.as<std::string>().empty(); ++i) {
        text += sequence.as<std::string>();
      }
      return values::Value(values::Value::Payload(std::move(text)));
    }
  }
  raiseUnsupported(op, left, right);
}

values::Value Evaluator::State::unary(const std::string& op, const values::Value& operand) {
  if (op == "not") {
    return values::Value(values::Value::Payload(!truth(operand)));
  }
  if (operand.isTensor()) {
    return torch_names::tensorUnary(op, operand, dispatch);
  }
  if (operand.isNumber()) {
    return numberUnary(op, operand);
  }
  raiseError("TypeError", fmt::format("bad operand type for unary {}: '{}'", op, operand.typeName()));
}

values::Value Evaluator::State::augmented(const std::string& op, const values::Value& target,
                                          const values::Value& value) {
  if (target.isTensor()) {
    return torch_names::tensorAugmented(op, target, value, dispatch);
  }
  if (const auto* list = target.maybe<values::ListPtr>()) {
    if (op == "+") {
      values::ValueList added = iterate(value);
      spend(added);
      (*list)->items.insert((*list)->items.end(), added.begin(), added.end());
      return target;
    }
    if (op == "*" && !value.isTensor()) {
      (*list)->items = *binary(op, target, value).items();
      return target;
    }
  }
  if (target.isNumber() && value.isNumber() && op == "@") {
    raiseUnsupported("@=", target, value);
  }
  return binary(op, target, value);
}

} // namespace touchstone::evaluator
