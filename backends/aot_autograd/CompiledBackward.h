#pragma once

#include "backends/aot_autograd/CompiledFrame.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <memory>
#include <vector>

namespace touchstone::backends {

/// The backward of one call of a compiled frame, as one node of autograd's graph. Saved tensors go through SavedVariable:
/// versions are checked, hooks on saved tensors run.
class CompiledBackward final : public torch::autograd::Node {
 public:
  explicit CompiledBackward(std::shared_ptr<const CompiledFrame> frame) : frame_(std::move(frame)) {}
  void save(const std::vector<at::Tensor>& saved);

  torch::autograd::variable_list apply(torch::autograd::variable_list&& tangents) override;
  void release_variables() override;
  std::string name() const override { return "CompiledFunctionBackward"; }

 private:
  std::shared_ptr<const CompiledFrame> frame_;
  std::vector<torch::autograd::SavedVariable> saved_;
};

} // namespace touchstone::backends
