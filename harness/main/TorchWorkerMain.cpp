#include "backends/torch_compile/TorchBackends.h"
#include "harness/worker/WorkerMain.h"

#include <cstdlib>

int main(int count, char** arguments) {
  using namespace touchstone;
  harness::WorkerFamily family;
  family.start = [](const harness::Profile& profile) {
    // Whoever has used a GPU cannot fork children that do: whether there is one is asked of its driver's library, and nothing is
    // compiled before a child begins.
    setenv("PYTORCH_NVML_BASED_CUDA_CHECK", "1", 0);
    const bool onDevice = profile.isOnDevice() || std::getenv(harness::kColdWorkers) != nullptr;
    if (!onDevice) { // the warm-up would start a GPU that is there, and no child could compile then
      setenv("CUDA_VISIBLE_DEVICES", "", 1);
    }
    return backends::startTorchBackends(
        "", {profile.pythonPath, profile.imports, profile.warmUp && !onDevice, onDevice ? "" : profile.backend});
  };
  family.hooks = {backends::beforeFork, backends::afterForkInParent, backends::afterForkInChild};
  return harness::runWorker(family, count, arguments);
}
