#include "backends/debugging/CompilerRegistry.h"
#include "backends/native/NativeBackends.h"
#include "tests/backends/RandomScene.h"

#include <cstdlib>
#include <string>

// Random backwards with hooks of every kind under compiled autograd: captured, run again, and compiled.
namespace touchstone::tests {
namespace {

/// From the environment, for long runs by hand: how many, and from which seed on.
uint64_t numberFrom(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

/// How much the comparisons of scenes were worth.
struct Compared {
  uint64_t succeeded = 0, captured = 0, replayed = 0, called = 0;
};

/// Captured, and run again; with the default compiler and with TorchScript.
void compareScene(uint64_t seed, Compared& compared) {
  const BuildScene build = randomScene(seed, /*hasNodeHooks=*/true);
  const bool withLog = seed % 3 == 0; // a hook before every node
  const std::string engine = runScene(build, seed, Runner::kEngine, withLog);
  compared.succeeded += engine.find("error: ") == std::string::npos;
  compared.called += engine.find("hook ") != std::string::npos;
  for (const char* name : {"", "ts_compile"}) {
    compiled_autograd::CompiledAutogradOptions options;
    if (*name != '\0') {
      options.compiler = debugging::lookUpCompiler(name);
    }
    const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>(std::move(options));
    ASSERT_EQ(engine, runScene(build, seed, Runner::kCompiled, withLog, compiled))
        << "seed " << seed << ", captured, " << name;
    const auto before = compiled->counts();
    ASSERT_EQ(engine, runScene(build, seed, Runner::kCompiled, withLog, compiled))
        << "seed " << seed << ", run again, " << name;
    const auto counts = compiled->counts();
    compared.captured += static_cast<uint64_t>(before.captures);
    compared.replayed += counts.captures == before.captures && counts.compiledRuns > before.compiledRuns;
    for (const ir::CapturedBackward& backward : compiled->captured()) {
      backward.graph.check();
    }
  }
}

TEST(CompiledAutogradRandomTest, OrderAndArgumentsOfHooksAreTheEngines) {
  native::registerNativeBackends();
  const uint64_t graphs = numberFrom("TOUCHSTONE_BACKWARDS", 400);
  const uint64_t first = numberFrom("TOUCHSTONE_FIRST_BACKWARD", 0);
  Compared compared;
  for (uint64_t seed = first; seed < first + graphs && !HasFatalFailure(); ++seed) {
    compareScene(seed, compared);
  }
  EXPECT_GT(compared.succeeded, graphs / 2);
  EXPECT_GT(compared.called, graphs / 3);
  EXPECT_GT(compared.captured, graphs);
  EXPECT_GT(compared.replayed, graphs);
}

// 3021: a gradient waits at two nodes, and is added to at the later one. 3326: a sparse one waits, and a call gives a dense one.
// 18857: a sparse one is added to one that is not contiguous.
TEST(CompiledAutogradRandomTest, WhatLongRunsHaveFound) {
  native::registerNativeBackends();
  Compared compared;
  for (const uint64_t seed : {3021, 3326, 18857}) {
    compareScene(seed, compared);
  }
  EXPECT_EQ(compared.succeeded, 3u);
}

} // namespace
} // namespace touchstone::tests
