#pragma once

#include "generators/decoder/Decoder.h"
#include "program/language/Case.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::mutation {

/// How a Case came from stored ones.
enum class MutationKind { kContinued, kMutated, kSpliced };
std::string_view mutationKindName(MutationKind mutation); // `continued`, …

struct MutatedCase {
  language::Case theCase;
  MutationKind mutation = MutationKind::kContinued;
};

/// Case `index` of a campaign, made of stored Cases: the first one's Program is continued with new statements, mutated, or
/// continued with the statements of the second (of itself, when it is the only one). Depends on the two numbers and on the
/// Cases. nullopt: eager took none of several attempts, or they all gave `starts` back.
std::optional<MutatedCase> deriveCase(uint64_t seed, uint64_t index, std::span<const language::Case> starts,
                                      const decoder::DecodeOptions& options = {});

/// Which of the stored Cases, known by hashes of their bytes, Case `index` is derived from: one or two positions. Each is the
/// winner by rendezvous hash, so it stays the one when others are added or taken away that do not win.
std::vector<size_t> chooseStarts(uint64_t seed, uint64_t index, std::span<const uint64_t> contents);

/// True for about so large a share of the indices of a campaign.
bool isDerived(uint64_t seed, uint64_t index, double share);

} // namespace touchstone::mutation
