#pragma once

#include "graph/ir/BackendInfo.h"

#include <optional>
#include <string>
#include <string_view>

namespace touchstone::faults {

/// `torch:aot_eager`, and a search for the faults that would have changed one of its graphs: see ir::CompileReport::bites.
inline constexpr std::string_view kBiteSearch = "torch:fault:search";

/// Of `torch:fault:NAME`, which is `torch:aot_eager` with the fault, and of `torch:fault:NAME@RUNG`, a weaker pipeline with it, for
/// each RUNG that has the fault's stage. Its ladder is that of `torch:aot_eager`, and then those pipelines; who is blamed before it
/// has no fault. Of kBiteSearch, too. Nothing: it is no such name.
std::optional<ir::BackendInfo> faultyTorchBackend(std::string_view backend);

/// `torch:RUNG` of `torch:fault:NAME@RUNG`, `torch:aot_eager` of `torch:fault:NAME`. Nothing: it is no such name.
std::optional<std::string> torchPipelineOf(std::string_view backend);

} // namespace touchstone::faults
