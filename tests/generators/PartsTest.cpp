#include "generators/catalogue/Catalogue.h"
#include "generators/catalogue/Parts.h"
#include "generators/catalogue/Recipe.h"
#include "generators/decoder/Decoder.h"
#include "generators/decoder/InputSpecification.h"
#include "generators/decoder/TrainingProgram.h"
#include "generators/features/CaseFeatures.h"
#include "generators/features/GradientFigures.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Parallel.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::tests {
namespace {

using catalogue::Features;
using catalogue::Part;
using catalogue::Parts;
using catalogue::Style;

constexpr Parts kAllOfThem = {Part::kDense, Part::kDifferentiable, Part::kTraining, Part::kSmall, Part::kLarge};
constexpr uint64_t kPartsSeed = 71;

language::Case decodeWith(const Features& features, uint64_t index) {
  decoder::DecodeOptions options;
  options.features = features;
  return decoder::decode(catalogue::makeRecipe(kPartsSeed, index, features), options);
}

/// Features of the first so many Cases that are drawn in the style and are as long as most.
std::vector<std::pair<uint64_t, Features>> casesIn(Style style, size_t count) {
  std::vector<std::pair<uint64_t, Features>> found;
  for (uint64_t index = 0; found.size() < count; ++index) {
    const Features features =
        catalogue::featuresOf(kPartsSeed, index, {Part::kDense, Part::kDifferentiable, Part::kTraining});
    if (features.style == style && features.minimumOperations >= 8) {
      found.emplace_back(index, features);
    }
  }
  return found;
}

/// What the Cases of a style show.
struct StyleFigures {
  int cases = 0, operations = 0, reaching = 0, backward = 0, twoOfOneShape = 0;
  std::vector<int> leaves, paths; // of those with a backward
  std::string text; // of all

  explicit StyleFigures(Style style, size_t count = 60) {
    at::set_num_threads(1);
    for (const auto& [index, features] : casesIn(style, count)) {
      const language::Case decoded = decodeWith(features, index);
      const features::CaseFeatures described = features::describeCase(decoded);
      const features::GradientFigures gradients = features::gradientFigures(decoded);
      ++cases;
      operations += described.operations;
      reaching += described.operationsReachingOutput;
      backward += described.backward;
      twoOfOneShape += gradients.twoOfOneShape;
      if (described.backward) {
        leaves.push_back(gradients.leaves);
        paths.push_back(gradients.path);
      }
      text += standalone::printCase(decoded);
    }
  }
  static int median(std::vector<int> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
  }
  int count(const std::string& piece) const {
    int found = 0;
    for (size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) {
      ++found;
    }
    return found;
  }
};

/// Whether a line holds the pieces of the text around its `{…}`, in their order.
bool hasLineOf(const std::string& program, std::string_view text) {
  std::vector<std::string> pieces(1);
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{') {
      at = text.find('}', at);
      pieces.emplace_back();
    } else {
      pieces.back() += text[at];
    }
  }
  for (size_t begin = 0; begin < program.size();) {
    const size_t end = std::min(program.find('\n', begin), program.size());
    const std::string line = program.substr(begin, end - begin);
    size_t at = 0;
    for (const std::string& piece : pieces) {
      at = at == std::string::npos ? at : line.find(piece, at);
      at = at == std::string::npos ? at : at + piece.size();
    }
    if (at != std::string::npos) {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

TEST(PartsTest, WithoutThemCasesAreLooseAndNothingOfThemIsDrawn) {
  for (uint64_t index = 0; index < 300; ++index) {
    const Features features = catalogue::featuresOf(kPartsSeed, index, {});
    EXPECT_EQ(features.style, Style::kLoose);
    EXPECT_FALSE(features.large);
    EXPECT_GE(features.minimumOperations, 3);
    for (const catalogue::CatalogueEntry& entry : catalogue::catalogue()) {
      EXPECT_FALSE(entry->has(catalogue::kOfDense) && catalogue::takesPart(*entry.description, features))
          << entry->name;
    }
  }
}

TEST(PartsTest, EachHasItsShareAndSwitchedOffItLeavesTheOthersAsTheyAre) {
  std::map<Style, int> styles;
  int small = 0, large = 0, inexact = 0;
  constexpr int kCases = 2000;
  for (uint64_t index = 0; index < kCases; ++index) {
    const Features features = catalogue::featuresOf(kPartsSeed, index, kAllOfThem);
    ++styles[features.style];
    small += features.maximumOperations <= 5 ? 1 : 0;
    large += features.large ? 1 : 0;
    inexact += features.exactOnly ? 0 : 1;
    EXPECT_FALSE(features.large && features.exactOnly);
    for (const Part part : {Part::kDense, Part::kDifferentiable, Part::kTraining, Part::kSmall, Part::kLarge}) {
      Parts others = kAllOfThem;
      others.set(part, false);
      const Features without = catalogue::featuresOf(kPartsSeed, index, others);
      EXPECT_EQ(without.swarm, features.swarm);
      if (part != Part::kDense && part != Part::kDifferentiable && part != Part::kTraining) {
        EXPECT_EQ(without.style, features.style);
      } else {
        EXPECT_TRUE(without.style == features.style || without.style == Style::kLoose);
      }
      EXPECT_TRUE(part != Part::kLarge || !without.large);
      EXPECT_TRUE(part != Part::kSmall || without.minimumOperations >= 3);
    }
  }
  EXPECT_NEAR(styles[Style::kLoose], kCases * 20 / 100, kCases / 25);
  EXPECT_NEAR(styles[Style::kDense], kCases * 25 / 100, kCases / 25);
  EXPECT_NEAR(styles[Style::kDifferentiable], kCases * 49 / 100, kCases / 25);
  EXPECT_NEAR(styles[Style::kTraining], kCases * 6 / 100, kCases / 50);
  EXPECT_NEAR(small, kCases * 35 / 100, kCases / 25);
  EXPECT_NEAR(large, inexact * 8 / 100, kCases / 50);
}

TEST(PartsTest, OfADenseProgramNearlyAllReachesAnOutput) {
  const StyleFigures dense(Style::kDense), loose(Style::kLoose);
  EXPECT_GE(dense.reaching, dense.operations * 92 / 100);
  EXPECT_LT(loose.reaching * dense.operations, dense.reaching * loose.operations);
}

/// The first Case of a dense style, with rows of idioms, whose Program has a block although no region and no shape makes one.
TEST(PartsTest, BlocksOfIdiomsStayInDensePrograms) {
  int blocks = 0;
  for (uint64_t index = 0; index < 1000 && blocks == 0; ++index) {
    Features features = catalogue::featuresOf(kPartsSeed, index, {Part::kDense, Part::kDifferentiable, Part::kIdioms});
    if (!features.isDense() || !features.idioms) {
      continue;
    }
    features.regions = features.shapes = false;
    blocks += language::anyStatement(decodeWith(features, index).program().body,
                                     [](const language::Statement& each) { return !each.body.empty(); });
  }
  EXPECT_GT(blocks, 0);
}

TEST(PartsTest, EagerTakesEachTextOfTrainingInSomeCase) {
  at::set_num_threads(1);
  std::vector<std::string_view> missing = decoder::trainingTexts();
  EXPECT_GE(missing.size(), 25U);
  for (const auto& [index, features] : casesIn(Style::kTraining, 400)) {
    Features straight = features;
    straight.shapes = false;
    const std::string text = language::printFunction(decodeWith(straight, index).program());
    std::erase_if(missing, [&](std::string_view each) { return hasLineOf(text, each); });
    if (missing.empty()) {
      break;
    }
  }
  EXPECT_EQ(missing, std::vector<std::string_view>());
}

TEST(PartsTest, TrainingHasLayersWithRunningStatistics) {
  int layers = 0, averages = 0, evaluations = 0;
  for (const auto& [index, features] : casesIn(Style::kTraining, 200)) {
    Features readsNothing = features;
    readsNothing.dataBranches = false;
    const auto inputsOf = [&](const Features& drawn) { // of Programs that call the layer
      const language::Case theCase = decodeWith(drawn, index);
      const bool isCalled = language::printFunction(theCase.program()).find("m.bn(") != std::string::npos;
      return isCalled ? language::printFunction(*theCase.find("inputs")) : "";
    };
    const std::string text = inputsOf(features);
    const bool isEvaluation = text.find(").eval()") != std::string::npos;
    const bool isAverage = text.find("momentum=None") != std::string::npos && !isEvaluation;
    layers += text.empty() ? 0 : 1;
    averages += isAverage ? 1 : 0;
    evaluations += isEvaluation ? 1 : 0;
    if (isAverage && text.find("track_running_stats") == std::string::npos) {
      EXPECT_EQ(inputsOf(readsNothing), "") << "how many batches there were is a value";
    }
  }
  EXPECT_GT(layers, 10);
  EXPECT_GT(averages, 3);
  EXPECT_GT(evaluations, 0);
}

TEST(PartsTest, ArgumentsKeepWithinTheElements) {
  for (const int64_t most : {1, 2, 3, 4, 8, 15, 64, 4096}) {
    for (const Style style : {Style::kDifferentiable, Style::kTraining}) {
      for (uint64_t seed = 0; seed < 300; ++seed) {
        Features features;
        features.style = style;
        features.large = most > 64;
        const catalogue::Record record{catalogue::Record::keyIn(catalogue::Section::kInput, 16), 0,
                                       catalogue::mix(seed)};
        const decoder::InputSpecification inputs = decoder::decodeInputs({&record}, features, most, 5);
        EXPECT_EQ(inputs.isOfTraining, style == Style::kTraining);
        for (size_t base = style == Style::kTraining ? 0 : 1; base < inputs.bases.size();
             ++base) { // the first: a record's
          EXPECT_LE(inputs.bases[base].elements(), most);
        }
      }
    }
  }
}

TEST(PartsTest, ADifferentiableProgramGoesFromSeveralLeavesThroughManyOperatorsAndBack) {
  const StyleFigures figures(Style::kDifferentiable);
  EXPECT_GE(figures.reaching, figures.operations * 92 / 100);
  EXPECT_GE(figures.backward, figures.cases * 90 / 100);
  EXPECT_GE(figures.twoOfOneShape, figures.cases * 85 / 100);
  EXPECT_GE(StyleFigures::median(figures.leaves), 3);
  EXPECT_GE(StyleFigures::median(figures.paths), 6);
}

TEST(PartsTest, TrainingHasALossBuffersAndStepsThatTakeWhatTheLastCallLeft) {
  const StyleFigures figures(Style::kTraining);
  EXPECT_GE(figures.backward, figures.cases * 70 / 100);
  EXPECT_GE(figures.twoOfOneShape, figures.cases * 70 / 100);
  EXPECT_GE(StyleFigures::median(figures.leaves), 3);
  EXPECT_GE(figures.count("torch._foreach_"), figures.cases / 4);
  EXPECT_GE(figures.count("with torch.no_grad():"), figures.cases * 60 / 100);
  EXPECT_GE(figures.count("torch.autograd.grad("), figures.cases / 15);
  EXPECT_GE(figures.count("inputs=None"), figures.cases * 2);
  EXPECT_GE(figures.count("torch.nn.Parameter("), figures.cases / 5);
}

TEST(PartsTest, ASmallProgramHasFewOperatorsAndALargeOneManyElements) {
  at::set_num_threads(1);
  int small = 0, large = 0, manyElements = 0;
  std::vector<int> operations;
  for (uint64_t index = 0; small < 20 || large < 10; ++index) {
    const Features features = catalogue::featuresOf(kPartsSeed, index, kAllOfThem);
    if (features.maximumOperations <= 5 && small < 20) {
      ++small;
      operations.push_back(features::describeCase(decodeWith(features, index)).operations);
    }
    if (features.large && large < 10) {
      ++large;
      const language::Case decoded = decodeWith(features, index);
      evaluator::Evaluator evaluator(decoded);
      std::vector<at::Tensor> tensors;
      for (const values::Value& value : evaluator.makeInputs("inputs", 7, "uniform").arguments) {
        values::collectTensors(value, tensors);
      }
      manyElements +=
          std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor& tensor) { return tensor.numel() > 64; });
    }
  }
  EXPECT_GE(manyElements, 3);
  EXPECT_LE(StyleFigures::median(operations), 10); // an entry of the catalogue may be several
}

TEST(PartsTest, WhatIsNamedIsDrawnAndAnUnknownNameIsRefused) {
  EXPECT_EQ(catalogue::partsOf({}), catalogue::kDefaultParts);
  EXPECT_EQ(catalogue::partsOf({"no-all"}), Parts());
  for (const catalogue::PartName& each : catalogue::kPartNames) {
    EXPECT_EQ(catalogue::partsOf({"no-all", "all"}).has(each.part),
              each.part != Part::kDynamic && each.part != Part::kFlags && each.part != Part::kPython)
        << each.name;
    EXPECT_EQ(catalogue::partsOf({"no-all", std::string(each.name)}), Parts{each.part});
    EXPECT_FALSE(catalogue::partsOf({"all", "no-" + std::string(each.name)}).has(each.part)) << each.name;
  }
  EXPECT_THROW(catalogue::partsOf({"dens"}), std::invalid_argument);
}

} // namespace
} // namespace touchstone::tests
