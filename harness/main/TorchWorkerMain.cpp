#include "backends/torch_compile/TorchBackends.h"
#include "harness/worker/WorkerMain.h"

#include <cstdlib>

int main(int count, char** arguments) {
  using namespace touchstone;
  worker::WorkerFamily family;
  const auto hideDevices = [] { // the warm-up would start a GPU that is there, and no child could compile then
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
  };
  family.warm = {
      .prepare =
          [hideDevices] {
            setenv("PYTORCH_NVML_BASED_CUDA_CHECK", "1", 0);
            hideDevices();
            return torch_compile::startAhead();
          },
      .refusal = torch_compile::refusalAhead,
      .takeEnvironment =
          [](std::map<std::string, std::string> environment) {
            environment["CUDA_VISIBLE_DEVICES"] = ""; // as those that start by themselves have it from hideDevices()
            environment.emplace("PYTORCH_NVML_BASED_CUDA_CHECK", "1");
            torch_compile::takeEnvironment(environment);
          },
  };
  family.start = [hideDevices](const worker::Profile& profile) {
    // Whoever has used a GPU cannot fork children that do: whether there is one is asked of its driver's library, and nothing is
    // compiled before a child begins.
    setenv("PYTORCH_NVML_BASED_CUDA_CHECK", "1", 0);
    const bool onDevice = profile.isOnDevice() || std::getenv(worker::kColdWorkers) != nullptr;
    if (!onDevice) {
      hideDevices();
    }
    return torch_compile::startTorchBackends("", {profile.pythonPath, profile.imports, profile.warmUp && !onDevice,
                                                  onDevice ? "" : profile.backend, profile.proof, profile.backend});
  };
  family.hooks = {torch_compile::beforeFork, torch_compile::afterForkInParent, torch_compile::afterForkInChild};
  return worker::runWorker(family, count, arguments);
}
