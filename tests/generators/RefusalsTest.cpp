#include "generators/decoder/Refusals.h"

#include "generators/catalogue/Exclusions.h"
#include "generators/decoder/Decoder.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/values/RaisedException.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace touchstone::tests {
namespace {

constexpr uint64_t kRefusalSeed = 5;
constexpr uint64_t kRefusalCases = 500;

language::Case programReturning(const std::string& expression) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  return parser::parseCase(
      "# touchstone: 1\nimport torch\n\n\n" + language::dataPreamble() +
          "\n\ndef inputs(seed, kind):\n    return (data((2, 3), torch.float32, (seed, 0), kind),), "
          "()\n\n\ndef program(A):\n    return " +
          expression + "\n\n\nCALLS = [dict(inputs=\"inputs\")]\n",
      options);
}

TEST(RefusalsTest, EagerRefusesEachOfTheTable) {
  EXPECT_GE(decoder::refusals().size(), 60u);
  std::set<std::string_view> names;
  for (const decoder::Refusal& refusal : decoder::refusals()) {
    EXPECT_TRUE(names.insert(refusal.what).second) << refusal.what;
    const language::Case theCase = programReturning(std::string(refusal.text));
    evaluator::Evaluator evaluator(theCase);
    evaluator::InputSet inputs = evaluator.makeInputs("inputs", 1, "uniform");
    try {
      evaluator.call("program", inputs.arguments);
      ADD_FAILURE() << "eager takes " << refusal.what << ": " << refusal.text;
    } catch (const std::exception&) {
      EXPECT_FALSE(values::currentException().isLimit) << refusal.text;
    }
  }
}

TEST(RefusalsTest, WhatAProfileExcludesIsNotWhatEagerRefuses) {
  int refusing = 0;
  for (uint64_t index = 0; index < kRefusalCases; ++index) {
    catalogue::Exclusions exclusions;
    for (const at::ScalarType dtype : {at::kLong, at::kComplexFloat, at::kDouble, at::kBool}) {
      exclusions.dtypes.emplace(dtype, "excluded");
    }
    exclusions.operators.emplace("cumsum", "excluded");
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(kRefusalSeed, index, {catalogue::Part::kWrongArguments});
    options.features.exclusions = &exclusions;
    const catalogue::Recipe recipe = catalogue::makeRecipe(kRefusalSeed, index, options.features);
    const language::Case with = decoder::decode(recipe, options);
    options.features.parts = {};
    if (language::printFunction(with.program()) ==
        language::printFunction(decoder::decode(recipe, options).program())) {
      continue;
    }
    ++refusing;
    EXPECT_EQ(language::printFunction(with.program()).find("cumsum(9)"), std::string::npos);
    evaluator::Evaluator evaluator(with); // without the profile
    evaluator::InputSet inputs = evaluator.makeInputs("inputs", 7, with.calls.front().kind);
    EXPECT_ANY_THROW(evaluator.call("program", inputs.arguments)) << language::printFunction(with.program());
  }
  EXPECT_GE(refusing, 3);
}

TEST(RefusalsTest, WhatNeedsAnExcludedDtypeIsNotDrawn) {
  catalogue::Exclusions exclusions;
  exclusions.dtypes.emplace(at::kLong, "excluded");
  int before = 0;
  for (uint64_t index = 0; index < 4000; ++index) {
    const auto hasIndices = [&](catalogue::Exclusions* excluded) {
      decoder::DecodeOptions options;
      options.features = catalogue::featuresOf(kRefusalSeed, index, {catalogue::Part::kWrongArguments});
      options.features.exclusions = excluded;
      options.features.maximumOperations = options.features.minimumOperations = 2;
      const language::Case theCase =
          decoder::decode(catalogue::makeRecipe(kRefusalSeed, index, options.features), options);
      return language::printFunction(theCase.program()).find("99, dtype=torch.int64)") != std::string::npos;
    };
    before += hasIndices(nullptr) ? 1 : 0;
    EXPECT_FALSE(hasIndices(&exclusions)) << index;
  }
  EXPECT_GT(before, 2);
}

TEST(RefusalsTest, ProgramsReturnWhatEagerRefusesToMake) {
  int refusing = 0;
  for (uint64_t index = 0; index < kRefusalCases; ++index) {
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(kRefusalSeed, index, {catalogue::Part::kWrongArguments});
    const catalogue::Recipe recipe = catalogue::makeRecipe(kRefusalSeed, index, options.features);
    const language::Case with = decoder::decode(recipe, options);
    options.features.parts = {};
    const language::Case without = decoder::decode(recipe, options);
    if (language::printFunction(with.program()) == language::printFunction(without.program())) {
      ASSERT_EQ(with.calls, without.calls);
      continue;
    }
    ++refusing;
    EXPECT_EQ(with.calls.size(), 2u) << "eager raises in every call";
    evaluator::Evaluator evaluator(with);
    evaluator::InputSet inputs = evaluator.makeInputs("inputs", 7, with.calls.front().kind);
    EXPECT_ANY_THROW(evaluator.call("program", inputs.arguments));
    const auto& body = with.program().body;
    const language::Statement& refused = *body[body.size() - 2];
    EXPECT_EQ(body.back()->value->children.back()->text, refused.targets.front()->text) << "it is returned";
  }
  EXPECT_GE(refusing, static_cast<int>(kRefusalCases * 15 / 100)) << "who asks for little else gets many";
  EXPECT_LE(refusing, static_cast<int>(kRefusalCases * 60 / 100));
}

TEST(RefusalsTest, FewProgramsThatAreDrawnWithAllPartsAreRefused) {
  constexpr uint64_t kCases = 300;
  int refusing = 0;
  for (uint64_t index = 0; index < kCases; ++index) {
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(kRefusalSeed, index);
    const catalogue::Recipe recipe = catalogue::makeRecipe(kRefusalSeed, index, options.features);
    const language::Case with = decoder::decode(recipe, options);
    options.features.parts.set(catalogue::Part::kWrongArguments, false);
    refusing +=
        language::printFunction(with.program()) != language::printFunction(decoder::decode(recipe, options).program());
  }
  EXPECT_GE(refusing, 1);
  EXPECT_LE(refusing, static_cast<int>(kCases * 6 / 100));
}

} // namespace
} // namespace touchstone::tests
