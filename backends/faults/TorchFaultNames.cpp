#include "backends/faults/TorchFaultNames.h"

#include "backends/faults/FaultTable.h"

#include <algorithm>
#include <array>
#include <string>

namespace touchstone::faults {

namespace {

constexpr std::string_view kTorchFaultPrefix = "torch:fault:";

struct TorchRung {
  std::string_view name;
  const char* adds;
};
constexpr std::array kTorchRungs{
    TorchRung{"eager", "the fault, in what Dynamo captures and what is around it"},
    TorchRung{"aot_eager_default_partitioner", "the fault, in AOTAutograd with the default partition"},
    TorchRung{"aot_eager", "the fault, with the min-cut partition"},
};

/// The first rung that has the stage.
size_t firstTorchRung(std::string_view stage) {
  constexpr std::array kOfGraphs{"joint", "partition", "forward", "backward"};
  return std::find(kOfGraphs.begin(), kOfGraphs.end(), stage) == kOfGraphs.end() ? 0 : 1;
}

std::string torchNameAt(std::string_view fault, size_t rung) {
  const std::string name = std::string(kTorchFaultPrefix) + std::string(fault);
  return rung + 1 == kTorchRungs.size() ? name : name + "@" + std::string(kTorchRungs[rung].name);
}

} // namespace

std::optional<ir::BackendInfo> faultyTorchBackend(std::string_view backend) {
  if (!backend.starts_with(kTorchFaultPrefix)) {
    return std::nullopt;
  }
  if (backend == kBiteSearch) {
    return ir::BackendInfo{.name = std::string(backend),
                           .family = ir::Family::kTorch,
                           .summary = "torch:aot_eager, and a search for the faults that would have changed its graphs",
                           .rules = ir::RuleSet::kAot,
                           .base = "torch:eager",
                           .adds = "AOTAutograd, and the search"};
  }
  const std::string_view fault = backend.substr(kTorchFaultPrefix.size(), backend.find('@') - kTorchFaultPrefix.size());
  const FaultRow* row = faultRow(ir::Family::kTorch, fault);
  for (size_t rung = row == nullptr ? kTorchRungs.size() : firstTorchRung(row->stage); rung < kTorchRungs.size();
       ++rung) {
    if (backend == torchNameAt(fault, rung)) {
      const bool isFirst = rung == firstTorchRung(row->stage);
      return ir::BackendInfo{
          .name = std::string(backend),
          .family = ir::Family::kTorch,
          .summary = (row->isControl ? "unusual, but right: " : "WRONG ON PURPOSE: ") + std::string(row->what),
          .rules = ir::RuleSet::kAot,
          .base = isFirst ? "torch:aot_eager" : torchNameAt(fault, rung - 1),
          .adds = kTorchRungs[rung].adds,
          .continuesBase = !isFirst};
    }
  }
  return std::nullopt;
}

std::optional<std::string> torchPipelineOf(std::string_view backend) {
  if (!backend.starts_with(kTorchFaultPrefix)) {
    return std::nullopt;
  }
  const std::string_view rung =
      backend.find('@') == std::string_view::npos ? kTorchRungs.back().name : backend.substr(backend.find('@') + 1);
  return "torch:" + std::string(rung);
}

} // namespace touchstone::faults
