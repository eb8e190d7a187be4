#pragma once

#include "program/torch_names/NameResolver.h"
#include "program/torch_names/ParameterList.h"
#include "program/torch_names/SignatureTable.h"

#include <c10/util/ArrayRef.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::torch_names {

/// The arguments of a hand-written function, by parameter. Parameters that were not given hold their default, or None.
struct HandArguments {
  std::vector<values::Value> values;
  size_t overload = 0; // which of several signatures was chosen

  const values::Value& operator[](size_t parameter) const { return values[parameter]; }
  bool truth(size_t parameter) const; // as `if x:` sees it; None is false
  int64_t integer(size_t parameter) const;
  double real(size_t parameter) const;
  const std::string& text(size_t parameter) const;
  const at::Tensor& tensor(size_t parameter) const; // raises AttributeError for anything else
};

/// What a hand-written function is written in: Python's own calls, which go through the tables again.
struct Python {
  const Dispatch& dispatch;

  values::Value torch(const std::string& name, const values::ValueList& positional,
                      const KeywordList& keywords = {}) const {
    return callNamed(NameSpace::kTorch, name, positional, keywords, dispatch);
  }
  values::Value method(const std::string& name, const values::ValueList& positional,
                       const KeywordList& keywords = {}) const {
    return callNamed(NameSpace::kMethod, name, positional, keywords, dispatch);
  }
  values::Value functional(const std::string& name, const values::ValueList& positional,
                           const KeywordList& keywords = {}) const {
    return callNamed(NameSpace::kFunctional, name, positional, keywords, dispatch);
  }
  values::Value binary(const std::string& op, const values::Value& left, const values::Value& right) const {
    return tensorBinary(op, left, right, dispatch);
  }
  values::Value negative(const values::Value& operand) const { return tensorUnary("-", operand, dispatch); }
  /// A function of `torch._C._nn`, or one of the generated table that a hand-written one of the same name covers.
  values::Value table(TableSpace space, const std::string& name, values::ValueList positional,
                      KeywordList keywords = {}) const;
  values::Value nn(const std::string& name, values::ValueList positional, KeywordList keywords = {}) const {
    return table(TableSpace::kNn, name, std::move(positional), std::move(keywords));
  }
  values::Value variable(const std::string& name, values::ValueList positional, KeywordList keywords = {}) const {
    return table(TableSpace::kTorch, name, std::move(positional), std::move(keywords));
  }
};

/// A function or method that is not in the generated table, or whose entry there Python covers with its own definition.
struct HandWritten {
  using Body = values::Value(const HandArguments& arguments, const Python& python);
  using Check = void(const HandArguments& arguments); // raises

  constexpr HandWritten(NameSpace space, const char* name, const char* parameters, Body* body)
      : space(space), name(name), parameters(parameters), body(body) {}
  constexpr HandWritten(NameSpace space, const char* name, const char* parameters, const char* call,
                        Check* check = nullptr)
      : space(space), name(name), parameters(parameters), call(call), check(check) {}

  NameSpace space;
  const char* name;
  /// Either a ParameterList, or signatures in the notation of eager's argument parser, parted by `|`
  /// (`size(int64_t dim)|size()`); the tensor of a method comes first in `values` in both, and is not written in the
  /// second.
  const char* parameters;
  Body* body = nullptr;
  /// Instead of a body, a WrittenCall on the parameters: `reduction` stands for its code, with `size_average` and `reduce`
  /// where these are parameters; `cudnn` for whether cuDNN may be used. A parameter `inplace` chooses NAME or NAME_.
  const char* call = nullptr;
  Check* check = nullptr; // before the call
};

// The tables, one for each source file that defines some.
c10::ArrayRef<HandWritten> tensorMethods();
c10::ArrayRef<HandWritten> conversionMethods();
c10::ArrayRef<HandWritten> torchFunctions();
c10::ArrayRef<HandWritten> creationFunctions();
c10::ArrayRef<HandWritten> activationFunctions();
c10::ArrayRef<HandWritten> lossFunctions();
c10::ArrayRef<HandWritten> poolingFunctions();
c10::ArrayRef<HandWritten> normalizationFunctions();
c10::ArrayRef<HandWritten> resamplingFunctions();

/// A callable form of one HandWritten entry, its parameters parsed.
class HandFunction {
 public:
  explicit HandFunction(const HandWritten& written);
  values::Value call(const values::ValueList& positional, const KeywordList& keywords, const Dispatch& dispatch) const;

 private:
  using Argument = std::function<values::Value(const HandArguments& arguments)>;
  Argument argumentOf(const std::string& text) const;
  values::Value callWritten(const HandArguments& arguments, const Dispatch& dispatch) const;

  const HandWritten& written_;
  SignatureGroup group_; // of the second notation
  ParameterList parameters_; // of the first
  std::optional<WrittenCall> call_;
  std::vector<Argument> arguments_; // of the call
  std::optional<size_t> inplace_;
};

/// What the operators of losses take for `mean` and its like; ValueError for other names.
values::Value reductionCode(const std::string& reduction);
/// `size_average` and `reduce`, where given, overrule `reduction` (torch/nn/_reduction.py).
std::string reductionName(const values::Value& sizeAverage, const values::Value& reduce, const std::string& reduction);

// Values of the kinds that hand-written functions pass on.
inline values::Value number(int64_t value) {
  return values::Value(values::Value::Payload(value));
}
inline values::Value number(int value) {
  return values::Value(values::Value::Payload(static_cast<int64_t>(value)));
}
inline values::Value number(double value) {
  return values::Value(values::Value::Payload(value));
}
inline values::Value flag(bool value) {
  return values::Value(values::Value::Payload(value));
}
inline values::Value text(std::string value) {
  return values::Value(values::Value::Payload(std::move(value)));
}
inline values::Value dtypeValue(at::ScalarType value) {
  return values::Value(values::Value::Payload(value));
}
inline values::Value integers(at::IntArrayRef values) {
  return values::Value::size(values);
}

/// Python's `str` of None, booleans, numbers, strings, and of these inside sequences and dicts; for messages.
std::string shown(const values::Value& value);

[[noreturn]] void raise(const char* type, std::string message);

} // namespace touchstone::torch_names
