#pragma once

#include "program/evaluator/ModuleHooks.h"
#include "program/evaluator/Operators.h"
#include "program/semantics/Arguments.h"
#include "program/semantics/Numbers.h"
#include "program/torch_names/HandWritten.h"
#include "program/values/RaiseError.h"

#include <c10/util/ArrayRef.h>

#include <concepts>
#include <optional>
#include <string>

namespace touchstone::evaluator {

using namespace semantics;

using values::raiseError;

/// The modules of torch.nn: their constructors, fields, methods and calls.
class Modules {
 public:
  Modules(Operators& operators, Containers& containers, Parameters& parameters, const Watchers& watchers,
          const torch_names::Dispatch& dispatch)
      : operators(operators), containers(containers), parameters(parameters), watchers(watchers), dispatch(dispatch) {}

  values::Value make(const std::string& typeName, const values::ValueList& positional,
                     const torch_names::KeywordList& keywords);
  values::Value attribute(values::ModuleObject& module, const std::string& name);
  void setAttribute(values::ModuleObject& module, const std::string& name, const values::Value& value);
  values::Value callMethod(const values::ModulePtr& module, const std::string& name,
                           const values::ValueList& positional, const torch_names::KeywordList& keywords);
  /// The forward alone.
  values::Value call(const values::ModuleObject& module, const values::ValueList& positional,
                     const torch_names::KeywordList& keywords);
  /// A module is called, with its hooks; nothing else that a name can hold is.
  values::Value callValue(const values::Value& called, const values::ValueList& positional,
                          const torch_names::KeywordList& keywords);

  Operators& operators;
  Containers& containers;
  Parameters& parameters;
  const Watchers& watchers;
  const torch_names::Dispatch& dispatch;
  HookFunctions hookFunctions; // of whoever has these modules
};

/// Makes the fields of one module, in the order and with the random draws of its constructor in `torch/nn/modules`.
class ModuleBuilder {
 public:
  ModuleBuilder(Modules& modules, values::ModuleObject& module) : modules_(modules), module_(module) {}

  const values::Value& hyper(const std::string& name) const;
  bool flag(const std::string& name) const { return modules_.operators.truth(hyper(name)); }
  int64_t integer(const std::string& name) const;
  /// A size given as one number for all dimensions or as a sequence.
  std::vector<int64_t> sizes(const std::string& name, size_t dimensions) const;
  std::vector<int64_t> sizes(const std::string& name) const; // as many as there are
  void setHyper(const std::string& name, values::Value value);

  at::Tensor addParameter(const std::string& name, at::IntArrayRef sizes, bool wanted = true); // undefined: None
  void addBuffer(const std::string& name, at::Tensor tensor); // undefined: None
  at::TensorOptions tensorOptions() const; // `dtype` and `device`

  /// `kaiming_uniform_(weight, a=sqrt(5))` and the bias that Linear and the convolutions give it.
  void initializeLinear(const at::Tensor& weight, const at::Tensor& bias) const;

 private:
  Modules& modules_;
  values::ModuleObject& module_;
};

/// One call of a module: its arguments by the parameters of its forward.
struct ModuleCall : torch_names::Python {
  Modules& modules;
  const values::ModuleObject& module;
  const Arguments& arguments;

  values::Value input() const { return arguments.at(0); }
  const at::Tensor& inputTensor() const;
  values::Value field(const std::string& name) const; // None when there is none
  values::Value named(const std::string& name) const; // for a WrittenCall
  const values::Value& hyper(const std::string& name) const;
  bool flag(const std::string& name) const { return modules.operators.truth(hyper(name)); }
  int64_t integer(const std::string& name) const;
};

/// A function, or a WrittenCall on `input` and attributes of the module.
struct ModuleForward {
  using Function = values::Value (*)(const ModuleCall&);
  ModuleForward(const char* written) : call(torch_names::WrittenCall(written)) {}
  template <std::convertible_to<Function> Given>
  ModuleForward(Given given) : function(given) {}

  Function function = nullptr;
  std::optional<torch_names::WrittenCall> call;
};

/// A constructor of torch.nn that case files may call.
struct ModuleType {
  const char* name;
  const char* parameters; // `in_features, bias=True`: a ParameterList
  void (*build)(ModuleBuilder&); // null: no fields
  ModuleForward forward;
  std::vector<const char*> inputs = {"input"}; // of forward; the first is required
};

// The tables, one for each source file that defines some.
c10::ArrayRef<ModuleType> layerModules(); // ModulesLayers.cpp
c10::ArrayRef<ModuleType> normalizationModules(); // ModulesNormalization.cpp
c10::ArrayRef<ModuleType> recurrentModules(); // ModulesRecurrent.cpp

const ModuleType* findModuleType(const std::string& name);

} // namespace touchstone::evaluator
