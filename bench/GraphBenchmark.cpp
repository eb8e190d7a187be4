// What the steps of one Case cost without a Python compiler: each benchmark goes through the same Cases of one campaign,
// and `items_per_second` is Cases (or calls) a second.

#include "backends/Backend.h"
#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "generators/catalogue/Recipe.h"
#include "generators/decoder/Decoder.h"
#include "oracles/observe/CallRunner.h"
#include "program/evaluator/Evaluator.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

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

decoder::DecodeOptions optionsOf(uint64_t index) {
  decoder::DecodeOptions options;
  options.features = catalogue::featuresOf(kSeed, index);
  return options;
}

catalogue::Recipe recipeOf(uint64_t index) {
  return catalogue::makeRecipe(kSeed, index, catalogue::featuresOf(kSeed, index));
}

backends::Backend& nativeEager() {
  static const std::unique_ptr<backends::Backend> backend = [] {
    native::registerNativeBackends();
    return backends::makeBackend("eager");
  }();
  return *backend;
}

values::ValueList argumentsOf(const language::Case& theCase) {
  const language::CallSpec& call = theCase.calls.front();
  return evaluator::Evaluator(theCase).makeInputs(*call.inputs, call.seed, call.kind).arguments;
}

/// Cases whose first call neither eager nor the native `eager` refuses, so that every benchmark sees the same ones.
const std::vector<language::Case>& cases() {
  static const std::vector<language::Case> kept = [] {
    std::vector<language::Case> result;
    for (uint64_t index = 0; index < kGenerated; ++index) {
      language::Case decoded = decoder::decode(recipeOf(index), optionsOf(index));
      try {
        values::ValueList first = argumentsOf(decoded), second = argumentsOf(decoded);
        (*evaluator::eagerProgram(decoded))(first);
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
  std::vector<catalogue::Recipe> recipes;
  for (uint64_t index = 0; index < kGenerated; ++index) {
    recipes.push_back(recipeOf(index));
  }
  for (auto _ : state) {
    for (uint64_t index = 0; index < kGenerated; ++index) {
      benchmark::DoNotOptimize(decoder::decode(recipes[index], optionsOf(index)));
    }
  }
  countItems(state, kGenerated);
}

void printCase(benchmark::State& state) {
  for (auto _ : state) {
    for (const language::Case& each : cases()) {
      benchmark::DoNotOptimize(standalone::printCase(each));
    }
  }
  countItems(state, cases().size());
}

void parseCase(benchmark::State& state) {
  std::vector<std::string> texts;
  for (const language::Case& each : cases()) {
    texts.push_back(standalone::printCase(each));
  }
  parser::ParseOptions options;
  options.checkMainPart = false; // it would be generated again, which is printing
  for (auto _ : state) {
    for (const std::string& text : texts) {
      benchmark::DoNotOptimize(parser::parseCase(text, options));
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
    for (const language::Case& each : cases()) {
      values::ValueList before = argumentsOf(each), arguments = argumentsOf(each);
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
  timeCalls(state, false, true, [](const language::Case& each) { return evaluator::eagerProgram(each); });
}

void compileAndCallNativeEager(benchmark::State& state) {
  timeCalls(state, true, false, [](const language::Case& each) { return nativeEager().compile(each); });
}

void callNativeEagerAgain(benchmark::State& state) {
  timeCalls(state, false, true, [](const language::Case& each) { return nativeEager().compile(each); });
}

/// All calls of each Case with everything observed.
void observeCalls(benchmark::State& state) {
  observe::RunOptions options;
  options.probeEffects = state.range(0) != 0;
  size_t calls = 0;
  for (const language::Case& each : cases()) {
    calls += each.calls.size();
  }
  for (auto _ : state) {
    for (const language::Case& each : cases()) {
      const auto program = evaluator::eagerProgram(each);
      benchmark::DoNotOptimize(observe::runCalls(each, *program, options));
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
