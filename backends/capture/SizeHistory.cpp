#include "backends/capture/SizeHistory.h"

#include "backends/capture/LocalSources.h"

namespace touchstone::capture {

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

} // namespace touchstone::capture
