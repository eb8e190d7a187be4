#include "program/evaluator/SavedTensorsHooks.h"

#include "program/values/RaiseError.h"

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <mutex>
#include <utility>
#include <vector>

// After `torch/csrc/autograd/python_saved_variable_hooks.cpp`.

namespace touchstone::evaluator {

namespace {

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
    static std::once_flag once; // for a process that has such a Program
    std::call_once(once, [] {
      engine = new EngineWithHooks(Engine::get_default_engine());
      torch::autograd::set_default_engine_stub([]() -> Engine& { return *engine; });
    });
    entered.push_back(std::make_shared<const SavedTensorsHooks>(std::move(hooks)));
  }
  ~SavedTensorsContext() override { entered.pop_back(); }
};

} // namespace

std::unique_ptr<Context> enterSavedTensorsHooks(SavedTensorsHooks hooks) {
  return std::make_unique<SavedTensorsContext>(std::move(hooks));
}

} // namespace touchstone::evaluator
