#include "generators/idioms/Idioms.h"

#include "generators/catalogue/CalledOperators.h"
#include "generators/catalogue/Draw.h"
#include "generators/catalogue/Exclusions.h"
#include "program/analysis/NameFlow.h"
#include "program/parser/CaseParser.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace touchstone::idioms {

namespace {

using Table = std::span<const Idiom> (*)();
constexpr Table kTables[] = {repeatedIdioms,      inverseIdioms,   castIdioms,    viewIdioms,      identityIdioms,
                             reassociationIdioms, promotionIdioms, factoryIdioms, reductionIdioms, writtenOutIdioms,
                             matrixIdioms,        indexingIdioms,  writeIdioms,   trainingIdioms,  gradientIdioms,
                             keywordIdioms,       sizeIdioms};

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Operands have one capital letter, attributes more.
bool isAttribute(const std::string& name) {
  return name.size() > 1 && std::all_of(name.begin(), name.end(), [](unsigned char character) {
           return std::isupper(character) || character == '_';
         });
}

bool isReadInside(const std::vector<language::StatementPtr>& statements, const std::string& name) {
  bool isRead = false;
  for (const language::StatementPtr& statement : statements) {
    if (holds(language::namesRead(*statement), name)) {
      isRead = statement->kind == language::StatementKind::kAssign && !language::namesWritten(*statement).empty();
    }
  }
  return isRead;
}

IdiomEntry readIdiom(const Idiom& idiom) {
  IdiomEntry entry{.description = &idiom,
                   .statements = {},
                   .attributes = {},
                   .results = {},
                   .called = {},
                   .writes = idiom.has(kMutates),
                   .hash = catalogue::hashName(idiom.name)};
  std::vector<std::string> bound;
  for (const std::string_view text : idiom.statements) {
    entry.statements.push_back(parser::parseStatement(std::string(text)));
    for (const std::string& name : language::namesRead(*entry.statements.back())) {
      if (isAttribute(name) && !holds(entry.attributes, name)) {
        entry.attributes.push_back(name);
      }
    }
    for (const std::string& name : language::namesWritten(*entry.statements.back())) {
      if (std::islower(static_cast<unsigned char>(name[0])) && !holds(bound, name)) { // `A += 1` binds A again
        bound.push_back(name);
      }
    }
  }
  for (const std::string& name : bound) {
    entry.results.push_back({name, isReadInside(entry.statements, name)});
  }
  const std::vector<analysis::StatementFlow> flows = analysis::flowOf(entry.statements);
  entry.writes |= std::any_of(flows.begin(), flows.end(), [](const auto& flow) { return flow.mutates(); });
  entry.called = catalogue::operatorsCalled(entry.statements);
  if (idiom.has(kSelects)) {
    entry.called.emplace_back("masked_select");
  }
  return entry;
}

std::vector<IdiomEntry> readIdioms() {
  std::vector<IdiomEntry> entries;
  for (const Table table : kTables) {
    for (const Idiom& idiom : table()) {
      entries.push_back(readIdiom(idiom));
    }
  }
  return entries;
}

/// Those that take part in the modes that takesPart() looks at, by their hashes.
const std::vector<const IdiomEntry*>& candidatesFor(const catalogue::Features& features, bool ofSizes) {
  static const auto kByMode = [] {
    std::array<std::vector<const IdiomEntry*>, 16> byMode;
    for (size_t mode = 0; mode < byMode.size(); ++mode) {
      catalogue::Features modes;
      modes.exactOnly = (mode & 1) != 0;
      modes.mutation = (mode & 2) != 0;
      modes.random = (mode & 4) != 0;
      modes.dynamic = (mode & 8) != 0;
      for (const IdiomEntry& entry : idioms()) {
        if (takesPart(entry, modes) && entry->has(kOfSizes) == ((mode & 8) != 0)) {
          byMode[mode].push_back(&entry);
        }
      }
      std::sort(byMode[mode].begin(), byMode[mode].end(),
                [](const IdiomEntry* left, const IdiomEntry* right) { return left->hash < right->hash; });
    }
    return byMode;
  }();
  return kByMode[(features.exactOnly ? 1 : 0) + (features.mutation ? 2 : 0) + (features.random ? 4 : 0) +
                 (ofSizes ? 8 : 0)];
}

} // namespace

const std::vector<IdiomEntry>& idioms() {
  static const std::vector<IdiomEntry> kEntries = readIdioms();
  return kEntries;
}

bool takesPart(const IdiomEntry& entry, const catalogue::Features& features) {
  return (!features.exactOnly || entry->has(kExact)) && (features.mutation || !entry.writes) &&
         (features.random || !entry->has(kRandom)) && (features.dynamic || !entry->has(kOfSizes));
}

std::vector<const IdiomEntry*> idiomsFrom(double place, const catalogue::Features& features, size_t count,
                                          bool ofSizes) {
  const std::vector<const IdiomEntry*>& candidates = candidatesFor(features, ofSizes && features.dynamic);
  const auto first = static_cast<size_t>(place * static_cast<double>(candidates.size()));
  std::vector<const IdiomEntry*> found;
  for (size_t step = 0; step < candidates.size() && found.size() < count; ++step) {
    const IdiomEntry* entry = candidates[(first + step) % candidates.size()];
    if (!catalogue::refusesCalled(features.exclusions, entry->called)) {
      found.push_back(entry);
    }
  }
  return found;
}

} // namespace touchstone::idioms
