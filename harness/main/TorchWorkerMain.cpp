#include "backends/torch_compile/TorchWorker.h"
#include "harness/worker/WorkerMain.h"

int main(int count, char** arguments) {
  return touchstone::harness::runWorker(touchstone::backends::torchFamily(), count, arguments);
}
