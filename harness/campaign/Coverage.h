#pragma once

#include "generators/features/ExecutionFeatures.h"
#include "harness/store/SeedCases.h"
#include "harness/worker/Job.h"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace touchstone::campaign {

/// The features that the Cases of a campaign showed, and, for feedback, the Cases that were first to show one.
///
/// Both are bounded: features beyond kMaximumFeatures are not told from those seen before, and of the kept Cases the one
/// that was chosen most often makes room for a new one.
class Coverage {
 public:
  static constexpr size_t kMaximumFeatures = 1 << 18;
  static constexpr size_t kMaximumKept = 1024;

  explicit Coverage(bool keepsCases) : keepsCases_(keepsCases) {}

  /// Counts what the Case showed, which was derived from a kept one or was not; keeps its text when something was new.
  /// Returns how many features were new.
  size_t add(const std::string& name, const worker::JobResult& result, bool wasKept = false);
  /// The share of the Cases that is to be derived from kept ones: the more, the more new features the last of these showed
  /// beside the others. Never none and never all, so that both go on being compared.
  double share() const;
  /// One or two kept Cases to derive Case `index` from; none as long as few are kept. Which ones depends on what was kept.
  std::vector<store::SeedCasePtr> choose(uint64_t seed, uint64_t index);

  size_t seen() const { return features_.size(); }
  int64_t seenOf(features::FeatureKind kind) const { return counts_[static_cast<size_t>(kind)]; }
  size_t kept() const { return kept_.size(); }
  bool isFull() const { return features_.size() >= kMaximumFeatures; }

  /// For a campaign that is to go on later.
  struct Kept {
    store::SeedCasePtr theCase;
    int64_t chosen = 0; // so many Cases were derived from it
  };
  std::vector<uint32_t> features() const; // in ascending order
  const std::vector<Kept>& keptCases() const { return kept_; }
  void restore(const std::vector<uint32_t>& features, std::vector<Kept> kept);

 private:
  /// New features a Case, over the last few hundred.
  struct Yield {
    double features = 1, cases = 1;
    double value() const { return features / cases; }
  };

  bool addFeature(uint32_t feature);
  void keep(store::SeedCasePtr theCase);

  const bool keepsCases_;
  std::unordered_set<uint32_t> features_;
  std::array<int64_t, features::kFeatureKindCount> counts_{};
  std::vector<Kept> kept_;
  Yield ofKept_, ofOthers_;
};

/// What the backends made of a Case, as features: outcome and details, rules, how many graphs, breaks and recompiles.
std::vector<uint32_t> outcomeFeatures(const worker::JobResult& result);

} // namespace touchstone::campaign
