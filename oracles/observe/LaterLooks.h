#pragma once

#include "oracles/observe/BackwardPass.h"
#include "oracles/observe/Observation.h"
#include "oracles/observe/Versions.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace touchstone::observe {

/// Looks at the outputs, gradients and tangents of calls again and again, at inputs once more when the call's backward has run,
/// and notes which have other bytes than at the look before, or, of inputs, another layout. Copies only what has changed.
class LaterLooks {
 public:
  /// Looks at one call's tensors after the call `after`; adds to CallObservation::changes. `hasGoneBackward`: its backward has
  /// run there, or would have.
  /// `versions`: those of the inputs before the call.
  void look(const CallTensors& tensors, CallObservation& observed, int call, int after, bool hasGoneBackward,
            const Versions& versions);

 private:
  /// `hasOtherLayout`: it has changed whatever its bytes are.
  void lookAt(const at::Tensor& tensor, const at::Tensor& first, LaterChange change, int call,
              std::vector<LaterChange>& changes, bool hasOtherLayout = false);
  bool hasOtherLayout(const LaterChange& now, int call, const TensorObservation& first);

  using Key = std::tuple<int, LaterChange::Of, int>; // call, group, position
  std::map<Key, at::Tensor> last_; // of those that have changed: as last seen
  std::map<Key, std::pair<std::vector<int64_t>, std::vector<int64_t>>> layouts_; // sizes and strides, likewise
  std::vector<char> scratch_;
};

} // namespace touchstone::observe
