// How many Cases of about ten operations the decoder makes a second: the function of the campaign, on the modes that a
// campaign rotates through, with everything that it runs eagerly on its way. The parts that are left out one after the
// other say where the time goes.

#include "generators/catalogue/Recipe.h"
#include "generators/decoder/Decoder.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace touchstone::bench {

namespace {

constexpr uint64_t kDecoderSeeds[] = {7, 21, 1001, 77777};
constexpr uint64_t kRecipesOfASeed = 64;
constexpr int kOperationsAskedFor = 10;

struct DecoderJob {
  catalogue::Recipe recipe;
  decoder::DecodeOptions options;
};

std::vector<DecoderJob> decoderJobs() {
  std::vector<DecoderJob> jobs;
  for (uint64_t seed : kDecoderSeeds) {
    for (uint64_t index = 0; index < kRecipesOfASeed; ++index) {
      DecoderJob job;
      job.options.features = catalogue::featuresOf(seed, index);
      job.options.features.minimumOperations = job.options.features.maximumOperations = kOperationsAskedFor;
      job.recipe = catalogue::makeRecipe(seed, index, job.options.features);
      jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

void withoutRecords(std::vector<DecoderJob>& jobs, catalogue::Section section) {
  for (DecoderJob& job : jobs) {
    std::erase_if(job.recipe, [&](const catalogue::Record& record) { return record.section() == section; });
  }
}

double median(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void timeDecoding(benchmark::State& state, const std::vector<DecoderJob>& jobs) {
  std::vector<int> operations, calls;
  for (const DecoderJob& job : jobs) {
    decoder::DecodeStatistics statistics;
    decoder::DecodeOptions options = job.options;
    options.statistics = &statistics;
    const language::Case decoded = decoder::decode(job.recipe, options);
    operations.push_back(static_cast<int>(statistics.accepted.size()));
    calls.push_back(static_cast<int>(decoded.calls.size()));
  }
  for (auto _ : state) {
    for (const DecoderJob& job : jobs) {
      benchmark::DoNotOptimize(decoder::decode(job.recipe, job.options));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(jobs.size()));
  state.counters["operations"] = median(std::move(operations));
  state.counters["calls"] = median(std::move(calls));
}

void decodeTenOperations(benchmark::State& state) {
  timeDecoding(state, decoderJobs());
}

void decodeWithoutCallRecords(benchmark::State& state) {
  std::vector<DecoderJob> jobs = decoderJobs();
  withoutRecords(jobs, catalogue::Section::kCall);
  timeDecoding(state, jobs);
}

void decodeInputsAlone(benchmark::State& state) {
  std::vector<DecoderJob> jobs = decoderJobs();
  withoutRecords(jobs, catalogue::Section::kCall);
  withoutRecords(jobs, catalogue::Section::kStatement);
  timeDecoding(state, jobs);
}

/// With what a campaign asks for at times: which operators an output and a backward depend on.
void decodeNotingUses(benchmark::State& state) {
  std::vector<DecoderJob> jobs = decoderJobs();
  for (DecoderJob& job : jobs) {
    job.options.wantUses = true;
  }
  timeDecoding(state, jobs);
}

BENCHMARK(decodeTenOperations)->Unit(benchmark::kMillisecond);
BENCHMARK(decodeWithoutCallRecords)->Unit(benchmark::kMillisecond);
BENCHMARK(decodeInputsAlone)->Unit(benchmark::kMillisecond);
BENCHMARK(decodeNotingUses)->Unit(benchmark::kMillisecond);

} // namespace

} // namespace touchstone::bench
