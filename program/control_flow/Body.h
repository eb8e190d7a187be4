#pragma once

#include "program/control_flow/Tensors.h"
#include "program/transforms/Trees.h"
#include "program/values/Value.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <string>
#include <vector>

namespace touchstone::control_flow {

/// Sees each operator call of a function right before it is dispatched, with its arguments on the stack.
using OperationHook = std::function<void(const c10::OperatorHandle& op, const torch::jit::Stack& stack)>;

/// A function of a Program that an operator of control flow runs, detached from the evaluation that made it.
struct Branch {
  /// Runs the function: its arguments, and the tensors that it is to find in the variables around it.
  using Runner = std::function<values::Value(values::ValueList positional, const TensorList& lifted)>;

  std::string text; // of two with the same text the one does what the other does
  TensorList lifted; // the tensors in variables around it, as they are now
  std::function<Runner(const OperationHook& hook)> runner; // the hook may be null
};

/// A Branch as a function of the tensors of an operator.
struct Body {
  Branch branch;
  transforms::TreeSpec positional; // a tuple
  std::vector<size_t> leaves; // where among the tensors each of its leaves is
  std::vector<size_t> lifted; // and each tensor of a variable around it

  values::Value call(const Branch::Runner& runner, const TensorList& tensors) const;
  std::string text() const;
};

/// A Body that runs, as often as one needs: its results without their containers. Throws Unsupported for a number among them.
std::function<TensorList(const TensorList& tensors)> started(const Body& body);
values::Value valueOf(const TensorList& tensors, const transforms::TreeSpec& spec);
/// Of a list, tuple or dict of tensors, or of one; raises RuntimeError `What leaves must be a Tensor` for others.
TensorList tensorLeaves(const values::Value& value, const char* errorType, const char* error);

/// Raises what torch.compile does of control flow that it cannot capture.
[[noreturn]] void refuse(const char* operatorName, const std::string& what);

/// What is known of a Body from one run on copies of the tensors, without gradients.
struct Examination {
  struct Result {
    std::vector<int64_t> sizes, strides;
    at::ScalarType dtype;
    at::Device device;
    int64_t offset;
    bool isView; // of a tensor that nobody else has
  };
  transforms::TreeSpec spec; // of what it returns
  std::vector<Result> results;
  std::vector<bool> used; // by tensor: an operator got it
};

/// Refuses a body that writes to what it is given, or returns memory of it, or the same memory twice.
Examination examine(const Body& body, const TensorList& tensors, const char* operatorName);

/// Whether an examination is going on around this call.
bool isExamined();
/// Tells the examination that is going on around this one, if there is one, that an operator of control flow gets these.
void noteUse(const TensorList& tensors);
/// Tells it that a custom function gets these. Throws Unsupported for one that torch.compile does not trace.
void noteCustomFunction(const TensorList& tensors);

/// Raises what torch.compile does where a step makes other metadata of what it carries.
void checkCarried(const TensorList& before, const std::vector<Examination::Result>& after, const char* names);

/// Raises what autograd does where slices of complex numbers are copied.
void checkSelected(const TensorList& tensors);

/// Whether autograd takes part.
bool wantsGradients(const TensorList& arguments);

} // namespace touchstone::control_flow
