#include "harness/campaign/CampaignOptions.h"

#include "backends/Registry.h"
#include "generators/decoder/Decoder.h"

#include <algorithm>

namespace touchstone::campaign {

int callsOf(const FuzzOptions& options) {
  const bool compilesTorch = std::any_of(options.backends.begin(), options.backends.end(), [](const std::string& name) {
    const ir::BackendInfo info = backends::backendInfo(name);
    return info.family == ir::Family::kTorch && info.compiles;
  });
  return options.calls.value_or(compilesTorch ? decoder::kSameCallsOfTorchCompile : decoder::kSameCalls);
}

} // namespace touchstone::campaign
