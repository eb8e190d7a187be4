#pragma once

#include "program/language/Case.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace touchstone::features {

/// What kind of thing a feature is, for the counts of a summary.
enum class FeatureKind {
  kDtypes, // an operator and the classes of its tensors' dtypes
  kLayout, // an operator, a position, and how the tensor there lies in its memory
  kNeighbours, // an operator after another on one storage
  kRegion, // an operator under a grad mode, inference mode or autocast
  kOutcome, // of a backend: outcomes, rules, graphs, breaks, recompiles
};
constexpr int kFeatureKindCount = 5;
std::string_view featureKindName(FeatureKind kind);

/// A feature is a hash; its kind is in the lowest three bits.
uint32_t makeFeature(FeatureKind kind, uint64_t hash);
FeatureKind kindOf(uint32_t feature);

/// What the Case's first call exercises, run eagerly once: each feature once, in ascending order. As far as it gets when the
/// call raises.
std::vector<uint32_t> executionFeatures(const language::Case& theCase);

} // namespace touchstone::features
