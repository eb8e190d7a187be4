#include "harness/Machine.h"

#include <algorithm>
#include <fstream>

namespace touchstone::harness {

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) {
      return line.substr(std::min(line.size(), line.find(':') + 2));
    }
  }
  return "unknown";
}

} // namespace touchstone::harness
