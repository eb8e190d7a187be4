#include "harness/campaign/Coverage.h"

#include "generators/catalogue/Draw.h"
#include "program/parser/CaseParser.h"

#include <algorithm>
#include <bit>

namespace touchstone::campaign {

namespace {

using features::FeatureKind;

constexpr size_t kFewKept = 16; // below, nothing is derived from them
constexpr int kCandidates = 4; // of so many drawn ones the least used is taken
constexpr size_t kLongestKept = 40'000; // characters: what is continued again and again must not grow for ever

constexpr double kLeastShare = 0.05, kLargestShare = 0.8;
constexpr double kForgetting = 0.99; // of earlier Cases' yield, with each new one

/// 0, 1, 2 to 3, 4 to 7, …
uint64_t magnitude(int64_t count) {
  return count <= 0 ? 0 : std::bit_width(static_cast<uint64_t>(count));
}

} // namespace

std::vector<uint32_t> outcomeFeatures(const worker::JobResult& result) {
  std::vector<uint32_t> features;
  for (const worker::BackendResult& each : result.backends) {
    const uint64_t backend = catalogue::hashName(each.backend);
    const auto add = [&](std::string_view what, uint64_t value) {
      features.push_back(
          features::makeFeature(FeatureKind::kOutcome, backend ^ catalogue::mix(catalogue::hashName(what) ^ value)));
    };
    add("outcome", static_cast<uint64_t>(each.outcome));
    add(language::isFinding(each.outcome) ? each.symptom : each.detail, static_cast<uint64_t>(each.outcome));
    add("graphs", magnitude(each.counters.graphs));
    add("breaks", magnitude(each.counters.breaks));
    add("recompiles", magnitude(each.counters.recompiles));
    add("breaks and recompiles", magnitude(each.counters.breaks) << 8 | magnitude(each.counters.recompiles));
    for (size_t rule = 0; rule < each.allowed.size(); ++rule) {
      if (each.allowed[rule] > 0) {
        add("rule", rule);
      }
    }
  }
  return features;
}

bool Coverage::addFeature(uint32_t feature) {
  if (isFull() || !features_.insert(feature).second) {
    return false;
  }
  ++counts_[static_cast<size_t>(features::kindOf(feature))];
  return true;
}

double Coverage::share() const {
  const double kept = ofKept_.value() * ofKept_.value(), others = ofOthers_.value() * ofOthers_.value();
  return std::clamp(kept / std::max(kept + others, 1e-9), kLeastShare, kLargestShare);
}

size_t Coverage::add(const std::string& name, const worker::JobResult& result, bool wasKept) {
  size_t added = 0;
  const auto* judged = result.as<worker::JudgeResult>();
  for (const uint32_t feature : judged != nullptr ? judged->features : std::vector<uint32_t>()) {
    added += addFeature(feature) ? 1 : 0;
  }
  for (const uint32_t feature : outcomeFeatures(result)) {
    added += addFeature(feature) ? 1 : 0;
  }
  Yield& yield = wasKept ? ofKept_ : ofOthers_;
  yield = {kForgetting * yield.features + static_cast<double>(added), kForgetting * yield.cases + 1};
  if (keepsCases_ && added > 0 && !result.caseText.empty() && result.caseText.size() <= kLongestKept) {
    try {
      keep(store::makeSeedCase(name, parser::parsePrinted(result.caseText)));
    } catch (const parser::ParseError&) { // what is not read back cannot be gone on from
    }
  }
  return added;
}

void Coverage::keep(store::SeedCasePtr theCase) {
  if (kept_.size() < kMaximumKept) {
    kept_.push_back({std::move(theCase), 0});
    return;
  }
  const auto mostUsed = std::max_element(
      kept_.begin(), kept_.end(), [](const Kept& left, const Kept& right) { return left.chosen < right.chosen; });
  *mostUsed = {std::move(theCase), 0};
}

std::vector<store::SeedCasePtr> Coverage::choose(uint64_t seed, uint64_t index) {
  if (!keepsCases_ || kept_.size() < kFewKept) {
    return {};
  }
  catalogue::Draw draw(catalogue::mix(catalogue::mix(seed) ^ index), "kept");
  const auto leastUsed = [&] {
    Kept* best = nullptr;
    for (int candidate = 0; candidate < kCandidates; ++candidate) {
      Kept& each = kept_[static_cast<size_t>(draw.below(static_cast<int64_t>(kept_.size())))];
      best = best == nullptr || each.chosen < best->chosen ? &each : best;
    }
    ++best->chosen;
    return best->theCase;
  };
  // The same rule as for files decides which of the two is continued: a finding's Case can be made again from them.
  return store::startsAmong(seed, index, {leastUsed(), leastUsed()});
}

std::vector<uint32_t> Coverage::features() const {
  std::vector<uint32_t> all(features_.begin(), features_.end());
  std::sort(all.begin(), all.end());
  return all;
}

void Coverage::restore(const std::vector<uint32_t>& features, std::vector<Kept> kept) {
  for (const uint32_t feature : features) {
    addFeature(feature);
  }
  kept_ = std::move(kept);
}

} // namespace touchstone::campaign
