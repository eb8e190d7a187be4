// What the steps of one Case cost without a Python compiler: each benchmark goes through the same Cases of one campaign,
// and `items_per_second` is Cases (or calls) a second.

#include "backends/Backend.h"
#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "generators/decoder/Decoder.h"
#include "generators/catalogue/Recipe.h"
#include "program/parser/CaseParser.h"
#include "program/language/CasePrinter.h"
#include "program/evaluator/Evaluator.h"
#include "oracles/observe/CallRunner.h"

#include <ATen/Parallel.h>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <vector>

namespace touchstone::bench {

namespace {

constexpr uint64_t kSeed = 7;
constexpr uint64_t kGenerated = 64;

generators::DecodeOptions optionsOf(uint64_t index) {
  generators::DecodeOptions options;
  options.features = generators::featuresOf(kSeed, index);
  return options;
}

generators::Recipe recipeOf(uint64_t index) {
  return generators::makeRecipe(kSeed, index, generators::featuresOf(kSeed, index));
}

backends::Backend& nativeEager() {
  static const std::unique_ptr<backends::Backend> backend = [] {
    backends::registerNativeBackends();
    return backends::makeBackend("eager");
  }();
  return *backend;
}

graph::ValueList argumentsOf(const graph::Case& theCase) {
  const graph::CallSpec& call = theCase.calls.front();
  return graph::Evaluator(theCase).makeInputs(*call.inputs, call.seed, call.kind).arguments;
}

/// Cases whose first call neither eager nor the native `eager` refuses, so that every benchmark sees the same ones.
const std::vector<graph::Case>& cases() {
  static const std::vector<graph::Case> kept = [] {
    std::vector<graph::Case> result;
    for (uint64_t index = 0; index < kGenerated; ++index) {
      graph::Case decoded = generators::decode(recipeOf(index), optionsOf(index));
      try {
        graph::ValueList first = argumentsOf(decoded), second = argumentsOf(decoded);
        (*graph::eagerProgram(decoded))(first);
        (*nativeEager().compile(decoded))(second);
        result.push_back(std::move(decoded));
      } catch (const std::exception&) { // wrong on purpose, or not straight-line code
      }
    }
    return result;
  }();
  return kept;
}

void countItems(benchmark::State& state, size_t perIteration) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(perIteration));
}

void decodeRecipe(benchmark::State& state) {
  std::vector<generators::Recipe> recipes;
  for (uint64_t index = 0; index < kGenerated; ++index) {
    recipes.push_back(recipeOf(index));
  }
  for (auto _ : state) {
    for (uint64_t index = 0; index < kGenerated; ++index) {
      benchmark::DoNotOptimize(generators::decode(recipes[index], optionsOf(index)));
    }
  }
  countItems(state, kGenerated);
}

void printCase(benchmark::State& state) {
  for (auto _ : state) {
    for (const graph::Case& each : cases()) {
      benchmark::DoNotOptimize(graph::printCase(each));
    }
  }
  countItems(state, cases().size());
}

void parseCase(benchmark::State& state) {
  std::vector<std::string> texts;
  for (const graph::Case& each : cases()) {
    texts.push_back(graph::printCase(each));
  }
  graph::ParseOptions options;
  options.checkMainPart = false; // it would be generated again, which is printing
  for (auto _ : state) {
    for (const std::string& text : texts) {
      benchmark::DoNotOptimize(graph::parseCase(text, options));
    }
  }
  countItems(state, texts.size());
}

/// Times one call of each Case's Program on inputs made anew, in processor time; making the callable is timed when
/// `makingCounts`.
template <class MakeProgram>
void timeCalls(benchmark::State& state, bool makingCounts, bool callFirst, const MakeProgram& makeProgram) {
  for (auto _ : state) {
    std::clock_t spent = 0;
    for (const graph::Case& each : cases()) {
      graph::ValueList before = argumentsOf(each), arguments = argumentsOf(each);
      const std::clock_t making = std::clock();
      const auto program = makeProgram(each);
      spent += makingCounts ? std::clock() - making : 0;
      if (callFirst) {
        (*program)(before);
      }
      const std::clock_t calling = std::clock();
      benchmark::DoNotOptimize((*program)(arguments));
      spent += std::clock() - calling;
    }
    state.SetIterationTime(static_cast<double>(spent) / CLOCKS_PER_SEC);
  }
  countItems(state, cases().size());
}

void callEvaluator(benchmark::State& state) {
  timeCalls(state, false, true, [](const graph::Case& each) { return graph::eagerProgram(each); });
}

void compileAndCallNativeEager(benchmark::State& state) {
  timeCalls(state, true, false, [](const graph::Case& each) { return nativeEager().compile(each); });
}

void callNativeEagerAgain(benchmark::State& state) {
  timeCalls(state, false, true, [](const graph::Case& each) { return nativeEager().compile(each); });
}

/// All calls of each Case with everything observed.
void observeCalls(benchmark::State& state) {
  oracles::RunOptions options;
  options.probeEffects = state.range(0) != 0;
  size_t calls = 0;
  for (const graph::Case& each : cases()) {
    calls += each.calls.size();
  }
  for (auto _ : state) {
    for (const graph::Case& each : cases()) {
      const auto program = graph::eagerProgram(each);
      benchmark::DoNotOptimize(oracles::runCalls(each, *program, options));
    }
  }
  countItems(state, calls);
}

BENCHMARK(decodeRecipe)->Unit(benchmark::kMillisecond);
BENCHMARK(printCase)->Unit(benchmark::kMillisecond);
BENCHMARK(parseCase)->Unit(benchmark::kMillisecond);
BENCHMARK(callEvaluator)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(compileAndCallNativeEager)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(callNativeEagerAgain)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(observeCalls)->ArgName("effects")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

} // namespace

} // namespace touchstone::bench

int main(int count, char** arguments) {
  at::set_num_threads(1);
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) {
    return 2;
  }
  std::fprintf(stderr, "%zu of %llu Cases of seed %llu\n", touchstone::bench::cases().size(),
               static_cast<unsigned long long>(touchstone::bench::kGenerated),
               static_cast<unsigned long long>(touchstone::bench::kSeed));
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
