#pragma once

#include "oracles/observe/Observation.h"
#include "program/language/Case.h"

#include <vector>

namespace touchstone::compare {

/// The differentiable outputs and mutated inputs of a call.
inline std::vector<language::BackwardRoot> allRoots(const observe::CallObservation& eager) {
  std::vector<language::BackwardRoot> roots;
  for (size_t index = 0; index < eager.outputs.size(); ++index) {
    if (eager.outputs[index].requiresGrad) {
      roots.push_back({false, static_cast<int>(index)});
    }
  }
  for (size_t index = 0; index < eager.arguments.size(); ++index) {
    if (eager.arguments[index].versionBumped && eager.arguments[index].hasGradFn) {
      roots.push_back({true, static_cast<int>(index)});
    }
  }
  return roots;
}

} // namespace touchstone::compare
