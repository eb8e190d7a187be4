#include "base/ExitStatus.h"
#include "harness/commands/CommandLine.h"

int main(int count, char** arguments) {
  return touchstone::commands::runCommandLine(count, arguments);
}
