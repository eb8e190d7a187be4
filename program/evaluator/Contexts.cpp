#include "program/evaluator/Contexts.h"

#include "program/language/CasePrinter.h"
#include "program/semantics/Arguments.h"
#include "program/transforms/Layers.h"
#include "program/values/AutocastState.h"
#include "program/values/RaiseError.h"
#include "program/values/RaisedException.h"

#include <ATen/Context.h>
#include <ATen/SavedTensorHooks.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <mutex>
#include <utility>
#include <vector>

namespace touchstone::evaluator {

using namespace semantics;
namespace {

class GradModeContext : public Context {
 public:
  explicit GradModeContext(bool enabled) { at::GradMode::set_enabled(enabled); }
  ~GradModeContext() override { at::GradMode::set_enabled(before_); }

 private:
  bool before_ = at::GradMode::is_enabled();
};

class InferenceContext : public Context {
 public:
  explicit InferenceContext(bool enabled) : mode_(enabled) {}

 private:
  c10::InferenceMode mode_;
};

// After `torch/amp/autocast_mode.py`.
class AutocastContext : public Context {
 public:
  explicit AutocastContext(const values::AutocastState& state) : scope_(state) {}

 private:
  values::AutocastScope scope_;
};

std::unique_ptr<Context> enterAutocast(const values::ValueList& positional, const torch_names::KeywordList& keywords,
                                       bool inDouble) {
  Arguments arguments("autocast.__init__", {"device_type", "dtype", "enabled", "cache_enabled"}, positional, keywords,
                      1);
  if (!arguments.at(0).is<std::string>()) {
    values::raiseError("ValueError", "Expected `device_type` of type `str`, got: `<class '{}'>`",
                       arguments.at(0).typeName());
  }
  const at::DeviceType device = at::Device(arguments.at(0).as<std::string>()).type();
  const auto* dtypeGiven = arguments.find(1) ? arguments.at(1).maybe<at::ScalarType>() : nullptr;
  const at::ScalarType dtype = dtypeGiven ? *dtypeGiven : at::autocast::get_autocast_dtype(device);
  // A device that is not there, or a dtype that the autocast of the device does not take, turns it off with a warning.
  const bool isPossible = device == at::kCUDA ? at::hasCUDA() : dtype == at::kBFloat16 || dtype == at::kHalf;
  const bool enabled = arguments.flag(2, true) && isPossible && !inDouble;
  const bool cacheEnabled = arguments.flag(3, at::autocast::is_autocast_cache_enabled());
  return std::make_unique<AutocastContext>(values::AutocastState(device, dtype, enabled, cacheEnabled));
}

// What is saved for a backward, after `torch/csrc/autograd/python_saved_variable_hooks.cpp`.

using torch::autograd::Engine;
using torch::autograd::SavedVariableHooks;

thread_local std::vector<std::shared_ptr<const SavedTensorsHooks>> entered;

/// Of one saved tensor.
class PackedTensor final : public SavedVariableHooks {
 public:
  explicit PackedTensor(std::shared_ptr<const SavedTensorsHooks> hooks) : hooks_(std::move(hooks)) {}
  void call_pack_hook(const at::Tensor& tensor) override { packed_ = hooks_->pack({values::Value(tensor)}); }
  at::Tensor call_unpack_hook() override {
    const values::Value unpacked = hooks_->unpack({packed_});
    if (!unpacked.isTensor()) {
      values::raiseError("TypeError",
                         "Output of saved tensor unpack_hook expected to be a Tensor but got result of type {}",
                         unpacked.typeName());
    }
    return unpacked.tensor();
  }

 private:
  const std::shared_ptr<const SavedTensorsHooks> hooks_;
  values::Value packed_;
};

/// The engine of the process, which says to libtorch what hooks there are; all else the one that was there before does.
class EngineWithHooks final : public Engine {
 public:
  explicit EngineWithHooks(Engine& inner) : inner_(inner) {}
  ~EngineWithHooks() override { stop(); }

  torch::autograd::variable_list execute(const torch::autograd::edge_list& roots,
                                         const torch::autograd::variable_list& inputs, bool keepGraph, bool createGraph,
                                         bool accumulates, const torch::autograd::edge_list& outputs) override {
    return inner_.execute(roots, inputs, keepGraph, createGraph, accumulates, outputs);
  }
  c10::intrusive_ptr<at::ivalue::Future> execute_with_graph_task(
      const std::shared_ptr<torch::autograd::GraphTask>& task, c10::intrusive_ptr<torch::autograd::Node> root,
      torch::autograd::InputBuffer&& inputs) override {
    return inner_.execute_with_graph_task(task, std::move(root), std::move(inputs));
  }
  std::unique_ptr<torch::autograd::AnomalyMetadata> make_anomaly_metadata() override {
    return inner_.make_anomaly_metadata();
  }
  std::unique_ptr<SavedVariableHooks> get_default_saved_variable_hooks() override {
    return entered.empty() ? inner_.get_default_saved_variable_hooks() : std::make_unique<PackedTensor>(entered.back());
  }

 private:
  Engine& inner_;
};

Engine* engine = nullptr; // lives as long as the process, as libtorch's own does

class SavedTensorsContext final : public Context {
 public:
  explicit SavedTensorsContext(SavedTensorsHooks hooks) {
    if (const std::optional<std::string>& refusal = at::SavedTensorDefaultHooks::get_disabled_error_message()) {
      throw values::RaisedException("RuntimeError", *refusal);
    }
    static std::once_flag once; // for a process that has such a Program
    std::call_once(once, [] {
      engine = new EngineWithHooks(Engine::get_default_engine());
      torch::autograd::set_default_engine_stub([]() -> Engine& { return *engine; });
    });
    entered.push_back(std::make_shared<const SavedTensorsHooks>(std::move(hooks)));
    ++transforms::savedTensorHooksEntered();
  }
  ~SavedTensorsContext() override {
    entered.pop_back();
    --transforms::savedTensorHooksEntered();
  }
};

} // namespace

const std::string* contextName(const language::Expr& call) {
  if (call.kind != language::ExprKind::kCall || call.children[0]->kind != language::ExprKind::kAttribute) {
    return nullptr;
  }
  const language::Expr& callee = *call.children[0];
  if (callee.text == kSavedTensorsHooks) {
    static const std::string path =
        language::printExpression(*language::makeDotted("torch.autograd.graph." + std::string(kSavedTensorsHooks)));
    return language::printExpression(callee) == path ? &callee.text : nullptr;
  }
  if (callee.children[0]->kind != language::ExprKind::kName || callee.children[0]->text != "torch") {
    return nullptr;
  }
  for (const char* known : {"no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "autocast"}) {
    if (callee.text == known) {
      return &callee.text;
    }
  }
  return nullptr;
}

bool wantedGradMode(const char* function, const values::ValueList& positional,
                    const torch_names::KeywordList& keywords) {
  Arguments arguments(function, {"mode"}, positional, keywords, 1);
  if (!arguments.at(0).is<bool>()) {
    values::raiseError("TypeError", "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {}",
                       arguments.at(0).typeName());
  }
  return arguments.at(0).as<bool>();
}

std::unique_ptr<Context> enterContext(const std::string& name, const values::ValueList& positional,
                                      const torch_names::KeywordList& keywords, bool inDouble) {
  if (name == "autocast") {
    return enterAutocast(positional, keywords, inDouble);
  }
  if (name == "set_grad_enabled") {
    return std::make_unique<GradModeContext>(wantedGradMode("set_grad_enabled.__init__", positional, keywords));
  }
  if (name == "inference_mode") {
    Arguments arguments("inference_mode.__init__", {"mode"}, positional, keywords);
    return std::make_unique<InferenceContext>(arguments.flag(0, true));
  }
  if (!positional.empty() || !keywords.empty()) {
    values::raiseError("TypeError", "'function' object does not support the context manager protocol");
  }
  return std::make_unique<GradModeContext>(name == "enable_grad");
}

runtime::CallableCall autocastRegion(const values::ValueList& positional, const torch_names::KeywordList& keywords) {
  runtime::CallableCall call = runtime::CallableCall::custom(
      "autocast::enter", positional, keywords,
      [](const values::ValueList& values, const torch_names::KeywordList& named) {
        auto context = std::make_shared<std::unique_ptr<Context>>(enterContext("autocast", values, named, false));
        return values::Value(
            std::make_shared<values::HandleObject>(values::HandleObject{[context] { context->reset(); }}));
      });
  call.entersContext = true;
  return call;
}

runtime::CallableCall endOfRegion(const values::Value& region) {
  runtime::CallableCall call;
  call.name = "autocast::leave";
  call.arguments = {region};
  call.run = [](const values::ValueList& values) {
    values.at(0).as<values::HandlePtr>()->remove();
    return values::Value();
  };
  call.leavesContext = true;
  return call;
}

std::unique_ptr<Context> enterSavedTensorsHooks(SavedTensorsHooks hooks) {
  return std::make_unique<SavedTensorsContext>(std::move(hooks));
}

} // namespace touchstone::evaluator
