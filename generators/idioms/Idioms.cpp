#include "generators/idioms/Idioms.h"

#include "generators/catalogue/Draw.h"
#include "program/parser/CaseParser.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace touchstone::idioms {

namespace {

struct Table {
  IdiomClass idiomClass;
  std::string_view name;
  std::span<const Idiom> (*rows)();
};

// In the order of IdiomClass.
constexpr Table kTables[] = {
    {IdiomClass::kRepeated, "repeated", repeatedIdioms},
    {IdiomClass::kInverse, "inverse", inverseIdioms},
    {IdiomClass::kCast, "cast", castIdioms},
    {IdiomClass::kView, "view", viewIdioms},
    {IdiomClass::kIdentity, "identity", identityIdioms},
    {IdiomClass::kReassociation, "reassociation", reassociationIdioms},
    {IdiomClass::kPromotion, "promotion", promotionIdioms},
    {IdiomClass::kFactory, "factory", factoryIdioms},
    {IdiomClass::kReduction, "reduction", reductionIdioms},
    {IdiomClass::kWrittenOut, "written out", writtenOutIdioms},
    {IdiomClass::kMatrix, "matrix", matrixIdioms},
    {IdiomClass::kIndexing, "indexing", indexingIdioms},
    {IdiomClass::kWrite, "write", writeIdioms},
    {IdiomClass::kTraining, "training", trainingIdioms},
    {IdiomClass::kGradient, "gradient", gradientIdioms},
};

void addNew(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

/// Operands have one capital letter, attributes more.
bool isAttribute(const std::string& name) {
  return name.size() > 1 && std::all_of(name.begin(), name.end(), [](unsigned char character) {
           return std::isupper(character) || character == '_';
         });
}

IdiomEntry readIdiom(const Idiom& idiom, IdiomClass idiomClass) {
  IdiomEntry entry{.description = &idiom,
                   .idiomClass = idiomClass,
                   .statements = {},
                   .attributes = {},
                   .results = {},
                   .hash = catalogue::hashName(idiom.name)};
  for (const std::string_view text : idiom.statements) {
    entry.statements.push_back(parser::parseStatement(std::string(text)));
    for (const std::string& name : language::namesRead(*entry.statements.back())) {
      if (isAttribute(name)) {
        addNew(entry.attributes, name);
      }
    }
    for (const std::string& name : language::namesWritten(*entry.statements.back())) {
      if (std::islower(static_cast<unsigned char>(name[0]))) { // `A += 1` binds A again
        addNew(entry.results, name);
      }
    }
  }
  return entry;
}

std::vector<IdiomEntry> readIdioms() {
  std::vector<IdiomEntry> entries;
  for (const Table& table : kTables) {
    for (const Idiom& idiom : table.rows()) {
      entries.push_back(readIdiom(idiom, table.idiomClass));
    }
  }
  return entries;
}

} // namespace

std::string_view className(IdiomClass idiomClass) {
  return kTables[static_cast<size_t>(idiomClass)].name;
}

const std::vector<IdiomEntry>& idioms() {
  static const std::vector<IdiomEntry> kEntries = readIdioms();
  return kEntries;
}

bool takesPart(const Idiom& idiom, const catalogue::Features& features) {
  return (!features.exactOnly || idiom.has(kExact)) && (features.mutation || !idiom.has(kMutates)) &&
         (features.random || !idiom.has(kRandom));
}

std::vector<const IdiomEntry*> preferredIdioms(uint32_t key, const catalogue::Features& features, size_t count) {
  std::vector<std::pair<uint64_t, const IdiomEntry*>> scored;
  const uint64_t bits = catalogue::mix(key >> 4); // the other bits choose the section
  for (const IdiomEntry& entry : idioms()) {
    if (takesPart(*entry.description, features)) {
      scored.emplace_back(catalogue::mix(bits ^ entry.hash), &entry);
    }
  }
  const auto middle = scored.begin() + static_cast<std::ptrdiff_t>(std::min(count, scored.size()));
  std::partial_sort(scored.begin(), middle, scored.end());
  std::vector<const IdiomEntry*> preferred;
  std::transform(scored.begin(), middle, std::back_inserter(preferred), [](const auto& each) { return each.second; });
  return preferred;
}

} // namespace touchstone::idioms
