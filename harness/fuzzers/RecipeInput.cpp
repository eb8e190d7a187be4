#include "harness/fuzzers/RecipeInput.h"

#include "generators/catalogue/Draw.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace touchstone::fuzzers {

namespace {

using catalogue::Draw;
using catalogue::Recipe;
using catalogue::Record;
using catalogue::Section;

constexpr uint64_t kFeatureSeed = 0; // of featuresOf(): the sets are those of campaign 0
constexpr size_t kRecordBytes = 16;

Record randomRecord(Draw& draw) {
  return {static_cast<uint32_t>(draw.next()), static_cast<uint32_t>(draw.next()), draw.next()};
}

auto placeIn(Recipe& recipe, Draw& draw) {
  return recipe.begin() + draw.below(static_cast<int64_t>(recipe.size()));
}

void insertRecord(Recipe& recipe, Draw& draw) {
  const auto place = recipe.begin() + draw.below(static_cast<int64_t>(recipe.size()) + 1);
  recipe.insert(place, randomRecord(draw));
}
void deleteRecord(Recipe& recipe, Draw& draw) {
  recipe.erase(placeIn(recipe, draw));
}
void duplicateRecord(Recipe& recipe, Draw& draw) {
  const Record copied = *placeIn(recipe, draw);
  recipe.insert(recipe.begin() + draw.below(static_cast<int64_t>(recipe.size()) + 1), copied);
}
void swapRecords(Recipe& recipe, Draw& draw) {
  std::iter_swap(placeIn(recipe, draw), placeIn(recipe, draw));
}
void changeKey(Recipe& recipe, Draw& draw) { // another operator in the same section
  Record& record = *placeIn(recipe, draw);
  record.key = Record::keyIn(record.section(), static_cast<uint32_t>(draw.next()));
}
void changeSection(Recipe& recipe, Draw& draw) {
  constexpr std::array kSections{Section::kInput, Section::kStatement, Section::kOutput, Section::kCall};
  Record& record = *placeIn(recipe, draw);
  record.key = Record::keyIn(kSections[static_cast<size_t>(draw.below(kSections.size()))], record.key);
}
void changeOperand(Recipe& recipe, Draw& draw) {
  Record& record = *placeIn(recipe, draw);
  const auto shift = static_cast<uint32_t>(8 * draw.below(4));
  const auto pick = static_cast<uint32_t>(draw.chance(70) ? draw.below(4) : draw.below(256)); // near ones are there
  record.operands = (record.operands & ~(0xffU << shift)) | pick << shift;
}
void changeAttributes(Recipe& recipe, Draw& draw) {
  placeIn(recipe, draw)->attributes = draw.next();
}

struct Mutation {
  void (*apply)(Recipe& recipe, Draw& draw);
  bool needsRecord; // does nothing to an empty Recipe
};
constexpr std::array kMutations{
    Mutation{insertRecord, false},   Mutation{insertRecord, false},    Mutation{deleteRecord, true},
    Mutation{duplicateRecord, true}, Mutation{swapRecords, true},      Mutation{changeKey, true},
    Mutation{changeKey, true},       Mutation{changeSection, true},    Mutation{changeOperand, true},
    Mutation{changeOperand, true},   Mutation{changeAttributes, true},
};

constexpr int kOtherFeatures = 3; // percent

} // namespace

RecipeInput inputFromBytes(std::span<const uint8_t> bytes) {
  RecipeInput input;
  if (!bytes.empty()) {
    const unsigned high = bytes.size() > 1 ? bytes[1] : 0;
    input.features = static_cast<uint16_t>((bytes[0] | high << 8) % kFeatureSets);
  }
  if (bytes.size() > kRecordBytes) {
    input.recipe = catalogue::recipeFromBytes(bytes.subspan(kRecordBytes));
  }
  return input;
}

std::vector<uint8_t> inputBytes(const RecipeInput& input) {
  std::vector<uint8_t> bytes(kRecordBytes, 0);
  bytes[0] = static_cast<uint8_t>(input.features & 0xff);
  bytes[1] = static_cast<uint8_t>(input.features >> 8);
  const std::vector<uint8_t> records = catalogue::recipeBytes(input.recipe);
  bytes.insert(bytes.end(), records.begin(), records.end());
  return bytes;
}

catalogue::Features featuresOfInput(const RecipeInput& input) {
  return catalogue::featuresOf(kFeatureSeed, input.features);
}

language::Case decodeInput(const RecipeInput& input, decoder::DecodeStatistics* statistics, int sameCalls) {
  decoder::DecodeOptions options;
  options.features = featuresOfInput(input);
  options.statistics = statistics;
  options.sameCalls = sameCalls;
  return decoder::decode(input.recipe, options);
}

RecipeInput mutated(RecipeInput input, uint64_t seed, size_t maximumRecords) {
  Draw draw(seed, "mutation");
  if (draw.chance(kOtherFeatures)) {
    input.features = static_cast<uint16_t>(draw.below(kFeatureSets));
    return input;
  }
  const Mutation& chosen = kMutations[static_cast<size_t>(draw.below(kMutations.size()))];
  (input.recipe.empty() && chosen.needsRecord ? insertRecord : chosen.apply)(input.recipe, draw);
  input.recipe.resize(std::min(input.recipe.size(), maximumRecords));
  return input;
}

RecipeInput spliced(const RecipeInput& first, const RecipeInput& second, uint64_t seed, size_t maximumRecords) {
  Draw draw(seed, "splice");
  const auto cut = [&](const Recipe& recipe) { return draw.below(static_cast<int64_t>(recipe.size()) + 1); };
  RecipeInput result{draw.chance(50) ? first.features : second.features, {}};
  const auto end = cut(first.recipe);
  auto begin = cut(second.recipe), stop = cut(second.recipe);
  if (begin > stop) {
    std::swap(begin, stop);
  }
  result.recipe.assign(first.recipe.begin(), first.recipe.begin() + end);
  result.recipe.insert(result.recipe.end(), second.recipe.begin() + begin, second.recipe.begin() + stop);
  if (draw.chance(50)) {
    result.recipe.insert(result.recipe.end(), first.recipe.begin() + end, first.recipe.end());
  }
  result.recipe.resize(std::min(result.recipe.size(), maximumRecords));
  return result;
}

RecipeInput seedInput(uint64_t index) {
  RecipeInput input{static_cast<uint16_t>(index % kFeatureSets), {}};
  input.recipe = catalogue::makeRecipe(kFeatureSeed, index, featuresOfInput(input));
  return input;
}

} // namespace touchstone::fuzzers
