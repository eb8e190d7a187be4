#include "program/control_flow/RegionNode.h"

#include "graph/ir/Unsupported.h"
#include "program/control_flow/Operators.h"
#include "program/values/RaiseError.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <optional>
#include <utility>

namespace touchstone::control_flow {
namespace {

using torch::autograd::variable_list;

class RegionNode final : public torch::autograd::Node {
 public:
  RegionNode(std::shared_ptr<const Region> region, const TensorList& arguments)
      : region_(std::move(region)), count_(arguments.size()) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      wanted_.push_back(i >= region_->keptArguments() && arguments[i].requires_grad());
      if (i < region_->keptArguments() || !region_->savesArguments()) {
        kept_.push_back(arguments[i]);
      } else {
        saved_.emplace_back(arguments[i], /*is_output=*/false);
      }
    }
  }

  variable_list apply(variable_list&& gradients) override {
    if (isFreed_ && region_->savesArguments()) {
      values::raiseError("RuntimeError", "{}", torch::autograd::ERR_BACKWARD_TWICE);
    }
    if (c10::GradMode::is_enabled() && region_->isDifferentiableAgain()) {
      throw ir::Unsupported("second derivatives of " + region_->name());
    }
    const c10::AutoGradMode withoutGradients(false);
    at::OptionalDeviceGuard device;
    TensorList arguments = kept_;
    for (const torch::autograd::SavedVariable& saved : saved_) {
      arguments.push_back(saved.unpack(getptr()));
    }
    for (size_t i = 0; i < gradients.size(); ++i) {
      arguments.push_back(gradients[i].defined() ? gradients[i] : outputs.at(i).zeros(device));
    }
    const TensorList made = call(region_->backward(wanted_), arguments);
    variable_list all(count_);
    size_t next = 0;
    for (size_t i = 0; i < count_; ++i) {
      if (wanted_[i]) {
        all[i] = made.at(next++);
      }
    }
    return all;
  }

  void release_variables() override {
    saved_.clear();
    isFreed_ = true;
  }
  std::string name() const override { return region_->nodeName(); }
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const override { args.collect(name()); }
  variable_list apply_with_saved(const variable_list&, torch::dynamo::autograd::SwapSavedVariables&) override {
    throw ir::Unsupported("the backward of " + region_->name() + " is not traceable");
  }

  std::vector<torch::autograd::VariableInfo> outputs; // what zeros stand for a gradient that is missing

 private:
  const std::shared_ptr<const Region> region_;
  const size_t count_;
  std::vector<bool> wanted_;
  TensorList kept_;
  std::vector<torch::autograd::SavedVariable> saved_;
  bool isFreed_ = false;
};

variable_list noForwardMode(const variable_list&, const variable_list&) {
  values::raiseError(
      "NotImplementedError",
      "You must implement the jvp function for custom autograd.Function to use it with forward mode AD.");
}

at::Tensor viewOfItself(const at::Tensor& tensor) {
  return tensor.view_as(tensor);
}

} // namespace

TensorList withHistory(const std::shared_ptr<const Region>& region, const TensorList& arguments,
                       const TensorList& results) {
  const auto node = c10::make_intrusive<RegionNode>(region, arguments);
  node->set_next_edges(torch::autograd::collect_next_edges(arguments));
  node->clear_input_metadata();
  const std::vector<std::optional<at::Tensor>> raw(results.begin(), results.end());
  const auto wrapped = torch::autograd::_wrap_outputs(arguments, {}, {}, raw, node, noForwardMode, {}, viewOfItself,
                                                      /*pure_view=*/false);
  TensorList outputs;
  for (const std::optional<at::Tensor>& each : wrapped) {
    node->outputs.emplace_back(*each);
    outputs.push_back(*each);
  }
  return outputs;
}

} // namespace touchstone::control_flow
