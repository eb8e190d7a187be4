#include "generators/decoder/SizeChanges.h"

#include "generators/decoder/Decoder.h"
#include "generators/features/CaseFeatures.h"
#include "oracles/observe/CallRunner.h"
#include "program/language/CasePrinter.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Parallel.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace touchstone::tests {
namespace {

using catalogue::Part;

catalogue::Parts withSizes() {
  catalogue::Parts parts = catalogue::kDefaultParts;
  parts.set(Part::kDynamic, true);
  return parts;
}

language::Case decoded(uint64_t index, catalogue::Parts parts) {
  decoder::DecodeOptions options;
  options.features = catalogue::featuresOf(5, index, parts);
  return decoder::decode(catalogue::makeRecipe(5, index, options.features), options);
}

/// `x` of (3, 2), `y` of (2,), rows of `z` of (3, 3), and a strided view of (2, 3).
decoder::InputSpecification fourInputs() {
  decoder::InputSpecification inputs;
  inputs.bases = {{.number = 0, .sizes = {3, 2}},
                  {.number = 1, .sizes = {2}},
                  {.number = 2, .sizes = {4, 3}},
                  {.number = 3, .sizes = {20}}};
  for (int index = 0; index < 4; ++index) {
    inputs.arguments.push_back({.base = index});
  }
  inputs.arguments[2].layout = decoder::Layout::kRows;
  inputs.arguments[2].offset = 1;
  inputs.arguments[3] = {
      .base = 3, .layout = decoder::Layout::kStrided, .sizes = {2, 3}, .strides = {7, 2}, .offset = 1};
  return inputs;
}

size_t countOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(SizeChangesTest, WhatHasOneNumberBecomesOneOther) {
  const decoder::InputSpecification inputs = fourInputs();
  int changed = 0, alike = 0, one = 0, none = 0, equal = 0, swapped = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    catalogue::Draw draw(seed);
    const auto other = decoder::withOtherSizes(inputs, draw, 256);
    if (!other) {
      continue;
    }
    ++changed;
    const int64_t three = other->bases[0].sizes[0], two = other->bases[0].sizes[1];
    const bool isAlike = other->bases[1].sizes[0] == two && other->bases[2].sizes[0] == three + 1 &&
                         other->bases[2].sizes[1] == three &&
                         other->arguments[3].sizes == std::vector<int64_t>{two, three};
    alike += isAlike;
    one += three == 1 || two == 1;
    none += three == 0 || two == 0;
    equal += isAlike && three == two;
    swapped += three == 2 && two == 3;
  }
  EXPECT_GT(changed, 300);
  EXPECT_GT(alike, changed * 4 / 5);
  EXPECT_LT(alike, changed) << "what was equal is not any more, at times";
  for (const int each : {one, none, equal, swapped}) {
    EXPECT_GT(each, changed / 50);
  }
}

TEST(SizeChangesTest, NumbersBecomeOthersAndNotBools) {
  decoder::InputSpecification inputs = fourInputs();
  inputs.arguments.push_back({.literal = int64_t{3}});
  inputs.arguments.push_back({.literal = 0.5});
  inputs.arguments.push_back({.literal = true});
  int changed = 0, negative = 0, signedZeros = 0, fractions = 0, notFinite = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    catalogue::Draw draw(seed);
    if (const auto other = decoder::withOtherSizes(inputs, draw, 256)) {
      const auto whole = std::get<int64_t>(other->arguments[4].literal);
      const auto number = std::get<double>(other->arguments[5].literal);
      EXPECT_TRUE(std::get<bool>(other->arguments[6].literal));
      ++changed;
      negative += whole < 0;
      signedZeros += number == 0 && std::signbit(number);
      fractions += number == 0.3;
      notFinite += !std::isfinite(number);
    }
  }
  for (const int each : {negative, signedZeros, fractions, notFinite}) {
    EXPECT_GT(each, changed / 200);
  }
}

TEST(SizeChangesTest, AStridedViewKeepsItsGapsAndStaysInItsBase) {
  const decoder::InputSpecification inputs = fourInputs();
  for (uint64_t seed = 0; seed < 200; ++seed) {
    catalogue::Draw draw(seed);
    if (const auto other = decoder::withOtherSizes(inputs, draw, 256)) {
      const decoder::ArgumentSpecification& view = other->arguments[3];
      int64_t last = view.offset;
      for (size_t dimension = 0; dimension < 2; ++dimension) {
        last += std::max<int64_t>(0, view.sizes[dimension] - 1) * view.strides[dimension];
      }
      EXPECT_LT(last, other->bases[3].sizes[0]) << seed;
      EXPECT_EQ(view.strides[1], 2) << seed;
      EXPECT_GE(view.strides[0], 2 * std::max<int64_t>(1, view.sizes[1] - 1)) << seed;
    }
  }
}

TEST(SizeChangesTest, MarksAreOfTheSameDimensionsAndNotWhereTheSizeContradictsThem) {
  std::string texts;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    catalogue::Draw draw(seed);
    decoder::InputSpecification base = fourInputs(), ones = base;
    ones.bases[0].sizes = {1, 1};
    ones.bases[1].sizes = {1};
    decoder::markDimensions({&base, &ones}, draw);
    for (const decoder::MarkSpecification& mark : ones.marks) {
      const bool isWeak = mark.function == "mark_static" || mark.function == "maybe_mark_dynamic";
      EXPECT_TRUE(isWeak || mark.argument >= 2) << seed;
      EXPECT_LE(mark.minimum.value_or(2), 2) << seed;
    }
    EXPECT_LE(ones.marks.size(), base.marks.size());
    texts += language::printFunction(base.function("inputs"));
  }
  for (const char* mark :
       {"torch._dynamo.mark_dynamic(b0, 0)", "torch._dynamo.mark_static(", "torch._dynamo.maybe_mark_dynamic(",
        "torch._dynamo.decorators.mark_unbacked(", "torch._dynamo.mark_dynamic(b0, 1, min=2, max="}) {
    EXPECT_NE(texts.find(mark), std::string::npos) << mark;
  }
}

TEST(SizeChangesTest, CasesChangeSizesComputeWithThemAndRun) {
  at::set_num_threads(1);
  constexpr int kCases = 60;
  int changing = 0, computing = 0, marked = 0, numbered = 0, always = 0, calls = 0, raised = 0;
  for (uint64_t index = 0; index < kCases; ++index) {
    const language::Case theCase = decoded(index, withSizes());
    const std::string text = standalone::printCase(theCase);
    changing += features::describeCase(theCase).sizeAssignments >= 3;
    computing += countOf(language::printFunction(theCase.program()), ".size(") +
                     countOf(language::printFunction(theCase.program()), ".numel(") >
                 0;
    marked += text.find("mark_") != std::string::npos;
    numbered += std::ranges::any_of(evaluator::Evaluator(theCase).makeInputs("inputs", 1, "grid").arguments,
                                    [](const values::Value& each) { return each.is<int64_t>() || each.is<double>(); });
    always += theCase.compile.dynamic == std::optional(true);
    EXPECT_NE(theCase.compile.dynamic, std::optional(false));
    observe::RunOptions options;
    options.probeEffects = false;
    for (const observe::CallObservation& call :
         observe::runCalls(theCase, *evaluator::eagerProgram(theCase), options).calls) {
      ++calls;
      raised += call.exception.has_value();
    }
  }
  EXPECT_GT(changing, kCases * 7 / 10);
  EXPECT_GT(computing, kCases / 2);
  EXPECT_GT(marked, kCases / 5);
  EXPECT_LT(marked, kCases * 6 / 10);
  EXPECT_GT(numbered, kCases * 3 / 10) << "one more, at times";
  EXPECT_NEAR(always, kCases / 2, kCases / 4);
  EXPECT_LT(raised * 20, calls) << "eager refuses few";
}

TEST(SizeChangesTest, WithoutThePartNothingIsOfSizes) {
  for (uint64_t index = 0; index < 60; ++index) {
    const language::Case theCase = decoded(index, catalogue::kDefaultParts);
    const std::string text = standalone::printCase(theCase);
    EXPECT_EQ(text.find("inputs_sizes"), std::string::npos);
    EXPECT_EQ(text.find("mark_"), std::string::npos);
    EXPECT_EQ(theCase.compile.dynamic, std::optional(false));
  }
}

} // namespace
} // namespace touchstone::tests
