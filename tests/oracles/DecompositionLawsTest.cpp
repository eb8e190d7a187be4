#include "oracles/stages/DecompositionLaws.h"

#include "backends/Registry.h"
#include "backends/aot_autograd/AotCompiler.h"
#include "backends/debugging/BoxedNop.h"
#include "backends/decompositions/DecompositionTable.h"
#include "backends/native/NativeBackends.h"
#include "generators/catalogue/Operators.h"
#include "generators/decoder/Decoder.h"
#include "generators/probes/ProbeCase.h"
#include "oracles/observe/CallRunner.h"
#include "tests/backends/CompiledCalls.h"

#include <ATen/Parallel.h>
#include <ATen/ops/exp.h>
#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

stages::DecompositionCheck::Compute ofTable(const std::shared_ptr<const decompositions::DecompositionTable>& table) {
  return [table](const std::string& target, torch::jit::Stack& stack) {
    if (!table->contains(target)) {
      return false;
    }
    try {
      table->call(target, stack);
      return true;
    } catch (const decompositions::NotDecomposed&) {
      return false;
    }
  };
}

/// Runs a Case whose forward and backward Graphs go through the check.
void runChecked(const language::Case& theCase, const std::shared_ptr<stages::DecompositionCheck>& check) {
  aot_autograd::AotOptions options{.partition = aot_autograd::AotPartition::kDefault};
  options.forwardCompiler = options.backwardCompiler = debugging::boxedNop(check);
  const auto backend = native::makeCapturingBackend(backends::backendInfo("aot_eager_default_partitioner"),
                                                    {.compiler = aot_autograd::aotCompiler(std::move(options))});
  observe::runCalls(theCase, *backend->compile(theCase), {.probeEffects = false});
}

/// The mean of an infinity alone: NaN by the kernel, an infinity when it is summed. PyTorch's own decomposition has it, too.
bool isMeanOfInfinity(const std::string& breach) {
  const bool isOfMeans =
      breach.starts_with("`aten::native_layer_norm`") || breach.starts_with("`aten::native_group_norm`");
  return isOfMeans && breach.find(": result 1 at ") != std::string::npos &&
         (breach.find(": eager nan, compiled inf;") != std::string::npos ||
          breach.find(": eager nan, compiled -inf;") != std::string::npos);
}

void expectNoBreach(const stages::DecompositionCheck& check) {
  for (const auto& [target, tally] : check.tallies()) {
    std::vector<std::string> breaches = tally.breaches;
    std::erase_if(breaches, isMeanOfInfinity);
    for (size_t i = 0; i < std::min<size_t>(breaches.size(), 4); ++i) {
      ADD_FAILURE() << breaches[i] << (i == 3 ? "; and more" : "");
    }
  }
}

class DecompositionLawsTest : public testing::Test {
 protected:
  void SetUp() override {
    at::set_num_threads(1);
    native::registerNativeBackends();
  }
};

} // namespace

TEST_F(DecompositionLawsTest, HoldOfEachOperatorOfTheCatalogueForwardAndBackward) {
  const auto check = std::make_shared<stages::DecompositionCheck>(ofTable(decompositions::allDecompositions()));
  for (const catalogue::OperatorInfo& info : catalogue::operators()) {
    for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kComplexFloat, at::kLong}) {
      for (const bool backward : {false, true}) {
        const auto theCase = probes::probeCase({std::string(info.name), dtype, backward});
        if (theCase) {
          runChecked(*theCase, check);
        }
      }
    }
  }
  expectNoBreach(*check);
  // The others are reached from no operator of the catalogue; they have tests of their own or none.
  EXPECT_GE(check->tallies().size(), 140U);
}

TEST_F(DecompositionLawsTest, HoldOfRandomPrograms) {
  const auto check = std::make_shared<stages::DecompositionCheck>(ofTable(decompositions::allDecompositions()));
  for (uint64_t index = 0; index < 600; ++index) {
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(31, index);
    runChecked(decoder::decode(catalogue::makeRecipe(31, index, options.features), options), check);
  }
  expectNoBreach(*check);
  int64_t calls = 0, empty = 0, withGaps = 0, notFinite = 0;
  for (const auto& [target, tally] : check->tallies()) {
    calls += tally.calls;
    empty += tally.empty;
    withGaps += tally.withGaps;
    notFinite += tally.notFinite;
  }
  EXPECT_GT(calls, 500);
  EXPECT_GT(empty, 20);
  EXPECT_GT(withGaps, calls * 9 / 10);
  EXPECT_GT(notFinite, calls / 2);
}

namespace {

/// The breaches of `exp` computed as `compute` has it.
std::vector<std::string> breachesOf(const std::function<at::Tensor(const at::Tensor&)>& compute) {
  const auto check =
      std::make_shared<stages::DecompositionCheck>([&](const std::string& target, torch::jit::Stack& stack) {
        if (target == "aten::exp") {
          stack.back() = compute(stack.back().toTensor());
        }
        return target == "aten::exp";
      });
  runChecked(caseOfProgram({"", "F(3, 4)", "x", "return x.exp()"}), check);
  return check->tallies().at("aten::exp").breaches;
}

} // namespace

TEST_F(DecompositionLawsTest, WhatIsWrongIsSeen) {
  EXPECT_EQ(breachesOf([](const at::Tensor& x) { return x.exp(); }), std::vector<std::string>());
  EXPECT_FALSE(breachesOf([](const at::Tensor& x) { return x.exp().mul(1.0001); }).empty());
  EXPECT_FALSE(breachesOf([](const at::Tensor& x) { return x.exp().to(at::kDouble); }).empty());
  EXPECT_FALSE(breachesOf([](const at::Tensor& x) { return x.exp().unsqueeze(0); }).empty());
  EXPECT_FALSE(breachesOf([](const at::Tensor& x) { return x.exp().nan_to_num(); }).empty());
  EXPECT_FALSE(breachesOf([](const at::Tensor& x) {
                 TORCH_CHECK(x.is_contiguous(), "has gaps");
                 return x.exp();
               }).empty());
}

} // namespace touchstone::tests
