// Laws of Recipes and of what they decode to, on random ones; a Recipe that breaks a law is shown with the fewest records.
#include "generators/catalogue/Catalogue.h"
#include "generators/catalogue/Recipe.h"
#include "generators/decoder/Decoder.h"
#include "program/evaluator/Evaluator.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace rc {

template <>
struct Arbitrary<touchstone::catalogue::Record> {
  using Record = touchstone::catalogue::Record;
  static Gen<Record> arbitrary() {
    return gen::build<Record>(gen::set(&Record::key, gen::resize(kNominalSize, gen::arbitrary<uint32_t>())),
                              gen::set(&Record::operands, gen::resize(kNominalSize, gen::arbitrary<uint32_t>())),
                              gen::set(&Record::attributes, gen::resize(kNominalSize, gen::arbitrary<uint64_t>())));
  }
};

} // namespace rc

namespace touchstone::catalogue { // where rapidcheck looks for it

static void showValue(const Record& record, std::ostream& stream) {
  stream << recipeText({record});
}

} // namespace touchstone::catalogue

namespace touchstone::tests {

namespace {

[[maybe_unused]] const bool oneThread = (at::set_num_threads(1), true);

struct DecodedLaw {
  std::string text;
  std::vector<std::string> accepted;
};

DecodedLaw decodeFor(const catalogue::Recipe& recipe, const catalogue::Features& features) {
  decoder::DecodeStatistics statistics;
  decoder::DecodeOptions options;
  options.features = features;
  options.statistics = &statistics;
  const language::Case theCase = decoder::decode(recipe, options);
  return {standalone::printCase(theCase), statistics.accepted};
}

catalogue::Features anyFeatures(catalogue::Parts parts) {
  return catalogue::featuresOf(0, *rc::gen::inRange<uint64_t>(0, 64), parts);
}

catalogue::Features anyFeatures() {
  return anyFeatures(*rc::gen::element(catalogue::Parts(), catalogue::partsOf({"all"})));
}

bool isSubsequence(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  size_t next = 0;
  for (const std::string& each : whole) {
    next += next < part.size() && part[next] == each ? 1 : 0;
  }
  return next == part.size();
}

} // namespace

RC_GTEST_PROP(RecipeLawsTest, BytesAndTextGiveItBack, (const catalogue::Recipe& recipe)) {
  RC_ASSERT(catalogue::recipeFromBytes(catalogue::recipeBytes(recipe)) == recipe);
  RC_ASSERT(catalogue::recipeFromText(catalogue::recipeText(recipe)) == recipe);
}

RC_GTEST_PROP(RecipeLawsTest, BytesAreKeptUpToTheLastWholeRecord, (const std::vector<uint8_t>& bytes)) {
  const std::vector<uint8_t> again = catalogue::recipeBytes(catalogue::recipeFromBytes(bytes));
  RC_ASSERT(again.size() == bytes.size() / 16 * 16);
  RC_ASSERT(std::equal(again.begin(), again.end(), bytes.begin()));
}

RC_GTEST_PROP(RecipeLawsTest, AKeyTakesAnySectionAndKeepsItsOtherBits, (uint32_t key)) {
  for (const catalogue::Section section : {catalogue::Section::kInput, catalogue::Section::kStatement,
                                           catalogue::Section::kOutput, catalogue::Section::kCall}) {
    const uint32_t moved = catalogue::Record::keyIn(section, key);
    RC_ASSERT((catalogue::Record{.key = moved, .operands = 0, .attributes = 0}.section() == section));
    RC_ASSERT(moved >> 4 == key >> 4);
  }
}

RC_GTEST_PROP(RecipeLawsTest, DecodingIsAFunctionOfRecipeAndFeatures, (const catalogue::Recipe& recipe)) {
  const catalogue::Features features = anyFeatures();
  const DecodedLaw first = decodeFor(recipe, features);
  decodeFor(*rc::gen::arbitrary<catalogue::Recipe>(), anyFeatures()); // something else in between
  const DecodedLaw second = decodeFor(recipe, features);
  RC_ASSERT(first.text == second.text);
  RC_ASSERT(first.accepted == second.accepted);
}

RC_GTEST_PROP(RecipeLawsTest, WhatIsDecodedReadsBackAsItself, (const catalogue::Recipe& recipe)) {
  const std::string text = decodeFor(recipe, anyFeatures()).text;
  RC_ASSERT(standalone::printCase(parser::parseCase(text)) == text);
}

RC_GTEST_PROP(RecipeLawsTest, InputsOfEveryCallCanBeMade, (const catalogue::Recipe& recipe)) {
  decoder::DecodeOptions options;
  options.features = anyFeatures();
  const language::Case theCase = decoder::decode(recipe, options);
  RC_ASSERT(theCase.calls.size() >= 2U);
  evaluator::Evaluator evaluator(theCase);
  for (const language::CallSpec& call : theCase.calls) {
    if (call.inputs.has_value()) {
      const evaluator::InputSet inputs = evaluator.makeInputs(*call.inputs, call.seed, call.kind);
      RC_ASSERT(inputs.arguments.size() == theCase.program().parameters.size());
    }
  }
}

RC_GTEST_PROP(RecipeLawsTest, WithoutARecordTheOthersAskForWhatTheyAskedFor, (const catalogue::Recipe& recipe)) {
  RC_PRE(!recipe.empty());
  const catalogue::Features features = anyFeatures({}); // the parts make statements that no record names
  catalogue::Recipe shorter = recipe;
  shorter.erase(shorter.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(recipe.size())));
  std::vector<std::string> asked;
  for (const catalogue::Record& record : shorter) {
    if (record.section() == catalogue::Section::kStatement) {
      asked.emplace_back(catalogue::chooseOperator(record.key, features)->name);
    }
  }
  RC_ASSERT(isSubsequence(decodeFor(shorter, features).accepted, asked));
}

} // namespace touchstone::tests
