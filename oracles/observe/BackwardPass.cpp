#include "oracles/observe/BackwardPass.h"

#include "oracles/observe/ExceptionReading.h"
#include "oracles/observe/Tangents.h"
#include "oracles/observe/TensorReading.h"
#include "program/values/AutogradNodes.h"
#include "program/values/RaisedException.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace touchstone::observe {
namespace {

const at::Tensor& pick(const std::vector<at::Tensor>& tensors, int index, const char* what) {
  if (index < 0 || static_cast<size_t>(index) >= tensors.size()) {
    throw values::RaisedException("IndexError", "There is no " + std::string(what) + " " + std::to_string(index) +
                                                    " to go backward from or to: there are " +
                                                    std::to_string(tensors.size()) + ".");
  }
  return tensors[static_cast<size_t>(index)];
}

std::vector<at::Tensor> rootsOf(const language::CallSpec& call, const CallTensors& tensors) {
  std::vector<at::Tensor> roots;
  for (const language::BackwardRoot& root : *call.backward) {
    roots.push_back(root.isArgument ? pick(tensors.arguments, root.index, "arg")
                                    : pick(tensors.outputs, root.index, "output"));
  }
  return roots;
}

constexpr int64_t kTangentsATime = 1000, kFirstOfSecondDerivatives = 500;

std::vector<at::Tensor> makeTangents(const language::CallSpec& call, const std::vector<at::Tensor>& roots,
                                     language::TangentLayout layout, int64_t first, const evaluator::DataHook& onData,
                                     const BackwardSink& sink) {
  std::vector<at::Tensor> tangents;
  if (layout != language::TangentLayout::kNone) {
    for (size_t i = 0; i < roots.size(); ++i) {
      tangents.push_back(makeTangent(roots[i], layout, call.tangentSeed, first + static_cast<int64_t>(i), onData));
      sink.tangent(tangents.back());
    }
  }
  return tangents;
}

void addUp(std::vector<at::Tensor>& sums, std::vector<at::Tensor> gradients) {
  sums.resize(gradients.size());
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!sums[i].defined()) {
      sums[i] = std::move(gradients[i]);
    } else if (gradients[i].defined()) {
      sums[i] = at::add(sums[i], gradients[i]);
    }
  }
}

/// The leaves that the nodes lead to.
std::vector<at::Tensor> leavesBehind(std::vector<torch::autograd::Node*> nodes) {
  std::vector<at::Tensor> leaves;
  for (torch::autograd::Node* node : values::nodesBehind(std::move(nodes))) {
    if (const auto* accumulate = dynamic_cast<torch::autograd::AccumulateGrad*>(node)) {
      leaves.push_back(accumulate->variable);
    }
  }
  return leaves;
}

} // namespace

GradientObservation observeGradient(int leaf, const at::Tensor& gradient, bool fromAttribute) {
  GradientObservation observation;
  observation.leaf = {Location::Role::kLeaf, leaf};
  observation.fromGradAttribute = fromAttribute;
  if (gradient.defined()) {
    observation.gradient = readTensor(gradient);
    readAutograd(gradient, *observation.gradient);
  }
  return observation;
}

std::vector<at::Tensor> leavesOf(const CallTensors& tensors, const std::vector<at::Tensor>& further) {
  std::vector<at::Tensor> leaves;
  auto add = [&leaves](const at::Tensor& tensor) {
    const bool known =
        std::any_of(leaves.begin(), leaves.end(), [&](const at::Tensor& leaf) { return leaf.is_same(tensor); });
    if (!known && tensor.requires_grad() && tensor.is_leaf()) {
      leaves.push_back(tensor);
    }
  };
  std::for_each(tensors.arguments.begin(), tensors.arguments.end(), add);
  std::for_each(tensors.watched.begin(), tensors.watched.end(), add);
  std::for_each(further.begin(), further.end(), add);
  return leaves;
}

void checkLeaves(const CallTensors& tensors) {
  std::vector<torch::autograd::Node*> pending;
  for (const auto* group : {&tensors.arguments, &tensors.watched}) {
    for (const at::Tensor& tensor : *group) {
      if (tensor.grad_fn()) {
        pending.push_back(tensor.grad_fn().get());
      }
    }
  }
  for (const at::Tensor& reached : leavesBehind(std::move(pending))) {
    const bool known = std::any_of(tensors.leaves.begin(), tensors.leaves.end(),
                                   [&](const at::Tensor& leaf) { return leaf.is_same(reached); });
    if (!known) {
      throw values::RaisedException("ValueError",
                                    "An argument depends on a leaf that requires grad and is neither an "
                                    "argument nor watched; return it as watched.");
    }
  }
}

std::vector<Location> leavesOfRootsMadeAnew(const language::CallSpec& call, const CallTensors& tensors) {
  std::vector<torch::autograd::Node*> pending;
  std::vector<at::Tensor> reached;
  for (const language::BackwardRoot& root : *call.backward) {
    const std::vector<at::Tensor>& group = root.isArgument ? tensors.arguments : tensors.outputs;
    const auto index = static_cast<size_t>(root.index);
    if (index >= group.size() || group[index].is_inference()) {
      continue;
    }
    const auto* view = torch::autograd::impl::get_view_autograd_meta(group[index]);
    if (view == nullptr || !view->has_bw_view() || view->grad_fn_ == nullptr ||
        static_cast<uint32_t>(group[index]._version()) == view->get_attr_version()) {
      continue;
    }
    pending.push_back(view->grad_fn_.get());
    const at::Tensor& base = view->get_backward_view().base_;
    reached.push_back(base);
    if (base.grad_fn()) {
      pending.push_back(base.grad_fn().get());
    }
  }
  const std::vector<at::Tensor> behind = leavesBehind(std::move(pending));
  reached.insert(reached.end(), behind.begin(), behind.end());
  std::vector<Location> leaves;
  for (size_t i = 0; i < tensors.leaves.size(); ++i) {
    if (std::any_of(reached.begin(), reached.end(),
                    [&](const at::Tensor& each) { return each.is_same(tensors.leaves[i]); })) {
      leaves.push_back({Location::Role::kLeaf, static_cast<int>(i)});
    }
  }
  return leaves;
}

void runBackward(const language::CallSpec& call, const CallTensors& tensors, const evaluator::DataHook& onData,
                 const BackwardSink& sink, bool rootByRoot) {
  const std::vector<at::Tensor> roots = rootsOf(call, tensors);
  std::vector<int> leafIndices;
  std::vector<at::Tensor> leaves;
  for (int i = 0; i < static_cast<int>(call.wrt ? call.wrt->size() : tensors.leaves.size()); ++i) {
    leafIndices.push_back(call.wrt ? (*call.wrt)[static_cast<size_t>(i)] : i);
    leaves.push_back(pick(tensors.leaves, leafIndices.back(), "leaf"));
  }

  if (call.via == language::GradientVia::kGrad && leaves.empty()) { // the engine has an internal assertion for it
    throw values::RaisedException("RuntimeError", "`inputs` argument to `grad()` cannot be empty.");
  }

  const bool create = call.createGraph || call.derivatives > 1;
  for (int time = 0; time < call.backwardTimes; ++time) {
    // Made anew each time: the engine may write into the tangents it is given.
    const int64_t first = kTangentsATime * time;
    const std::vector<at::Tensor> tangents = makeTangents(call, roots, call.tangentLayout, first, onData, sink);
    const bool retain = create || time + 1 < call.backwardTimes;
    std::vector<at::Tensor> gradients;
    const auto run = [&](const std::vector<at::Tensor>& from, const std::vector<at::Tensor>& with, bool keep) {
      if (call.via == language::GradientVia::kGrad) {
        addUp(gradients, torch::autograd::grad(from, leaves, with, keep, create, /*allow_unused=*/true));
      } else {
        torch::autograd::backward(from, with, keep, create, call.wrt ? leaves : std::vector<at::Tensor>{});
      }
    };
    if (rootByRoot) {
      for (size_t i = 0; i < roots.size(); ++i) {
        run({roots[i]}, tangents.empty() ? tangents : std::vector<at::Tensor>{tangents[i]},
            retain || i + 1 < roots.size());
      }
    } else {
      run(roots, tangents, retain);
    }
    const auto give = [&](const std::vector<at::Tensor>& found) {
      for (size_t i = 0; i < found.size(); ++i) {
        sink.gradient(leafIndices[i], found[i]);
      }
    };
    give(gradients);
    if (call.derivatives > 1) {
      std::vector<at::Tensor> again;
      std::copy_if(gradients.begin(), gradients.end(), std::back_inserter(again),
                   [](const at::Tensor& each) { return each.defined() && each.requires_grad(); });
      if (again.empty()) { // none depends on a leaf
        give(std::vector<at::Tensor>(leaves.size()));
        continue;
      }
      const std::vector<at::Tensor> with = makeTangents(call, again, language::TangentLayout::kContiguous,
                                                        first + kFirstOfSecondDerivatives, onData, sink);
      give(torch::autograd::grad(again, leaves, with, call.createGraph || time + 1 < call.backwardTimes,
                                 /*create_graph=*/false, /*allow_unused=*/true));
    }
  }
}

std::vector<ExceptionObservation> errorsOfNodes(const language::CallSpec& call, const CallTensors& tensors) {
  std::vector<torch::autograd::Node*> pending;
  std::vector<ExceptionObservation> errors;
  const c10::AutoGradMode grad(call.createGraph || call.derivatives > 1);
  for (const at::Tensor& root : rootsOf(call, tensors)) {
    try {
      pending.push_back(root.grad_fn().get()); // may be made anew, and raise
    } catch (...) {
      errors.push_back(observeException("backward"));
    }
  }
  for (torch::autograd::Node* node : values::nodesBehind(std::move(pending))) {
    try {
      torch::autograd::variable_list gradients;
      for (uint32_t i = 0; i < node->num_inputs(); ++i) {
        gradients.push_back(node->input_metadata(i).zeros_like());
      }
      (*node)(std::move(gradients));
    } catch (...) {
      errors.push_back(observeException("backward"));
    }
  }
  return errors;
}

} // namespace touchstone::observe
