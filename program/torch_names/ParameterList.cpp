#include "program/torch_names/ParameterList.h"

#include "program/torch_names/HandWritten.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace touchstone::torch_names {
namespace {

std::vector<std::string_view> partsOf(std::string_view list) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(", "), list.size());
    parts.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 2, list.size()));
  }
  return parts;
}

} // namespace

values::Value parseLiteral(std::string_view literal) {
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

ParameterList::ParameterList(std::string_view text) {
  bool keywordOnly = false;
  for (std::string_view piece : partsOf(text)) {
    if (piece == "*") {
      keywordOnly = true;
      continue;
    }
    Parameter parameter;
    if (piece.front() == '*') {
      collectsRest_ = true;
      keywordOnly = true;
      piece.remove_prefix(1);
    } else {
      parameter.keywordOnly = keywordOnly;
    }
    const size_t equals = piece.find('=');
    parameter.name = std::string(piece.substr(0, equals));
    if (equals != std::string_view::npos) {
      parameter.required = false;
      parameter.fallback = parseLiteral(piece.substr(equals + 1));
    }
    parameters_.push_back(std::move(parameter));
  }
}

std::optional<size_t> ParameterList::find(std::string_view name) const {
  auto found = std::find_if(parameters_.begin(), parameters_.end(),
                            [name](const Parameter& parameter) { return parameter.name == name; });
  return found == parameters_.end() ? std::nullopt : std::optional<size_t>(found - parameters_.begin());
}

values::ValueList ParameterList::bind(const std::string& function, const values::ValueList& positional,
                                      const KeywordList& keywords) const {
  values::ValueList bound(parameters_.size());
  std::vector<bool> given(parameters_.size(), false);
  if (collectsRest_) {
    bound[0] = values::Value::tuple(positional);
    given[0] = true;
  } else {
    const auto count = static_cast<size_t>(
        std::count_if(parameters_.begin(), parameters_.end(), [](const auto& p) { return !p.keywordOnly; }));
    if (positional.size() > count) {
      const auto required = static_cast<size_t>(std::count_if(
          parameters_.begin(), parameters_.end(), [](const auto& p) { return p.required && !p.keywordOnly; }));
      if (required < count) {
        raise("TypeError", fmt::format("{}() takes from {} to {} positional arguments but {} were given", function,
                                       required, count, positional.size()));
      }
      raise("TypeError",
            fmt::format("{}() takes {} positional argument{} but {} {} given", function, count, count == 1 ? "" : "s",
                        positional.size(), positional.size() == 1 ? "was" : "were"));
    }
    std::copy(positional.begin(), positional.end(), bound.begin());
    std::fill_n(given.begin(), positional.size(), true);
  }
  for (const auto& [name, value] : keywords) {
    const std::optional<size_t> index = find(name);
    if (!index || (collectsRest_ && *index == 0)) {
      raise("TypeError", fmt::format("{}() got an unexpected keyword argument '{}'", function, name));
    }
    if (given[*index]) {
      raise("TypeError", fmt::format("{}() got multiple values for argument '{}'", function, name));
    }
    bound[*index] = value;
    given[*index] = true;
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
    bound[i] = parameters_[i].fallback;
  }
  if (missingCount > 0) {
    raise("TypeError", fmt::format("{}() missing {} required positional argument{}: {}", function, missingCount,
                                   missingCount == 1 ? "" : "s", missing));
  }
  return bound;
}

WrittenCall::WrittenCall(std::string_view text) {
  const size_t point = text.find('.');
  const size_t open = text.find('(');
  place_ = text.substr(0, point);
  name_ = text.substr(point + 1, open - point - 1);
  for (const std::string_view part : partsOf(text.substr(open + 1, text.size() - open - 2))) {
    const size_t equals = part.find('=');
    const bool isKeyword = equals != std::string_view::npos;
    arguments_.push_back({std::string(isKeyword ? part.substr(0, equals) : ""),
                          std::string(isKeyword ? part.substr(equals + 1) : part)});
  }
}

values::Value WrittenCall::operator()(values::ValueList values, const Dispatch& dispatch, bool inPlace) const {
  KeywordList keywords;
  size_t positional = 0;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].keyword.empty()) {
      ++positional;
    } else {
      keywords.emplace_back(arguments_[i].keyword, std::move(values[i]));
    }
  }
  values.resize(positional);
  const std::string name = inPlace ? name_ + "_" : name_;
  if (place_ == "nn" || place_ == "_VF") {
    return Python{dispatch}.table(place_ == "nn" ? TableSpace::kNn : TableSpace::kTorch, name, std::move(values),
                                  std::move(keywords));
  }
  const NameSpace space = place_ == "functional" ? NameSpace::kFunctional
                          : place_ == "tensor"   ? NameSpace::kMethod
                                                 : NameSpace::kTorch;
  return callNamed(space, name, values, keywords, dispatch);
}

} // namespace touchstone::torch_names
