#include "backends/torch_compile/TorchBackends.h"
#include "harness/worker/WorkerMain.h"

int main(int count, char** arguments) {
  using namespace touchstone;
  harness::WorkerFamily family;
  family.start = [](const harness::Profile& profile) {
    return backends::startTorchBackends("", {profile.pythonPath, profile.imports, profile.warmUp, profile.backend});
  };
  family.hooks = {backends::beforeFork, backends::afterForkInParent, backends::afterForkInChild};
  return harness::runWorker(family, count, arguments);
}
