#include "tests/harness/worker/FaultyKernel.h"

#include "harness/worker/Progress.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/erf_cpu_dispatch.h>
#include <torch/library.h>

#include <signal.h>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::tests {

namespace {

int64_t runs = 0;

void hang(const at::Tensor&) {
  for (volatile bool ever = true; ever;) {
  }
}

void useUpMemory(const at::Tensor&) {
  constexpr size_t kBlock = 8 << 20;
  static std::vector<char*> kept;
  while (true) {
    kept.push_back(new char[kBlock]);
    for (size_t i = 0; i < kBlock; i += 4096) {
      kept.back()[i] = 1;
    }
  }
}

void writeBehindEnd(const at::Tensor& result) {
  static_cast<char*>(result.storage().mutable_data())[result.storage().nbytes()] = 0;
}

std::string presentPlace() {
  const worker::Progress& progress = worker::currentProgress();
  if (progress.backend[0] != 0) {
    return "backend";
  }
  const std::string_view phase = progress.phase;
  return phase == "decode" ? "decoding" : phase == "derive" ? "deriving" : "eager";
}

void doWhatIsAsked(const at::Tensor& result) {
  static const std::map<std::string, void (*)(const at::Tensor&)> kDeeds{
      {"kill", [](const at::Tensor&) { raise(SIGKILL); }},
      {"hang", hang},
      {"abort", [](const at::Tensor&) { std::abort(); }},
      {"memory", useUpMemory},
      {"overrun", writeBehindEnd}};
  const char* fault = std::getenv("TOUCHSTONE_TEST_FAULT");
  const std::string text = fault != nullptr ? fault : "";
  const size_t colon = text.find(':');
  if (colon != std::string::npos && text.substr(0, colon) == presentPlace()) {
    kDeeds.at(text.substr(colon + 1))(result);
  }
}

at::Tensor faultyErf(const at::Tensor& self) {
  ++runs;
  at::Tensor result = at::cpu::erf(self);
  doWhatIsAsked(result);
  return result;
}

} // namespace

int64_t faultyKernelRuns() {
  return runs;
}

TORCH_LIBRARY_IMPL(aten, CPU, library) {
  library.impl("erf", faultyErf);
}

} // namespace touchstone::tests
