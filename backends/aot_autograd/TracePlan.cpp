#include "backends/aot_autograd/TracePlan.h"

#include "backends/arguments/VersionSharing.h"
#include "backends/arguments/ViewBase.h"
#include "graph/ir/Geometry.h"
#include "program/values/AutogradNodes.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace touchstone::aot_autograd {

namespace {

using torch::autograd::Edge;

const torch::autograd::DifferentiableViewMeta* viewOf(const at::Tensor& tensor) {
  return arguments::differentiableBase(tensor) != nullptr ? torch::autograd::impl::get_view_autograd_meta(tensor)
                                                          : nullptr;
}

/// By its own flag: a view without one requires grad when its base does.
bool requiresGradItself(const at::Tensor& tensor) {
  const auto* meta = torch::autograd::impl::get_autograd_meta(tensor);
  return meta != nullptr && meta->requires_grad_;
}

/// The node behind a tensor as it is now; autograd may rebuild it, and raises where it must not.
Edge edgeNow(const at::Tensor& tensor) {
  const auto function = tensor.grad_fn();
  return function ? Edge(function, static_cast<uint32_t>(tensor.output_nr())) : Edge();
}

/// `as_strided_` is the one operation in place that gives a view a node of its own and leaves its base as it was. Others,
/// which turn what it has made, come behind it.
bool isOfAsStridedInPlace(const Edge& edge, const Edge& ofBase) {
  const torch::autograd::Node* node = edge.function.get();
  while (node != nullptr && node != ofBase.function.get() && node->name() != "AsStridedBackward1") {
    node = node->num_outputs() == 1 ? node->next_edge(0).function.get() : nullptr;
  }
  return node != nullptr && node != ofBase.function.get();
}

/// Makes a TracePlan.
class Planner {
 public:
  Planner(const ir::Graph& recorded, TracedArguments& arguments) : recorded_(recorded), arguments_(arguments) {}
  TracePlan plan(const std::vector<at::Tensor>& outputs) {
    numberTensors(outputs);
    planInputs();
    planMade();
    planBackward();
    return std::move(result_);
  }

 private:
  void numberTensors(const std::vector<at::Tensor>& outputs);
  int numberMade(const at::Tensor& fake);
  void planInputs();
  int sharesCounterWith(int tensor) const;
  void planMade();
  void planBackward();
  void planNodes();
  const at::Tensor& fakeAt(size_t tensor) const {
    const size_t inputs = arguments_.inputs.size();
    return tensor < inputs ? arguments_.inputs[tensor].fake : result_.made[tensor - inputs];
  }
  const ir::TensorMetadata& metadataOf(const at::Tensor& fake) const {
    return *recorded_.node(fake::fakeOf(fake)->node()).metadata;
  }

  const ir::Graph& recorded_;
  TracedArguments& arguments_;
  TracePlan result_;
  ViewAndMutationMetadata& plan_ = result_.metadata;
  std::unordered_set<const torch::autograd::Node*> detached_; // of inputs that became leaves
  std::unordered_set<const torch::autograd::Node*> insideNow_; // of inputs that were leaves and follow their bases now
};

int Planner::numberMade(const at::Tensor& fake) {
  const int known = result_.numberOf(fake);
  if (known >= 0) {
    return known;
  }
  if (fake::fakeOf(fake) == nullptr) {
    throw ir::Unsupported("a tensor that was not traced is returned");
  }
  // The base first: the runtime makes them in this order.
  const at::Tensor* of = arguments::differentiableBase(fake);
  const int base = of != nullptr ? numberMade(*of) : -1;
  const int number = static_cast<int>(arguments_.inputs.size() + result_.made.size());
  result_.numbers.emplace(fake.unsafeGetTensorImpl(), number);
  result_.made.push_back(fake);
  MadePlan made;
  made.base = base;
  plan_.made.push_back(made);
  return number;
}

void Planner::numberTensors(const std::vector<at::Tensor>& outputs) {
  for (size_t i = 0; i < arguments_.inputs.size(); ++i) {
    result_.numbers.emplace(arguments_.inputs[i].fake.unsafeGetTensorImpl(), static_cast<int>(i));
  }
  for (const at::Tensor& output : outputs) {
    plan_.outputs.push_back(output.defined() ? numberMade(output) : -1);
  }
}

void Planner::planInputs() {
  for (const TracedInputStorage& storage : arguments_.storages) {
    InputStoragePlan plan{.firstInput = storage.inputs[0], .isFlat = storage.isFlat, .dtype = storage.dtype};
    for (int input : storage.inputs) {
      plan.hasSeveralCounters =
          plan.hasSeveralCounters ||
          arguments::versionIdentity(arguments_.inputs[static_cast<size_t>(input)].fake) !=
              arguments::versionIdentity(arguments_.inputs[static_cast<size_t>(storage.inputs[0])].fake);
    }
    plan_.inputStorages.push_back(plan);
  }
  for (size_t i = 0; i < arguments_.inputs.size(); ++i) {
    TracedInput& input = arguments_.inputs[i];
    InputPlan plan;
    plan.name = input.name;
    plan.isHidden = input.isHidden;
    plan.versionBumped = !input.fake.is_inference() && static_cast<uint32_t>(input.fake._version()) != input.version;
    const ir::TensorMetadata now = metadataOf(input.fake);
    plan.storageReplaced = now.storage != arguments_.storages[static_cast<size_t>(input.storage)].number;
    if (plan.storageReplaced || !ir::sameLayout(now, input.geometry) || now.offset != input.geometry.offset) {
      plan.moved = PlacePlan{-1, -1, now};
    }
    plan.retainsGrad = input.fake.retains_grad() && input.fake.requires_grad(); // detach_() leaves the flag
    const auto* view = input.fake.is_inference() ? nullptr : viewOf(input.fake);
    if (view != nullptr) {
      const bool hasNode = view->grad_fn_ && view->grad_fn_ != input.startEdge.function;
      plan.hasStaleNode =
          arguments::isStaleView(input.fake) && hasNode && !plan.retainsGrad; // a hook moves from node to node
      const TracedInput& base = arguments_.inputs[static_cast<size_t>(input.base)];
      const Edge edge = arguments::isStaleView(input.fake) ? Edge() : edgeNow(input.fake); // what is stale, stays so
      const Edge ofBase = edgeNow(base.fake);
      const auto* baseBefore = base.isLeaf ? nullptr : base.startEdge.function.get();
      const bool changed = ofBase.function.get() != baseBefore || input.wasStale;
      const bool followsBase = ofBase.is_valid() && changed && !isOfAsStridedInPlace(edge, ofBase);
      if (edge.is_valid() && edge.function.get() != input.startEdge.function.get() && !followsBase) {
        plan.root = 0; // it alone was changed, or its base was detached after it was written to
      } else if (edge.is_valid() && followsBase) {
        plan.takesHistory = true;
      } else if ((!base.fake.requires_grad() || (!edge.is_valid() && !arguments::isStaleView(input.fake))) &&
                 requiresGradItself(input.fake) != (input.isLeaf && input.requiresGrad)) {
        plan.requiresGrad = requiresGradItself(input.fake);
      }
    }
    if (input.fake.is_inference() && input.fake.requires_grad() != input.isInferenceWithGrad) {
      plan.requiresGrad = input.fake.requires_grad();
    }
    if (!input.fake.is_inference() && view == nullptr) { // views follow their bases
      const Edge edge = edgeNow(input.fake);
      const auto* before = input.isLeaf ? nullptr : input.startEdge.function.get();
      if (edge.is_valid() && edge.function.get() != before) {
        plan.root = 0; // numbered in planBackward
      } else if (!edge.is_valid() && before != nullptr) {
        plan.detached = true;
      }
      if (!edge.is_valid() && input.fake.requires_grad() != (input.isLeaf && input.requiresGrad)) {
        plan.requiresGrad = input.fake.requires_grad();
      }
    }
    plan_.inputs.push_back(std::move(plan));
  }
}

/// The first tensor that has the version counter of this one; -1: no earlier one has it.
int Planner::sharesCounterWith(int tensor) const {
  const void* counter = arguments::versionIdentity(fakeAt(static_cast<size_t>(tensor)));
  for (int other = 0; other < tensor; ++other) {
    if (arguments::versionIdentity(fakeAt(static_cast<size_t>(other))) == counter) {
      return other;
    }
  }
  return -1;
}

void Planner::planMade() {
  for (size_t i = 0; i < result_.made.size(); ++i) {
    const at::Tensor& fake = result_.made[i];
    MadePlan& plan = plan_.made[i];
    const ir::Node& node = recorded_.node(fake::fakeOf(fake)->node());
    plan.place.geometry = *node.metadata;
    plan.isUnsafeView = node.target.find("::_unsafe_view") != std::string::npos;
    plan.isInference = fake.is_inference();
    if (plan.isInference) {
      plan.isLeafWithGrad = fake.requires_grad();
      continue;
    }
    plan.counterOf = sharesCounterWith(static_cast<int>(arguments_.inputs.size() + i));
    plan.retainsGrad = fake.retains_grad() && fake.requires_grad();
    const auto* view = viewOf(fake);
    if (view != nullptr) {
      plan.creation = view->get_creation_meta();
      plan.viewNumbers = arguments::numbersOfViewFunction(fake);
      const bool hasNode = torch::autograd::impl::get_autograd_meta(fake)->grad_fn_ != nullptr;
      const bool isLeaf = requiresGradItself(fake) && !hasNode && !arguments::differentiableBase(fake)->requires_grad();
      plan.isStale = !isLeaf && arguments::isStaleView(fake);
      plan.hasStaleNode = plan.isStale && hasNode;
    }
    if (!plan.isStale) {
      plan.root = edgeNow(fake).is_valid() ? 0 : -1;
      plan.isLeafWithGrad = plan.root < 0 && requiresGradItself(fake);
    }
  }
}

void Planner::planBackward() {
  auto addRoot = [&](size_t tensor, int& root) {
    if (root >= 0) {
      root = static_cast<int>(plan_.roots.size());
      plan_.roots.push_back(static_cast<int>(tensor));
      result_.roots.push_back(torch::autograd::impl::gradient_edge(fakeAt(tensor)));
      ir::TensorMetadata tangent = metadataOf(fakeAt(tensor));
      tangent.storage = -1;
      tangent.offset = 0;
      tangent.conjugate = tangent.negative = false;
      if (!ir::isDense(tangent)) {
        tangent.strides = ir::contiguousStrides(tangent.sizes);
      }
      plan_.tangents.push_back(std::move(tangent));
    }
  };
  for (size_t i = 0; i < plan_.inputs.size(); ++i) {
    addRoot(i, plan_.inputs[i].root);
  }
  for (size_t i = 0; i < plan_.made.size(); ++i) {
    addRoot(plan_.inputs.size() + i, plan_.made[i].root);
  }
  if (plan_.roots.empty()) {
    return;
  }
  auto want = [&](size_t tensor, const Edge& edge) {
    plan_.wanted.push_back(static_cast<int>(tensor));
    result_.wanted.push_back(edge);
  };
  for (size_t i = 0; i < arguments_.inputs.size(); ++i) {
    TracedInput& input = arguments_.inputs[i];
    // A leaf's node is made when the leaf is first used, and expects gradients of the sizes that it has then.
    const bool comesToRequire = plan_.inputs[i].requiresGrad.value_or(false) && !input.fake.is_inference();
    if ((input.isLeaf && input.requiresGrad) || comesToRequire) {
      if (plan_.inputs[i].detached) {
        detached_.insert(input.startEdge.function.get());
      }
      input.sink = Edge(torch::autograd::impl::try_get_grad_accumulator(input.fake), 0);
      const Edge now = edgeNow(input.fake);
      if (now.is_valid()) {
        if (plan_.inputs[i].root < 0) { // a view whose base came to require grad: no leaf any more
          insideNow_.insert(now.function.get());
        }
      } else if (!input.sink.is_valid() && input.fake.requires_grad()) {
        input.sink = torch::autograd::impl::gradient_edge(input.fake);
      }
      if (input.sink.is_valid() && plan_.inputs[i].moved) {
        const auto sizes = input.sink.function->input_metadata(0).shape_as_dim_vector();
        plan_.inputs[i].edgeAfterMove =
            !std::equal(sizes.begin(), sizes.end(), input.geometry.sizes.begin(), input.geometry.sizes.end(),
                        [](const c10::SymInt& left, int64_t right) { return left == right; });
      }
    }
    if (input.sink.is_valid()) {
      want(i, input.sink);
    }
  }
  for (size_t i = 0; i < result_.made.size(); ++i) {
    if (plan_.made[i].isLeafWithGrad && !plan_.made[i].isInference) {
      want(arguments_.inputs.size() + i, torch::autograd::impl::gradient_edge(result_.made[i]));
    }
  }
  planNodes();
}

/// Roots whose graphs meet anywhere belong to one node.
void Planner::planNodes() {
  std::unordered_map<torch::autograd::Node*, size_t> groupOf; // of what was reached
  std::vector<size_t> merged; // into which group
  auto find = [&](size_t group) {
    while (merged[group] != group) {
      group = merged[group];
    }
    return group;
  };
  for (const Edge& root : result_.roots) {
    const size_t group = merged.size();
    merged.push_back(group);
    std::vector<torch::autograd::Node*> open{root.function.get()};
    while (!open.empty()) {
      torch::autograd::Node* node = open.back();
      open.pop_back();
      auto [entry, fresh] = groupOf.try_emplace(node, group);
      if (!fresh) {
        merged[find(entry->second)] = find(group);
        continue;
      }
      if (detached_.contains(node)) { // it has two gradients: of what it was, and of the leaf that it has become
        throw ir::Unsupported("an argument is used, then detached in place and made to require grad");
      }
      if (insideNow_.contains(node)) { // `grad()` gives its gradient, which is not among those that are compiled
        throw ir::Unsupported("a leaf that is a view is used after its base has come to require grad");
      }
      for (const Edge& edge : node->next_edges()) {
        if (edge.is_valid()) {
          open.push_back(edge.function.get());
        }
      }
    }
  }
  std::unordered_map<torch::autograd::Node*, int> uses; // that hand gradients to any of a node's results
  for (const auto& [node, group] : groupOf) {
    node->retains_grad_hooks().clear(); // these would add the gradient of one recorded backward to that of the next
    for (const Edge& edge : node->next_edges()) {
      if (edge.is_valid()) {
        ++uses[edge.function.get()];
      }
    }
  }
  for (const Edge& root : result_.roots) {
    ++uses[root.function.get()];
  }
  for (const Edge& root : result_.roots) {
    plan_.partial.push_back(uses.at(root.function.get()) > 1); // a hook runs when another result gets a gradient, too
    plan_.hooked.push_back(!root.function->tensor_pre_hooks().empty());
  }
  for (size_t i = 0; i < plan_.inputs.size(); ++i) {
    InputPlan& input = plan_.inputs[i];
    input.hasPartialHistory = input.takesHistory && uses.contains(edgeNow(arguments_.inputs[i].fake).function.get());
  }
  // What eager made last runs first in its backward, and may be what raises: nodes are made in eager's order.
  std::map<size_t, uint64_t> madeLast; // by group
  for (size_t i = 0; i < result_.roots.size(); ++i) {
    uint64_t& last = madeLast[find(i)];
    last = std::max(last, result_.roots[i].function->sequence_nr());
  }
  std::vector<size_t> order;
  for (const auto& [group, last] : madeLast) {
    order.push_back(group);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t left, size_t right) { return madeLast[left] < madeLast[right]; });
  std::map<size_t, size_t> numbers;
  for (size_t group : order) {
    numbers.emplace(group, numbers.size());
  }
  plan_.nodes.resize(numbers.size());
  for (size_t i = 0; i < result_.roots.size(); ++i) {
    plan_.nodes[numbers.at(find(i))].roots.push_back(i);
  }
  std::unordered_set<torch::autograd::Node*> seen;
  for (size_t i = 0; i < result_.wanted.size(); ++i) {
    const auto reached = groupOf.find(result_.wanted[i].function.get());
    if (reached != groupOf.end()) {
      plan_.nodes[numbers.at(find(reached->second))].wanted.push_back(i);
      seen.insert(reached->first);
    }
  }
  result_.goesOn.resize(plan_.nodes.size());
  result_.leaves.resize(plan_.nodes.size());
  for (const auto& [node, group] : groupOf) {
    if (dynamic_cast<torch::autograd::AccumulateGrad*>(node) != nullptr) {
      result_.leaves[numbers.at(find(group))].emplace_back(node->getptr(), 0);
    }
    const auto& edges = node->next_edges();
    const bool isEnd = std::none_of(edges.begin(), edges.end(), [](const Edge& edge) { return edge.is_valid(); });
    if (isEnd && !seen.contains(node)) {
      result_.goesOn[numbers.at(find(group))] = true;
    }
  }
}

} // namespace

int TracePlan::numberOf(const at::Tensor& fake) const {
  const auto known = numbers.find(fake.unsafeGetTensorImpl());
  return known != numbers.end() ? known->second : -1;
}

TracePlan planOf(const ir::Graph& recorded, TracedArguments& arguments, const std::vector<at::Tensor>& outputs) {
  return Planner(recorded, arguments).plan(outputs);
}

} // namespace touchstone::aot_autograd
