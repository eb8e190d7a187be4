#pragma once

#include "program/values/AutogradNodes.h"
#include "tests/backends/WalkFunctions.h"
#include "tests/backends/WalkJudge.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/real.h>
#include <ATen/ops/stack.h>

#include <random>

// Random graphs: views, writes, fan-out, hooks of all kinds, any roots and any wanted tensors.
namespace touchstone::tests {

/// A hook before or after a node, or after accumulation, that says what it was given, and scales the first of it.
struct LoggingHook : torch::autograd::FunctionPreHook,
                     torch::autograd::FunctionPostHook,
                     torch::autograd::PostAccumulateGradHook {
  LoggingHook(std::shared_ptr<std::vector<std::string>> log, int number, double factor)
      : log(std::move(log)), number(number), factor(factor) {}

  torch::autograd::variable_list operator()(const torch::autograd::variable_list& gradients) override {
    return scaled("before", gradients);
  }
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& results,
                                            const torch::autograd::variable_list& given) override {
    say("was given", given);
    return scaled("after", results);
  }
  void operator()(const at::Tensor& leaf) override { say("accumulated", {leaf, leaf.grad()}); }

  void say(const char* what, const torch::autograd::variable_list& tensors) const {
    std::string line = fmt::format("hook {} {}", number, what);
    for (const at::Tensor& tensor : tensors) {
      line += "; " + describeTensor(tensor);
    }
    log->push_back(line);
  }
  torch::autograd::variable_list scaled(const char* what, torch::autograd::variable_list tensors) const {
    say(what, tensors);
    if (!tensors.empty() && tensors[0].defined() && !tensors[0].is_sparse()) {
      tensors[0] = tensors[0] * factor;
    }
    return tensors;
  }

  std::shared_ptr<std::vector<std::string>> log;
  int number;
  double factor;
};

/// Grows a graph by random steps. A step that throws, say for shapes that do not fit, adds nothing.
class GraphDraft {
 public:
  GraphDraft(Scene& scene, uint64_t seed) : scene_(scene), random_(seed) {}

  int below(int bound) { return static_cast<int>(random_() % static_cast<uint64_t>(bound)); }
  bool chance(int percent) { return below(100) < percent; }
  const at::Tensor& any() { return pool_[below(static_cast<int>(pool_.size()))]; }
  int dimensionOf(const at::Tensor& tensor) { return tensor.dim() ? below(static_cast<int>(tensor.dim())) : 0; }
  void add(const at::Tensor& tensor) { pool_.push_back(tensor); }
  void add(const std::vector<at::Tensor>& tensors) { pool_.insert(pool_.end(), tensors.begin(), tensors.end()); }
  const Scene& scene() const { return scene_; }

  /// Null: the tensor that was chosen has none.
  values::NodePtr anyNode() {
    const at::Tensor& tensor = anyDifferentiable();
    return tensor.requires_grad() ? torch::autograd::impl::gradient_edge(tensor).function : values::NodePtr();
  }

  void grow();
  void addNodeHooks();
  void choose();

 private:
  at::Tensor anyDifferentiable();

  Scene& scene_;
  std::mt19937_64 random_;
  std::vector<at::Tensor> pool_;
};

inline const std::vector<std::vector<int64_t>> kLeafSizes = {{3, 4},    {4, 3}, {3, 3}, {4}, {3},
                                                             {2, 3, 4}, {1, 4}, {3, 1}, {}};

using GraphStep = void (*)(GraphDraft&);
inline const std::vector<GraphStep> kGraphSteps = {
    // arithmetic
    [](GraphDraft& draft) { draft.add(draft.any().sin()); },
    [](GraphDraft& draft) { draft.add(draft.any().tanh()); },
    [](GraphDraft& draft) { draft.add(draft.any() * 1.5); },
    [](GraphDraft& draft) { draft.add(draft.any().neg()); },
    [](GraphDraft& draft) { draft.add(draft.any() + draft.any()); },
    [](GraphDraft& draft) { draft.add(draft.any() + draft.any()); },
    [](GraphDraft& draft) { draft.add(draft.any() - draft.any()); },
    [](GraphDraft& draft) { draft.add(draft.any() * draft.any()); },
    [](GraphDraft& draft) { draft.add(draft.any() * draft.any()); },
    [](GraphDraft& draft) { draft.add(draft.any().matmul(draft.any())); },
    [](GraphDraft& draft) { draft.add(draft.any().matmul(draft.any().t())); },
    [](GraphDraft& draft) { draft.add(draft.any().softmax(-1)); },
    [](GraphDraft& draft) { draft.add(draft.any().sum()); },
    [](GraphDraft& draft) { draft.add(draft.any().sum(0, /*keepdim=*/draft.chance(50))); },
    [](GraphDraft& draft) { draft.add(draft.any().mean(-1)); },
    [](GraphDraft& draft) { draft.add(draft.any().cumsum(0)); },
    [](GraphDraft& draft) { draft.add(draft.any().clone()); },
    [](GraphDraft& draft) { draft.add(draft.any().detach()); },
    [](GraphDraft& draft) { draft.add(draft.any().to(draft.chance(50) ? at::kDouble : at::kFloat)); },
    [](GraphDraft& draft) { draft.add(at::real(at::complex(draft.any(), draft.any()) * 2)); },
    // views
    [](GraphDraft& draft) { draft.add(draft.any().t()); },
    [](GraphDraft& draft) { draft.add(draft.any().reshape({-1})); },
    [](GraphDraft& draft) { draft.add(draft.any().unsqueeze(0)); },
    [](GraphDraft& draft) { draft.add(draft.any().squeeze()); },
    [](GraphDraft& draft) { draft.add(draft.any().select(0, 1)); },
    [](GraphDraft& draft) { draft.add(draft.any().select(-1, 0)); },
    [](GraphDraft& draft) { draft.add(draft.any().narrow(0, 1, 2)); },
    [](GraphDraft& draft) { draft.add(draft.any().slice(-1, 0, 4, 2)); },
    [](GraphDraft& draft) { draft.add(draft.any().diagonal()); },
    [](GraphDraft& draft) {
      draft.add(draft.any().expand({3, 4}));
    },
    [](GraphDraft& draft) {
      draft.add(draft.any().as_strided({2, 2}, {1, 2}));
    },
    // several outputs, several inputs
    [](GraphDraft& draft) { draft.add(draft.any().unbind(0)); },
    [](GraphDraft& draft) { draft.add(draft.any().split(2, draft.dimensionOf(draft.any()))); },
    [](GraphDraft& draft) { draft.add(std::get<0>(draft.any().max(0))); },
    [](GraphDraft& draft) { draft.add(std::get<0>(draft.any().sort(-1))); },
    [](GraphDraft& draft) {
      draft.add(at::cat({draft.any(), draft.any(), draft.any()}, 0));
    },
    [](GraphDraft& draft) {
      draft.add(at::stack({draft.any(), draft.any()}, 0));
    },
    [](GraphDraft& draft) {
      const at::Tensor& table = draft.any();
      draft.add(at::embedding(table, at::Tensor(table.argmax(-1)), -1, false, /*sparse=*/draft.chance(50)));
    },
    // writes
    [](GraphDraft& draft) { draft.any().mul_(draft.any()); },
    [](GraphDraft& draft) { draft.any().add_(draft.any()); },
    [](GraphDraft& draft) { at::Tensor(draft.any()).sin_(); },
    [](GraphDraft& draft) { draft.any().copy_(draft.any()); },
    [](GraphDraft& draft) { draft.any().select(0, 0).mul_(draft.any()); },
    [](GraphDraft& draft) { draft.any().narrow(0, 0, 2).copy_(draft.any()); },
    [](GraphDraft& draft) { draft.any().t().add_(draft.any()); },
    [](GraphDraft& draft) { at::Tensor(draft.any()).fill_(2); },
    // functions of our own
    [](GraphDraft& draft) { draft.add(HalfDefined::apply(draft.any(), draft.any())); },
    [](GraphDraft& draft) { draft.add(Unmaterialized::apply(draft.any(), draft.any())); },
    [](GraphDraft& draft) { draft.add(Reentrant::apply(draft.any())); },
    [](GraphDraft& draft) { draft.add(BroadcastDouble::apply(draft.any())); },
    [](GraphDraft& draft) {
      if (draft.chance(20)) {
        draft.add(draft.chance(50) ? Throws::apply(draft.any()) : WrongShape::apply(draft.any()));
      }
    },
    // hooks
    [](GraphDraft& draft) {
      const at::Tensor& tensor = draft.any();
      tensor.register_hook(draft.scene().hook(fmt::format("{}", draft.below(100)), 0.5 + draft.below(3)));
    },
};

/// Hooks around nodes, and after accumulation.
inline const std::vector<GraphStep> kNodeHookSteps = {
    [](GraphDraft& draft) {
      if (const auto node = draft.anyNode()) {
        node->add_pre_hook(std::make_unique<LoggingHook>(draft.scene().log, draft.below(100), 0.5 + draft.below(3)));
      }
    },
    [](GraphDraft& draft) {
      if (const auto node = draft.anyNode()) {
        node->add_post_hook(std::make_unique<LoggingHook>(draft.scene().log, draft.below(100), 0.5 + draft.below(3)));
      }
    },
    [](GraphDraft& draft) {
      const std::vector<at::Tensor>& leaves = draft.scene().leaves;
      torch::autograd::impl::set_post_acc_grad_hooks(
          leaves[static_cast<size_t>(draft.below(static_cast<int>(leaves.size())))],
          std::make_unique<LoggingHook>(draft.scene().log, draft.below(100), 0.5 + draft.below(3)));
    },
};

inline void GraphDraft::grow() {
  const int leaves = 2 + below(3);
  for (int index = 0; index < leaves; ++index) {
    add(scene_.leaf(kLeafSizes[below(static_cast<int>(kLeafSizes.size()))], chance(10) ? at::kDouble : at::kFloat));
  }
  const int steps = 4 + below(20);
  for (int index = 0; index < steps; ++index) {
    try {
      kGraphSteps[below(static_cast<int>(kGraphSteps.size()))](*this);
    } catch (const std::exception&) {
    }
  }
}

/// A view of a tensor that was written may be past use: it throws when it is asked for its node.
inline bool hasGradientEdge(const at::Tensor& tensor) {
  try {
    return tensor.defined() && tensor.requires_grad() && torch::autograd::impl::gradient_edge(tensor).is_valid();
  } catch (const c10::Error&) {
    return false;
  }
}

inline at::Tensor GraphDraft::anyDifferentiable() {
  std::vector<at::Tensor> candidates;
  std::copy_if(pool_.begin(), pool_.end(), std::back_inserter(candidates), hasGradientEdge);
  // The newest lead furthest.
  const int count = static_cast<int>(candidates.size());
  const int newest = std::min(count, 6);
  return candidates[chance(60) ? count - 1 - below(newest) : below(count)];
}

inline void GraphDraft::addNodeHooks() {
  for (int count = 1 + below(4); count > 0; --count) {
    kNodeHookSteps[static_cast<size_t>(below(static_cast<int>(kNodeHookSteps.size())))](*this);
  }
}

inline void GraphDraft::choose() {
  const int outputs = 1 + below(4);
  for (int index = 0; index < outputs; ++index) {
    scene_.outputs.push_back(anyDifferentiable());
    at::Tensor tangent;
    const bool mayBeUndefined = outputs > 1 && !scene_.outputs.back().is_leaf();
    if (!mayBeUndefined || !chance(15)) {
      const at::Tensor& output = scene_.outputs.back();
      tangent = at::randn(output.sizes(), output.options().requires_grad(false));
      if (chance(20) && tangent.dim() > 1) {
        tangent = tangent.transpose(0, 1).contiguous().transpose(0, 1);
      } else if (chance(10)) {
        tangent = tangent.sum().expand(tangent.sizes());
      }
    }
    scene_.tangents.push_back(tangent);
  }
  scene_.options.accumulate = chance(40);
  if (!scene_.options.accumulate) {
    for (int count = 1 + below(4); count > 0; --count) {
      scene_.wanted.push_back(chance(50) ? scene_.leaves[below(static_cast<int>(scene_.leaves.size()))]
                                         : anyDifferentiable());
    }
  }
  for (int count = below(3); count > 0; --count) {
    const at::Tensor tensor = anyDifferentiable();
    tensor.retain_grad();
    if (!tensor.is_leaf()) {
      scene_.leaves.push_back(tensor);
    }
  }
  scene_.options.keepGraph = chance(50);
  scene_.times = 1 + below(2);
}

inline BuildScene randomScene(uint64_t seed, bool hasNodeHooks = false) {
  return [seed, hasNodeHooks](Scene& scene) {
    GraphDraft draft(scene, seed);
    draft.grow();
    if (hasNodeHooks) {
      draft.addNodeHooks();
    }
    draft.choose();
  };
}

} // namespace touchstone::tests
