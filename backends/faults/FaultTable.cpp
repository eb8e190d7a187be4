#include "backends/faults/FaultTable.h"

#include "backends/faults/NativeFault.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace touchstone::faults {

namespace {

constexpr std::array<std::string_view, kFaultClassCount> kClassNames = {
    "capture", "rewriting", "views",   "joint",    "partition", "saved_values",
    "runtime", "guards",    "symbols", "numerics", "memory",    "errors"};

constexpr FaultRow kTorchRows[] = {
#include "backends/faults/TorchFaults.inc"
    {} // the end
};

FaultRow rowOf(const NativeFault& fault) {
  return {fault.name, ir::Family::kNative, fault.faultClass, fault.stage, fault.what, fault.when, fault.isControl};
}

} // namespace

std::string_view faultClassName(FaultClass faultClass) {
  return kClassNames.at(static_cast<size_t>(faultClass));
}

const NativeFaultList& nativeFaultList() {
  static const NativeFaultList list = [] {
    NativeFaultList all;
    for (auto* const part :
         {captureFaults, arithmeticFaults, promotionFaults, repetitionFaults, orderFaults, shapeFaults, viewFaults,
          jointFaults, gradientFormulaFaults, partitionFaults, savedValueFaults, runtimeFaults, guardFaults,
          numericsFaults, memoryFaults, errorFaults, controls}) {
      NativeFaultList rows = part();
      std::move(rows.begin(), rows.end(), std::back_inserter(all));
    }
    return all;
  }();
  return list;
}

std::span<const FaultRow> nativeFaults() {
  static const std::vector<FaultRow> rows = [] {
    std::vector<FaultRow> made;
    std::transform(nativeFaultList().begin(), nativeFaultList().end(), std::back_inserter(made), rowOf);
    return made;
  }();
  return rows;
}

std::span<const FaultRow> torchFaults() {
  return std::span<const FaultRow>(kTorchRows).first(std::size(kTorchRows) - 1);
}

std::span<const FaultRow> faultsOf(ir::Family family) {
  return family == ir::Family::kNative ? nativeFaults() : torchFaults();
}

const FaultRow* faultRow(ir::Family family, std::string_view name) {
  const std::span<const FaultRow> rows = faultsOf(family);
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const FaultRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

std::string_view stageToBlame(const FaultRow& row) {
  return row.family == ir::Family::kNative && row.faultClass == FaultClass::kGuards ? "guards" : row.stage;
}

std::string backendName(const FaultRow& row) {
  return (row.family == ir::Family::kNative ? "fault:" : "torch:fault:") + std::string(row.name);
}

} // namespace touchstone::faults
