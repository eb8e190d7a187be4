#include "program/torch_names/HandWritten.h"

#include "program/language/CasePrinter.h"
#include "program/torch_names/ArgumentParser.h"
#include "program/torch_names/OperatorCall.h"
#include "program/values/RaisedException.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace touchstone::torch_names {
namespace {

// The defaults that the tables write: None, booleans, strings, ints and floats.
values::Value literalDefault(std::string_view literal) {
  if (literal == "None") {
    return values::Value();
  }
  if (literal == "True" || literal == "False") {
    return flag(literal == "True");
  }
  if (literal.front() == '\'') {
    return text(std::string(literal.substr(1, literal.size() - 2)));
  }
  std::string digits(literal);
  if (digits.find_first_of(".e") != std::string::npos) {
    return number(std::strtod(digits.c_str(), nullptr));
  }
  return number(static_cast<int64_t>(std::strtoll(digits.c_str(), nullptr, 10)));
}

} // namespace

std::string shown(const values::Value& value) {
  if (const values::ValueList* items = value.items()) {
    std::string inside;
    for (const values::Value& item : *items) {
      inside +=
          (inside.empty() ? "" : ", ") + (item.is<std::string>() ? "'" + item.as<std::string>() + "'" : shown(item));
    }
    if (value.is<values::ListPtr>()) {
      return "[" + inside + "]";
    }
    if (value.typeName() == "torch.Size") {
      return "torch.Size([" + inside + "])";
    }
    return "(" + inside + (items->size() == 1 ? ",)" : ")");
  }
  if (auto* string = value.maybe<std::string>()) {
    return *string;
  }
  if (auto* flag = value.maybe<bool>()) {
    return *flag ? "True" : "False";
  }
  if (auto* number = value.maybe<int64_t>()) {
    return std::to_string(*number);
  }
  if (auto* number = value.maybe<double>()) {
    return std::isfinite(*number) ? language::printExpression(*language::makeFloat(*number))
                                  : fmt::format("{}", *number);
  }
  return value.isNone() ? "None" : value.typeName();
}

void raise(const char* type, std::string message) {
  throw values::RaisedException(type, std::move(message));
}

bool HandArguments::truth(size_t parameter) const {
  const values::Value& value = values[parameter];
  if (value.isNone()) {
    return false;
  }
  if (auto* flag = value.maybe<bool>()) {
    return *flag;
  }
  if (auto* string = value.maybe<std::string>()) {
    return !string->empty();
  }
  if (const values::ValueList* items = value.items()) {
    return !items->empty();
  }
  if (auto* tensor = value.maybe<at::Tensor>()) {
    return tensor->item().toBool();
  }
  return !value.isNumber() || !toScalar(value).equal(0);
}

int64_t HandArguments::integer(size_t parameter) const {
  return toIndex(values[parameter]);
}

double HandArguments::real(size_t parameter) const {
  return toScalar(values[parameter]).toDouble();
}

const std::string& HandArguments::text(size_t parameter) const {
  if (auto* string = values[parameter].maybe<std::string>()) {
    return *string;
  }
  raise("TypeError", fmt::format("a str was expected, not {}", values[parameter].typeName()));
}

const at::Tensor& HandArguments::tensor(size_t parameter) const {
  if (auto* tensor = values[parameter].maybe<at::Tensor>()) {
    return *tensor;
  }
  raise("AttributeError", fmt::format("'{}' object has no attribute 'dim'", values[parameter].typeName()));
}

values::Value Python::torch(const std::string& name, values::ValueList positional, KeywordList keywords) const {
  return callNamed(NameSpace::kTorch, name, positional, keywords, dispatch);
}

values::Value Python::method(const std::string& name, values::ValueList positional, KeywordList keywords) const {
  return callNamed(NameSpace::kMethod, name, positional, keywords, dispatch);
}

values::Value Python::functional(const std::string& name, values::ValueList positional, KeywordList keywords) const {
  return callNamed(NameSpace::kFunctional, name, positional, keywords, dispatch);
}

values::Value Python::binary(const std::string& op, const values::Value& left, const values::Value& right) const {
  return tensorBinary(op, left, right, dispatch);
}

values::Value Python::negative(const values::Value& operand) const {
  return tensorUnary("-", operand, dispatch);
}

values::Value Python::table(TableSpace space, const std::string& name, values::ValueList positional,
                            KeywordList keywords) const {
  const SignatureGroup* group = findSignatures(space, name);
  TORCH_INTERNAL_ASSERT(group, "the signature table has no `", name, "`");
  c10::ArrayRef<values::Value> arguments(positional);
  if (group->isMethod) {
    return callGroup(*group, &positional.at(0), arguments.slice(1), keywords, dispatch);
  }
  return callGroup(*group, nullptr, arguments, keywords, dispatch);
}

HandFunction::HandFunction(const HandWritten& written) : written_(written) {
  parseParameters();
}

void HandFunction::parseParameters() {
  std::string_view rest = written_.parameters;
  if (rest.find('(') != std::string_view::npos) {
    group_.name = written_.name;
    group_.isMethod = written_.space == NameSpace::kMethod;
    while (!rest.empty()) {
      size_t bar = std::min(rest.find('|'), rest.size());
      group_.signatures.push_back(parseSignature(std::string(rest.substr(0, bar))));
      rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
    return;
  }
  bool keywordOnly = false;
  while (!rest.empty()) {
    size_t comma = std::min(rest.find(", "), rest.size());
    std::string_view piece = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 2, rest.size()));
    if (piece == "*") {
      keywordOnly = true;
      continue;
    }
    NamedParameter parameter;
    if (piece.front() == '*') {
      collectsRest_ = true;
      keywordOnly = true;
      piece.remove_prefix(1);
    } else {
      parameter.keywordOnly = keywordOnly;
    }
    size_t equals = piece.find('=');
    parameter.name = std::string(piece.substr(0, equals));
    if (equals != std::string_view::npos) {
      parameter.required = false;
      parameter.fallback = literalDefault(piece.substr(equals + 1));
    }
    parameters_.push_back(std::move(parameter));
  }
}

HandArguments HandFunction::bindNamed(const values::ValueList& positional, const KeywordList& keywords) const {
  HandArguments bound;
  bound.values.resize(parameters_.size());
  std::vector<bool> given(parameters_.size(), false);
  const size_t positionalCount = static_cast<size_t>(
      std::count_if(parameters_.begin(), parameters_.end(), [](const auto& p) { return !p.keywordOnly; }));
  if (collectsRest_) {
    bound.values[0] = values::Value::tuple(positional);
    given[0] = true;
  } else {
    if (positional.size() > positionalCount) {
      const size_t required = static_cast<size_t>(std::count_if(
          parameters_.begin(), parameters_.end(), [](const auto& p) { return p.required && !p.keywordOnly; }));
      if (required < positionalCount) {
        raise("TypeError", fmt::format("{}() takes from {} to {} positional arguments but {} were given", written_.name,
                                       required, positionalCount, positional.size()));
      }
      raise("TypeError",
            fmt::format("{}() takes {} positional argument{} but {} {} given", written_.name, positionalCount,
                        positionalCount == 1 ? "" : "s", positional.size(), positional.size() == 1 ? "was" : "were"));
    }
    for (size_t i = 0; i < positional.size(); ++i) {
      bound.values[i] = positional[i];
      given[i] = true;
    }
  }
  for (const auto& [name, value] : keywords) {
    auto found = std::find_if(parameters_.begin(), parameters_.end(),
                              [&name = name](const NamedParameter& parameter) { return parameter.name == name; });
    if (found == parameters_.end() || (collectsRest_ && found == parameters_.begin())) {
      raise("TypeError", fmt::format("{}() got an unexpected keyword argument '{}'", written_.name, name));
    }
    size_t index = static_cast<size_t>(found - parameters_.begin());
    if (given[index]) {
      raise("TypeError", fmt::format("{}() got multiple values for argument '{}'", written_.name, name));
    }
    bound.values[index] = value;
    given[index] = true;
  }
  std::string missing;
  int missingCount = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (given[i]) {
      continue;
    }
    if (parameters_[i].required) {
      missing += fmt::format("{}'{}'", missingCount++ ? ", " : "", parameters_[i].name);
    }
    bound.values[i] = parameters_[i].fallback;
  }
  if (missingCount > 0) {
    raise("TypeError", fmt::format("{}() missing {} required positional argument{}: {}", written_.name, missingCount,
                                   missingCount == 1 ? "" : "s", missing));
  }
  return bound;
}

values::Value HandFunction::call(const values::ValueList& positional, const KeywordList& keywords,
                                 const Dispatch& dispatch) const {
  if (group_.signatures.empty()) {
    return written_.body(bindNamed(positional, keywords), Python{dispatch});
  }
  c10::ArrayRef<values::Value> arguments(positional);
  HandArguments hand;
  if (group_.isMethod) {
    hand.values.push_back(positional.at(0));
    arguments = arguments.slice(1);
  }
  BoundArguments bound;
  const Signature& signature = matchSignature(group_, arguments, keywords, bound);
  hand.overload = static_cast<size_t>(&signature - group_.signatures.data());
  for (const values::Value* value : bound.values) {
    hand.values.push_back(value ? *value : values::Value());
  }
  return written_.body(hand, Python{dispatch});
}

} // namespace touchstone::torch_names
