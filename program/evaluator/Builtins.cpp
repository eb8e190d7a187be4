#include "program/evaluator/Builtins.h"

#include "program/semantics/Slices.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

// Python's builtin functions, and the methods of containers.

namespace touchstone::evaluator {

using namespace semantics;
namespace {

using Builtin = values::Value (*)(const Builtins&, const values::ValueList&);

[[noreturn]] void raiseCount(const std::string& name, size_t given) {
  values::raiseError("TypeError", "{}() takes exactly one argument ({} given)", name, given);
}

std::string stripped(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\n\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

// The number of a tensor of one element.
values::Value numberOf(const Builtins& in, const values::Value& tensor) {
  if (tensor.tensor().numel() != 1) {
    values::raiseError("ValueError", "only one element tensors can be converted to Python scalars");
  }
  return torch_names::callNamed(torch_names::NameSpace::kMethod, "item", {tensor}, {}, in.dispatch);
}

int64_t truncated(double value) {
  if (std::isnan(value)) {
    values::raiseError("ValueError", "cannot convert float NaN to integer");
  }
  if (std::isinf(value)) {
    values::raiseError("OverflowError", "cannot convert float infinity to integer");
  }
  if (std::fabs(value) >= 9223372036854775808.0) {
    values::raiseError("OverflowError", "int({}) is beyond the 64 bits that a case's whole numbers have.", value);
  }
  return static_cast<int64_t>(value);
}

double realPart(const values::Value& number, const char* cppType) {
  if (const auto* value = number.maybe<std::complex<double>>()) {
    if (value->imag() != 0) {
      values::raiseError("RuntimeError", "value cannot be converted to type {} without overflow", cppType);
    }
    return value->real();
  }
  return complexOf(number).real();
}

values::Value builtinFloat(const Builtins& in, const values::ValueList& arguments) {
  if (arguments.empty()) {
    return floatValue(0);
  }
  const values::Value& value = arguments[0];
  if (const auto* text = value.maybe<std::string>()) {
    const std::string digits = stripped(*text);
    char* end = nullptr;
    const double number = std::strtod(digits.c_str(), &end);
    if (digits.empty() || *end != '\0' || digits.find_first_of("xXpP(") != std::string::npos) {
      values::raiseError("ValueError", "could not convert string to float: '{}'", *text);
    }
    return floatValue(number);
  }
  if (value.isTensor()) {
    return floatValue(realPart(numberOf(in, value), "double"));
  }
  if (value.isNumber() && !value.is<std::complex<double>>()) {
    return floatValue(complexOf(value).real());
  }
  values::raiseError("TypeError", "float() argument must be a string or a real number, not '{}'", value.typeName());
}

values::Value builtinInt(const Builtins& in, const values::ValueList& arguments) {
  if (arguments.empty()) {
    return intValue(0);
  }
  const values::Value value = arguments[0].isTensor() ? numberOf(in, arguments[0]) : arguments[0];
  if (const auto* text = value.maybe<std::string>()) {
    const std::string digits = stripped(*text);
    char* end = nullptr;
    const int64_t number = std::strtoll(digits.c_str(), &end, 10);
    if (digits.empty() || *end != '\0') {
      values::raiseError("ValueError", "invalid literal for int() with base 10: '{}'", *text);
    }
    return intValue(number);
  }
  if (value.is<bool>() || value.is<int64_t>()) {
    return intValue(indexOf(value, in.dispatch));
  }
  if (const auto* number = value.maybe<double>()) {
    return intValue(truncated(*number));
  }
  if (arguments[0].isTensor()) {
    return intValue(truncated(realPart(value, "int64_t")));
  }
  values::raiseError("TypeError", "int() argument must be a string, a bytes-like object or a real number, not '{}'",
                     value.typeName());
}

values::Value builtinComplex(const Builtins& in, const values::ValueList& arguments) {
  std::complex<double> parts[2];
  for (size_t i = 0; i < arguments.size() && i < 2; ++i) {
    const values::Value value = arguments[i].isTensor() ? numberOf(in, arguments[i]) : arguments[i];
    if (!value.isNumber()) {
      values::raiseError("TypeError", "complex() argument must be a number, not '{}'", value.typeName());
    }
    parts[i] = complexOf(value);
  }
  return values::Value(std::complex<double>(parts[0].real() - parts[1].imag(), parts[0].imag() + parts[1].real()));
}

values::Value builtinLength(const Builtins&, const values::ValueList& arguments) {
  if (arguments.size() != 1) {
    raiseCount("len", arguments.size());
  }
  const values::Value& value = arguments[0];
  if (const values::ValueList* items = value.items()) {
    return intValue(static_cast<int64_t>(items->size()));
  }
  if (value.isTensor()) {
    if (value.tensor().dim() == 0) {
      values::raiseError("TypeError", "len() of a 0-d tensor");
    }
    return intValue(value.tensor().size(0));
  }
  if (const auto* dict = value.maybe<values::DictPtr>()) {
    return intValue(static_cast<int64_t>((*dict)->entries.size()));
  }
  if (const auto* text = value.maybe<std::string>()) {
    return intValue(static_cast<int64_t>(text->size()));
  }
  values::raiseError("TypeError", "object of type '{}' has no len()", value.typeName());
}

values::Value extreme(const Builtins& in, const values::ValueList& arguments, const char* name,
                      const std::string& better) {
  if (arguments.empty()) {
    values::raiseError("TypeError", "{} expected at least 1 argument, got 0", name);
  }
  const values::ValueList items = arguments.size() == 1 ? in.containers.iterate(arguments[0]) : arguments;
  if (items.empty()) {
    values::raiseError("ValueError", "{}() arg is an empty sequence", name);
  }
  const values::Value* best = &items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    if (in.operators.truth(in.operators.compare(better, items[i], *best))) {
      best = &items[i];
    }
  }
  return *best;
}

values::Value builtinAbsolute(const Builtins& in, const values::ValueList& arguments) {
  if (arguments.size() != 1) {
    raiseCount("abs", arguments.size());
  }
  const values::Value& value = arguments[0];
  if (value.isTensor()) {
    return torch_names::callNamed(torch_names::NameSpace::kMethod, "abs", {value}, {}, in.dispatch);
  }
  if (const auto* number = value.maybe<std::complex<double>>()) {
    return floatValue(std::hypot(number->real(), number->imag()));
  }
  if (const auto* number = value.maybe<double>()) {
    return floatValue(std::fabs(*number));
  }
  if (value.isNumber()) {
    return compareNumbers(value, intValue(0)) < 0 ? numberUnary("-", value) : numberUnary("+", value);
  }
  values::raiseError("TypeError", "bad operand type for abs(): '{}'", value.typeName());
}

values::Value builtinRound(const Builtins& in, const values::ValueList& arguments) {
  if (arguments.empty() || arguments.size() > 2) {
    values::raiseError("TypeError", "round() takes 1 or 2 arguments ({} given)", arguments.size());
  }
  const values::Value& value = arguments[0];
  if (value.is<int64_t>() || value.is<bool>()) {
    return intValue(indexOf(value, in.dispatch));
  }
  if (!value.is<double>()) {
    values::raiseError("TypeError", "type {} doesn't define __round__ method", value.typeName());
  }
  const double number = value.as<double>();
  if (arguments.size() == 1 || arguments[1].isNone()) {
    return intValue(truncated(std::nearbyint(number)));
  }
  const int64_t digits = indexOf(arguments[1], in.dispatch);
  if (digits < 0 || digits > 100 || !std::isfinite(number)) {
    const double scale = std::pow(10.0, static_cast<double>(-digits));
    return floatValue(std::isfinite(number) && digits < 0 ? std::nearbyint(number / scale) * scale : number);
  }
  return floatValue(std::strtod(fmt::format("{:.{}f}", number, digits).c_str(), nullptr));
}

values::Value builtinSum(const Builtins& in, const values::ValueList& arguments) {
  if (arguments.empty()) {
    values::raiseError("TypeError", "sum() takes at least 1 positional argument (0 given)");
  }
  values::Value total = arguments.size() > 1 ? arguments[1] : intValue(0);
  for (const values::Value& item : in.containers.iterate(arguments[0])) {
    total = in.operators.binary("+", total, item);
  }
  return total;
}

const std::unordered_map<std::string, Builtin>& builtinTable() {
  static const std::unordered_map<std::string, Builtin> table = {
      {"abs", builtinAbsolute},
      {"bool",
       [](const Builtins& in, const values::ValueList& arguments) {
         return boolValue(!arguments.empty() && in.operators.truth(arguments[0]));
       }},
      {"complex", builtinComplex},
      {"float", builtinFloat},
      {"int", builtinInt},
      {"len", builtinLength},
      {"list",
       [](const Builtins& in, const values::ValueList& arguments) {
         return values::Value::list(arguments.empty() ? values::ValueList() : in.containers.iterate(arguments[0]));
       }},
      {"max", [](const Builtins& in, const values::ValueList& a) { return extreme(in, a, "max", ">"); }},
      {"min", [](const Builtins& in, const values::ValueList& a) { return extreme(in, a, "min", "<"); }},
      {"range",
       [](const Builtins& in, const values::ValueList& arguments) {
         const Range range = rangeOf(arguments, in.dispatch);
         in.limits.spend(range.count);
         values::ValueList items;
         for (int64_t i = 0; i < range.count; ++i) {
           items.push_back(intValue(range.start + i * range.step));
         }
         return values::Value::list(std::move(items));
       }},
      {"round", builtinRound},
      {"sum", builtinSum},
      {"tuple",
       [](const Builtins& in, const values::ValueList& arguments) {
         return values::Value::tuple(arguments.empty() ? values::ValueList() : in.containers.iterate(arguments[0]));
       }},
  };
  return table;
}

// The methods give nothing for a name, or a number of arguments, that there is not.
std::optional<values::Value> callListMethod(const Builtins& in, values::ValueList& items, const std::string& name,
                                            const values::ValueList& arguments) {
  const auto size = static_cast<int64_t>(items.size());
  if (name == "append") {
    if (arguments.size() != 1) {
      values::raiseError("TypeError", "list.append() takes exactly one argument ({} given)", arguments.size());
    }
    in.limits.spend(arguments[0]);
    items.push_back(arguments[0]);
  } else if (name == "extend" && arguments.size() == 1) {
    values::ValueList added = in.containers.iterate(arguments[0]);
    in.limits.spend(added);
    items.insert(items.end(), added.begin(), added.end());
  } else if (name == "insert" && arguments.size() == 2) {
    const int64_t index = indexOf(arguments[0], in.dispatch);
    in.limits.spend(arguments[1]);
    in.limits.spend(size / Limits::kMovedPerElement);
    items.insert(items.begin() + std::clamp<int64_t>(index < 0 ? index + size : index, 0, size), arguments[1]);
  } else if (name == "pop" && arguments.size() <= 1) {
    if (size == 0) {
      values::raiseError("IndexError", "pop from empty list");
    }
    const int64_t given = arguments.empty() ? -1 : indexOf(arguments[0], in.dispatch);
    const int64_t index = given < 0 ? given + size : given;
    if (index < 0 || index >= size) {
      values::raiseError("IndexError", "pop index out of range");
    }
    in.limits.spend((size - index) / Limits::kMovedPerElement);
    values::Value taken = items[index];
    items.erase(items.begin() + index);
    return taken;
  } else if (name == "reverse" && arguments.empty()) {
    in.limits.spend(size);
    std::reverse(items.begin(), items.end());
  } else if (name == "clear" && arguments.empty()) {
    items.clear();
  } else if (name == "copy" && arguments.empty()) {
    in.limits.spend(items);
    return values::Value::list(items);
  } else {
    return std::nullopt;
  }
  return values::Value();
}

std::optional<values::Value> callDictMethod(const Builtins& in, const values::DictObject& dict, const std::string& name,
                                            const values::ValueList& arguments) {
  in.limits.spend(static_cast<int64_t>(dict.entries.size()));
  if (name == "keys" || name == "values" || name == "items") {
    values::ValueList result;
    for (const auto& [key, value] : dict.entries) {
      result.push_back(name == "keys"     ? textValue(key)
                       : name == "values" ? value
                                          : values::Value::tuple({textValue(key), value}));
    }
    return values::Value::list(std::move(result));
  }
  if (name == "get" && (arguments.size() == 1 || arguments.size() == 2)) {
    for (const auto& [key, value] : dict.entries) {
      if (arguments[0].is<std::string>() && key == arguments[0].as<std::string>()) {
        return value;
      }
    }
    return arguments.size() == 2 ? arguments[1] : values::Value();
  }
  return std::nullopt;
}

} // namespace

bool isBuiltinFunction(const std::string& name) {
  return name == "print" || builtinTable().contains(name);
}

values::Value Builtins::call(const std::string& name, const values::ValueList& positional,
                             const torch_names::KeywordList& keywords) {
  if (name == "print") {
    watchers.cannotCapture("print");
    return {}; // what a Program prints is not observed
  }
  if (!keywords.empty()) {
    values::raiseError("TypeError", "{}() takes no keyword arguments", name);
  }
  return builtinTable().at(name)(*this, positional);
}

values::Value Builtins::callMethod(const values::Value& object, const std::string& name,
                                   const values::ValueList& positional, const torch_names::KeywordList& keywords) {
  std::optional<values::Value> result;
  if (!keywords.empty()) {
    // none of them takes any
  } else if (const auto* list = object.maybe<values::ListPtr>()) {
    result = callListMethod(*this, (*list)->items, name, positional);
  } else if (const auto* dict = object.maybe<values::DictPtr>()) {
    result = callDictMethod(*this, **dict, name, positional);
  } else if (isSize(object) && name == "numel") {
    int64_t product = 1;
    for (const values::Value& size : *object.items()) {
      product *= indexOf(size, dispatch);
    }
    result = intValue(product);
  }
  if (result) {
    return std::move(*result);
  }
  // A readable attribute that is called, or one that is not there.
  values::raiseError("TypeError", "'{}' object is not callable", attributes.get(object, name).typeName());
}

} // namespace touchstone::evaluator
