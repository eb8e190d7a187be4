#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "tests/backends/AotPrograms.h"
#include "tests/backends/CallOutcome.h"

#include <gtest/gtest.h>

// The pipeline from end to end on the writing Programs: values, layouts, aliasing, autograd's state and gradients.

namespace touchstone::tests {
namespace {

class AotProgramsTest : public testing::TestWithParam<AotProgram> {};

TEST_P(AotProgramsTest, LeavesWhatEagerLeaves) {
  native::registerNativeBackends();
  const language::Case theCase = caseOfProgram(GetParam());
  const auto backend = backends::makeBackend("aot_eager");
  const auto compiled = backend->compile(theCase);
  const auto eager = evaluator::eagerProgram(theCase);
  for (int64_t seed : {1, 2}) {
    // Three gradients of one tensor are added, in the engine's order or in the joint graph's.
    const bool exactGradients = std::string(GetParam().name) != "OutputsAliasInputAndIntermediate";
    EXPECT_EQ(differenceOf(callProgram(theCase, *eager, seed), callProgram(theCase, *compiled, seed), exactGradients),
              "")
        << "seed " << seed;
  }
  EXPECT_EQ(compiled->report().graphs, 1) << "the second call runs the same code";
  EXPECT_EQ(compiled->report().compiledRuns, 2);
}

INSTANTIATE_TEST_SUITE_P(Programs, AotProgramsTest, testing::ValuesIn(writingPrograms()),
                         [](const auto& info) { return info.param.name; });

} // namespace
} // namespace touchstone::tests
