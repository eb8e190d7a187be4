#pragma once

#include "base/ExitStatus.h"

#include <string>
#include <vector>

namespace touchstone::commands {

/// `touchstone compare-devices`: are the Graphs that a device gets those of the CPU, but for operators that the device is
/// known to choose otherwise? Everything is traced without values, so the device need not be there.
struct CompareDevicesOptions {
  std::vector<std::string> paths; // case files and folders
  std::string device = "cuda:0";
  std::string backend = "aot_eager_default_partitioner";
  std::string stage = "joint";
  bool json = false;
};
base::ExitStatus compareDevices(const CompareDevicesOptions& options);

} // namespace touchstone::commands
