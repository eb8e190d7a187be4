// Every byte string is a Case, and a Case that was printed reads back as itself.
#include "harness/fuzzers/CaseFuzzing.h"
#include "harness/fuzzers/FeatureCounters.h"
#include "harness/fuzzers/targets/RecipeMutations.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  touchstone::fuzzers::watchMemory();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace touchstone;
  decoder::DecodeStatistics statistics;
  const language::Case decoded = fuzzers::decodeInput(fuzzers::inputFromBytes({data, size}), &statistics);
  fuzzers::countFeatures(decoded, statistics);
  const std::string text = standalone::printCase(decoded);
  std::string again;
  try {
    again = standalone::printCase(parser::parseCase(text));
  } catch (const std::exception& error) {
    again = error.what();
  }
  if (again != text) {
    std::fprintf(stderr, "A Case reads back as something else:\n%s\n---\n%s\n", text.c_str(), again.c_str());
    std::abort();
  }
  return 0;
}
