#pragma once

#include "program/torch_names/NameResolver.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::torch_names {

/// None, a boolean, a string in single quotes, an int or a float.
values::Value parseLiteral(std::string_view literal);

/// The parameters of a function that Python defines: `input, p=0.5, *, inplace=False`; `*tensors` collects into a tuple.
class ParameterList {
 public:
  explicit ParameterList(std::string_view text);

  /// One value for each parameter; those that were not given hold their default. Raises TypeError as Python does.
  values::ValueList bind(const std::string& function, const values::ValueList& positional,
                         const KeywordList& keywords) const;
  size_t size() const { return parameters_.size(); }
  const std::string& name(size_t parameter) const { return parameters_[parameter].name; }
  std::optional<size_t> find(std::string_view name) const;

 private:
  struct Parameter {
    std::string name;
    bool required = true;
    bool keywordOnly = false;
    values::Value fallback;
  };

  std::vector<Parameter> parameters_;
  bool collectsRest_ = false; // the first parameter is `*tensors`
};

/// One call, written as `PLACE.NAME(argument, keyword=argument)`. PLACE is `torch`, `functional` or `tensor` (a method of
/// the first argument), or `nn` (`torch._C._nn`) or `_VF`, which are the generated table also where a definition covers
/// its name. An argument is a name, for whoever makes the call to know, or a literal.
class WrittenCall {
 public:
  struct Argument {
    std::string keyword; // or nothing
    std::string text;
  };

  explicit WrittenCall(std::string_view text);
  const std::vector<Argument>& arguments() const { return arguments_; }
  /// `values`: of the arguments, in their order. `inPlace`: what NAME_ calls.
  values::Value operator()(values::ValueList values, const Dispatch& dispatch, bool inPlace = false) const;

 private:
  std::string place_;
  std::string name_;
  std::vector<Argument> arguments_;
};

} // namespace touchstone::torch_names
