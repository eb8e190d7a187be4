#include "backends/fake/KernelRun.h"

#include "backends/fake/CudnnBatchNorm.h"
#include "program/values/CompiledProgram.h"
#include "program/values/GeneratorState.h"
#include "program/values/TensorWalk.h"

#include <ATen/core/enum_tag.h>
#include <ATen/ops/empty_strided.h>

#include <string>
#include <unordered_map>

namespace touchstone::fake {

namespace {

at::Tensor filledLike(const at::Tensor& meta, int64_t number) {
  if (!meta.defined() || !meta.is_meta()) {
    return meta;
  }
  at::Tensor filled = at::empty_strided(meta.sizes(), meta.strides(), meta.options().device(at::kCPU));
  return filled.fill_(number);
}

/// Operators whose meta kernel has thrown: an exception costs far more than a run on zeros.
bool& metaThrows(const c10::OperatorHandle& op) {
  thread_local std::unordered_map<const c10::OperatorName*, bool> known;
  return known[&op.operator_name()];
}

/// The last `count` of the stack, with this number for what is not known.
torch::jit::Stack filledWith(const torch::jit::Stack& stack, size_t count, int64_t number) {
  torch::jit::Stack filled(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
  for (c10::IValue& value : filled) {
    value = values::mapTensors(value, [&](const at::Tensor& tensor) { return filledLike(tensor, number); });
    if (value.isDevice()) {
      value = at::Device(at::kCPU);
    }
  }
  return filled;
}

/// Zeros are indices of anything; whole numbers cannot be divided by them, and are by ones.
void runOnZeros(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const size_t count = op.schema().arguments().size();
  torch::jit::Stack filled = filledWith(*stack, count, 0);
  try {
    op.callBoxed(&filled);
  } catch (const c10::Error& error) {
    if (std::string(error.what_without_backtrace()).find("ZeroDivisionError") == std::string::npos) {
      throw;
    }
    filled = filledWith(*stack, count, 1);
    op.callBoxed(&filled);
  }
  torch::jit::drop(*stack, count);
  stack->insert(stack->end(), filled.begin(), filled.end());
  const size_t results = op.schema().returns().size();
  for (size_t i = stack->size() - results; i < stack->size(); ++i) {
    (*stack)[i] = values::mapTensors((*stack)[i], metaLike);
  }
}

/// An in-place operator has nothing to do to tensors without values but to return what it writes. False for others.
bool returnWritten(const c10::OperatorHandle& op, torch::jit::Stack* stack, size_t base,
                   const torch::jit::Stack& arguments) {
  const std::string& name = op.operator_name().name;
  if (name.back() != '_' || op.schema().returns().size() != 1 || op.hasTag(at::Tag::inplace_view)) {
    return false;
  }
  stack->resize(base);
  stack->push_back(arguments[0]);
  return true;
}

void runOnMeta(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const size_t count = op.schema().arguments().size();
  const size_t base = stack->size() - count;
  bool& throws = metaThrows(op);
  const bool mustBeMeta = op.schema().is_mutable(); // what it writes or moves has to be the very tensor
  if (throws && !mustBeMeta) {
    return runOnZeros(op, stack);
  }
  if (runCudnnBatchNormOnMeta(op, stack)) {
    return;
  }
  torch::jit::Stack kept(stack->begin() + static_cast<std::ptrdiff_t>(base), stack->end());
  bool hasTensor = false;
  for (size_t i = base; i < stack->size(); ++i) {
    c10::IValue& value = (*stack)[i];
    values::forEachTensor(value, [&](const at::Tensor& tensor) { hasTensor = hasTensor || tensor.defined(); });
    value = values::mapTensors(value, [](const at::Tensor& tensor) {
      return tensor.defined() && tensor.unsafeGetTensorImpl()->is_wrapped_number() ? tensor : metaLike(tensor);
    });
    // A factory that was not told where makes its tensor on the CPU.
    const bool open = value.isNone() && !hasTensor && op.schema().arguments()[i - base].name() == "device";
    if (value.isDevice() || open) {
      value = at::Device(at::kMeta);
    }
  }
  try {
    op.callBoxed(stack);
  } catch (const c10::NotImplementedError&) { // there is no meta kernel
    if (!mustBeMeta) {
      stack->resize(base);
      stack->insert(stack->end(), kept.begin(), kept.end());
      runOnZeros(op, stack);
      throws = true;
    } else if (!returnWritten(op, stack, base, kept)) {
      throw;
    }
  } catch (const c10::Error&) {
    if (mustBeMeta) {
      throw;
    }
    stack->resize(base);
    stack->insert(stack->end(), kept.begin(), kept.end());
    runOnZeros(op, stack);
    throws = true; // where zeros did not throw as well: it was the meta kernel
  }
}

} // namespace

at::Tensor metaLike(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.is_meta()) {
    return tensor;
  }
  return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
}

void runKernel(const c10::OperatorHandle& op, torch::jit::Stack* stack, Backing backing) {
  if (backing == Backing::kValues) {
    op.callBoxed(stack);
  } else {
    runOnMeta(op, stack);
  }
}

void runWithoutEffect(const c10::OperatorHandle& op, torch::jit::Stack* stack, Backing backing) {
  const size_t base = stack->size() - op.schema().arguments().size();
  if (op.schema().returns().empty()) {
    stack->resize(base);
    return;
  }
  for (size_t i = base; i < stack->size(); ++i) {
    (*stack)[i] = values::mapTensors((*stack)[i], metaLike);
  }
  try {
    op.callBoxed(stack);
  } catch (const c10::NotImplementedError&) {
    throw ir::Unsupported("`" + targetOf(op) + "` has an effect and no kernel for the meta device");
  }
  for (size_t i = stack->size() - op.schema().returns().size(); i < stack->size() && backing == Backing::kValues; ++i) {
    (*stack)[i] = values::mapTensors((*stack)[i], [](const at::Tensor& tensor) { return filledLike(tensor, 0); });
  }
}

void probeKernel(const c10::OperatorHandle& op, torch::jit::Stack* stack, Backing backing, bool isRandom) {
  if (!isRandom) {
    return runKernel(op, stack, backing);
  }
  const values::GeneratorState state = values::GeneratorState::now();
  runKernel(op, stack, backing);
  state.putBack();
}

} // namespace touchstone::fake
