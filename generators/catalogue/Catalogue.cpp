#include "generators/catalogue/Catalogue.h"

#include "generators/catalogue/Draw.h"
#include "generators/catalogue/Exclusions.h"
#include "program/parser/CaseParser.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>

namespace touchstone::catalogue {

namespace {

constexpr std::string_view kFamily = "family"; // what is drawn of a swarm
constexpr uint64_t kOperator = hashName("operator"); // the same, asked for each entry of each Case
constexpr std::string_view kAlwaysThere = "clone"; // takes part in every Case: something has to
constexpr std::string_view kAssignments[] = {
    " += ", " -= ", " *= ", " /= ", " //= ", " %= ", " &= ", " **= ", " |= ", " ^= ", " = "};

/// Operands and attributes are the names in capitals.
bool isPlaceholder(const std::string& name) {
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char character) { return std::isupper(character) || character == '_'; });
}

Spelling readSpelling(std::string_view text) {
  Spelling spelling{.text = text, .assignment = {}, .target = nullptr, .value = nullptr, .attributes = {}};
  for (std::string_view assignment : kAssignments) {
    const size_t position = text.find(assignment);
    if (position != std::string_view::npos) {
      spelling.assignment = assignment.substr(1, assignment.size() - 2);
      spelling.target = parser::parseExpression(std::string(text.substr(0, position)));
      text.remove_prefix(position + assignment.size());
      break;
    }
  }
  spelling.value = parser::parseExpression(std::string(text));
  std::vector<std::string> names = language::namesRead(*spelling.value);
  if (spelling.target) {
    const std::vector<std::string> more = language::namesRead(*spelling.target);
    names.insert(names.end(), more.begin(), more.end());
  }
  for (std::string& name : names) {
    const bool known =
        std::find(spelling.attributes.begin(), spelling.attributes.end(), name) != spelling.attributes.end();
    if (name.size() > 1 && isPlaceholder(name) && !known) {
      spelling.attributes.push_back(std::move(name));
    }
  }
  return spelling;
}

std::vector<CatalogueEntry> readCatalogue() {
  std::vector<CatalogueEntry> entries;
  for (std::span<const Operator> table :
       {unaryOperators(), binaryOperators(), inPlaceOperators(), outForms(), viewOperators(), reducingOperators(),
        matrixOperators(), indexingOperators(), joiningOperators(), makingOperators(), readingOperators(),
        customOperators(), networkOperators(), denseOperators()}) {
    for (const Operator& op : table) {
      CatalogueEntry entry{.description = &op, .spellings = {}, .hash = hashName(op.name)};
      for (std::string_view text : op.spellings) {
        entry.spellings.push_back(readSpelling(text));
      }
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

} // namespace

const std::vector<CatalogueEntry>& catalogue() {
  static const std::vector<CatalogueEntry> kEntries = readCatalogue();
  return kEntries;
}

bool takesPart(const Operator& op, const Features& features) {
  if (features.exactOnly && !op.has(kExact)) {
    return false;
  }
  if (!features.mutation && op.writes()) {
    return false;
  }
  if (!features.dataBranches && op.has(kReads)) {
    return false;
  }
  if (!features.customOperators && op.has(kCustom)) {
    return false;
  }
  if (!features.isDense() && op.has(kOfDense)) {
    return false;
  }
  return features.random || !op.has(kRandom);
}

Swarm::Swarm(uint64_t swarm) : swarm_(swarm) {
  constexpr int kFamilyPercent[] = {40, 60, 80, 100};
  constexpr int kOperatorPercent[] = {25, 50, 75, 100};
  const int familyChance = kFamilyPercent[Draw(swarm, kFamily).below(4)];
  operatorChance_ = kOperatorPercent[Draw(swarm ^ kOperator).below(4)];
  for (unsigned family = 0; family <= static_cast<unsigned>(OperatorFamily::kGradient); ++family) {
    families_ |= Draw(mix(swarm ^ family), kFamily).chance(familyChance) ? 1U << family : 0U;
  }
}

bool Swarm::has(OperatorFamily family, uint64_t hash) const {
  return swarm_ == 0 || family == OperatorFamily::kCustom ||
         ((families_ >> static_cast<unsigned>(family) & 1U) != 0 &&
          Draw(mix(swarm_ ^ hash) ^ kOperator).chance(operatorChance_));
}

bool isInSwarm(const CatalogueEntry& entry, const Features& features) {
  return Swarm(features.swarm).has(entry->family, entry.hash);
}

const std::vector<OperatorChooser::Candidate>& OperatorChooser::candidatesFor(const Features& features) {
  static const auto kByMode = [] { // of the modes that takesPart() looks at
    std::array<std::vector<Candidate>, 64> byMode;
    for (size_t mode = 0; mode < byMode.size(); ++mode) {
      Features modes;
      modes.exactOnly = (mode & 1) != 0;
      modes.mutation = (mode & 2) != 0;
      modes.random = (mode & 4) != 0;
      modes.dataBranches = (mode & 8) != 0;
      modes.style = (mode & 16) != 0 ? Style::kDense : Style::kLoose;
      modes.customOperators = (mode & 32) != 0;
      for (const CatalogueEntry& entry : catalogue()) {
        if (takesPart(*entry.description, modes)) {
          // What is common stands in idioms, too.
          byMode[mode].push_back({entry.hash, std::sqrt(entry->weight), &entry});
        }
      }
      std::stable_sort(byMode[mode].begin(), byMode[mode].end(),
                       [](const Candidate& left, const Candidate& right) { return left.weight > right.weight; });
    }
    return byMode;
  }();
  return kByMode[(features.exactOnly ? 1 : 0) + (features.mutation ? 2 : 0) + (features.random ? 4 : 0) +
                 (features.dataBranches ? 8 : 0) + (features.isDense() ? 16 : 0) + (features.customOperators ? 32 : 0)];
}

OperatorChooser::OperatorChooser(const Features& features) : features_(features), candidates_(candidatesFor(features)) {
  const Swarm swarm(features.swarm);
  inSwarm_.reserve(candidates_.size());
  std::copy_if(candidates_.begin(), candidates_.end(), std::back_inserter(inSwarm_),
               [&](const Candidate& candidate) { return swarm.has((*candidate.entry)->family, candidate.hash); });
}

const CatalogueEntry& OperatorChooser::choose(uint32_t key) {
  const CatalogueEntry* chosen = chooseOf(key, inSwarm_);
  return chosen != nullptr ? *chosen : *chooseOf(key, candidates_);
}

const CatalogueEntry* OperatorChooser::chooseOf(uint32_t key, const std::vector<Candidate>& candidates) {
  constexpr double kDraws = 0x1p53;
  const uint64_t bits = mix(key >> 4);
  Exclusions* exclusions = features_.exclusions;
  const CatalogueEntry* best = nullptr;
  const CatalogueEntry* lost = nullptr; // better, but excluded
  double bestScore = 0, lostScore = 0;
  double weight = 0; // what `least` is of
  uint64_t least = 0; // smaller draws cannot win: -log(u) is never less than 1 - u, and much dearer
  for (const Candidate& candidate : candidates) {
    if (best && candidate.weight != weight) {
      weight = candidate.weight;
      least = static_cast<uint64_t>(std::max(0.0, 1 - bestScore * weight) * (kDraws - 4)); // rounded down
    }
    // Weighted rendezvous: the smallest exponential draw with rate `weight` wins.
    const uint64_t drawn = mix(bits ^ candidate.hash) >> 11;
    if (drawn < least) {
      continue;
    }
    const CatalogueEntry& entry = *candidate.entry;
    const double score = -std::log((static_cast<double>(drawn) + 0.5) / kDraws) / candidate.weight;
    const bool excluded = exclusions != nullptr && exclusions->excludes(entry->name) && entry->name != kAlwaysThere;
    const CatalogueEntry*& leader = excluded ? lost : best;
    double& leaderScore = excluded ? lostScore : bestScore;
    if (leader == nullptr || score < leaderScore) {
      leader = &entry;
      leaderScore = score;
      weight = 0; // `least` is to be found anew
    }
  }
  if (best != nullptr && lost != nullptr && lostScore < bestScore) {
    exclusions->hit.insert(exclusions->operators.find(lost->description->name)->second);
  }
  return best;
}

const CatalogueEntry& chooseOperator(uint32_t key, const Features& features) {
  return OperatorChooser(features).choose(key);
}

std::vector<OperatorInfo> operators() {
  std::vector<OperatorInfo> infos;
  for (const CatalogueEntry& entry : catalogue()) {
    infos.push_back({entry->name, entry->family, entry->has(kExact), entry->writes()});
  }
  return infos;
}

std::string_view familyName(OperatorFamily family) {
  static constexpr std::string_view kNames[] = {
      "unary", "binary",        "in-place",   "view", "reduction", "matrix", "indexing", "joining", "factory",
      "cast",  "normalization", "activation", "loss", "window",    "size",   "gradient", "custom"};
  return kNames[static_cast<size_t>(family)];
}

} // namespace touchstone::catalogue
