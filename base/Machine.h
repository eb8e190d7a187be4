#pragma once

#include <cstdint>
#include <string>

namespace touchstone::base {

/// The processor's model, `unknown` where the system does not say: a finding may belong to one kind of vector instructions.
std::string processorName();

/// Memory of the calling process in bytes; 0 where the system does not say.
struct ProcessMemory {
  int64_t mapped = 0; // addresses, what RLIMIT_AS counts
  int64_t resident = 0;
};
ProcessMemory processMemory();

} // namespace touchstone::base
