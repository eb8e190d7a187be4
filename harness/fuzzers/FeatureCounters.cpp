#include "harness/fuzzers/FeatureCounters.h"

#include "generators/catalogue/Draw.h"
#include "generators/features/CaseFeatures.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace touchstone::fuzzers {

namespace {

constexpr size_t kCounters = 1 << 14;
// The section that libFuzzer looks for; without libFuzzer it is an array like any other.
[[gnu::section("__libfuzzer_extra_counters"), gnu::used]] uint8_t counters[kCounters];

void count(std::string_view what, std::string_view which) {
  uint8_t& counter = counters[(catalogue::hashName(what) ^ catalogue::hashName(which)) % kCounters];
  counter = static_cast<uint8_t>(std::min(counter + 1, 255));
}

void countIf(bool holds, std::string_view which) {
  if (holds) {
    count("feature", which);
  }
}

/// 0, 1, 2, 3 to 4, 5 to 8, …
std::string roughly(int64_t number) {
  int power = 0;
  for (; number > int64_t{1} << power; ++power) {
  }
  return std::to_string(number < 2 ? number : power + 1);
}

} // namespace

void countFeatures(const language::Case& theCase, const decoder::DecodeStatistics& statistics) {
  const features::CaseFeatures features = features::describeCase(theCase);
  countIf(features.aliasedInputs, "aliased inputs");
  countIf(features.mutation, "mutation");
  countIf(features.backward, "backward");
  countIf(features.changedCall, "changed call");
  countIf(features.customOperators, "custom operator");
  countIf(features.aliasedInputs && features.mutation && features.backward, "aliased, written to and differentiated");
  count("calls", roughly(static_cast<int64_t>(theCase.calls.size())));
  count("operations that reach an output", roughly(features.operationsReachingOutput));
  std::string before = "nothing";
  for (const std::string& name : statistics.accepted) {
    count("operator", name);
    count("pair", before + " " + name);
    countIf(features.aliasedInputs, name + " with aliased inputs");
    countIf(features.backward, name + " with a backward");
    before = name;
  }
}

void countResult(const worker::JobResult& result) {
  for (const worker::BackendResult& backend : result.backends) {
    count("outcome", backend.text);
    count("graphs", roughly(backend.counters.graphs));
    count("breaks", roughly(backend.counters.breaks));
    count("recompiles", roughly(backend.counters.recompiles));
    for (size_t rule = 0; rule < backend.allowed.size(); ++rule) {
      countIf(backend.allowed[rule] > 0, "rule " + std::to_string(rule));
    }
  }
}

int countersSet() {
  return static_cast<int>(
      std::count_if(std::begin(counters), std::end(counters), [](uint8_t each) { return each != 0; }));
}

void clearCounters() {
  std::fill(std::begin(counters), std::end(counters), uint8_t{0});
}

} // namespace touchstone::fuzzers
