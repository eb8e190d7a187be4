#pragma once

#include "graph/ir/GraphComparison.h"

#include <string>
#include <vector>

namespace touchstone::fake {

/// Where libtorch calls other operators for CUDA than for the CPU, and why.
struct DeviceChoice {
  std::string name; // for reports
  std::vector<std::string> onCpu, onCuda; // operators that the one has and the other does not
  std::string reason;
  std::string emptyOnCpu = {}; // an operator whose results behind the first have no elements on the CPU
};

/// Every such place that is known, autocastChoice() last; `docs/cuda.md` has the table.
const std::vector<DeviceChoice>& deviceChoices();

/// A choice that changes more than operators: regions of the CPU's autocast, which cast no tensors of other devices. It explains
/// all that differs in a Case with such a region.
const DeviceChoice& autocastChoice();

/// The choice that another look of a result shows, the CPU's on the left; null: it shows none.
const DeviceChoice* choiceShownBy(const ir::GraphDifference::Detail& detail);

/// The choice that a replacement shows, the CPU's Graph on the left; null: it shows none.
const DeviceChoice* choiceShownBy(const ir::GraphDifference::Replacement& replacement);

} // namespace touchstone::fake
