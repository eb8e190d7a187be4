#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::torch_names {

/// What a parameter of a Python signature takes; the types of `torch/csrc/utils/python_arg_parser.h`, with SymInt as int.
enum class ParameterKind {
  kTensor,
  kScalar,
  kInt,
  kIndex, // SymInt: also a bool-free `__index__`
  kDouble,
  kComplex,
  kTensorList,
  kIntList,
  kDoubleList,
  kScalarList,
  kGenerator,
  kBool,
  kDtype,
  kLayout,
  kMemoryFormat,
  kDevice,
  kString,
  kUnsupported, // storages, streams, quantizers: nothing that a Program can hold
};

struct Parameter {
  ParameterKind kind = ParameterKind::kUnsupported;
  std::string name;
  std::vector<std::string_view> aliases; // NumPy's names: `axis` for `dim`
  bool optional = false;
  bool allowNone = false;
  bool keywordOnly = false;
  bool numbersAsTensors = false;
  int size = 0; // of a list that may be given as one number
  std::string fallback; // the default's text, for messages

  std::string_view typeName() const; // as error messages say it
};

struct CallPlan; // how the arguments of an operator come from the parameters

/// One overload as eager's argument parser knows it.
struct Signature {
  std::string function;
  std::vector<Parameter> parameters;
  size_t minimumArguments = 0;
  size_t maximumPositional = 0;
  std::string base; // operator without `aten::`: `add.Tensor`
  std::string out; // the same with `out=`, or empty
  bool isFactory = false;
  bool isLike = false;
  bool isDeprecated = false;
  std::vector<std::string> call; // of a deprecated one: parameter names or numbers in schema order
  // Made at the first call.
  mutable std::shared_ptr<const CallPlan> basePlan;
  mutable std::shared_ptr<const CallPlan> outPlan;

  std::string text() const; // `(Tensor input, Tensor other, *, Number alpha)`
};

struct SignatureGroup {
  std::string name;
  bool isMethod = false; // the tensor is not among the parameters
  std::vector<Signature> signatures; // in the order in which they are tried
};

enum class TableSpace { kTorch, kMethod, kNn, kLinalg, kFft, kSpecial };

/// The overloads of a name in the generated table, null when it has none. The result lives forever.
const SignatureGroup* findSignatures(TableSpace space, const std::string& name);
/// All names of a space in the table, as the table spells them (`linalg_det`), sorted.
std::vector<std::string> tableNames(TableSpace space);

/// Whether its parameters for tensors take numbers, too (`should_allow_numbers_as_tensors` of python_arg_parser.cpp).
bool takesNumbersAsTensors(std::string_view function);

/// Reads one signature in the parser's notation: `size(int64_t dim)`.
Signature parseSignature(const std::string& text);

/// The operator of the ATen name space called `add.Tensor`; throws a c10::Error when there is none.
const c10::OperatorHandle& atenOperator(const std::string& name);

} // namespace touchstone::torch_names
