#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>
#include <string>
#include <vector>

namespace touchstone::fake {

/// Whether a kernel may refuse values (an index out of range, a division by zero), which metadata does not tell.
enum class RaisesOnData { kNever, kForIntegers, kAlways };

/// What a tracer must know of an operator, found once in a thread.
struct OperatorTraits {
  std::string target; // `aten::add_.Tensor`, as a Graph's node names it
  std::vector<size_t> writes; // positions of the arguments whose data it changes
  bool changesMetadata = false; // sizes, strides or storage of its first argument, not its data
  bool readsData = false; // hands data of a tensor out as a number, or makes sizes of it
  bool isRandom = false; // draws from a generator
  bool isOfCase = false; // a custom operator of a Case: its body may do anything with tensors
  bool isEffect = false; // of `with_effects`: it takes a token and gives one
  RaisesOnData raisesOnData = RaisesOnData::kNever;
  bool isComposite = false; // written in terms of other operators
  bool isWholeOnCuda = false; // but there, where one kernel does it
  bool writesEntryByEntry = false; // to lists of tensors, by a kernel that calls another operator for each entry
  bool hidesWrites = false; // its schema does not say that it writes: batch norms in training
  bool addsUpInDtypeOfOut = false; // and has no argument to say so
  std::optional<int> dtypeOfOut; // the argument `dtype` that, when None, is the dtype of what it writes to
  /// The operator that computes what a writing one writes, without writing: its results are what this one returns, then
  /// a value for each written argument. For one that changes metadata: the view operator.
  std::optional<c10::OperatorHandle> functional;
  std::string functionalTarget;
};

/// Whether a call with these arguments, the last on the stack, is one of other operators.
bool isCompositeCall(const c10::OperatorHandle& op, const torch::jit::Stack& stack);

/// The traits; the reference lives as long as the thread.
const OperatorTraits& traitsOf(const c10::OperatorHandle& op);

/// `aten::add.Tensor`
std::string targetOf(const c10::OperatorHandle& op);

/// The handle of a target; found once in a thread. Throws c10::Error for a name that there is not.
const c10::OperatorHandle& operatorOf(const std::string& target);

} // namespace touchstone::fake
