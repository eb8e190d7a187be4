#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/symbol.h>

namespace touchstone::compilers {

/// How an operator is written into a TorchScript graph; what leaves TorchScript less to do with it comes later.
enum class CallForm {
  kOwn, // under its own name: TorchScript chooses the overload by the types of the arguments
  kOwnOfBits, // the same, and its zeros are made of their bits in each run, as in all forms below: TorchScript takes -0.0
  // for 0.0
  kOwnHandedOn, // the same, and who reads its result reads what handingOn() gives: differentiated apart from it
  kOwnApart, // the same, and it reads what handingOnInTurn() gives of its operands: made one with no equal call, differentiated
  // apart from what is in front of it, and run in its turn
  kStandIn, // under another name: its schema is known, what passes and formulas of TorchScript know by name is not
  kStandInWithEffects, // the same with one argument more, a tensor to which it is said to write: never left out, folded or
  // made one with an equal call
  kStandInOfGraph, // the same as kStandIn with one argument more, of any type, which is to be no constant: not folded
  kStandInThatMayAlias, // said to do anything to any memory, and to give views of it
};

/// Not under its own name.
constexpr bool isStandIn(CallForm form) {
  return form >= CallForm::kStandIn;
}

/// The name of an operator of TorchScript that calls `op` through the dispatcher, autograd and all, and does nothing else:
/// made when it is first asked for. It takes True and False as numbers. `form` is a stand-in's.
c10::Symbol standInFor(const c10::OperatorHandle& op, CallForm form);

/// The name of an operator of TorchScript that takes a tensor and a number, and gives the very tensor. TorchScript does not
/// differentiate what is in front of it together with what is behind it; calls with different numbers are not made one.
c10::Symbol handingOn();

/// The same with one argument more, the tensor to which calls with effects write: the order of all is kept.
c10::Symbol handingOnInTurn();

/// Holds zeros of a dtype that tells 0.0 from -0.0; its bits can be given as integers.
bool hasSignedZeros(const at::Tensor& tensor);

/// As integers of the same size.
at::Tensor bitsOf(const at::Tensor& tensor);

/// The name of an operator of TorchScript that takes the bits of a float, and what is no constant. So nothing is folded.
c10::Symbol numberOfBits();

/// The same of a tensor: takes integers of the same size, the dtype, whether it stands for a number, and what is no constant.
c10::Symbol tensorOfBits();

} // namespace touchstone::compilers
