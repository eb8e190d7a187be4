#include "harness/worker/WorkerMain.h"

/// A worker of the native family with a faulty kernel: `faulty-worker worker …`, as `touchstone worker …`.
int main(int count, char** arguments) {
  return touchstone::worker::runWorker(touchstone::worker::nativeFamily(), count - 1, arguments + 1);
}
