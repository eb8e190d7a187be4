#pragma once

#include "program/torch_names/NameResolver.h"
#include "program/torch_names/SignatureTable.h"

#include <c10/util/ArrayRef.h>

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

  values::Value torch(const std::string& name, values::ValueList positional, KeywordList keywords = {}) const;
  values::Value method(const std::string& name, values::ValueList positional, KeywordList keywords = {}) const;
  values::Value functional(const std::string& name, values::ValueList positional, KeywordList keywords = {}) const;
  values::Value binary(const std::string& op, const values::Value& left, const values::Value& right) const;
  values::Value negative(const values::Value& operand) const;
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
  NameSpace space;
  const char* name;
  /// Either a Python parameter list (`input, p=0.5, *, inplace=False`; `*tensors` collects into a tuple), or signatures
  /// in the notation of eager's argument parser, parted by `|` (`size(int64_t dim)|size()`); the tensor of a method
  /// comes first in `values` in both, and is not written in the second.
  const char* parameters;
  values::Value (*body)(const HandArguments& arguments, const Python& python);
};

/// `torch.nn.functional.conv2d` is `torch.conv2d`.
struct Alias {
  NameSpace space;
  const char* name;
  TableSpace target;
  const char* targetName;
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
c10::ArrayRef<Alias> functionalAliases();

/// A callable form of one HandWritten entry, its parameters parsed.
class HandFunction {
 public:
  explicit HandFunction(const HandWritten& written);
  values::Value call(const values::ValueList& positional, const KeywordList& keywords, const Dispatch& dispatch) const;

 private:
  struct NamedParameter {
    std::string name;
    bool required = true;
    bool keywordOnly = false;
    values::Value fallback;
  };
  void parseParameters();
  HandArguments bindNamed(const values::ValueList& positional, const KeywordList& keywords) const;

  const HandWritten& written_;
  SignatureGroup group_; // of the second notation
  std::vector<NamedParameter> parameters_; // of the first
  bool collectsRest_ = false; // the first parameter is `*tensors`
};

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

/// Python's `str` of None, booleans, numbers, strings inside sequences, and sequences of these; for messages.
std::string shown(const values::Value& value);

[[noreturn]] void raise(const char* type, std::string message);

} // namespace touchstone::torch_names
