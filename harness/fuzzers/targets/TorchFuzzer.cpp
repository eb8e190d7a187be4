// Cases under the installed PyTorch, which this process embeds. torch.compile has differences that are known: --outcomes says which
// findings end the process. --backends=NAME,NAME: others than torch:aot_eager.
#include "backends/torch_compile/TorchBackends.h"
#include "harness/fuzzers/CaseFuzzing.h"
#include "harness/fuzzers/targets/RecipeMutations.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

touchstone::fuzzers::CaseFuzzingOptions options;

} // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  using namespace touchstone;
  options = fuzzers::takeOptions(count, arguments, "torch:aot_eager");
  options.sameCalls = decoder::kSameCallsOfTorchCompile;
  fuzzers::watchMemory();
  if (const std::string missing = torch_compile::startTorchBackends(); !missing.empty()) {
    std::fprintf(stderr, "%s\n", missing.c_str());
    std::exit(3);
  }
  fuzzers::prepareBackends(options);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  touchstone::fuzzers::judgeInput(touchstone::fuzzers::inputFromBytes({data, size}), options);
  return 0;
}
