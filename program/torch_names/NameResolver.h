#pragma once

#include "program/values/Value.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/ArrayRef.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::torch_names {

using KeywordList = std::vector<std::pair<std::string, values::Value>>;

/// Where a name is looked up, as in Python.
enum class NameSpace {
  kTorch, // torch.NAME
  kMethod, // tensor.NAME; the tensor is the first positional argument
  kFunctional, // torch.nn.functional.NAME
  kLinalg, // torch.linalg.NAME
  kFft, // torch.fft.NAME
  kSpecial, // torch.special.NAME
  kAten, // torch.ops.aten.NAME or NAME.OVERLOAD
};

/// Where `torch.nn.functional.relu` and the like are looked up; none when it is no place for operators. `path`: the names
/// after `torch`.
struct OperatorName {
  NameSpace space;
  std::string name;
};
std::optional<OperatorName> operatorName(c10::ArrayRef<const std::string*> path);

enum class NameStatus { kKnown, kUnknown, kForbidden };

/// Whether a Program may use the name. Forbidden: operators that touch files, processes, pickles, raw pointers, threads
/// or global switches; unknown: not in the generated table (`near` then lists the closest names, best first).
NameStatus nameStatus(NameSpace space, const std::string& name, std::vector<std::string>* near = nullptr);

/// All usable names of a space, sorted.
std::vector<std::string> knownNames(NameSpace space);

/// Calls what Python would call for this spelling: chooses the overload in the order of the generated signature table
/// (torchgen's sort), converts the arguments, fills defaults, and dispatches. `dispatch` performs the operator call on
/// the stack (so that the Evaluator can show it to its hook). Raises TypeError as eager does when no signature fits.
/// Composites that PyTorch defines in Python (`torch.nn.functional.*`, `Tensor.split`, `torch.einsum` …) are defined by
/// hand in terms of operators, after `torch/nn/functional.py`, `torch/functional.py` and `torch/_tensor.py`.
using Dispatch = std::function<void(const c10::OperatorHandle& op, torch::jit::Stack& stack)>;
values::Value callNamed(NameSpace space, const std::string& name, const values::ValueList& positional,
                        const KeywordList& keywords, const Dispatch& dispatch);

/// Python's operators on values of any kind: `a + b`, `a[i]` are in the Evaluator; this is the tensor part, the method
/// that Python calls (`__add__`, `__radd__`, `__iadd__`, …) with its NotImplemented protocol. `op` is `+`, `@`, `<`, …;
/// at least one operand is a tensor.
values::Value tensorBinary(const std::string& op, const values::Value& left, const values::Value& right,
                           const Dispatch& dispatch);
values::Value tensorUnary(const std::string& op, const values::Value& operand, const Dispatch& dispatch);
/// `target += value` on a tensor target; `op` without the `=`. Returns the new value of the name.
values::Value tensorAugmented(const std::string& op, const values::Value& target, const values::Value& value,
                              const Dispatch& dispatch);
/// The TypeError for operands of any kind that a binary operator does not take.
[[noreturn]] void raiseUnsupported(const std::string& op, const values::Value& left, const values::Value& right);
/// `tensor[index]` and `tensor[index] = value`, after `torch/csrc/autograd/python_variable_indexing.cpp`; several
/// subscripts come as one tuple.
values::Value tensorGetItem(const at::Tensor& tensor, const values::Value& index, const Dispatch& dispatch);
void tensorSetItem(const at::Tensor& tensor, const values::Value& index, const values::Value& value,
                   const Dispatch& dispatch);

} // namespace touchstone::torch_names
