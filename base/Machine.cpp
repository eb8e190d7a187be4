#include "base/Machine.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace touchstone::base {

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) {
      return line.substr(std::min(line.size(), line.find(':') + 2));
    }
  }
  return "unknown";
}

ProcessMemory processMemory() {
  long mapped = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &mapped, &resident) != 2) {
      mapped = resident = 0;
    }
    std::fclose(file);
  }
  const int64_t pageBytes = sysconf(_SC_PAGESIZE);
  return {mapped * pageBytes, resident * pageBytes};
}

} // namespace touchstone::base
