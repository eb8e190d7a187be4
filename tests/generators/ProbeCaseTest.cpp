#include "generators/probes/ProbeCase.h"

#include "generators/catalogue/Operators.h"
#include "program/parser/CaseParser.h"
#include "program/language/CasePrinter.h"
#include "program/evaluator/Evaluator.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <set>

namespace touchstone::generators {
namespace {

class ProbeCaseTest : public testing::Test {
 protected:
  void SetUp() override { at::set_num_threads(1); }
};

TEST_F(ProbeCaseTest, EachOperatorHasACaseThatRunsAndReadsBack) {
  for (const OperatorInfo& info : operators()) {
    int cases = 0;
    for (const at::ScalarType dtype : argumentDtypes()) {
      const std::optional<graph::Case> made = probeCase({std::string(info.name), dtype, false});
      if (!made.has_value()) {
        continue;
      }
      ++cases;
      const std::string text = graph::printCase(*made);
      const graph::Case read = graph::parseCase(text);
      EXPECT_EQ(graph::printCase(read), text);
      ASSERT_EQ(read.calls.size(), 2U);
      for (const graph::CallSpec& call : read.calls) {
        graph::Evaluator evaluator(read);
        EXPECT_NO_THROW(evaluator.call("program", evaluator.makeInputs("inputs", call.seed, call.kind).arguments))
            << text;
      }
    }
    if (info.name == "autograd_grad") { // its operands belong together: one is computed from the other
      EXPECT_EQ(cases, 0);
      continue;
    }
    EXPECT_GT(cases, 0) << "no dtype of `" << info.name << "`";
  }
}

TEST_F(ProbeCaseTest, ABackwardIsOneOfTheOperatorsOwnResults) {
  const std::optional<graph::Case> sine = probeCase({"sin", at::kFloat, true});
  ASSERT_TRUE(sine.has_value());
  for (const graph::CallSpec& call : sine->calls) {
    ASSERT_TRUE(call.backward.has_value());
    EXPECT_EQ(call.backward->size(), 2U) << graph::printCase(*sine); // two spellings, not the clones behind them
  }
  EXPECT_FALSE(probeCase({"argmax", at::kFloat, true}).has_value());
  EXPECT_FALSE(probeCase({"sin", at::kLong, false}).has_value()); // not in the catalogue for integers
  EXPECT_FALSE(probeCase({"sin", at::kFloat, true})->calls.empty());
  int differentiable = 0;
  for (const OperatorInfo& info : operators()) {
    differentiable += probeCase({std::string(info.name), at::kFloat, true}).has_value() ? 1 : 0;
  }
  EXPECT_GT(differentiable, 80);
}

TEST_F(ProbeCaseTest, AHookHasABackwardThroughTheTensorThatItIsOn) {
  for (const char* name : {"register_hook", "retain_grad"}) {
    const std::optional<graph::Case> hook = probeCase({name, at::kFloat, true});
    ASSERT_TRUE(hook.has_value()) << name;
    for (const graph::CallSpec& call : hook->calls) {
      ASSERT_TRUE(call.backward.has_value());
      EXPECT_FALSE(call.backward->empty()) << graph::printCase(*hook);
    }
  }
  EXPECT_EQ(probeCase({"register_hook", at::kFloat, true})->calls.front().backward->size(),
            2U); // one for each spelling
}

TEST_F(ProbeCaseTest, ASpellingThatMakesOtherDtypesIsLeftOut) {
  // `A.sum(DIM, dtype=torch.float64)` is refused by whoever takes no float64, in a Case of float32.
  std::string text = graph::printDefinitions(*probeCase({"sum_dim", at::kFloat, false}));
  text.erase(0, text.find("def inputs")); // the values' own function names every dtype
  EXPECT_EQ(text.find("float64"), std::string::npos) << text;
  EXPECT_NE(text.find("keepdim"), std::string::npos) << text;
}

} // namespace
} // namespace touchstone::generators
