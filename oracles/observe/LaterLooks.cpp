#include "oracles/observe/LaterLooks.h"

#include "oracles/observe/TensorBytes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace touchstone::observe {
namespace {

bool areAlike(const at::Tensor& left, const at::Tensor& right) {
  return left.defined() && right.defined() && left.scalar_type() == right.scalar_type() &&
         left.sizes() == right.sizes();
}

/// Both contiguous.
bool haveSameBytes(const at::Tensor& left, const at::Tensor& right) {
  return areAlike(left, right) && (left.numel() == 0 || std::memcmp(left.const_data_ptr(), right.const_data_ptr(),
                                                                    static_cast<size_t>(left.nbytes())) == 0);
}

} // namespace

void LaterLooks::look(const CallTensors& tensors, CallObservation& observed, int call, int after, bool hasGoneBackward,
                      const Versions& versions) {
  for (size_t i = 0; i < observed.outputs.size(); ++i) {
    lookAt(tensors.outputs[i], observed.outputs[i].values, {LaterChange::Of::kOutput, static_cast<int>(i), after}, call,
           observed.changes);
  }
  for (size_t i = 0; i < observed.gradients.size(); ++i) {
    if (observed.gradients[i].gradient) {
      lookAt(tensors.gradients[i], observed.gradients[i].gradient->values,
             {LaterChange::Of::kGradient, static_cast<int>(i), after}, call, observed.changes);
    }
  }
  for (size_t i = 0; i < observed.tangents.size(); ++i) {
    lookAt(tensors.tangents[i], observed.tangents[i], {LaterChange::Of::kTangent, static_cast<int>(i), after}, call,
           observed.changes);
  }
  if (!hasGoneBackward || observed.exception) {
    return; // later calls with these objects look at them themselves
  }
  const auto lookAtInputs = [&](LaterChange::Of of, const std::vector<at::Tensor>& inputs,
                                const std::vector<TensorObservation>& first) {
    for (size_t i = 0; i < std::min(inputs.size(), first.size()); ++i) {
      LaterChange now{of, static_cast<int>(i), after};
      now.sizes = inputs[i].sizes().vec();
      now.strides = inputs[i].layout() == at::kStrided ? inputs[i].strides().vec() : std::vector<int64_t>();
      now.versionBumped = versions.bumped(inputs[i]);
      const bool isOther = hasOtherLayout(now, call, first[i]);
      lookAt(inputs[i], first[i].values, std::move(now), call, observed.changes, isOther);
    }
  };
  lookAtInputs(LaterChange::Of::kArgument, tensors.arguments, observed.arguments);
  lookAtInputs(LaterChange::Of::kWatched, tensors.watched, observed.watched);
}

bool LaterLooks::hasOtherLayout(const LaterChange& now, int call, const TensorObservation& first) {
  auto& last = layouts_.try_emplace({call, now.of, now.index}, first.sizes, first.strides).first->second;
  const bool isOther = last != std::pair(now.sizes, now.strides);
  last = {now.sizes, now.strides};
  return isOther;
}

void LaterLooks::lookAt(const at::Tensor& tensor, const at::Tensor& first, LaterChange change, int call,
                        std::vector<LaterChange>& changes, bool hasOtherLayout) {
  const Key key{call, change.of, change.index};
  const auto known = last_.find(key);
  const at::Tensor& before = known != last_.end() ? known->second : first;
  try {
    if (bytesAreValues(tensor) && areAlike(tensor, before)) {
      if (equalsPacked(tensor, static_cast<const char*>(before.const_data_ptr()), scratch_) && !hasOtherLayout) {
        return;
      }
      change.values = copyOfValues(tensor);
    } else {
      change.values = copyOfValues(tensor);
      if (haveSameBytes(change.values, before) && !hasOtherLayout) {
        return;
      }
    }
  } catch (...) { // it cannot be read
    if (!before.defined() && !hasOtherLayout) {
      return;
    }
    change.values = at::Tensor();
  }
  last_[key] = change.values;
  changes.push_back(std::move(change));
}

} // namespace touchstone::observe
