#include "backends/capture/GlobalState.h"

#include "program/values/DefaultDevice.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>

namespace touchstone::capture {

GlobalState GlobalState::now() {
  GlobalState state;
  state.gradMode = c10::GradMode::is_enabled();
  state.inferenceMode = c10::InferenceMode::is_enabled();
  const at::DeviceType device = values::defaultDevice().type();
  state.autocast = at::autocast::is_autocast_enabled(device);
  state.autocastCache = at::autocast::is_autocast_cache_enabled();
  state.autocastDtype = at::autocast::get_autocast_dtype(device);
  state.defaultDtype = c10::get_default_dtype_as_scalartype();
  state.deterministic = at::globalContext().deterministicAlgorithms();
  state.deterministicWarnOnly = at::globalContext().deterministicAlgorithmsWarnOnly();
  state.deterministicFill = at::globalContext().deterministicFillUninitializedMemory();
  return state;
}

std::string GlobalState::difference(const GlobalState& other) const {
  return gradMode != other.gradMode             ? "grad_mode"
         : inferenceMode != other.inferenceMode ? "inference_mode"
         : autocast != other.autocast || autocastCache != other.autocastCache || autocastDtype != other.autocastDtype
             ? "autocast_state"
         : defaultDtype != other.defaultDtype ? "default_dtype"
         : *this == other                     ? ""
                                              : "deterministic_algorithms";
}

} // namespace touchstone::capture
