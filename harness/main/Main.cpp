#include "harness/CommandLine.h"

int main(int count, char** arguments) {
  return touchstone::harness::runCommandLine(count, arguments);
}
