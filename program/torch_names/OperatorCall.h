#pragma once

#include "program/torch_names/ArgumentParser.h"

#include <ATen/core/stack.h>

#include <initializer_list>

namespace touchstone::torch_names {

/// Calls the operator of a matched signature: arguments converted to the operator's schema, defaults filled in, tensor
/// options scattered as eager's bindings do it. `receiver` is the tensor of a method, null for a function.
values::Value callSignature(const Signature& signature, const values::Value* receiver, const BoundArguments& bound,
                            const Dispatch& dispatch);

/// Finds the operators of a signature and where their arguments come from; callSignature does it at the first call.
/// Throws when the table and the library do not fit each other.
void prepareSignature(const Signature& signature, bool isMethod);

/// Matches and calls one name of the generated table.
values::Value callGroup(const SignatureGroup& group, const values::Value* receiver,
                        c10::ArrayRef<values::Value> positional, const KeywordList& keywords, const Dispatch& dispatch);

/// What Python shows for the results on the stack: None, one value, or a tuple. `listsAsTuples`: as the bindings of
/// torch.* do it; false: as torch.ops does it.
values::Value resultOf(const c10::FunctionSchema& schema, torch::jit::Stack& stack, bool listsAsTuples = true);

/// `requires_grad_()` and `.requires_grad = …`; `notDifferentiable`: the message for other dtypes.
void setRequiresGrad(const at::Tensor& tensor, bool wanted, const char* notDifferentiable, const Dispatch& dispatch);
/// Sets the flag of a leaf as an operator that `dispatch` sees, so that a captured Graph has it.
void switchRequiresGrad(const at::Tensor& tensor, bool wanted, const Dispatch& dispatch);

/// `dtype X` given where a device is wanted: a device, its name, or a number of an accelerator.
at::Device toDevice(const values::Value& value);

/// Calls one operator, `select.int`, with arguments in schema order; what is left out has the schema's default. Gives the
/// Python value of its result. The handle is found once for each place in the code that names it.
struct AtenCall {
  explicit AtenCall(const char* name) : name(name) {}
  values::Value operator()(const Dispatch& dispatch, std::initializer_list<c10::IValue> arguments) const;
  const char* name;
  mutable std::optional<c10::OperatorHandle> handle;
};

} // namespace touchstone::torch_names
