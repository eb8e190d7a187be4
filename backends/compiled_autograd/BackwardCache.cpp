#include "backends/compiled_autograd/BackwardCache.h"

#include <fmt/format.h>

#include <algorithm>

namespace touchstone::backends {

SpecializedBackward::SpecializedBackward(const BackwardTask& task, const BackwardKey& key) {
  for (const auto& size : key.lifted->all_size_inputs) {
    sizes_.push_back(size.value);
  }
  scalars_ = key.scalars;
  for (const at::Tensor& tensor : key.tensors()) {
    tensors_.push_back(TensorState::of(tensor));
  }
  for (size_t i = 0; i < task.nodes.size(); ++i) {
    edges_.push_back(task.nodes[i].edges);
    origins_.push_back(fmt::format("{} (NodeCall {})", task.nodes[i].node->name(), i));
  }
}

bool SpecializedBackward::fits(const BackwardKey& key) const {
  const auto& sizes = key.lifted->all_size_inputs;
  const auto& tensors = key.tensors();
  return std::equal(sizes_.begin(), sizes_.end(), sizes.begin(), sizes.end(),
                    [](int64_t known, const auto& size) { return known == size.value; }) &&
         std::equal(scalars_.begin(), scalars_.end(), key.scalars.begin(), key.scalars.end(), isSameScalar) &&
         std::equal(tensors_.begin(), tensors_.end(), tensors.begin(), tensors.end(),
                    [](const auto& known, const at::Tensor& tensor) { return known.fits(tensor); });
}

std::shared_ptr<const Segment> SpecializedBackward::find(size_t begin, bool areHooksCalled,
                                                         const WaitingGradients& waiting) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [first, last] = segments_.equal_range({begin, areHooksCalled});
  const auto found = std::find_if(first, last, [&](const auto& entry) {
    size_t count = 0;
    for (size_t node = begin; node < waiting.size(); ++node) {
      count += waiting[node].size();
    }
    const auto& known = entry.second->waiting;
    return known.size() == count && std::all_of(known.begin(), known.end(), [&](const Segment::Waiting& each) {
             const auto& gradients = waiting[each.slot.node];
             return each.slot.input < gradients.size() && each.state.fits(gradients[each.slot.input]);
           });
  });
  return found == last ? nullptr : found->second;
}

std::shared_ptr<const Segment> SpecializedBackward::add(bool areHooksCalled, Segment segment) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t begin = segment.begin;
  return segments_.emplace(std::pair(begin, areHooksCalled), std::make_shared<const Segment>(std::move(segment)))
      ->second;
}

size_t SpecializedBackward::countFrom(size_t begin) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return segments_.count({begin, false}) + segments_.count({begin, true});
}

std::set<size_t> SpecializedBackward::eagerNodes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return eagerNodes_;
}

void SpecializedBackward::addEagerNode(size_t node) {
  const std::lock_guard<std::mutex> lock(mutex_);
  eagerNodes_.insert(node);
}

std::vector<SpecializedBackward::Link> SpecializedBackward::chain() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Link> chain;
  for (const auto& [key, segment] : segments_) {
    if (chain.empty() || segment->begin >= chain.back().segment->end) {
      chain.push_back({key.second, segment});
    }
  }
  return chain;
}

BackwardCache::Found BackwardCache::findOrAdd(const BackwardTask& task, const BackwardKey& key, size_t limit) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = entries_.find(key.bytes);
  Found found;
  if (known != entries_.end()) {
    auto& specialized = known->second.specialized;
    const auto fitting =
        std::find_if(specialized.begin(), specialized.end(), [&](const auto& backward) { return backward->fits(key); });
    if (fitting != specialized.end()) {
      found.backward = *fitting;
      std::rotate(specialized.begin(), fitting, fitting + 1); // used last comes first
      return found;
    }
    found.reasonOfMiss = "sizes, strides or offsets of tensors, or scalars, are others than in what is compiled";
    if (specialized.size() >= limit) {
      return found;
    }
  } else {
    const auto nearest = newest_ == nullptr ? entries_.end() : entries_.find(*newest_);
    found.reasonOfMiss = nearest == entries_.end() ? reasonOfMiss(task, key, "", {})
                                                   : reasonOfMiss(task, key, nearest->first, nearest->second.nodes);
  }
  const auto [entry, isFresh] = entries_.try_emplace(key.bytes);
  if (isFresh) {
    for (const KeyedNode& node : key.nodes) {
      entry->second.nodes.push_back(node.keyBegin);
    }
  }
  newest_ = &entry->first;
  found.backward = std::make_shared<SpecializedBackward>(task, key);
  entry->second.specialized.insert(entry->second.specialized.begin(), found.backward);
  inOrder_.push_back(found.backward);
  return found;
}

std::vector<std::shared_ptr<SpecializedBackward>> BackwardCache::all() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return inOrder_;
}

void BackwardCache::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.clear();
  inOrder_.clear();
  newest_ = nullptr;
}

} // namespace touchstone::backends
