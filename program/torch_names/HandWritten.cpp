#include "program/torch_names/HandWritten.h"

#include "program/language/CasePrinter.h"
#include "program/torch_names/ArgumentParser.h"
#include "program/torch_names/OperatorCall.h"
#include "program/values/RaisedException.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace touchstone::torch_names {

namespace {

std::string shownInside(const values::Value& value) {
  return value.is<std::string>() ? "'" + value.as<std::string>() + "'" : shown(value);
}

} // namespace

std::string shown(const values::Value& value) {
  if (const auto* dict = value.maybe<values::DictPtr>()) {
    std::string inside;
    for (const auto& [key, item] : (*dict)->entries) {
      inside += (inside.empty() ? "'" : ", '") + key + "': " + shownInside(item);
    }
    return "{" + inside + "}";
  }
  if (const values::ValueList* items = value.items()) {
    std::string inside;
    for (const values::Value& item : *items) {
      inside += (inside.empty() ? "" : ", ") + shownInside(item);
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

HandFunction::HandFunction(const HandWritten& written)
    : written_(written),
      parameters_(std::string_view(written.parameters).find('(') == std::string_view::npos ? written.parameters : "") {
  std::string_view rest = written.parameters;
  if (rest.find('(') != std::string_view::npos) {
    group_.name = written.name;
    group_.isMethod = written.space == NameSpace::kMethod;
    while (!rest.empty()) {
      size_t bar = std::min(rest.find('|'), rest.size());
      group_.signatures.push_back(parseSignature(std::string(rest.substr(0, bar))));
      rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
  }
  if (written.call) {
    call_.emplace(written.call);
    for (const WrittenCall::Argument& one : call_->arguments()) {
      arguments_.push_back(argumentOf(one.text));
    }
    inplace_ = parameters_.find("inplace");
  }
}

HandFunction::Argument HandFunction::argumentOf(const std::string& text) const {
  if (text == "cudnn") {
    return [](const HandArguments&) { return flag(at::globalContext().userEnabledCuDNN()); };
  }
  const std::optional<size_t> parameter = parameters_.find(text);
  if (!parameter) {
    return [literal = parseLiteral(text)](const HandArguments&) { return literal; };
  }
  if (text != "reduction") {
    return [at = *parameter](const HandArguments& arguments) { return arguments[at]; };
  }
  const std::optional<size_t> sizeAverage = parameters_.find("size_average");
  if (!sizeAverage) {
    return [at = *parameter](const HandArguments& arguments) { return reductionCode(arguments.text(at)); };
  }
  return [at = *parameter, sizeAverage = *sizeAverage, reduce = *parameters_.find("reduce")](const HandArguments& a) {
    return reductionCode(reductionName(a[sizeAverage], a[reduce], a.text(at)));
  };
}

values::Value HandFunction::callWritten(const HandArguments& arguments, const Dispatch& dispatch) const {
  values::ValueList values;
  values.reserve(arguments_.size());
  for (const Argument& argument : arguments_) {
    values.push_back(argument(arguments));
  }
  if (written_.check) {
    written_.check(arguments);
  }
  return (*call_)(std::move(values), dispatch, inplace_ && arguments.truth(*inplace_));
}

values::Value HandFunction::call(const values::ValueList& positional, const KeywordList& keywords,
                                 const Dispatch& dispatch) const {
  HandArguments hand;
  if (group_.signatures.empty()) {
    hand.values = parameters_.bind(written_.name, positional, keywords);
    return call_ ? callWritten(hand, dispatch) : written_.body(hand, Python{dispatch});
  }
  c10::ArrayRef<values::Value> arguments(positional);
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
