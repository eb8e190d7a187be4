#include "program/evaluator/EvaluatorState.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

// Python's builtin functions, and the methods of containers.

namespace touchstone::evaluator {
namespace {

using Builtin = values::Value (*)(Evaluator::State&, const values::ValueList&);

[[noreturn]] void raiseCount(const std::string& name, size_t given) {
  raiseError("TypeError", fmt::format("{}() takes exactly one argument ({} given)", name, given));
}

std::string stripped(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\n\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

// The number of a tensor of one element.
values::Value numberOf(Evaluator::State& state, const values::Value& tensor) {
  if (tensor.tensor().numel() != 1) {
    raiseError("ValueError", "only one element tensors can be converted to Python scalars");
  }
  return torch_names::callNamed(torch_names::NameSpace::kMethod, "item", {tensor}, {}, state.dispatch);
}

int64_t truncated(double value) {
  if (std::isnan(value)) {
    raiseError("ValueError", "cannot convert float NaN to integer");
  }
  if (std::isinf(value)) {
    raiseError("OverflowError", "cannot convert float infinity to integer");
  }
  if (std::fabs(value) >= 9223372036854775808.0) {
    raiseError("OverflowError", fmt::format("int({}) is beyond the 64 bits that a case's whole numbers have.", value));
  }
  return static_cast<int64_t>(value);
}

double realPart(const values::Value& number, const char* cppType) {
  if (const auto* value = number.maybe<std::complex<double>>()) {
    if (value->imag() != 0) {
      raiseError("RuntimeError", fmt::format("value cannot be converted to type {} without overflow", cppType));
    }
    return value->real();
  }
  return complexOf(number).real();
}

values::Value builtinFloat(Evaluator::State& state, const values::ValueList& arguments) {
  if (arguments.empty()) {
    return floatValue(0);
  }
  const values::Value& value = arguments[0];
  if (const auto* text = value.maybe<std::string>()) {
    const std::string digits = stripped(*text);
    char* end = nullptr;
    const double number = std::strtod(digits.c_str(), &end);
    if (digits.empty() || *end != '\0' || digits.find_first_of("xXpP(") != std::string::npos) {
      raiseError("ValueError", fmt::format("could not convert string to float: '{}'", *text));
    }
    return floatValue(number);
  }
  if (value.isTensor()) {
    return floatValue(realPart(numberOf(state, value), "double"));
  }
  if (value.isNumber() && !value.is<std::complex<double>>()) {
    return floatValue(complexOf(value).real());
  }
  raiseError("TypeError",
             fmt::format("float() argument must be a string or a real number, not '{}'", value.typeName()));
}

values::Value builtinInt(Evaluator::State& state, const values::ValueList& arguments) {
  if (arguments.empty()) {
    return intValue(0);
  }
  const values::Value value = arguments[0].isTensor() ? numberOf(state, arguments[0]) : arguments[0];
  if (const auto* text = value.maybe<std::string>()) {
    const std::string digits = stripped(*text);
    char* end = nullptr;
    const int64_t number = std::strtoll(digits.c_str(), &end, 10);
    if (digits.empty() || *end != '\0') {
      raiseError("ValueError", fmt::format("invalid literal for int() with base 10: '{}'", *text));
    }
    return intValue(number);
  }
  if (value.is<bool>() || value.is<int64_t>()) {
    return intValue(state.indexOf(value));
  }
  if (const auto* number = value.maybe<double>()) {
    return intValue(truncated(*number));
  }
  if (arguments[0].isTensor()) {
    return intValue(truncated(realPart(value, "int64_t")));
  }
  raiseError("TypeError", fmt::format("int() argument must be a string, a bytes-like object or a real number, not '{}'",
                                      value.typeName()));
}

values::Value builtinComplex(Evaluator::State& state, const values::ValueList& arguments) {
  std::complex<double> parts[2];
  for (size_t i = 0; i < arguments.size() && i < 2; ++i) {
    const values::Value value = arguments[i].isTensor() ? numberOf(state, arguments[i]) : arguments[i];
    if (!value.isNumber()) {
      raiseError("TypeError", fmt::format("complex() argument must be a number, not '{}'", value.typeName()));
    }
    parts[i] = complexOf(value);
  }
  return values::Value(values::Value::Payload(
      std::complex<double>(parts[0].real() - parts[1].imag(), parts[0].imag() + parts[1].real())));
}

values::Value builtinLength(Evaluator::State&, const values::ValueList& arguments) {
  if (arguments.size() != 1) {
    raiseCount("len", arguments.size());
  }
  const values::Value& value = arguments[0];
  if (const values::ValueList* items = value.items()) {
    return intValue(static_cast<int64_t>(items->size()));
  }
  if (value.isTensor()) {
    if (value.tensor().dim() == 0) {
      raiseError("TypeError", "len() of a 0-d tensor");
    }
    return intValue(value.tensor().size(0));
  }
  if (const auto* dict = value.maybe<values::DictPtr>()) {
    return intValue(static_cast<int64_t>((*dict)->entries.size()));
  }
  if (const auto* text = value.maybe<std::string>()) {
    return intValue(static_cast<int64_t>(text->size()));
  }
  raiseError("TypeError", fmt::format("object of type '{}' has no len()", value.typeName()));
}

values::Value extreme(Evaluator::State& state, const values::ValueList& arguments, const char* name,
                      const std::string& better) {
  if (arguments.empty()) {
    raiseError("TypeError", fmt::format("{} expected at least 1 argument, got 0", name));
  }
  const values::ValueList items = arguments.size() == 1 ? state.iterate(arguments[0]) : arguments;
  if (items.empty()) {
    raiseError("ValueError", fmt::format("{}() arg is an empty sequence", name));
  }
  const values::Value* best = &items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    if (state.truth(state.compare(better, items[i], *best))) {
      best = &items[i];
    }
  }
  return *best;
}

values::Value builtinAbsolute(Evaluator::State& state, const values::ValueList& arguments) {
  if (arguments.size() != 1) {
    raiseCount("abs", arguments.size());
  }
  const values::Value& value = arguments[0];
  if (value.isTensor()) {
    return torch_names::callNamed(torch_names::NameSpace::kMethod, "abs", {value}, {}, state.dispatch);
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
  raiseError("TypeError", fmt::format("bad operand type for abs(): '{}'", value.typeName()));
}

values::Value builtinRound(Evaluator::State& state, const values::ValueList& arguments) {
  if (arguments.empty() || arguments.size() > 2) {
    raiseError("TypeError", fmt::format("round() takes 1 or 2 arguments ({} given)", arguments.size()));
  }
  const values::Value& value = arguments[0];
  if (value.is<int64_t>() || value.is<bool>()) {
    return intValue(state.indexOf(value));
  }
  if (!value.is<double>()) {
    raiseError("TypeError", fmt::format("type {} doesn't define __round__ method", value.typeName()));
  }
  const double number = value.as<double>();
  if (arguments.size() == 1 || arguments[1].isNone()) {
    return intValue(truncated(std::nearbyint(number)));
  }
  const int64_t digits = state.indexOf(arguments[1]);
  if (digits < 0 || digits > 100 || !std::isfinite(number)) {
    const double scale = std::pow(10.0, static_cast<double>(-digits));
    return floatValue(std::isfinite(number) && digits < 0 ? std::nearbyint(number / scale) * scale : number);
  }
  return floatValue(std::strtod(fmt::format("{:.{}f}", number, digits).c_str(), nullptr));
}

values::Value builtinSum(Evaluator::State& state, const values::ValueList& arguments) {
  if (arguments.empty()) {
    raiseError("TypeError", "sum() takes at least 1 positional argument (0 given)");
  }
  values::Value total = arguments.size() > 1 ? arguments[1] : intValue(0);
  for (const values::Value& item : state.iterate(arguments[0])) {
    total = state.binary("+", total, item);
  }
  return total;
}

const std::unordered_map<std::string, Builtin>& builtinTable() {
  static const std::unordered_map<std::string, Builtin> table = {
      {"abs", builtinAbsolute},
      {"bool",
       [](Evaluator::State& state, const values::ValueList& arguments) {
         return boolValue(!arguments.empty() && state.truth(arguments[0]));
       }},
      {"complex", builtinComplex},
      {"float", builtinFloat},
      {"int", builtinInt},
      {"len", builtinLength},
      {"list",
       [](Evaluator::State& state, const values::ValueList& arguments) {
         return values::Value::list(arguments.empty() ? values::ValueList() : state.iterate(arguments[0]));
       }},
      {"max", [](Evaluator::State& state, const values::ValueList& a) { return extreme(state, a, "max", ">"); }},
      {"min", [](Evaluator::State& state, const values::ValueList& a) { return extreme(state, a, "min", "<"); }},
      {"range",
       [](Evaluator::State& state, const values::ValueList& arguments) {
         const RangeLimits range = state.rangeLimits(arguments);
         state.spend(range.count);
         values::ValueList items;
         for (int64_t i = 0; i < range.count; ++i) {
           items.push_back(intValue(range.start + i * range.step));
         }
         return values::Value::list(std::move(items));
       }},
      {"round", builtinRound},
      {"sum", builtinSum},
      {"tuple",
       [](Evaluator::State& state, const values::ValueList& arguments) {
         return values::Value::tuple(arguments.empty() ? values::ValueList() : state.iterate(arguments[0]));
       }},
  };
  return table;
}

values::Value callListMethod(Evaluator::State& state, const values::ListPtr& list, const std::string& name,
                             const values::ValueList& arguments, bool& known) {
  values::ValueList& items = list->items;
  if (name == "append") {
    if (arguments.size() != 1) {
      raiseError("TypeError", fmt::format("list.append() takes exactly one argument ({} given)", arguments.size()));
    }
    state.spend(arguments[0]);
    items.push_back(arguments[0]);
  } else if (name == "extend" && arguments.size() == 1) {
    values::ValueList added = state.iterate(arguments[0]);
    state.spend(added);
    items.insert(items.end(), added.begin(), added.end());
  } else if (name == "insert" && arguments.size() == 2) {
    const auto size = static_cast<int64_t>(items.size());
    const int64_t index = state.indexOf(arguments[0]);
    state.spend(arguments[1]);
    state.spend(size / state.kMovedPerElement);
    items.insert(items.begin() + std::clamp<int64_t>(index < 0 ? index + size : index, 0, size), arguments[1]);
  } else if (name == "pop" && arguments.size() <= 1) {
    const auto size = static_cast<int64_t>(items.size());
    if (size == 0) {
      raiseError("IndexError", "pop from empty list");
    }
    const int64_t given = arguments.empty() ? -1 : state.indexOf(arguments[0]);
    const int64_t index = given < 0 ? given + size : given;
    if (index < 0 || index >= size) {
      raiseError("IndexError", "pop index out of range");
    }
    state.spend((size - index) / state.kMovedPerElement);
    values::Value taken = items[index];
    items.erase(items.begin() + index);
    return taken;
  } else if (name == "reverse" && arguments.empty()) {
    state.spend(static_cast<int64_t>(items.size()));
    std::reverse(items.begin(), items.end());
  } else if (name == "clear" && arguments.empty()) {
    items.clear();
  } else if (name == "copy" && arguments.empty()) {
    state.spend(items);
    return values::Value::list(items);
  } else {
    known = false;
  }
  return {};
}

values::Value callDictMethod(Evaluator::State& state, const values::DictPtr& dict, const std::string& name,
                             const values::ValueList& arguments, bool& known) {
  values::ValueList result;
  state.spend(static_cast<int64_t>(dict->entries.size()));
  if (name == "keys" || name == "values" || name == "items") {
    for (const auto& [key, value] : dict->entries) {
      result.push_back(name == "keys"     ? textValue(key)
                       : name == "values" ? value
                                          : values::Value::tuple({textValue(key), value}));
    }
    return values::Value::list(std::move(result));
  }
  if (name == "get" && (arguments.size() == 1 || arguments.size() == 2)) {
    for (const auto& [key, value] : dict->entries) {
      if (arguments[0].is<std::string>() && key == arguments[0].as<std::string>()) {
        return value;
      }
    }
    return arguments.size() == 2 ? arguments[1] : values::Value();
  }
  known = false;
  return {};
}

} // namespace

bool isBuiltinFunction(const std::string& name) {
  return name == "print" || builtinTable().contains(name);
}

values::Value Evaluator::State::callBuiltin(const std::string& name, values::ValueList& positional,
                                            torch_names::KeywordList& keywords) {
  if (name == "print") {
    cannotCapture("print");
    return {}; // what a Program prints is not observed
  }
  if (!keywords.empty()) {
    raiseError("TypeError", fmt::format("{}() takes no keyword arguments", name));
  }
  return builtinTable().at(name)(*this, positional);
}

values::Value Evaluator::State::callContainerMethod(const values::Value& object, const std::string& name,
                                                    values::ValueList& positional, torch_names::KeywordList& keywords) {
  bool known = keywords.empty();
  if (known) {
    values::Value result;
    if (const auto* list = object.maybe<values::ListPtr>()) {
      result = callListMethod(*this, *list, name, positional, known);
    } else if (const auto* dict = object.maybe<values::DictPtr>()) {
      result = callDictMethod(*this, *dict, name, positional, known);
    } else if (const auto* tuple = object.maybe<values::TuplePtr>(); tuple && (*tuple)->isSize && name == "numel") {
      int64_t product = 1;
      for (const values::Value& size : (*tuple)->items) {
        product *= indexOf(size);
      }
      result = intValue(product);
    } else {
      known = false;
    }
    if (known) {
      return result;
    }
  }
  // A readable attribute that is called, or one that is not there.
  const values::Value attribute = getAttribute(object, name);
  raiseError("TypeError", fmt::format("'{}' object is not callable", attribute.typeName()));
}

} // namespace touchstone::evaluator
