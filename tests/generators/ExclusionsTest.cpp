#include "generators/catalogue/Exclusions.h"

#include "generators/catalogue/Catalogue.h"
#include "generators/catalogue/Draw.h"
#include "generators/decoder/Decoder.h"
#include "generators/decoder/InputSpecification.h"
#include "program/analysis/NameFlow.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace touchstone::tests {
namespace {

struct ExcludedDecoding {
  language::Case theCase;
  std::vector<std::string> accepted;
  catalogue::Exclusions exclusions;
};

ExcludedDecoding decodeWithout(uint64_t index, const catalogue::Exclusions& exclusions,
                               int maximumRank = decoder::DecodeOptions().maximumRank) {
  ExcludedDecoding decoded{.theCase = {}, .accepted = {}, .exclusions = exclusions};
  decoder::DecodeStatistics statistics;
  decoder::DecodeOptions options;
  options.features = catalogue::featuresOf(21, index);
  options.features.exclusions = &decoded.exclusions;
  options.maximumRank = maximumRank;
  options.statistics = &statistics;
  decoded.theCase = decoder::decode(catalogue::makeRecipe(21, index, options.features), options);
  decoded.accepted = statistics.accepted;
  return decoded;
}

/// The tensors that the Program of a Case is given and those that its operations return, in its first call.
std::vector<at::Tensor> tensorsMade(const language::Case& theCase) {
  std::vector<at::Tensor> tensors;
  evaluator::EvaluatorOptions options;
  options.onOperation = [&](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    op.callBoxed(stack);
    for (const c10::IValue& value : stack) {
      if (value.isTensor() && value.toTensor().defined()) {
        tensors.push_back(value.toTensor());
      }
    }
    return true;
  };
  evaluator::Evaluator evaluator(theCase, options);
  const evaluator::InputSet inputs = evaluator.makeInputs("inputs", 7, "grid");
  for (const values::Value& argument : inputs.arguments) {
    if (argument.isTensor()) {
      tensors.push_back(argument.tensor());
    } else if (const auto* module = argument.maybe<values::ModulePtr>()) {
      for (const values::ModuleObject::Field& field : (*module)->fields) {
        if (field.value.isTensor()) {
          tensors.push_back(field.value.tensor());
        }
      }
    }
  }
  try {
    evaluator.call("program", inputs.arguments);
  } catch (const std::exception&) { // some Programs raise on purpose, at their end
  }
  return tensors;
}

class ExclusionsTest : public testing::Test {
 protected:
  void SetUp() override { at::set_num_threads(1); }
};

/// Whether two arguments that one of the Case's functions of inputs makes share memory.
bool givesSharedMemory(const language::Case& theCase) {
  evaluator::Evaluator evaluator(theCase);
  for (const language::CallSpec& call : theCase.calls) {
    std::vector<at::Tensor> tensors;
    for (const values::Value& argument : evaluator.makeInputs(call.inputs.value_or("inputs"), 7, "grid").arguments) {
      values::collectTensors(argument, tensors);
    }
    std::set<const void*> storages;
    for (const at::Tensor& tensor : tensors) {
      if (!storages.insert(tensor.storage().unsafeGetStorageImpl()).second) {
        return true;
      }
    }
  }
  return false;
}

TEST_F(ExclusionsTest, WithoutAliasedInputsNoCallIsGivenAny) {
  int with = 0;
  for (uint64_t index = 0; index < 1500; ++index) {
    for (const bool aliased : {true, false}) {
      if (aliased && with > 0) {
        continue; // seen that they are there
      }
      decoder::DecodeOptions options;
      options.features = catalogue::featuresOf(6, index);
      options.features.aliasedInputs = aliased;
      const language::Case theCase = decoder::decode(catalogue::makeRecipe(6, index, options.features), options);
      with += aliased && givesSharedMemory(theCase) ? 1 : 0;
      EXPECT_FALSE(!aliased && givesSharedMemory(theCase)) << "Case " << index << "\n"
                                                           << standalone::printCase(theCase);
    }
  }
  EXPECT_GT(with, 0);
}

TEST_F(ExclusionsTest, WithoutEntriesNothingChanges) {
  for (uint64_t index = 0; index < 60; ++index) {
    const ExcludedDecoding with = decodeWithout(index, {});
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(21, index);
    const language::Case without = decoder::decode(catalogue::makeRecipe(21, index, options.features), options);
    EXPECT_EQ(standalone::printCase(with.theCase), standalone::printCase(without)) << "case " << index;
    EXPECT_TRUE(with.exclusions.hit.empty());
  }
}

TEST_F(ExclusionsTest, AnExcludedOperatorIsNeverChosenAndCountedWhereItWouldHaveBeen) {
  catalogue::Exclusions exclusions;
  exclusions.operators = {{"mul", "excluded_operators mul"}, {"get_item", "excluded_operators get_*"}};
  int64_t hit = 0, itemsBefore = 0;
  for (uint64_t index = 0; index < 600; ++index) {
    const std::vector<std::string> before = decodeWithout(index, {}).accepted;
    const ExcludedDecoding decoded = decodeWithout(index, exclusions);
    EXPECT_EQ(std::count(decoded.accepted.begin(), decoded.accepted.end(), "mul"), 0);
    EXPECT_EQ(std::count(decoded.accepted.begin(), decoded.accepted.end(), "get_item"), 0);
    itemsBefore += std::count(before.begin(), before.end(), "get_item");
    if (std::find(before.begin(), before.end(), "mul") != before.end()) {
      EXPECT_TRUE(decoded.exclusions.hit.contains("excluded_operators mul")) << "case " << index;
      ++hit;
    }
  }
  EXPECT_GT(hit, 6);
  EXPECT_GT(itemsBefore, 10);
}

TEST_F(ExclusionsTest, NoTensorHasAnExcludedDtype) {
  catalogue::Exclusions exclusions;
  exclusions.dtypes = {{at::kDouble, "excluded_dtypes float64"}, {at::kBool, "excluded_dtypes bool"}};
  int64_t hit = 0, statements = 0, before = 0;
  for (uint64_t index = 0; index < 200; ++index) {
    const ExcludedDecoding decoded = decodeWithout(index, exclusions);
    for (const at::Tensor& tensor : tensorsMade(decodeWithout(index, {}).theCase)) {
      before += exclusions.excludes(tensor.scalar_type()) ? 1 : 0;
    }
    for (const at::Tensor& tensor : tensorsMade(decoded.theCase)) {
      ASSERT_FALSE(exclusions.excludes(tensor.scalar_type())) << standalone::printCase(decoded.theCase);
    }
    // Nor in the arguments of changed calls.
    EXPECT_EQ(standalone::printCase(decoded.theCase).find("torch.float64, (seed"), std::string::npos);
    hit += decoded.exclusions.hit.contains("excluded_dtypes float64") ? 1 : 0;
    statements += static_cast<int64_t>(decoded.accepted.size());
  }
  EXPECT_GT(hit, 20);
  EXPECT_GT(before, 200);
  EXPECT_GT(statements, 200 * 3); // others take their place; half are idioms
}

language::Case decodeWithAllParts(uint64_t index, const std::function<void(catalogue::Features&)>& change) {
  decoder::DecodeOptions options;
  options.features = catalogue::featuresOf(21, index, catalogue::partsOf({"all"}));
  change(options.features);
  return decoder::decode(catalogue::makeRecipe(21, index, options.features), options);
}

/// Whether the Program, or a function of the Case, writes to what has a name: `A.clone().cumsum_(0)` writes to nothing else.
bool writesToNames(const language::Case& theCase) {
  return std::any_of(theCase.functions.begin(), theCase.functions.end(), [](const language::Function& function) {
    const std::vector<analysis::StatementFlow> flows = analysis::flowOf(function.body);
    return std::any_of(flows.begin(), flows.end(), [](const analysis::StatementFlow& flow) {
      return std::any_of(flow.mutated.begin(), flow.mutated.end(),
                         [](const std::string& name) { return !name.empty(); });
    });
  });
}

/// Few Cases are of training by themselves.
void makeTraining(catalogue::Features& features) {
  features.style = catalogue::Style::kTraining;
  features.backward = features.mutation = true;
  features.exactOnly = features.large = false;
}

TEST_F(ExclusionsTest, PartsDrawNoExcludedOperator) {
  int hit = 0, before = 0;
  for (uint64_t index = 0; index < 300; ++index) {
    catalogue::Exclusions exclusions;
    exclusions.operators = {
        {"autograd_grad", "gradients"}, {"masked_select", "selections"}, {"cross_entropy", "losses"}};
    const auto holdsOne = [](const language::Case& theCase) {
      const std::string text = language::printFunction(theCase.program());
      return text.find("torch.autograd.grad(") != std::string::npos || text.find(" > 0].sum()") != std::string::npos;
    };
    const bool isTraining = index % 2 == 0;
    const auto styled = [&](catalogue::Features& features) { isTraining ? makeTraining(features) : void(); };
    before += holdsOne(decodeWithAllParts(index, styled)) ? 1 : 0;
    EXPECT_FALSE(holdsOne(decodeWithAllParts(index, [&](catalogue::Features& features) {
      styled(features);
      features.exclusions = &exclusions;
    })));
    hit += exclusions.hit.contains("gradients") ? 1 : 0;
  }
  EXPECT_GT(before, 10);
  EXPECT_GT(hit, 14);
}

TEST_F(ExclusionsTest, WithoutMutationOrBackwardPartsDrawNone) {
  int styled = 0;
  for (uint64_t index = 0; index < 300; ++index) {
    const language::Case theCase = decodeWithAllParts(index, [&](catalogue::Features& features) {
      features.mutation = features.backward = false;
      styled += features.isDense() ? 1 : 0;
      EXPECT_FALSE(features.wantsGradients());
    });
    EXPECT_FALSE(writesToNames(theCase)) << standalone::printCase(theCase);
    for (const language::CallSpec& call : theCase.calls) {
      EXPECT_FALSE(call.backward.has_value());
    }
  }
  EXPECT_GT(styled, 100);
}

TEST_F(ExclusionsTest, TrainingWithoutMutationHasALossAndNoSteps) {
  int losses = 0;
  for (uint64_t index = 0; index < 300; ++index) {
    const language::Case theCase = decodeWithAllParts(index, [&](catalogue::Features& features) {
      makeTraining(features);
      features.mutation = false;
    });
    EXPECT_FALSE(writesToNames(theCase)) << standalone::printCase(theCase);
    losses += language::printFunction(theCase.program()).find("mean()") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(losses, 100);
}

TEST_F(ExclusionsTest, WithEverythingExcludedThereIsStillClone) {
  catalogue::Exclusions exclusions;
  for (const catalogue::OperatorInfo& info : catalogue::operators()) {
    exclusions.operators.emplace(info.name, "operators: any other");
  }
  const ExcludedDecoding decoded = decodeWithout(2, exclusions);
  EXPECT_FALSE(decoded.accepted.empty());
  EXPECT_EQ(std::set<std::string>(decoded.accepted.begin(), decoded.accepted.end()), std::set<std::string>{"clone"});
}

TEST_F(ExclusionsTest, TheRankOfArgumentsIsBounded) {
  int modules = 0;
  for (uint64_t index = 0; index < 100; ++index) {
    const language::Case theCase = decodeWithout(index, {}, 2).theCase;
    for (const at::Tensor& tensor : tensorsMade(theCase)) {
      ASSERT_LE(tensor.dim(), 4); // inside a spelling there may be one more, `A[None].sum(0)`, and in an idiom two
    }
    modules += theCase.program().parameters.back() == "m" ? 1 : 0;
  }
  EXPECT_GT(modules, 3);
}

TEST_F(ExclusionsTest, ArgumentsAndModuleRecordsKeepWithinTheRank) {
  int modules = 0, highest = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    for (const int rank : {1, 3, 5}) {
      const catalogue::Record record{catalogue::Record::keyIn(catalogue::Section::kInput, 16), 0, catalogue::mix(seed)};
      const decoder::InputSpecification inputs = decoder::decodeInputs({&record}, catalogue::Features(), 64, rank);
      ASSERT_LE(inputs.bases.front().sizes.size(), static_cast<size_t>(rank));
      highest = std::max(highest, static_cast<int>(inputs.bases.front().sizes.size()));
      if (inputs.module) {
        ++modules;
        ASSERT_LE(inputs.module->weight.sizes.size(), static_cast<size_t>(rank));
        ASSERT_LE(inputs.module->buffer.sizes.size(), static_cast<size_t>(rank));
      }
    }
  }
  EXPECT_GT(modules, 30);
  EXPECT_EQ(highest, 5);
}

} // namespace
} // namespace touchstone::tests
