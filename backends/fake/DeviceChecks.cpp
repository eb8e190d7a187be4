#include "backends/fake/DeviceChecks.h"

#include <ATen/core/enum_tag.h>
#include <ATen/core/op_registration/adaption.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace touchstone::fake {

namespace {

/// What an operator may be given on several devices at once. Without overload.
enum class DeviceMixture { kAny, kIndices, kNumbers };
struct MixtureEntry {
  std::string_view name;
  DeviceMixture mixture;
};
constexpr std::array kMixtures{
    MixtureEntry{"aten::copy_", DeviceMixture::kAny},
    MixtureEntry{"aten::copy", DeviceMixture::kAny},
    MixtureEntry{"aten::_to_copy", DeviceMixture::kAny},
    MixtureEntry{"aten::set_", DeviceMixture::kAny}, // checks for itself, meta kernels included
    MixtureEntry{"aten::index", DeviceMixture::kIndices},
    MixtureEntry{"aten::_unsafe_index", DeviceMixture::kIndices},
    MixtureEntry{"aten::index_put", DeviceMixture::kIndices},
    MixtureEntry{"aten::index_put_", DeviceMixture::kIndices},
    MixtureEntry{"aten::_index_put_impl_", DeviceMixture::kIndices},
    MixtureEntry{"aten::fill", DeviceMixture::kNumbers},
    MixtureEntry{"aten::fill_", DeviceMixture::kNumbers},
    MixtureEntry{"aten::masked_fill", DeviceMixture::kNumbers},
    MixtureEntry{"aten::masked_fill_", DeviceMixture::kNumbers},
    MixtureEntry{"aten::index_fill", DeviceMixture::kNumbers},
    MixtureEntry{"aten::index_fill_", DeviceMixture::kNumbers},
    MixtureEntry{"aten::where", DeviceMixture::kNumbers},
};

const MixtureEntry* mixtureOf(const c10::OperatorHandle& op) {
  const auto found = std::find_if(kMixtures.begin(), kMixtures.end(),
                                  [&](const MixtureEntry& each) { return each.name == op.operator_name().name; });
  return found == kMixtures.end() ? nullptr : &*found;
}

bool isNumberOnCpu(const at::Tensor& tensor) {
  return tensor.dim() == 0 && tensor.is_cpu();
}

/// torch/csrc/…/adaption.h names the kernel's wrapper: `wrapper_CUDA_index_select`, `wrapper_CUDA_Tensor_gather`.
std::string wrapperName(const c10::OperatorHandle& op, c10::Device device) {
  const c10::OperatorName& name = op.operator_name();
  return "wrapper_" + c10::DeviceTypeName(device.type()) + "_" +
         (name.overload_name.empty() ? "" : name.overload_name + "_") + name.name.substr(name.name.find("::") + 2);
}

void checkIndices(const std::vector<DeviceOperand>& operands) {
  const at::Tensor& self = operands.front().tensor;
  for (const DeviceOperand& operand : operands) {
    const at::Tensor& tensor = operand.tensor;
    if (operand.argument == 1) {
      TORCH_CHECK(tensor.is_cpu() || tensor.device() == self.device(), "indices should be either on ", c10::kCPU,
                  " or on the same device as the indexed tensor (", self.device(), ")");
    } else if (tensor.device() != self.device()) {
      TORCH_CHECK(isNumberOnCpu(tensor), "expected self and values to be on the same device, but got self on ",
                  self.device(), " and values on ", tensor.device());
    }
  }
}

} // namespace

c10::Device deviceOfResults(const c10::OperatorHandle& op, const std::vector<DeviceOperand>& operands) {
  const MixtureEntry* mixture = mixtureOf(op);
  if (mixture == nullptr || mixture->mixture == DeviceMixture::kNumbers) {
    for (const DeviceOperand& operand : operands) {
      if (!operand.tensor.is_cpu()) {
        return operand.tensor.device();
      }
    }
  }
  return operands.front().tensor.device();
}

void checkDevices(const c10::OperatorHandle& op, const std::vector<DeviceOperand>& operands) {
  const MixtureEntry* mixture = mixtureOf(op);
  if (mixture != nullptr && mixture->mixture == DeviceMixture::kAny) {
    return;
  }
  if (mixture != nullptr && mixture->mixture == DeviceMixture::kIndices) {
    return checkIndices(operands);
  }
  const c10::Device common = deviceOfResults(op, operands);
  const bool isElementwise = op.hasTag(at::Tag::pointwise) || mixture != nullptr;
  for (const DeviceOperand& operand : operands) {
    const at::Tensor& tensor = operand.tensor;
    if (tensor.device() == common || (isElementwise && isNumberOnCpu(tensor))) {
      continue;
    }
    TORCH_CHECK(!isElementwise, "Expected all tensors to be on the same device, but found at least two devices, ",
                common, " and ", tensor.device(), "!");
    c10::impl::common_device_check_failure(common, tensor, wrapperName(op, common).c_str(),
                                           op.schema().arguments().at(operand.argument).name().c_str());
  }
}

c10::Device namedDevice(c10::Device device, std::optional<c10::Device> claimed) {
  if (claimed && device.type() == claimed->type()) {
    return device.has_index() ? device : *claimed;
  }
  if (!device.is_cpu() && !device.is_meta()) {
    const c10::impl::DeviceGuardImplInterface* guard =
        c10::impl::hasDeviceGuardImpl(device.type()) ? c10::impl::getDeviceGuardImpl(device.type()) : nullptr;
    TORCH_CHECK(guard != nullptr && guard->deviceCount() > std::max<int>(device.index(), 0), "there is no device `",
                device, "` here");
  }
  return device;
}

} // namespace touchstone::fake
