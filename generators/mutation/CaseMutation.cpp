#include "generators/mutation/CaseMutation.h"

#include "generators/catalogue/Draw.h"
#include "generators/decoder/Continuation.h"
#include "generators/mutation/Mutation.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

namespace touchstone::mutation {

using language::Case;

namespace {

constexpr int kCaseMutationAttempts = 5;
constexpr size_t kLongProgram = 40; // statements: longer ones are only mutated

catalogue::Draw drawFor(uint64_t seed, uint64_t index, std::string_view choice) {
  return catalogue::Draw(catalogue::mix(catalogue::mix(seed) ^ index), choice);
}

catalogue::Recipe recordsFor(catalogue::Draw& draw, int64_t statements, int64_t outputs, int64_t calls) {
  catalogue::Recipe recipe;
  const std::pair<catalogue::Section, int64_t> parts[] = {{catalogue::Section::kStatement, statements},
                                                          {catalogue::Section::kOutput, outputs},
                                                          {catalogue::Section::kCall, calls}};
  for (const auto& [section, count] : parts) {
    for (int64_t record = 0; record < count; ++record) {
      const uint64_t bits = draw.next();
      recipe.push_back({catalogue::Record::keyIn(section, static_cast<uint32_t>(bits)),
                        static_cast<uint32_t>(bits >> 32), draw.next()});
    }
  }
  return recipe;
}

/// The functions and the calls as text: what a derived Case must differ in.
std::string contentOf(Case theCase) {
  theCase.headers.clear();
  theCase.expectations.clear();
  return standalone::printCase(theCase, language::CaseForm::kShort);
}

/// A change may leave the language: `data` wants its seed written in one way only.
std::optional<Case> readBack(const Case& theCase) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  try {
    return parser::parseCase(standalone::printCase(theCase, language::CaseForm::kShort), options);
  } catch (const parser::ParseError&) {
    return std::nullopt;
  }
}

MutationKind drawMutationKind(catalogue::Draw& draw, const Case& start) {
  const language::Function* program = start.find("program");
  const int64_t roll = draw.below(100);
  if (program && program->body.size() > kLongProgram) {
    return MutationKind::kMutated;
  }
  return roll < 30 ? MutationKind::kContinued : roll < 75 ? MutationKind::kMutated : MutationKind::kSpliced;
}

} // namespace

std::string_view mutationKindName(MutationKind mutation) {
  static constexpr std::string_view kNames[] = {"continued", "mutated", "spliced"};
  return kNames[static_cast<size_t>(mutation)];
}

std::optional<MutatedCase> deriveCase(uint64_t seed, uint64_t index, std::span<const Case> starts,
                                      const decoder::DecodeOptions& options) {
  if (starts.empty()) {
    return std::nullopt;
  }
  const std::string before = contentOf(starts[0]);
  catalogue::Draw draw = drawFor(seed, index, "derive");
  for (int attempt = 0; attempt < kCaseMutationAttempts; ++attempt) {
    const MutationKind mutation = drawMutationKind(draw, starts[0]);
    Case start = starts[0];
    const Case* donor = nullptr;
    catalogue::Recipe records;
    switch (mutation) {
      case MutationKind::kContinued: records = recordsFor(draw, draw.between(2, 9), 2, 3); break;
      case MutationKind::kMutated:
        for (int64_t edits = draw.between(1, 3); edits > 0; --edits) {
          start = mutateCase(start, draw);
        }
        records = recordsFor(draw, draw.chance(30) ? draw.between(1, 3) : 0, 1, 1);
        break;
      case MutationKind::kSpliced:
        donor = &starts[starts.size() > 1 ? 1 : 0];
        records = recordsFor(draw, draw.between(0, 3), 3, 2);
        break;
    }
    const std::optional<Case> made = decoder::continueCase(start, donor, records, options);
    if (!made || contentOf(*made) == before) {
      continue;
    }
    if (std::optional<Case> read = readBack(*made)) {
      return MutatedCase{std::move(*read), mutation};
    }
  }
  return std::nullopt;
}

std::vector<size_t> chooseStarts(uint64_t seed, uint64_t index, std::span<const uint64_t> contents) {
  const auto winner = [&](std::string_view choice) {
    const uint64_t key = drawFor(seed, index, choice).next();
    size_t best = 0;
    for (size_t position = 1; position < contents.size(); ++position) {
      best = catalogue::mix(key ^ contents[position]) > catalogue::mix(key ^ contents[best]) ? position : best;
    }
    return best;
  };
  if (contents.empty()) {
    return {};
  }
  const size_t first = winner("start"), second = winner("donor");
  return first == second ? std::vector<size_t>{first} : std::vector<size_t>{first, second};
}

bool isDerived(uint64_t seed, uint64_t index, double share) {
  return static_cast<double>(drawFor(seed, index, "origin").next() >> 11) * 0x1p-53 < share;
}

} // namespace touchstone::mutation
