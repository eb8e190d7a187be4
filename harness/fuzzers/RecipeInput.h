#pragma once

#include "generators/catalogue/Recipe.h"
#include "generators/decoder/Decoder.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace touchstone::fuzzers {

/// What the bytes of a fuzzer say: a first record that chooses the features (its first two bytes), then the Recipe. Every
/// byte string is one; a partial last record is dropped.
struct RecipeInput {
  uint16_t features = 0; // which of kFeatureSets sets
  catalogue::Recipe recipe;
};

constexpr uint64_t kFeatureSets = 512; // as many as featuresOf() has turns

RecipeInput inputFromBytes(std::span<const uint8_t> bytes);
std::vector<uint8_t> inputBytes(const RecipeInput& input);

catalogue::Features featuresOfInput(const RecipeInput& input);
/// The Case; `statistics` may be null.
language::Case decodeInput(const RecipeInput& input, decoder::DecodeStatistics* statistics = nullptr,
                           int sameCalls = decoder::DecodeOptions().sameCalls);

/// One small change: a record is inserted, deleted, duplicated, swapped with another, or gets another key, section, operand or seed
/// of attributes; or other features. Depends on the arguments alone. At most `maximumRecords` records come out.
RecipeInput mutated(RecipeInput input, uint64_t seed, size_t maximumRecords);
/// Records of the first, then records of the second, then perhaps the first's again: cut at record borders.
RecipeInput spliced(const RecipeInput& first, const RecipeInput& second, uint64_t seed, size_t maximumRecords);

/// An input to begin with: Case `index` of a campaign with the features' set `index`.
RecipeInput seedInput(uint64_t index);

} // namespace touchstone::fuzzers
