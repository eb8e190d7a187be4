#pragma once

#include "backends/fake/OperatorTraits.h"
#include "backends/fake/Tracer.h"

#include <ATen/core/stack.h>

namespace touchstone::fake {

/// Laid out as the tensor, on the meta device; a tensor of that as it is.
at::Tensor metaLike(const at::Tensor& tensor);

/// Runs an operator's kernel on what is beneath fake tensors: real values, or meta tensors. In the second case an operator
/// whose meta kernel is missing or throws runs on zeros, and its results are taken to be fresh tensors.
void runKernel(const c10::OperatorHandle& op, torch::jit::Stack* stack, Backing backing);

/// The same with the state of the default generator put back: to learn what the results look like.
void probeKernel(const c10::OperatorHandle& op, torch::jit::Stack* stack, Backing backing, bool isRandom);

/// What an operator with an effect would give, without the effect: its meta kernel makes the results, which hold zeros.
/// Throws ir::Unsupported where it gives something and has no meta kernel.
void runWithoutEffect(const c10::OperatorHandle& op, torch::jit::Stack* stack, Backing backing);

} // namespace touchstone::fake
