#include "backends/compiled_autograd/BackwardCache.h"

#include <fmt/format.h>

#include <algorithm>

namespace touchstone::compiled_autograd {

SpecializedBackward::SpecializedBackward(const BackwardTask& task, const BackwardKey& key)
    : numbers_(LiftedNumbers::of(key)), scalars_(key.scalars) {
  origins_ = namesOfNodes(task);
}

bool SpecializedBackward::fits(const BackwardKey& key) const {
  return numbers_.fits(key) && hasScalars(key);
}

bool SpecializedBackward::hasScalars(const BackwardKey& key) const {
  return std::equal(scalars_.begin(), scalars_.end(), key.scalars.begin(), key.scalars.end(), isSameScalar);
}

namespace {

std::string textOf(const TensorState& state) {
  return state.isDefined ? fmt::format("{} [{}] with strides [{}] at {}", c10::toString(state.dtype),
                                       fmt::join(state.sizes, ", "), fmt::join(state.strides, ", "), state.offset)
                         : "undefined";
}

std::string textOf(const c10::IValue& scalar) {
  return scalar.isDouble() ? fmt::format("{}", scalar.toDouble()) : fmt::format("{}", scalar.toInt());
}

} // namespace

std::vector<std::string> SpecializedBackward::differences(const BackwardKey& key) const {
  const auto& sizes = key.lifted->all_size_inputs;
  std::vector<std::string> lines;
  for (size_t node = 0; node < key.nodes.size(); ++node) {
    const bool isLast = node + 1 == key.nodes.size();
    const size_t sizesEnd = isLast ? sizes.size() : key.nodes[node + 1].sizesBegin;
    const size_t scalarsEnd = isLast ? key.scalars.size() : key.nodes[node + 1].scalarsBegin;
    std::vector<std::string> found;
    for (size_t i = key.nodes[node].sizesBegin; i < sizesEnd; ++i) {
      if (sizes[i].value != numbers_.sizes[i]) {
        found.push_back(fmt::format("sizes[{}] is {}, compiled for {}", i, sizes[i].value, numbers_.sizes[i]));
      }
    }
    for (size_t i = key.nodes[node].scalarsBegin; i < scalarsEnd; ++i) {
      if (!isSameScalar(key.scalars[i], scalars_[i])) {
        found.push_back(fmt::format("scalar {} is {}, compiled for {}", i - key.nodes[node].scalarsBegin,
                                    textOf(key.scalars[i]), textOf(scalars_[i])));
      }
    }
    lines.push_back(
        fmt::format("{}: {}", origins_[node], found.empty() ? "the same" : fmt::to_string(fmt::join(found, "; "))));
  }
  for (size_t i = 0; i < numbers_.tensors.size(); ++i) {
    if (!numbers_.tensors[i].fits(key.tensors()[i])) {
      lines.push_back(fmt::format("inputs[{}] is {}, compiled for {}", i, textOf(TensorState::of(key.tensors()[i])),
                                  textOf(numbers_.tensors[i])));
    }
  }
  return lines;
}

std::shared_ptr<const Segment> SpecializedBackward::find(size_t begin, bool areHooksCalled,
                                                         const WaitingGradients& waiting) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [first, last] = segments_.equal_range({begin, areHooksCalled});
  const auto found = std::find_if(first, last, [&](const auto& entry) {
    size_t count = 0; // what is undefined does not count: how long the lists are depends on what has run
    for (size_t node = begin; node < waiting.size(); ++node) {
      count += static_cast<size_t>(std::count_if(waiting[node].begin(), waiting[node].end(),
                                                 [](const at::Tensor& gradient) { return gradient.defined(); }));
    }
    const auto& known = entry.second->waiting;
    return known.size() == count && std::all_of(known.begin(), known.end(), [&](const Segment::Waiting& each) {
             const auto& gradients = waiting[each.slot.node];
             return each.slot.input < gradients.size() && each.state.fits(gradients[each.slot.input]);
           });
  });
  return found == last ? nullptr : found->second;
}

void SpecializedBackward::add(BackwardGraph graph) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Segment& segment : graph.segments) {
    const std::pair<size_t, bool> start(segment.begin, segment.areHooksCalled);
    segments_.emplace(start, std::make_shared<const Segment>(std::move(segment)));
  }
  graphs_.push_back(std::move(graph.whole));
}

std::vector<ir::Graph> SpecializedBackward::graphs() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return graphs_;
}

size_t SpecializedBackward::countFrom(size_t begin) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return segments_.count({begin, false}) + segments_.count({begin, true});
}

std::set<size_t> SpecializedBackward::eagerNodes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return eagerNodes_;
}

void SpecializedBackward::addEagerNodes(const std::set<size_t>& nodes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  eagerNodes_.insert(nodes.begin(), nodes.end());
}

BackwardCache::Seen BackwardCache::lookUp(const std::string& bytes) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = entries_.find(bytes);
  if (known == entries_.end()) {
    return {nullptr, {}, {}, false, newest_};
  }
  constexpr size_t kFailures = 3;
  const std::shared_ptr<Entry>& entry = known->second;
  return {entry, entry->specialized, entry->symbolic, entry->failures < kFailures, newest_};
}

std::shared_ptr<SpecializedBackward> BackwardCache::add(const BackwardTask& task, const BackwardKey& key,
                                                        const Seen& seen) {
  auto entry = seen.entry;
  if (entry == nullptr) {
    entry = std::make_shared<Entry>(Entry{KnownKey(task, key), {}, {}});
  }
  auto backward = std::make_shared<SpecializedBackward>(task, key);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto kept = entries_.find(entry->key.bytes);
  const bool isWhatWasSeen = seen.entry == nullptr ? kept == entries_.end()
                                                   : kept != entries_.end() && kept->second == entry; // or reset() came
  if (!isWhatWasSeen || entry->specialized.size() != seen.specialized.size()) {
    return nullptr;
  }
  entries_.try_emplace(entry->key.bytes, entry);
  newest_ = entry;
  entry->specialized.insert(entry->specialized.begin(), backward);
  inOrder_.push_back(backward);
  return backward;
}

BackwardCache::Found BackwardCache::findOrAdd(const BackwardTask& task, const BackwardKey& key, size_t limit,
                                              bool isExplained) {
  while (true) {
    const Seen seen = lookUp(key.bytes);
    const auto fitting = std::find_if(seen.specialized.begin(), seen.specialized.end(),
                                      [&](const auto& backward) { return backward->fits(key); });
    if (fitting != seen.specialized.end()) {
      if (fitting != seen.specialized.begin()) {
        const std::lock_guard<std::mutex> lock(mutex_);
        Specialized& known = seen.entry->specialized;
        const auto found = std::find(known.begin(), known.end(), *fitting);
        std::rotate(known.begin(), found, found + 1);
      }
      return {*fitting, ""};
    }
    for (const auto& symbolic : seen.symbolic) {
      if (std::shared_ptr<SpecializedBackward> backward = symbolic->at(task, key)) {
        return {std::move(backward), ""};
      }
    }
    Found found;
    if (seen.entry != nullptr) {
      found.reasonOfMiss = "sizes, strides or offsets of tensors, or scalars, are others than in what is compiled";
      if (isExplained) {
        found.missByNode = seen.specialized.front()->differences(key);
      }
      if (seen.specialized.size() >= limit) {
        return found;
      }
    } else {
      const KnownKey* nearest = seen.newest == nullptr ? nullptr : &seen.newest->key;
      found.reasonOfMiss = reasonOfMiss(task, key, nearest);
      if (isExplained && nearest != nullptr) {
        found.missByNode = missByNode(task, key, *nearest);
      }
    }
    found.alike = alike(key, seen);
    found.backward = add(task, key, seen);
    if (found.backward != nullptr) {
      return found;
    }
  }
}

std::vector<LiftedNumbers> BackwardCache::alike(const BackwardKey& key, const Seen& seen) {
  std::vector<LiftedNumbers> alike{LiftedNumbers::of(key)};
  for (const auto& backward : seen.specialized) {
    if (seen.maySymbols && backward->hasScalars(key) && backward->numbers().isLike(alike[0])) {
      alike.push_back(backward->numbers());
    }
  }
  return alike.size() < 2 ? std::vector<LiftedNumbers>() : alike;
}

void BackwardCache::addSymbolic(const BackwardKey& key, std::shared_ptr<const SymbolicBackward> symbolic) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = entries_.find(key.bytes);
  if (known == entries_.end()) {
    return;
  }
  if (symbolic == nullptr) {
    ++known->second->failures;
  } else {
    known->second->symbolic.insert(known->second->symbolic.begin(), std::move(symbolic));
  }
}

std::vector<std::shared_ptr<SpecializedBackward>> BackwardCache::all() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return inOrder_;
}

void BackwardCache::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.clear();
  inOrder_.clear();
  newest_.reset();
}

} // namespace touchstone::compiled_autograd
