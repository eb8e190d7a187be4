#include "generators/probes/ProbeCase.h"

#include "generators/catalogue/Operators.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <set>

namespace touchstone::tests {
namespace {

class ProbeCaseTest : public testing::Test {
 protected:
  void SetUp() override { at::set_num_threads(1); }
};

TEST_F(ProbeCaseTest, EachOperatorHasACaseThatRunsAndReadsBack) {
  for (const catalogue::OperatorInfo& info : catalogue::operators()) {
    int cases = 0;
    for (const at::ScalarType dtype : decoder::argumentDtypes()) {
      const std::optional<language::Case> made = probes::probeCase({std::string(info.name), dtype, false});
      if (!made.has_value()) {
        continue;
      }
      ++cases;
      const std::string text = standalone::printCase(*made);
      const language::Case read = parser::parseCase(text);
      EXPECT_EQ(standalone::printCase(read), text);
      ASSERT_EQ(read.calls.size(), 2U);
      for (const language::CallSpec& call : read.calls) {
        evaluator::Evaluator evaluator(read);
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
  const std::optional<language::Case> sine = probes::probeCase({"sin", at::kFloat, true});
  ASSERT_TRUE(sine.has_value());
  for (const language::CallSpec& call : sine->calls) {
    ASSERT_TRUE(call.backward.has_value());
    EXPECT_EQ(call.backward->size(), 2U) << standalone::printCase(*sine); // two spellings, not the clones behind them
  }
  EXPECT_FALSE(probes::probeCase({"argmax", at::kFloat, true}).has_value());
  EXPECT_FALSE(probes::probeCase({"sin", at::kLong, false}).has_value()); // not in the catalogue for integers
  EXPECT_FALSE(probes::probeCase({"sin", at::kFloat, true})->calls.empty());
  int differentiable = 0;
  for (const catalogue::OperatorInfo& info : catalogue::operators()) {
    differentiable += probes::probeCase({std::string(info.name), at::kFloat, true}).has_value() ? 1 : 0;
  }
  EXPECT_GT(differentiable, 80);
}

TEST_F(ProbeCaseTest, AHookHasABackwardThroughTheTensorThatItIsOn) {
  for (const char* name : {"register_hook", "retain_grad"}) {
    const std::optional<language::Case> hook = probes::probeCase({name, at::kFloat, true});
    ASSERT_TRUE(hook.has_value()) << name;
    for (const language::CallSpec& call : hook->calls) {
      ASSERT_TRUE(call.backward.has_value());
      EXPECT_FALSE(call.backward->empty()) << standalone::printCase(*hook);
    }
  }
  EXPECT_EQ(probes::probeCase({"register_hook", at::kFloat, true})->calls.front().backward->size(),
            2U); // one for each spelling
}

TEST_F(ProbeCaseTest, ASpellingThatMakesOtherDtypesIsLeftOut) {
  // `A.sum(DIM, dtype=torch.float64)` is refused by whoever takes no float64, in a Case of float32.
  std::string text = language::printDefinitions(*probes::probeCase({"sum_dim", at::kFloat, false}));
  text.erase(0, text.find("def inputs")); // the values' own function names every dtype
  EXPECT_EQ(text.find("float64"), std::string::npos) << text;
  EXPECT_NE(text.find("keepdim"), std::string::npos) << text;
}

} // namespace
} // namespace touchstone::tests
