#include "backends/sources/DynamicSizes.h"

#include "backends/sources/LocalSources.h"

#include <algorithm>

namespace touchstone::sources {

void SizeHistory::note(const std::vector<std::string>& names, const values::ValueList& locals) {
  const auto noteNumber = [&](const std::string& source, int64_t number) {
    const auto [known, fresh] = last_.try_emplace(source, number);
    if (!fresh && known->second != number) {
      dynamic_.insert(source);
    }
    known->second = number;
  };
  forEachLeaf(names, locals, [&](const std::string& source, const values::Value& value) {
    if (const auto* number = value.maybe<int64_t>()) {
      noteNumber(source, *number);
    }
    if (!value.isTensor()) {
      return;
    }
    const int64_t rank = value.tensor().dim();
    if (const int64_t known = ranks_.try_emplace(source, rank).first->second; known != rank) {
      changedRank_.insert(source);
    }
    for (int64_t d = 0; d < rank; ++d) {
      const std::string size = sourceOfSize(source, static_cast<size_t>(d));
      if (changedRank_.contains(source)) {
        dynamic_.insert(size);
      }
      noteNumber(size, value.tensor().size(d));
    }
  });
}

void MarkedSizes::mark(const at::Tensor& tensor, const values::DimensionMark& mark) {
  add(tensor, mark.dimension < 0 ? mark.dimension + tensor.dim() : mark.dimension, mark.function != "mark_static");
}

void MarkedSizes::markDynamic(const at::Tensor& tensor, const std::vector<bool>& dimensions) {
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d]) {
      add(tensor, static_cast<int64_t>(d), true);
    }
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

} // namespace touchstone::sources
