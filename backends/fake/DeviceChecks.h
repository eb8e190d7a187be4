#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/Device.h>

#include <optional>
#include <vector>

namespace touchstone::fake {

/// A tensor among the arguments of a call, as the program sees it.
struct DeviceOperand {
  at::Tensor tensor;
  size_t argument; // position in the schema
};

/// The device of the results of a call whose operands are on several, unless an argument names it: that of the operands, of
/// which single numbers on the CPU do not count beside others. What operators write into stays where it is.
c10::Device deviceOfResults(const c10::OperatorHandle& op, const std::vector<DeviceOperand>& operands);

/// Operands are on several devices: throws what kernels of an accelerator throw when these do not go together, with their texts.
/// All have to be on one device but for copies, CPU indices, and a tensor without dimensions on the CPU beside others where the
/// operator works element by element.
void checkDevices(const c10::OperatorHandle& op, const std::vector<DeviceOperand>& operands);

/// The device that a program names, with the index that it has when it names none. `claimed`: see Tracer. Throws where there is
/// no such device, and none is claimed.
c10::Device namedDevice(c10::Device device, std::optional<c10::Device> claimed);

} // namespace touchstone::fake
