// Laws of Recipes and of what they decode to, on random ones; a Recipe that breaks a law is shown with the fewest records.
#include "generators/catalogue/Catalogue.h"
#include "generators/decoder/Decoder.h"
#include "generators/catalogue/Recipe.h"
#include "program/parser/CaseParser.h"
#include "program/language/CasePrinter.h"
#include "program/evaluator/Evaluator.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace rc {

template <>
struct Arbitrary<touchstone::generators::Record> {
  using Record = touchstone::generators::Record;
  static Gen<Record> arbitrary() {
    return gen::build<Record>(gen::set(&Record::key, gen::resize(kNominalSize, gen::arbitrary<uint32_t>())),
                              gen::set(&Record::operands, gen::resize(kNominalSize, gen::arbitrary<uint32_t>())),
                              gen::set(&Record::attributes, gen::resize(kNominalSize, gen::arbitrary<uint64_t>())));
  }
};

} // namespace rc

namespace touchstone::generators {

static void showValue(const Record& record, std::ostream& stream) {
  stream << recipeText({record});
}

namespace {

[[maybe_unused]] const bool oneThread = (at::set_num_threads(1), true);

struct DecodedLaw {
  std::string text;
  std::vector<std::string> accepted;
};

DecodedLaw decodeFor(const Recipe& recipe, const Features& features) {
  DecodeStatistics statistics;
  DecodeOptions options;
  options.features = features;
  options.statistics = &statistics;
  const graph::Case theCase = decode(recipe, options);
  return {graph::printCase(theCase), statistics.accepted};
}

Features anyFeatures() {
  return featuresOf(0, *rc::gen::inRange<uint64_t>(0, 64));
}

bool isSubsequence(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  size_t next = 0;
  for (const std::string& each : whole) {
    next += next < part.size() && part[next] == each ? 1 : 0;
  }
  return next == part.size();
}

} // namespace

RC_GTEST_PROP(RecipeLawsTest, BytesAndTextGiveItBack, (const Recipe& recipe)) {
  RC_ASSERT(recipeFromBytes(recipeBytes(recipe)) == recipe);
  RC_ASSERT(recipeFromText(recipeText(recipe)) == recipe);
}

RC_GTEST_PROP(RecipeLawsTest, BytesAreKeptUpToTheLastWholeRecord, (const std::vector<uint8_t>& bytes)) {
  const std::vector<uint8_t> again = recipeBytes(recipeFromBytes(bytes));
  RC_ASSERT(again.size() == bytes.size() / 16 * 16);
  RC_ASSERT(std::equal(again.begin(), again.end(), bytes.begin()));
}

RC_GTEST_PROP(RecipeLawsTest, AKeyTakesAnySectionAndKeepsItsOtherBits, (uint32_t key)) {
  for (const Section section : {Section::kInput, Section::kStatement, Section::kOutput, Section::kCall}) {
    const uint32_t moved = Record::keyIn(section, key);
    RC_ASSERT((Record{.key = moved, .operands = 0, .attributes = 0}.section() == section));
    RC_ASSERT(moved >> 4 == key >> 4);
  }
}

RC_GTEST_PROP(RecipeLawsTest, DecodingIsAFunctionOfRecipeAndFeatures, (const Recipe& recipe)) {
  const Features features = anyFeatures();
  const DecodedLaw first = decodeFor(recipe, features);
  decodeFor(*rc::gen::arbitrary<Recipe>(), anyFeatures()); // something else in between
  const DecodedLaw second = decodeFor(recipe, features);
  RC_ASSERT(first.text == second.text);
  RC_ASSERT(first.accepted == second.accepted);
}

RC_GTEST_PROP(RecipeLawsTest, WhatIsDecodedReadsBackAsItself, (const Recipe& recipe)) {
  const std::string text = decodeFor(recipe, anyFeatures()).text;
  RC_ASSERT(graph::printCase(graph::parseCase(text)) == text);
}

RC_GTEST_PROP(RecipeLawsTest, InputsOfEveryCallCanBeMade, (const Recipe& recipe)) {
  DecodeOptions options;
  options.features = anyFeatures();
  const graph::Case theCase = decode(recipe, options);
  RC_ASSERT(theCase.calls.size() >= 2U);
  graph::Evaluator evaluator(theCase);
  for (const graph::CallSpec& call : theCase.calls) {
    if (call.inputs.has_value()) {
      const graph::InputSet inputs = evaluator.makeInputs(*call.inputs, call.seed, call.kind);
      RC_ASSERT(inputs.arguments.size() == theCase.program().parameters.size());
    }
  }
}

RC_GTEST_PROP(RecipeLawsTest, WithoutARecordTheOthersAskForWhatTheyAskedFor, (const Recipe& recipe)) {
  RC_PRE(!recipe.empty());
  const Features features = anyFeatures();
  Recipe shorter = recipe;
  shorter.erase(shorter.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(recipe.size())));
  std::vector<std::string> asked;
  for (const Record& record : shorter) {
    if (record.section() == Section::kStatement) {
      asked.emplace_back(chooseOperator(record.key, features)->name);
    }
  }
  RC_ASSERT(isSubsequence(decodeFor(shorter, features).accepted, asked));
}

} // namespace touchstone::generators
