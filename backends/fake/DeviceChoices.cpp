#include "backends/fake/DeviceChoices.h"

#include <algorithm>

namespace touchstone::fake {

const std::vector<DeviceChoice>& deviceChoices() {
  static const std::vector<DeviceChoice> choices{
      {"dropout",
       {"aten::bernoulli_.float", "aten::div_.Scalar", "aten::mul.Tensor", "aten::empty_like"},
       {"aten::native_dropout", "aten::native_dropout_backward"},
       "aten/src/ATen/native/Dropout.cpp, is_fused_kernel_acceptable: one kernel draws and scales"},
      {"batch norm",
       {"aten::native_batch_norm", "aten::native_batch_norm_backward", "aten::empty.memory_format"},
       {"aten::cudnn_batch_norm", "aten::cudnn_batch_norm_backward", "aten::clone"},
       "aten/src/ATen/native/Normalization.cpp, _select_batch_norm_backend: cuDNN's where libtorch is built with it"},
      {"batch norm's statistics",
       {},
       {},
       "aten/src/ATen/native/cuda/Normalization.cu: by channel without training, too, where the CPU returns none",
       "aten::native_batch_norm"},
      {"autocast", {"aten::_to_copy"}, {}, "torch.autocast(\"cpu\") casts tensors of the CPU alone"},
  };
  return choices;
}

const DeviceChoice& autocastChoice() {
  return deviceChoices().back();
}

const DeviceChoice* choiceShownBy(const ir::GraphDifference::Detail& detail) {
  const std::vector<DeviceChoice>& all = deviceChoices();
  const auto found = std::find_if(all.begin(), all.end(), [&](const DeviceChoice& each) {
    return !each.emptyOnCpu.empty() && each.emptyOnCpu == detail.resultOf;
  });
  return found != all.end() && detail.index > 0 && detail.isEmptyOnLeft ? &*found : nullptr;
}

const DeviceChoice* choiceShownBy(const ir::GraphDifference::Replacement& replacement) {
  const auto areAmong = [](const std::vector<std::string>& targets, const std::vector<std::string>& known) {
    return std::all_of(targets.begin(), targets.end(), [&](const std::string& target) {
      return std::find(known.begin(), known.end(), target) != known.end();
    });
  };
  const std::vector<DeviceChoice>& all = deviceChoices();
  const auto end = all.end() - 1; // not that of autocast: outside of its regions nothing is cast
  const auto found = std::find_if(all.begin(), end, [&](const DeviceChoice& each) {
    return !replacement.left.empty() && !replacement.right.empty() && areAmong(replacement.left, each.onCpu) &&
           areAmong(replacement.right, each.onCuda);
  });
  return found == end ? nullptr : &*found;
}

} // namespace touchstone::fake
