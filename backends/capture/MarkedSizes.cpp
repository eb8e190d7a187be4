#include "backends/capture/MarkedSizes.h"

#include "backends/capture/LocalSources.h"

#include <algorithm>

namespace touchstone::capture {

void MarkedSizes::mark(const at::Tensor& tensor, const values::DimensionMark& mark) {
  add(tensor, mark.dimension < 0 ? mark.dimension + tensor.dim() : mark.dimension, mark.function != "mark_static");
}

void MarkedSizes::markDynamic(const at::Tensor& tensor, const std::vector<int64_t>& dimensions) {
  for (const int64_t dimension : dimensions) {
    add(tensor, dimension, true);
  }
}

void MarkedSizes::add(const at::Tensor& tensor, int64_t dimension, bool isDynamic) {
  constexpr size_t kFew = 16;
  if (marked_.size() >= most_) {
    std::erase_if(marked_, [](const Marked& each) { return each.tensor.expired(); });
    most_ = std::max(kFew, 2 * marked_.size());
  }
  marked_.push_back({c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>(tensor.getIntrusivePtr()),
                     dimension, isDynamic});
}

std::map<std::string, bool> MarkedSizes::among(const std::vector<std::string>& names,
                                               const values::ValueList& locals) const {
  std::map<std::string, bool> sizes;
  if (marked_.empty()) {
    return sizes;
  }
  forEachLeaf(names, locals, [&](const std::string& source, const values::Value& value) {
    for (const Marked& each : marked_) {
      if (value.isTensor() && each.tensor._unsafe_get_target() == value.tensor().unsafeGetTensorImpl()) {
        sizes[sourceOfSize(source, static_cast<size_t>(each.dimension))] = each.isDynamic;
      }
    }
  });
  return sizes;
}

} // namespace touchstone::capture
