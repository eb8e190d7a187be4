#include "oracles/observe/Versions.h"

namespace touchstone::observe {
namespace {

/// -1 for a tensor that counts no versions.
int64_t versionOf(const at::Tensor& tensor) {
  return tensor.is_inference() ? -1 : static_cast<int64_t>(tensor._version());
}

} // namespace

void Versions::add(const std::vector<at::Tensor>& tensors) {
  for (const at::Tensor& tensor : tensors) {
    before_.emplace_back(tensor.unsafeGetTensorImpl(), versionOf(tensor));
  }
}

bool Versions::bumped(const at::Tensor& tensor) const {
  for (const auto& [object, version] : before_) {
    if (object == tensor.unsafeGetTensorImpl()) {
      return version != versionOf(tensor);
    }
  }
  return false;
}

} // namespace touchstone::observe
