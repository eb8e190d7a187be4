#include "program/evaluator/Operators.h"

#include "program/semantics/Numbers.h"
#include "program/semantics/Slices.h"
#include "program/values/RaiseError.h"

#include <algorithm>

// Python's operators on values that are not tensors, and the choice between them and the tensor part.

namespace touchstone::evaluator {

using namespace semantics;

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

template <class T>
bool holdSame(const values::Value& left, const values::Value& right) {
  const T* held = left.maybe<T>();
  const T* other = right.maybe<T>();
  return held && other && *held == *other;
}

bool sameObject(const values::Value& left, const values::Value& right) {
  if (left.isTensor() && right.isTensor()) {
    return left.tensor().is_same(right.tensor());
  }
  return holdSame<values::ListPtr>(left, right) || holdSame<values::TuplePtr>(left, right) ||
         holdSame<values::DictPtr>(left, right) || holdSame<values::ModulePtr>(left, right) ||
         holdSame<values::FunctionPtr>(left, right);
}

// `is`: constants are one object each; equal numbers and strings count as one, as they are in the interpreter for what
// is written in the file.
bool identical(const values::Value& left, const values::Value& right) {
  if (sameObject(left, right) || holdSame<std::string>(left, right) || holdSame<at::ScalarType>(left, right) ||
      holdSame<at::Layout>(left, right) || holdSame<at::MemoryFormat>(left, right)) {
    return true;
  }
  return left.payload().index() == right.payload().index() &&
         (left.isNumber() ? equalNumbers(left, right) : left.isNone() || left.is<values::EllipsisValue>());
}

bool isSequence(const values::Value& value) {
  return value.items() || value.is<std::string>();
}

bool orderHolds(const std::string& op, int order) {
  if (order == 2) {
    return false;
  }
  return op == "<" ? order < 0 : op == "<=" ? order <= 0 : op == ">" ? order > 0 : order >= 0;
}

bool isReal(const values::Value& value) {
  return value.isNumber() && !value.is<std::complex<double>>();
}

} // namespace

bool Operators::truth(const values::Value& value) {
  if (const auto* flag = value.maybe<bool>()) {
    return *flag;
  }
  if (value.isTensor()) {
    return torch_names::callNamed(torch_names::NameSpace::kMethod, "is_nonzero", {value}, {}, dispatch_).as<bool>();
  }
  if (value.isNumber()) {
    watchers_.usesIntegers("!=", value, intValue(0));
    return complexOf(value) != std::complex<double>(0, 0);
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
  return !value.isNone();
}

bool Operators::equal(const values::Value& left, const values::Value& right) {
  watchers_.readsIdentity();
  watchers_.usesIntegers("==", left, right);
  return sameObject(left, right) || truth(compare("==", left, right));
}

bool Operators::sameItems(const values::ValueList& left, const values::ValueList& right) {
  bool same = left.size() == right.size();
  for (size_t i = 0; same && i < left.size(); ++i) {
    same = equal(left[i], right[i]);
  }
  return same;
}

bool Operators::sameEntries(const values::DictObject& left, const values::DictObject& right) {
  bool same = left.entries.size() == right.entries.size();
  for (size_t i = 0; same && i < left.entries.size(); ++i) {
    const auto other = std::find_if(right.entries.begin(), right.entries.end(),
                                    [&](const auto& entry) { return entry.first == left.entries[i].first; });
    same = other != right.entries.end() && equal(left.entries[i].second, other->second);
  }
  return same;
}

bool Operators::isEqual(const values::Value& left, const values::Value& right) {
  if (left.isNumber() && right.isNumber()) {
    return equalNumbers(left, right);
  }
  if (left.items() && left.payload().index() == right.payload().index()) {
    return sameItems(*left.items(), *right.items());
  }
  if (left.is<values::DictPtr>() && right.is<values::DictPtr>()) {
    return sameEntries(*left.as<values::DictPtr>(), *right.as<values::DictPtr>());
  }
  return holdSame<at::Device>(left, right) || identical(left, right);
}

values::Value Operators::compare(const std::string& op, const values::Value& left, const values::Value& right) {
  if (left.isTensor() && right.isTensor() && parameters_.contain(right.tensor()) &&
      !parameters_.contain(left.tensor())) {
    return torch_names::tensorBinary(reflected(op), right, left, dispatch_); // an operand of a subclass comes first
  }
  if (left.isTensor() || right.isTensor()) {
    return torch_names::tensorBinary(op, left, right, dispatch_);
  }
  const DepthScope scope(limits_);
  limits_.spend(1);
  watchers_.usesIntegers(op, left, right);
  if (op == "=="sv || op == "!="sv) {
    return boolValue(isEqual(left, right) == (op == "=="sv));
  }
  if (isReal(left) && isReal(right)) {
    return boolValue(orderHolds(op, compareNumbers(left, right)));
  }
  if (left.is<std::string>() && right.is<std::string>()) {
    return boolValue(orderHolds(op, left.as<std::string>().compare(right.as<std::string>())));
  }
  if (left.items() && left.payload().index() == right.payload().index()) {
    const values::ValueList& a = *left.items();
    const values::ValueList& b = *right.items();
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
      if (!equal(a[i], b[i])) {
        return compare(op, a[i], b[i]);
      }
    }
    return boolValue(orderHolds(op, a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0));
  }
  torch_names::raiseUnsupported(op, left, right);
}

bool Operators::contains(const values::Value& container, const values::Value& item) {
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
    return key && std::any_of((*dict)->entries.begin(), (*dict)->entries.end(),
                              [&](const auto& entry) { return entry.first == *key; });
  }
  if (const auto* text = container.maybe<std::string>()) {
    if (!item.is<std::string>()) {
      values::raiseError("TypeError", "'in <string>' requires string as left operand, not {}", item.typeName());
    }
    return text->find(item.as<std::string>()) != std::string::npos;
  }
  if (container.isTensor()) {
    if (!item.isTensor() && !item.isNumber()) {
      values::raiseError("RuntimeError",
                         "Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class '{}'>.",
                         item.typeName());
    }
    const values::Value matches = torch_names::tensorBinary("==", item.isTensor() ? item : container,
                                                            item.isTensor() ? container : item, dispatch_);
    const auto method = [&](const char* name, const values::Value& tensor) {
      return torch_names::callNamed(torch_names::NameSpace::kMethod, name, {tensor}, {}, dispatch_);
    };
    return truth(method("item", method("any", matches)));
  }
  values::raiseError("TypeError", "argument of type '{}' is not iterable", container.typeName());
}

values::Value Operators::repeated(const values::Value& sequence, int64_t times) {
  if (const auto* piece = sequence.maybe<std::string>()) {
    limits_.checkText(piece->size(), times);
    std::string text;
    for (int64_t i = 0; i < times && !piece->empty(); ++i) {
      text += *piece;
    }
    return textValue(std::move(text));
  }
  const values::ValueList& items = *sequence.items();
  times = items.empty() || times < 0 ? 0 : times;
  limits_.spend(items, times);
  values::ValueList result;
  for (int64_t i = 0; i < times; ++i) {
    result.insert(result.end(), items.begin(), items.end());
  }
  return sequence.is<values::ListPtr>() ? values::Value::list(std::move(result))
                                        : tupleOf(std::move(result), isSize(sequence));
}

values::Value Operators::concatenated(const values::Value& left, const values::Value& right) {
  if (left.payload().index() != right.payload().index()) {
    values::raiseError(
        "TypeError",
        isSize(left) ? fmt::format("can only concatenate tuple (not {}) to torch.Size", right.typeName())
                     : fmt::format("can only concatenate {0} (not \"{1}\") to {0}", left.typeName(), right.typeName()));
  }
  if (const auto* text = left.maybe<std::string>()) {
    limits_.checkText(text->size() + right.as<std::string>().size());
    return textValue(*text + right.as<std::string>());
  }
  limits_.spend(*left.items());
  limits_.spend(*right.items());
  values::ValueList items = *left.items();
  items.insert(items.end(), right.items()->begin(), right.items()->end());
  return left.is<values::ListPtr>() ? values::Value::list(std::move(items))
                                    : tupleOf(std::move(items), isSize(left) || isSize(right));
}

values::Value Operators::binary(const std::string& op, const values::Value& left, const values::Value& right) {
  if (op == "is"sv || op == "is not"sv) {
    watchers_.readsIdentity();
    return boolValue(identical(left, right) == (op == "is"sv));
  }
  if (op == "in"sv || op == "not in"sv) {
    return boolValue(contains(right, left) == (op == "in"sv));
  }
  if (isComparison(op)) {
    return compare(op, left, right);
  }
  if (left.isTensor() || right.isTensor()) {
    const bool besideSequence = !left.isTensor() && isSequence(left);
    if (besideSequence && op == "*"sv) {
      return binary(op, left, intValue(indexOf(right, dispatch_)));
    }
    if (!besideSequence || op != "+"sv) {
      limits_.spendOnArguments({left, right}, {});
      return torch_names::tensorBinary(op, left, right, dispatch_);
    }
  }
  if (left.isNumber() && right.isNumber()) {
    watchers_.usesIntegers(op, left, right);
    return numberBinary(op, left, right);
  }
  if (op == "+"sv && isSequence(left)) {
    return concatenated(left, right);
  }
  if (op == "*"sv) {
    const values::Value& sequence = isSequence(left) ? left : right;
    const values::Value& count = isSequence(left) ? right : left;
    if (isSequence(sequence) && (count.is<int64_t>() || count.is<bool>())) {
      return repeated(sequence, indexOf(count, dispatch_));
    }
  }
  torch_names::raiseUnsupported(op, left, right);
}

values::Value Operators::unary(const std::string& op, const values::Value& operand) {
  if (op == "not"sv) {
    return boolValue(!truth(operand));
  }
  if (operand.isTensor()) {
    return torch_names::tensorUnary(op, operand, dispatch_);
  }
  return numberUnary(op, operand);
}

values::Value Operators::augmented(const std::string& op, const values::Value& target, const values::Value& value) {
  if (target.isTensor()) {
    return torch_names::tensorAugmented(op, target, value, dispatch_);
  }
  if (const auto* list = target.maybe<values::ListPtr>()) {
    if (op == "+"sv) {
      values::ValueList added = containers_.iterate(value);
      limits_.spend(added);
      (*list)->items.insert((*list)->items.end(), added.begin(), added.end());
      return target;
    }
    if (op == "*"sv && !value.isTensor()) {
      (*list)->items = *binary(op, target, value).items();
      return target;
    }
  }
  if (target.isNumber() && value.isNumber() && op == "@"sv) {
    torch_names::raiseUnsupported("@=", target, value);
  }
  return binary(op, target, value);
}

} // namespace touchstone::evaluator
