#include "harness/commands/CommandLine.h"
#include "base/ExitStatus.h"

int main(int count, char** arguments) {
  return touchstone::harness::runCommandLine(count, arguments);
}
