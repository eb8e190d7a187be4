#include "program/evaluator/Checkpoint.h"

#include "graph/ir/Unsupported.h"
#include "program/evaluator/Contexts.h"
#include "program/transforms/Layers.h"
#include "program/values/AutocastState.h"
#include "program/values/GeneratorState.h"
#include "program/values/RaiseError.h"
#include "program/values/TracedCheckpoint.h"

#include <ATen/core/grad_mode.h>
#include <c10/util/ScopeExit.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <typeinfo>
#include <utility>
#include <vector>

namespace touchstone::evaluator {
namespace {

/// All that is needed has been computed again.
class StopRecomputation : public std::exception {};

/// One checkpointed call, for as long as something that it saved may be asked for.
class CheckpointedCall : public std::enable_shared_from_this<CheckpointedCall> {
 public:
  CheckpointedCall(values::FunctionPtr function, const values::ValueList& positional, torch_names::KeywordList keywords,
                   const CheckpointOptions& options, bool isTraced)
      : isTraced_(isTraced),
        function_(std::move(function)),
        keywords_(std::move(keywords)),
        options_(options),
        generator_(values::GeneratorState::now()) {
    for (const values::Value& each : positional) {
      arguments_.push_back({each.isTensor() ? values::Value() : each,
                            each.isTensor() ? torch::autograd::SavedVariable(each.tensor(), /*is_output=*/false)
                                            : torch::autograd::SavedVariable(),
                            each.isTensor()});
    }
  }

  values::Value run(const values::ValueList& positional) {
    const auto self = shared_from_this();
    const auto hooks = enterSavedTensorsHooks(
        {.pack = [self](const values::ValueList& given) { return self->pack(given.at(0).tensor()); },
         .unpack = [self](const values::ValueList& given) { return self->unpack(given.at(0).as<int64_t>()); }});
    const values::TracedCheckpoint traced(isTraced_);
    values::Value returned = function_->call(positional, keywords_);
    isCompleted_ = true;
    return returned;
  }

 private:
  struct Argument {
    values::Value plain;
    torch::autograd::SavedVariable saved;
    bool isTensor = false;
  };
  struct Metadata {
    std::vector<int64_t> sizes;
    at::ScalarType dtype;
    bool operator==(const Metadata&) const = default;
  };
  /// What one backward has computed again, by the number of what was saved.
  struct Recomputed {
    std::map<int64_t, at::Tensor> tensors;
    int64_t count = 0;
    bool isDone = false;
    bool mayDiffer = false; // a backward ran inside the function
  };

  static Metadata metadataOf(const at::Tensor& tensor) { return {tensor.sizes().vec(), tensor.scalar_type()}; }

  values::Value pack(const at::Tensor& tensor) {
    if (isTraced_) {
      const c10::AutoGradMode noGradients(false);
      traced_.push_back(tensor.clone()); // as it is now, whatever is written to it later
    }
    saved_.push_back(metadataOf(tensor));
    return values::Value(static_cast<int64_t>(saved_.size()) - 1);
  }

  values::Value unpack(int64_t number) {
    if (isTraced_) {
      for (const Argument& each : arguments_) {
        if (each.isTensor) {
          each.saved.unpack(); // raises for what was written to, as computing it again would, and every time
        }
      }
      arguments_.clear();
      return values::Value(traced_.at(static_cast<size_t>(number)));
    }
    int task = torch::autograd::get_current_graph_task_id();
    if (task == -1) {
      task = --outside_; // each time anew
    }
    if (!recomputed_[task].isDone) {
      recompute(task);
    }
    Recomputed& recomputed = recomputed_.at(task);
    const auto found = recomputed.tensors.find(number);
    if (found == recomputed.tensors.end()) {
      values::raiseError("CheckpointError",
                         "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked "
                         "once. If you are calling ctx.saved_tensors in backward, make sure to do so only once. "
                         "Otherwise please open an issue with details on your use case.");
    }
    values::Value tensor(std::move(found->second));
    recomputed.tensors.erase(found);
    return tensor;
  }

  void recompute(int task) {
    values::ValueList arguments;
    for (const Argument& each : arguments_) {
      arguments.push_back(each.isTensor ? values::Value(each.saved.unpack()) : each.plain);
    }
    {
      std::optional<values::GeneratorStateScope> outside;
      if (options_.preservesGenerator) {
        outside.emplace();
        generator_.putBack();
      }
      const values::AutocastScope autocast(autocast_);
      const auto self = shared_from_this();
      const auto hooks = enterSavedTensorsHooks(
          {.pack = [self, task](const values::ValueList& given) { return self->keep(task, given.at(0).tensor()); },
           .unpack = [](const values::ValueList& given) { return given.at(0); }});
      const c10::AutoGradMode withGradients(true);
      try {
        function_->call(std::move(arguments), keywords_);
      } catch (const StopRecomputation&) {
      }
    }
    recomputed_[task].isDone = true;
    checkAgainstForward(recomputed_[task]);
  }

  values::Value keep(int task, const at::Tensor& tensor) {
    Recomputed& recomputed = recomputed_[task];
    at::Tensor kept = tensor.requires_grad() ? tensor.detach() : tensor;
    const int64_t number = recomputed.count++;
    if (number >= static_cast<int64_t>(saved_.size())) {
      if (!isCompleted_) {
        recomputed.mayDiffer = true;
        return values::Value(kept);
      }
      values::raiseError("CheckpointError",
                         "torch.utils.checkpoint: trying to save more tensors during recomputation than during the "
                         "original forward pass.");
    }
    recomputed.tensors[number] = kept;
    if (options_.stopsEarly && recomputed.count == static_cast<int64_t>(saved_.size())) {
      throw StopRecomputation();
    }
    return values::Value(std::move(kept));
  }

  void checkAgainstForward(const Recomputed& recomputed) const {
    if (recomputed.mayDiffer) {
      return;
    }
    if (recomputed.count != static_cast<int64_t>(saved_.size())) {
      values::raiseError("CheckpointError",
                         "torch.utils.checkpoint: A different number of tensors was saved during the original forward "
                         "and recomputation.\nNumber of tensors saved during forward: {}\nNumber of tensors saved "
                         "during recomputation: {}.",
                         saved_.size(), recomputed.count);
    }
    for (const auto& [number, tensor] : recomputed.tensors) {
      if (options_.checksMetadata && saved_.at(static_cast<size_t>(number)) != metadataOf(tensor)) {
        values::raiseError("CheckpointError",
                           "torch.utils.checkpoint: Recomputed values for the following tensors have different "
                           "metadata than during the forward pass: the tensor at position {}.",
                           number);
      }
    }
  }

  const bool isTraced_;
  std::vector<at::Tensor> traced_; // what was saved
  const values::FunctionPtr function_;
  std::vector<Argument> arguments_;
  const torch_names::KeywordList keywords_;
  const CheckpointOptions options_;
  const values::GeneratorState generator_;
  const values::AutocastState autocast_;
  std::vector<Metadata> saved_;
  std::map<int, Recomputed> recomputed_; // by the number of autograd's task
  int outside_ = -1;
  bool isCompleted_ = false;
};

} // namespace

CheckpointOptions takeCheckpointOptions(torch_names::KeywordList& keywords) {
  CheckpointOptions options;
  const auto take = [&](const char* name) -> std::optional<values::Value> {
    const auto found =
        std::find_if(keywords.begin(), keywords.end(), [&](const auto& each) { return each.first == name; });
    if (found == keywords.end()) {
      return std::nullopt;
    }
    values::Value value = std::move(found->second);
    keywords.erase(found);
    return value;
  };
  const auto flag = [&](const char* name, bool otherwise) {
    const std::optional<values::Value> value = take(name);
    return value && value->is<bool>() ? value->as<bool>() : otherwise;
  };
  if (flag("use_reentrant", true)) { // None means that, too
    throw ir::Unsupported("torch.utils.checkpoint.checkpoint with use_reentrant=True");
  }
  if (take("context_fn") || flag("debug", false)) {
    throw ir::Unsupported("torch.utils.checkpoint.checkpoint with a context or for debugging");
  }
  options.preservesGenerator = flag("preserve_rng_state", true);
  options.stopsEarly = flag("early_stop", true);
  if (const std::optional<values::Value> check = take("determinism_check")) {
    const std::string* name = check->maybe<std::string>();
    if (name == nullptr || (*name != "default" && *name != "none")) {
      values::raiseError("ValueError", "determinism_check should be one of ['default', 'none'], but got {}",
                         name != nullptr ? *name : check->typeName());
    }
    options.checksMetadata = *name == "default";
  }
  return options;
}

values::Value checkpoint(const values::FunctionPtr& function, const values::ValueList& positional,
                         const torch_names::KeywordList& keywords, const CheckpointOptions& options) {
  // Where there are no values nothing is computed again: whoever traces says what the backward does.
  const bool isTraced = std::ranges::any_of(positional, [](const values::Value& each) {
    return each.isTensor() &&
           typeid(*transforms::withoutLayers(each.tensor()).unsafeGetTensorImpl()) != typeid(c10::TensorImpl);
  });
  if (!c10::GradMode::is_enabled()) {
    return function->call(positional, keywords);
  }
  if (isTraced && transforms::layersAreActive()) { // computed again it is without the layers, and may save less
    throw ir::Unsupported("torch.utils.checkpoint.checkpoint under a transform of torch.func");
  }
  return std::make_shared<CheckpointedCall>(function, positional, keywords, options, isTraced)->run(positional);
}

} // namespace touchstone::evaluator
