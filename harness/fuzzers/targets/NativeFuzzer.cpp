// Every Case agrees under the native pipelines, with all oracles. --backends=NAME,NAME: others than aot_eager.
#include "harness/fuzzers/CaseFuzzing.h"
#include "harness/fuzzers/targets/RecipeMutations.h"

namespace {

touchstone::fuzzers::CaseFuzzingOptions options;

} // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  using namespace touchstone;
  options = fuzzers::takeOptions(count, arguments, "aot_eager");
  fuzzers::watchMemory();
  fuzzers::prepareBackends(options);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  touchstone::fuzzers::judgeInput(touchstone::fuzzers::inputFromBytes({data, size}), options);
  return 0;
}
