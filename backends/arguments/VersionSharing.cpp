#include "backends/arguments/VersionSharing.h"

#include <torch/csrc/autograd/variable.h>

#include <cstring>

namespace touchstone::arguments {

const void* versionIdentity(const at::Tensor& tensor) {
  if (tensor.is_inference()) {
    return nullptr;
  }
  // A VariableVersion is one pointer to the counter, and has no comparison.
  const c10::VariableVersion& version = torch::autograd::impl::version_counter(tensor);
  static_assert(sizeof(version) == sizeof(void*));
  const void* counter = nullptr;
  std::memcpy(&counter, &version, sizeof(counter));
  return counter;
}

at::Tensor aliasCountedWith(const at::Tensor& tensor, const at::Tensor& counted) {
  const c10::VariableVersion version =
      counted.is_inference() ? c10::VariableVersion() : torch::autograd::impl::version_counter(counted);
  return at::Tensor(tensor.unsafeGetTensorImpl()->shallow_copy_and_detach(version, true));
}

} // namespace touchstone::arguments
