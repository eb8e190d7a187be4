// A libFuzzer target: every byte string is a Case, and a Case that was printed reads back as itself.
//   cmake --preset fuzz && ninja -C build-fuzz decode_fuzzer && build-fuzz/harness/decode_fuzzer -max_total_time=60
#include "generators/Decoder.h"
#include "graph/program/CaseParser.h"
#include "graph/program/CasePrinter.h"

#include <ATen/Parallel.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace {

constexpr uint64_t kSeed = 0; // of the features, which the bytes do not choose
constexpr uint64_t kFeatureSets = 64;

} // namespace

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*arguments*/) {
  at::set_num_threads(1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace touchstone;
  generators::DecodeOptions options;
  options.features = generators::featuresOf(kSeed, size == 0 ? 0 : data[0] % kFeatureSets);
  const graph::Case decoded = generators::decode(generators::recipeFromBytes({data, data + size}), options);
  const std::string text = graph::printCase(decoded);
  std::string again;
  try {
    again = graph::printCase(graph::parseCase(text));
  } catch (const std::exception& error) {
    again = error.what();
  }
  if (again != text) {
    std::fprintf(stderr, "A Case reads back as something else:\n%s\n---\n%s\n", text.c_str(), again.c_str());
    std::abort();
  }
  return 0;
}
