#pragma once

#include "oracles/observe/BackwardPass.h"
#include "oracles/observe/Observation.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <tuple>
#include <vector>

namespace touchstone::observe {

/// Looks at the outputs, gradients and tangents of calls again and again, and at inputs once more after the call's backward, and notes which have other bytes than at the look before.
/// Copies only what has changed.
class LaterLooks {
 public:
  /// Looks at one call's tensors after the call `after`; adds to CallObservation::changes.
  void look(const CallTensors& tensors, CallObservation& observed, int call, int after);

 private:
  void lookAt(const at::Tensor& tensor, const at::Tensor& first, LaterChange change, int call,
              std::vector<LaterChange>& changes);

  using Key = std::tuple<int, LaterChange::Of, int>; // call, group, position
  std::map<Key, at::Tensor> last_; // of those that have changed: as last seen
  std::vector<char> scratch_;
};

} // namespace touchstone::observe
