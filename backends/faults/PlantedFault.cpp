#include "backends/faults/PlantedFault.h"

#include "backends/faults/FaultTable.h"
#include "backends/faults/FaultyObserver.h"
#include "backends/faults/TorchFaultNames.h"
#include "graph/ir/Stages.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace touchstone::faults {

namespace {

using ir::RuleSet;

constexpr std::string_view kNativePrefix = "fault:", kTorchPrefix = "torch:fault:";

/// A pipeline, and the stages that are there from it on.
struct FaultyRung {
  std::string_view pipeline;
  RuleSet rules;
  std::array<std::string_view, 2> stages;
  const char* adds;
};
constexpr std::array kRungs{
    FaultyRung{"eager", RuleSet::kNativeExact, {ir::kCapturedStage}, "capture, with the fault"},
    FaultyRung{"aot_joint",
               RuleSet::kNativeExact,
               {ir::kJointStage, ir::kMetadataStage},
               "tracing below autograd, and the runtime around it"},
    FaultyRung{"aot_functional", RuleSet::kNativeFunctional, {ir::kFunctionalStage}, "functionalization"},
    FaultyRung{"aot_eager_default_partitioner",
               RuleSet::kNativeFunctional,
               {ir::kForwardStage, ir::kBackwardStage},
               "the default partition"},
    FaultyRung{"aot_eager", RuleSet::kNativeFunctional, {ir::kMergedStage}, "the min-cut partition"},
};

/// The first rung that has a stage.
size_t rungOf(std::string_view stage) {
  const auto* const found = std::find_if(kRungs.begin(), kRungs.end(), [&](const FaultyRung& rung) {
    return std::find(rung.stages.begin(), rung.stages.end(), stage) != rung.stages.end();
  });
  return static_cast<size_t>(found - kRungs.begin());
}

struct Name {
  const NativeFault* fault;
  size_t rung;
};

std::optional<Name> parsed(std::string_view backend) {
  if (!backend.starts_with(kNativePrefix)) {
    return std::nullopt;
  }
  backend.remove_prefix(kNativePrefix.size());
  const size_t at = backend.find('@');
  const std::string_view name = backend.substr(0, at);
  const std::string_view pipeline = at == std::string_view::npos ? kRungs.back().pipeline : backend.substr(at + 1);
  const auto fault = std::find_if(nativeFaultList().begin(), nativeFaultList().end(),
                                  [&](const NativeFault& each) { return each.name == name; });
  const auto* const rung =
      std::find_if(kRungs.begin(), kRungs.end(), [&](const FaultyRung& each) { return each.pipeline == pipeline; });
  const bool isWhole = at == std::string_view::npos || pipeline != kRungs.back().pipeline;
  if (fault == nativeFaultList().end() || rung == kRungs.end() || !isWhole) {
    return std::nullopt;
  }
  return Name{&*fault, static_cast<size_t>(rung - kRungs.begin())};
}

std::string nameAt(const NativeFault& fault, size_t rung) {
  const std::string name = std::string(kNativePrefix) + std::string(fault.name);
  return rung + 1 == kRungs.size() ? name : name + "@" + std::string(kRungs[rung].pipeline);
}

} // namespace

std::optional<PlantedFault> plantedFault(const std::string& backend) {
  const std::optional<Name> name = parsed(backend);
  if (!name || name->rung < rungOf(name->fault->stage)) {
    return std::nullopt;
  }
  return PlantedFault{std::string(kRungs[name->rung].pipeline), observerOf(*name->fault)};
}

std::string pipelineOf(const std::string& backend) {
  const std::optional<Name> name = parsed(backend);
  return name ? std::string(kRungs[name->rung].pipeline) : torchPipelineOf(backend).value_or(backend);
}

std::optional<ir::BackendInfo> faultyBackend(const std::string& backend) {
  if (backend.starts_with(kTorchPrefix)) {
    return faultyTorchBackend(backend);
  }
  const std::optional<Name> name = parsed(backend);
  if (!name) {
    return std::nullopt;
  }
  const size_t first = rungOf(name->fault->stage);
  if (name->rung < first) {
    return std::nullopt;
  }
  const bool isFirst = name->rung == first;
  const bool isControl = name->fault->isControl;
  const FaultyRung& rung = kRungs[name->rung];
  return ir::BackendInfo{
      .name = backend,
      .family = ir::Family::kNative,
      .summary = (isControl ? "unusual, but right: " : "WRONG ON PURPOSE: ") + std::string(name->fault->what),
      .rules = rung.rules,
      // Below the fault the ladder is the family's.
      .base = isFirst ? (first <= 1 ? "eager" : std::string(kRungs[first - 1].pipeline))
                      : nameAt(*name->fault, name->rung - 1),
      .adds = rung.adds,
      .continuesBase = !isFirst || first > 1};
}

backends::BackendNames faultyBackendNames() {
  return {{std::string(kNativePrefix), std::string(kTorchPrefix)}, faultyBackend, [] {
            std::vector<std::string> names;
            for (const ir::Family family : {ir::Family::kNative, ir::Family::kTorch}) {
              const std::span<const FaultRow> rows = faultsOf(family);
              std::transform(rows.begin(), rows.end(), std::back_inserter(names), backendName);
            }
            return names;
          }};
}

} // namespace touchstone::faults
