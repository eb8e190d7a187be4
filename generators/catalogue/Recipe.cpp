#include "generators/catalogue/Recipe.h"

#include "generators/catalogue/Draw.h"

#include <algorithm>
#include <stdexcept>

namespace touchstone::catalogue {

namespace {

constexpr size_t kRecordBytes = 16;
/// First section nibble of each section, in the order of Section; of random bytes half are statements.
constexpr uint32_t kFirstNibble[] = {0, 3, 11, 13, 16};

/// In so many of a hundred Cases only a part of the catalogue takes part.
constexpr int kSwarmPercent = 60;

/// In so many of a hundred Cases some statements are idioms.
constexpr int kIdiomsPercent = 90;
/// In so many custom operators.
constexpr int kCustomOperatorsPercent = 12;
constexpr int kConstructsPercent = 20;
constexpr int kTrainingConstructsPercent = 35; // layers with hooks and other weights are in these alone
constexpr int kLayersPercent = 2;
/// The places in the table of idioms of one Case after the other are multiples of the golden ratio (Fibonacci hashing): soon each
/// row has been near one, and none often.
constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15ULL; // in units of 2^-64
constexpr uint64_t kIdiomsOfCase = 8; // so many places are a Case's own

/// A compile takes as long as hundreds of calls, and most bugs need no second one.
constexpr int kSteadyPercent = 55;

/// How many operations a Case asks for.
struct Length {
  int64_t belowPercent;
  int minimum, maximum;
};
constexpr Length kLengths[] = {{30, 3, 8}, {86, 8, 14}, {97, 14, 22}, {100, 22, 40}};

/// How many of a hundred Cases have a style, each where its part is drawn with; the others are loose. A Case of training takes as long
/// as three others.
struct StyleShare {
  int64_t belowPercent;
  Style style;
  Part part;
};
constexpr StyleShare kStyles[] = {{25, Style::kDense, Part::kDense},
                                  {74, Style::kDifferentiable, Part::kDifferentiable},
                                  {80, Style::kTraining, Part::kTraining}};
/// A bug of two operators is found sooner where they are alone.
constexpr int kSmallPercent = 35;
constexpr int kSmallMinimum = 2, kSmallMaximum = 5;
/// Of the Cases with inexact values.
constexpr int kLargePercent = 8;
constexpr int kFlagsPercent = 12;
constexpr int kPythonPercent = 35;

uint64_t readLittleEndian(std::span<const uint8_t> bytes) {
  uint64_t value = 0;
  for (size_t index = bytes.size(); index-- > 0;) {
    value = value << 8 | bytes[index];
  }
  return value;
}

void appendLittleEndian(std::vector<uint8_t>& bytes, uint64_t value, int count) {
  for (int index = 0; index < count; ++index) {
    bytes.push_back(static_cast<uint8_t>(value >> (8 * index)));
  }
}

int hexDigit(char character) {
  if (character >= '0' && character <= '9') {
    return character - '0';
  }
  if (character >= 'a' && character <= 'f') {
    return character - 'a' + 10;
  }
  throw std::invalid_argument("A recipe's text is made of the digits 0-9 and a-f, 32 a record.");
}

/// Draws what the parts add. The draws of a part are its own; what follows from them (a style asks for a backward, say)
/// differs.
void drawParts(uint64_t caseSeed, Features& features) {
  const int64_t roll = Draw(caseSeed, "style").below(100);
  const auto share = std::find_if(std::begin(kStyles), std::end(kStyles),
                                  [&](const StyleShare& each) { return roll < each.belowPercent; });
  if (share != std::end(kStyles) && features.parts.has(share->part)) {
    features.style = share->style;
  }
  const bool isTraining = features.style == Style::kTraining;
  features.backward = features.backward || isTraining || features.style == Style::kDifferentiable;
  if (isTraining) { // sums and means of products, again and again
    features.exactOnly = false;
    features.mutation = true;
  }
  if (features.parts.has(Part::kSmall) && Draw(caseSeed, "small").chance(kSmallPercent)) {
    features.minimumOperations = kSmallMinimum;
    features.maximumOperations = kSmallMaximum;
  }
  features.customOperators =
      features.parts.has(Part::kCustomOperators) && Draw(caseSeed, "custom operators").chance(kCustomOperatorsPercent);
  features.exactOnly = features.exactOnly && !features.customOperators; // bodies round as they like
  features.constructs =
      features.parts.has(Part::kConstructs) && !features.exactOnly && // derivatives have digits of their own
      Draw(caseSeed, "constructs").chance(isTraining ? kTrainingConstructsPercent : kConstructsPercent);
  features.layers =
      features.parts.has(Part::kConstructs) && !features.exactOnly && Draw(caseSeed, "layers").chance(kLayersPercent);
  features.large =
      features.parts.has(Part::kLarge) && !features.exactOnly && Draw(caseSeed, "large").chance(kLargePercent);
  features.idioms = features.parts.has(Part::kIdioms) && Draw(caseSeed, "idioms").chance(kIdiomsPercent);
  features.dynamic = features.parts.has(Part::kDynamic);
  features.python =
      features.parts.has(Part::kPython) && !features.exactOnly && Draw(caseSeed, "python").chance(kPythonPercent);
  features.flags = features.parts.has(Part::kFlags) && Draw(caseSeed, "flags").chance(kFlagsPercent);
}

/// The key of a campaign's idiom number `turn`, but for the bits of the section.
uint32_t idiomKey(uint64_t seed, uint64_t turn) {
  return Record::kIdiomBit | static_cast<uint32_t>((mix(seed) + turn * kGoldenRatio) >> 33);
}

} // namespace

Section Record::section() const {
  const uint32_t nibble = key & 15;
  int section = 0;
  while (nibble >= kFirstNibble[section + 1]) {
    ++section;
  }
  return static_cast<Section>(section);
}

uint32_t Record::keyIn(Section section, uint32_t key) {
  const auto index = static_cast<size_t>(section);
  return (key & ~15U) | (kFirstNibble[index] + (key & 15) % (kFirstNibble[index + 1] - kFirstNibble[index]));
}

Recipe recipeFromBytes(std::span<const uint8_t> bytes) {
  Recipe recipe;
  for (; bytes.size() >= kRecordBytes; bytes = bytes.subspan(kRecordBytes)) {
    recipe.push_back({static_cast<uint32_t>(readLittleEndian(bytes.first(4))),
                      static_cast<uint32_t>(readLittleEndian(bytes.subspan(4, 4))),
                      readLittleEndian(bytes.subspan(8, 8))});
  }
  return recipe;
}

std::vector<uint8_t> recipeBytes(const Recipe& recipe) {
  std::vector<uint8_t> bytes;
  bytes.reserve(recipe.size() * kRecordBytes);
  for (const Record& record : recipe) {
    appendLittleEndian(bytes, record.key, 4);
    appendLittleEndian(bytes, record.operands, 4);
    appendLittleEndian(bytes, record.attributes, 8);
  }
  return bytes;
}

std::string recipeText(const Recipe& recipe) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : recipeBytes(recipe)) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Recipe recipeFromText(const std::string& text) {
  if (text.size() % (2 * kRecordBytes) != 0) {
    throw std::invalid_argument("A recipe's text has 32 hexadecimal digits a record; this one has " +
                                std::to_string(text.size()) + " characters.");
  }
  std::vector<uint8_t> bytes;
  for (size_t index = 0; index < text.size(); index += 2) {
    bytes.push_back(static_cast<uint8_t>(hexDigit(text[index]) << 4 | hexDigit(text[index + 1])));
  }
  return recipeFromBytes(bytes);
}

Features featuresOf(uint64_t seed, uint64_t index, Parts parts) {
  // Odd factors modulo a power of two: each mode has its own period, and all combinations come up within 512 Cases.
  const uint64_t turn = index + mix(seed) % 512;
  Features features;
  features.parts = parts;
  features.exactOnly = turn % 4 == 0;
  features.aliasedInputs = turn / 2 % 8 < 5;
  features.mutation = (turn / 2 * 3 + turn / 16) % 8 < 6;
  features.backward = (turn / 2 * 5 + turn / 32) % 8 < 6;
  features.changedCalls = (turn / 2 * 7 + turn / 64) % 8 < 6;
  features.regions = (turn / 2 + turn / 128) % 4 < 3;
  features.random = turn % 4 == 1;
  Draw draw(mix(mix(seed) ^ index), "features");
  features.swarm = draw.chance(kSwarmPercent) ? draw.next() | 1 : 0;
  const int64_t roll = draw.below(100);
  const auto length = std::find_if(std::begin(kLengths), std::end(kLengths),
                                   [&](const Length& each) { return roll < each.belowPercent; });
  features.minimumOperations = length->minimum;
  features.maximumOperations = length->maximum;
  drawParts(mix(mix(seed) ^ index), features);
  features.steady = Draw(mix(mix(seed) ^ index), "steady").chance(kSteadyPercent);
  return features;
}

Recipe makeRecipe(uint64_t seed, uint64_t index, const Features& features) {
  Draw draw(mix(mix(seed) ^ index), "recipe");
  // About one statement in seven finds no operands or is refused: one record more for each five asked for.
  const int64_t operations =
      draw.between(features.minimumOperations, std::max(features.minimumOperations, features.maximumOperations));
  const std::pair<Section, int64_t> parts[] = {{Section::kInput, draw.between(2, 5)},
                                               {Section::kStatement, operations * 6 / 5},
                                               {Section::kOutput, draw.between(1, 5)},
                                               {Section::kCall, draw.between(1, 5)}};
  Recipe recipe;
  for (const auto& [section, count] : parts) {
    for (int64_t record = 0; record < count; ++record) {
      const uint64_t bits = draw.next();
      auto key = static_cast<uint32_t>(bits);
      if (section == Section::kStatement) { // every second one is an idiom
        const auto turn = static_cast<uint64_t>(record / 2);
        key = record % 2 == 0 ? idiomKey(seed, index * kIdiomsOfCase + turn) : key & ~Record::kIdiomBit;
      }
      recipe.push_back({Record::keyIn(section, key), static_cast<uint32_t>(bits >> 32), draw.next()});
    }
  }
  return recipe;
}

} // namespace touchstone::catalogue
