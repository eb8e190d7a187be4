#include "backends/capture/GuardTexts.h"
#include "backends/capture/GuardWalk.h"
#include "backends/capture/Guards.h"
#include "backends/sources/LocalSources.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace touchstone::capture {

/// A stride that is computed from what no tensor tells that is looked at is the number that it is.
void Guards::deriveStrides() {
  const std::set<symbols::Symbol> known = told();
  for (size_t i = 0; i < leaves_.size(); ++i) {
    TensorLeaf& leaf = leaves_[i];
    leaf.isDerived.assign(leaf.strides.size(), false);
    for (size_t d = 0; leaf.symbolic && d < leaf.strides.size(); ++d) {
      symbols::Expression& stride = leaf.symbolic->strides[d];
      if (!std::ranges::includes(known, stride.symbols())) {
        stride = leaf.strides[d];
      }
      leaf.isDerived[d] = !stride.constant() && !stride.symbol();
      if (leaf.isDerived[d] && !leaf.isFree && leaf.sameAs < 0) {
        derived_.push_back({i, d});
      }
    }
  }
}

/// By the first place that the walk looks at.
void Guards::nameSymbols() {
  isToldByLooked_.assign(symbols_.size(), false);
  const auto name = [&](const symbols::Expression& number, const std::string& source) {
    const std::optional<symbols::Symbol> symbol = number.symbol();
    if (symbol && !isToldByLooked_[static_cast<size_t>(*symbol)]) {
      isToldByLooked_[static_cast<size_t>(*symbol)] = true;
      symbols_[static_cast<size_t>(*symbol)].text = source;
    }
  };
  for (const TensorLeaf& leaf : leaves_) {
    for (size_t d = 0; leaf.symbolic && !leaf.isFree && d < leaf.sizes.size(); ++d) {
      name(leaf.symbolic->sizes[d], sources::sourceOfSize(leaf.source, d));
    }
    for (size_t d = 0; leaf.symbolic && !leaf.isFree && d < leaf.strides.size(); ++d) {
      name(leaf.symbolic->strides[d], sources::sourceOfStride(leaf.source, d));
    }
  }
}

/// What is computed from sizes and strides that were walked over.
bool Guards::matchesDerived(Walk& walk) const {
  for (const DerivedStride& each : derived_) {
    const TensorLeaf& leaf = leaves_[each.leaf];
    const symbols::Expression& expected = leaf.symbolic->strides[each.dimension];
    const int64_t actual = (*walk.tensors)[static_cast<size_t>(leaf.number)]->strides()[each.dimension];
    if (expected.at(walk.symbols) != actual) {
      return walk.fail([&] {
        return fmt::format("tensor '{}' stride mismatch at index {}. expected {}, actual {}", leaf.source,
                           each.dimension, bySources(expected.text(), symbols_), actual);
      });
    }
  }
  return true;
}

/// The first place of a symbol says what it stands for.
bool Guards::matchesNumber(const symbols::Expression& expected, int64_t actual, bool isSize, Walk& walk) const {
  if (const std::optional<symbols::Symbol> symbol = expected.symbol()) {
    const auto number = static_cast<size_t>(*symbol);
    if (!walk.isBound[number]) {
      walk.isBound[number] = true;
      walk.symbols[number] = actual;
    }
    isSize = isSize || symbols_[number].isSize(); // a stride may be the first to tell
    return walk.symbols[number] == actual && (!isSize || actual >= 2); // code for 0 and 1 is other code
  }
  return expected.at(walk.symbols) == actual;
}

/// Where tensors lie; and of those that are free their sizes, where nothing that is looked at tells them: what their memory must
/// be may be told so.
void Guards::bindPlaces(Walk& walk) const {
  const auto bind = [&](symbols::Symbol symbol, int64_t value) {
    if (symbol >= 0 && !walk.isBound[static_cast<size_t>(symbol)]) {
      walk.isBound[static_cast<size_t>(symbol)] = true;
      walk.symbols[static_cast<size_t>(symbol)] = value;
    }
  };
  for (const TensorLeaf& leaf : leaves_) {
    const at::Tensor* tensor = leaf.symbolic ? (*walk.tensors)[static_cast<size_t>(leaf.number)] : nullptr;
    if (tensor == nullptr) {
      continue;
    }
    for (size_t d = 0; leaf.isFree && static_cast<int64_t>(d) < tensor->dim() && d < leaf.sizes.size(); ++d) {
      bind(leaf.symbolic->sizes[d].symbol().value_or(-1), tensor->size(static_cast<int64_t>(d)));
    }
    bind(leaf.symbolic->offset.symbol().value_or(-1), tensor->storage_offset());
    if (leaf.symbolic->memory >= 0) {
      bind(leaf.symbolic->memory, static_cast<int64_t>(tensor->storage().nbytes() / tensor->element_size()));
    }
  }
}

/// The symbols whose values the tensors and ints tell that are looked at.
std::set<symbols::Symbol> Guards::told() const {
  std::set<symbols::Symbol> told;
  const auto add = [&](const symbols::Expression& expression) {
    if (const std::optional<symbols::Symbol> symbol = expression.symbol()) {
      told.insert(*symbol);
    }
  };
  for (const TensorLeaf& leaf : leaves_) {
    if (leaf.symbolic) {
      std::ranges::for_each(leaf.symbolic->sizes, add);
      if (!leaf.isFree) {
        std::ranges::for_each(leaf.symbolic->strides, add);
      }
      add(leaf.symbolic->offset);
      if (leaf.symbolic->memory >= 0) {
        told.insert(leaf.symbolic->memory);
      }
    }
  }
  const std::function<void(const Node&)> addInts = [&](const Node& node) {
    if (node.symbol >= 0) {
      told.insert(node.symbol);
    }
    std::ranges::for_each(node.items, addInts);
  };
  std::ranges::for_each(roots_, addInts);
  return told;
}

/// What only the base of a view tells, which is no local.
void Guards::bindMemory(Walk& walk) const {
  if (toldByMemory_.empty()) {
    return;
  }
  std::vector<MemoryState> now = memoryOf(*walk.tensors);
  const std::vector<int64_t*> places = numbersOf(now);
  for (const auto& [number, symbol] : toldByMemory_) {
    if (number < places.size()) {
      walk.isBound[static_cast<size_t>(symbol)] = true;
      walk.symbols[static_cast<size_t>(symbol)] = *places[number];
    }
  }
}

void Guards::require(const std::vector<SizeCondition>& conditions) {
  for (const SizeCondition& each : conditions) {
    conditions_.emplace_back(each, each.condition.symbols());
  }
}

bool Guards::matchesConditions(Walk& walk) const {
  const auto isLookedAt = [&](symbols::Symbol symbol) { return walk.isBound[static_cast<size_t>(symbol)]; };
  for (const auto& [each, symbols] : conditions_) {
    if (std::ranges::all_of(symbols, isLookedAt) && !each.condition.holds(walk.symbols)) {
      return walk.fail([&, &each = each] { return bySources(each.condition.text(), symbols_); });
    }
  }
  return true;
}

void Guards::unite(const std::vector<const Guards*>& samples, symbols::Fitting& fitting) {
  std::vector<std::vector<int64_t>> numbers;
  for (const Guards* sample : samples) {
    if (sample->relied_ != relied_ || !sameButNumbers(sample->memory_, memory_)) {
      throw symbols::NotSymbolic("what shares memory with what");
    }
    std::vector<MemoryState> memory = sample->memory_;
    numbers.push_back(symbols::valuesAt(numbersOf(memory)));
  }
  symbols::Numbers fitted(numbers, fitting, [](size_t) { return "how much memory an argument has"; });
  std::set<symbols::Symbol> known = told();
  for (const auto& [number, expression] : fitted.varying()) {
    if (const std::optional<symbols::Symbol> symbol = expression.symbol(); symbol && known.insert(*symbol).second) {
      toldByMemory_.emplace_back(number, *symbol);
    }
  }
  for (const auto& [number, expression] : fitted.varying()) {
    if (!std::ranges::includes(known, expression.symbols())) {
      throw symbols::NotSymbolic("how much memory an argument has is told by one that is not looked at");
    }
  }
  if (!fitted.varying().empty()) {
    memoryNumbers_ = std::move(fitted);
  }
}

} // namespace touchstone::capture
