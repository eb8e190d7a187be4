#pragma once

#include "backends/PipelineObserver.h"
#include "backends/Registry.h"
#include "graph/ir/BackendInfo.h"

#include <memory>
#include <optional>
#include <string>

namespace touchstone::faults {

/// A native pipeline with a fault in it.
struct PlantedFault {
  std::string pipeline; // `aot_eager`, or a weaker one
  std::shared_ptr<backends::PipelineObserver> observer;
};
/// Of `fault:NAME`, which is `aot_eager`, and of `fault:NAME@PIPELINE`, a rung below it. Nothing: it is no such name.
std::optional<PlantedFault> plantedFault(const std::string& backend);

/// The pipeline that a backend is, but for its fault: `aot_joint` of `fault:NAME@aot_joint`, `torch:aot_eager` of `torch:fault:NAME`.
/// A backend without a planted fault is its own.
std::string pipelineOf(const std::string& backend);

/// The backends of both families that have a planted fault, by name. A native one has a ladder of its own: `eager` without
/// the fault, then each pipeline that has the fault's stage, with it; none of them excuses another.
std::optional<ir::BackendInfo> faultyBackend(const std::string& name);

/// What the registry is told of them.
backends::BackendNames faultyBackendNames();

} // namespace touchstone::faults
