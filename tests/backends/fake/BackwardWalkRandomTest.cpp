#include "tests/backends/RandomScene.h"

#include <set>

// Random graphs, judged against the engine.
namespace touchstone::tests {
namespace {

TEST(BackwardWalkRandomTest, RandomGraphsAreDifferentiatedAsTheEngineDoes) {
  constexpr uint64_t kGraphs = 3000;
  uint64_t succeeded = 0;
  uint64_t handingOut = 0;
  std::set<std::string> errors;
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    const bool withLog = seed % 2;
    const std::string engine = runScene(randomScene(seed), seed, Runner::kEngine, withLog);
    const std::string walk = runScene(randomScene(seed), seed, Runner::kWalk, withLog);
    ASSERT_EQ(engine, walk) << "seed " << seed;
    const size_t error = engine.find("error: ");
    succeeded += error == std::string::npos;
    handingOut +=
        engine.find("wanted 0: ") != std::string::npos && engine.find("wanted 0: undefined") == std::string::npos;
    if (error != std::string::npos) {
      errors.insert(engine.substr(error, 45));
    }
  }
  // What the comparison is worth: most graphs can be differentiated, and several kinds of errors occur.
  EXPECT_GT(succeeded, kGraphs / 2);
  EXPECT_GT(handingOut, kGraphs / 5);
  EXPECT_GE(errors.size(), 5u);
}

} // namespace
} // namespace touchstone::tests
