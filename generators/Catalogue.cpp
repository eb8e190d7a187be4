#include "generators/Catalogue.h"

#include "generators/Draw.h"
#include "generators/Exclusions.h"
#include "graph/program/CaseParser.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace touchstone::generators {

namespace {

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
      spelling.target = graph::parseExpression(std::string(text.substr(0, position)));
      text.remove_prefix(position + assignment.size());
      break;
    }
  }
  spelling.value = graph::parseExpression(std::string(text));
  std::vector<std::string> names = graph::namesRead(*spelling.value);
  if (spelling.target) {
    const std::vector<std::string> more = graph::namesRead(*spelling.target);
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
        networkOperators()}) {
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
  if (!features.mutation && (op.has(kMutates) || op.has(kGeometry))) {
    return false;
  }
  return features.random || !op.has(kRandom);
}

bool isInSwarm(const CatalogueEntry& entry, const Features& features) {
  if (features.swarm == 0) {
    return true;
  }
  constexpr int kFamilyPercent[] = {40, 60, 80, 100};
  constexpr int kOperatorPercent[] = {25, 50, 75, 100};
  const uint64_t swarm = features.swarm;
  const auto drawn = [&](std::string_view choice, uint64_t what, const int(&percent)[4]) {
    const int chance = percent[Draw(swarm, choice).below(4)];
    return Draw(mix(swarm ^ what), choice).chance(chance);
  };
  return drawn("family", static_cast<uint64_t>(entry->family), kFamilyPercent) &&
         drawn("operator", entry.hash, kOperatorPercent);
}

const CatalogueEntry& chooseOperator(uint32_t key, const Features& features) {
  const uint64_t bits = mix(key >> 4);
  const Exclusions* exclusions = features.exclusions;
  const CatalogueEntry* best = nullptr;
  const CatalogueEntry* lost = nullptr; // better, but excluded
  double bestScore = 0, lostScore = 0;
  for (const CatalogueEntry& entry : catalogue()) {
    if (!takesPart(*entry.description, features)) {
      continue;
    }
    // Weighted rendezvous: the smallest exponential draw with rate `weight` wins.
    const double uniform = (static_cast<double>(mix(bits ^ entry.hash) >> 11) + 0.5) * 0x1p-53;
    if (best && (1 - uniform) >= bestScore * entry->weight) {
      continue; // -log(u) is never less than 1 - u, and much dearer
    }
    if (!isInSwarm(entry, features)) { // asked of the few that may win
      continue;
    }
    const double score = -std::log(uniform) / entry->weight;
    const bool excluded = exclusions != nullptr && exclusions->excludes(entry->name) && entry->name != kAlwaysThere;
    const CatalogueEntry*& leader = excluded ? lost : best;
    double& leaderScore = excluded ? lostScore : bestScore;
    if (leader == nullptr || score < leaderScore) {
      leader = &entry;
      leaderScore = score;
    }
  }
  if (best == nullptr && features.swarm != 0) {
    Features all = features;
    all.swarm = 0;
    return chooseOperator(key, all);
  }
  if (lost != nullptr && (best == nullptr || lostScore < bestScore)) {
    features.exclusions->hit.insert(exclusions->operators.find(lost->description->name)->second);
  }
  return *best;
}

std::vector<OperatorInfo> operators() {
  std::vector<OperatorInfo> infos;
  for (const CatalogueEntry& entry : catalogue()) {
    infos.push_back({entry->name, entry->family, entry->has(kExact), entry->has(kMutates) || entry->has(kGeometry)});
  }
  return infos;
}

std::string_view familyName(OperatorFamily family) {
  static constexpr std::string_view kNames[] = {
      "unary",   "binary", "in-place",      "view",       "reduction", "matrix", "indexing", "joining",
      "factory", "cast",   "normalization", "activation", "loss",      "window", "size",     "gradient"};
  return kNames[static_cast<size_t>(family)];
}

} // namespace touchstone::generators
