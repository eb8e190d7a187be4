#include "backends/aot_autograd/JointTrace.h"

#include "backends/aot_autograd/TorchTracing.h"
#include "backends/arguments/ArgumentCopies.h"
#include "backends/arguments/VersionSharing.h"
#include "backends/arguments/ViewBase.h"
#include "backends/fake/BackwardWalk.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/program/AutogradNodes.h"
#include "graph/program/CompiledProgram.h"
#include "graph/program/GeneratorState.h"
#include "graph/program/Interpreter.h"

#include <ATen/ops/ones.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/ScopeExit.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace touchstone::backends {

namespace {

using torch::autograd::Edge;

const torch::autograd::DifferentiableViewMeta* viewOf(const at::Tensor& tensor) {
  return differentiableBase(tensor) != nullptr ? torch::autograd::impl::get_view_autograd_meta(tensor) : nullptr;
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

/// What operators of a backward are recorded in: they leave the generator as it is, and a region of the forward's is over.
struct BackwardScope {
  BackwardScope(Tracer& tracer, bool asPyTorch, bool underAutocast) : recorded(tracer), manner(asPyTorch) {
    if (!underAutocast) {
      noAutocast.emplace(c10::autocast_dispatch_keyset);
    }
  }
  graph::GeneratorStateScope generator;
  std::optional<c10::impl::ExcludeDispatchKeyGuard> noAutocast;
  c10::InferenceMode normal{false};
  Tracer::Scope recorded;
  TorchTracing manner;
};

} // namespace

JointTrace::JointTrace(const graph::Interpreter& program, const std::vector<at::Tensor>& inputs, Beneath beneath,
                       std::optional<c10::Device> claimed, bool asPyTorch)
    : asPyTorch_(asPyTorch), tracer_(beneath, claimed) {
  graph::GeneratorStateScope generator;
  arguments_ =
      traceArguments(tracer_, graph::ValueList(inputs.begin(), inputs.end()), graph::placeholderNames(program.graph()));
  {
    Tracer::Scope scope(tracer_);
    const TorchTracing manner(asPyTorch_);
    const graph::HookTaker hooks(
        [this](const at::Tensor& tensor, graph::HookKind kind, const std::shared_ptr<graph::ProgramHook>& hook) {
          return takeHook(tensor, kind, hook);
        });
    std::vector<at::Tensor> fakes;
    for (const graph::Value& value : arguments_.values) {
      fakes.push_back(value.tensor());
    }
    outputs_ = program.runFlat(std::move(fakes), [this](const graph::Node& node) { tracer_.setLine(node.line); });
    for (const auto& hook : programHooks_) {
      hook->active = false;
    }
    for (const auto& [hook, plan] : hooks_) {
      if (hook->active) { // not removed by the program itself
        plan_.hooks.push_back(plan);
        activeHooks_.push_back(hook);
      }
    }
    forwardEnd_ = static_cast<graph::NodeId>(tracer_.graph().nodes().size());
    numberTensors();
    planInputs();
    planMade();
    planBackward();
  }
  tracer_.freeDeadValues();
}

/// Of an input that is still what it was: the hook sees all gradients of the tensor, those from elsewhere as well.
bool JointTrace::takeHook(const at::Tensor& tensor, graph::HookKind kind,
                          const std::shared_ptr<graph::ProgramHook>& hook) {
  for (size_t i = 0; i < arguments_.inputs.size(); ++i) {
    const TracedInput& input = arguments_.inputs[i];
    if (input.fake.is_same(tensor) && viewOf(tensor) != nullptr && tensor.grad_fn() &&
        tensor.grad_fn().get() != input.startEdge.function.get()) {
      // It takes its history from its base again after the call, and would lose the hook.
      throw graph::Unsupported("a hook on an argument that is a view and was written to");
    }
    if (input.fake.is_same(tensor) && edgeNow(tensor).function.get() == input.startEdge.function.get()) {
      hooks_.emplace_back(hook, InputHook{static_cast<int>(i), kind, hook->name});
      graph::registerHook(tensor, kind, forProgramOnly(hook));
      return true;
    }
  }
  return false;
}

/// The same hook while the program runs: gradients that it asks for itself go through it.
std::shared_ptr<graph::ProgramHook> JointTrace::forProgramOnly(const std::shared_ptr<graph::ProgramHook>& hook) {
  auto traced = std::make_shared<graph::ProgramHook>(*hook);
  traced->call = [hook](const graph::Value& gradient) { return hook->active ? hook->call(gradient) : graph::Value(); };
  programHooks_.push_back(traced);
  return traced;
}

const at::Tensor& JointTrace::fakeAt(int tensor) const {
  const auto position = static_cast<size_t>(tensor);
  return position < arguments_.inputs.size() ? arguments_.inputs[position].fake
                                             : made_[position - arguments_.inputs.size()];
}

int JointTrace::numberOf(const at::Tensor& fake) const {
  const auto known = numbers_.find(fake.unsafeGetTensorImpl());
  return known != numbers_.end() ? known->second : -1;
}

graph::NodeId JointTrace::nodeOf(int tensor) const {
  return fakeOf(fakeAt(tensor))->node();
}

int JointTrace::storageOf(int tensor) const {
  return recorded().node(nodeOf(tensor)).metadata->storage;
}

int JointTrace::numberMade(const at::Tensor& fake) {
  const int known = numberOf(fake);
  if (known >= 0) {
    return known;
  }
  if (fakeOf(fake) == nullptr) {
    throw graph::Unsupported("a tensor that was not traced is returned");
  }
  // The base first: the runtime makes them in this order.
  const at::Tensor* of = differentiableBase(fake);
  const int base = of != nullptr ? numberMade(*of) : -1;
  const int number = static_cast<int>(arguments_.inputs.size() + made_.size());
  numbers_.emplace(fake.unsafeGetTensorImpl(), number);
  made_.push_back(fake);
  MadePlan made;
  made.base = base;
  plan_.made.push_back(made);
  return number;
}

void JointTrace::numberTensors() {
  for (size_t i = 0; i < arguments_.inputs.size(); ++i) {
    numbers_.emplace(arguments_.inputs[i].fake.unsafeGetTensorImpl(), static_cast<int>(i));
  }
  for (const at::Tensor& output : outputs_) {
    plan_.outputs.push_back(output.defined() ? numberMade(output) : -1);
  }
}

void JointTrace::planInputs() {
  for (const TracedInputStorage& storage : arguments_.storages) {
    InputStoragePlan plan{.firstInput = storage.inputs[0], .isFlat = storage.isFlat, .dtype = storage.dtype};
    for (int input : storage.inputs) {
      plan.hasSeveralCounters = plan.hasSeveralCounters ||
                                versionIdentity(arguments_.inputs[static_cast<size_t>(input)].fake) !=
                                    versionIdentity(arguments_.inputs[static_cast<size_t>(storage.inputs[0])].fake);
    }
    plan_.inputStorages.push_back(plan);
  }
  for (size_t i = 0; i < arguments_.inputs.size(); ++i) {
    TracedInput& input = arguments_.inputs[i];
    InputPlan plan;
    plan.name = input.name;
    plan.isHidden = input.isHidden;
    plan.versionBumped = !input.fake.is_inference() && static_cast<uint32_t>(input.fake._version()) != input.version;
    const graph::TensorMetadata now = *recorded().node(fakeOf(input.fake)->node()).metadata;
    plan.storageReplaced = now.storage != arguments_.storages[static_cast<size_t>(input.storage)].number;
    if (plan.storageReplaced || !graph::sameLayout(now, input.geometry) || now.offset != input.geometry.offset) {
      plan.moved = PlacePlan{-1, -1, now};
    }
    plan.retainsGrad = input.fake.retains_grad() && input.fake.requires_grad(); // detach_() leaves the flag
    const auto* view = input.fake.is_inference() ? nullptr : viewOf(input.fake);
    if (view != nullptr) {
      const bool hasNode = view->grad_fn_ && view->grad_fn_ != input.startEdge.function;
      plan.hasStaleNode = isStaleView(input.fake) && hasNode && !plan.retainsGrad; // a hook moves from node to node
      const TracedInput& base = arguments_.inputs[static_cast<size_t>(input.base)];
      const Edge edge = isStaleView(input.fake) ? Edge() : edgeNow(input.fake); // what is stale, stays so
      const Edge ofBase = edgeNow(base.fake);
      const auto* baseBefore = base.isLeaf ? nullptr : base.startEdge.function.get();
      const bool changed = ofBase.function.get() != baseBefore || input.wasStale;
      const bool followsBase = ofBase.is_valid() && changed && !isOfAsStridedInPlace(edge, ofBase);
      if (edge.is_valid() && edge.function.get() != input.startEdge.function.get() && !followsBase) {
        plan.root = 0; // it alone was changed, or its base was detached after it was written to
      } else if (edge.is_valid() && followsBase) {
        plan.takesHistory = true;
      } else if ((!base.fake.requires_grad() || (!edge.is_valid() && !isStaleView(input.fake))) &&
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
int JointTrace::sharesCounterWith(int tensor) const {
  const void* counter = versionIdentity(fakeAt(tensor));
  for (int other = 0; other < tensor; ++other) {
    if (versionIdentity(fakeAt(other)) == counter) {
      return other;
    }
  }
  return -1;
}

void JointTrace::planMade() {
  for (size_t i = 0; i < made_.size(); ++i) {
    const at::Tensor& fake = made_[i];
    MadePlan& plan = plan_.made[i];
    const graph::Node& node = recorded().node(fakeOf(fake)->node());
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
      const bool hasNode = torch::autograd::impl::get_autograd_meta(fake)->grad_fn_ != nullptr;
      const bool isLeaf = requiresGradItself(fake) && !hasNode && !differentiableBase(fake)->requires_grad();
      plan.isStale = !isLeaf && isStaleView(fake);
      plan.hasStaleNode = plan.isStale && hasNode;
    }
    if (!plan.isStale) {
      plan.root = edgeNow(fake).is_valid() ? 0 : -1;
      plan.isLeafWithGrad = plan.root < 0 && requiresGradItself(fake);
    }
  }
}

void JointTrace::planBackward() {
  auto addRoot = [&](size_t tensor, int& root) {
    if (root >= 0) {
      root = static_cast<int>(plan_.roots.size());
      plan_.roots.push_back(static_cast<int>(tensor));
      roots_.push_back(torch::autograd::impl::gradient_edge(fakeAt(static_cast<int>(tensor))));
      graph::TensorMetadata tangent = *recorded().node(nodeOf(static_cast<int>(tensor))).metadata;
      tangent.storage = -1;
      tangent.offset = 0;
      tangent.conjugate = tangent.negative = false;
      if (!graph::isDense(tangent)) {
        tangent.strides = graph::contiguousStrides(tangent.sizes);
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
    wanted_.push_back(edge);
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
  for (size_t i = 0; i < made_.size(); ++i) {
    if (plan_.made[i].isLeafWithGrad && !plan_.made[i].isInference) {
      want(arguments_.inputs.size() + i, torch::autograd::impl::gradient_edge(made_[i]));
    }
  }
  planNodes();
}

/// Roots whose graphs meet anywhere belong to one node.
void JointTrace::planNodes() {
  std::unordered_map<torch::autograd::Node*, size_t> groupOf; // of what was reached
  std::vector<size_t> merged; // into which group
  auto find = [&](size_t group) {
    while (merged[group] != group) {
      group = merged[group];
    }
    return group;
  };
  for (const Edge& root : roots_) {
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
        throw graph::Unsupported("an argument is used, then detached in place and made to require grad");
      }
      if (insideNow_.contains(node)) { // `grad()` gives its gradient, which is not among those that are compiled
        throw graph::Unsupported("a leaf that is a view is used after its base has come to require grad");
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
  for (const Edge& root : roots_) {
    ++uses[root.function.get()];
  }
  for (const Edge& root : roots_) {
    plan_.partial.push_back(uses.at(root.function.get()) > 1); // a hook runs when another result gets a gradient, too
  }
  for (size_t i = 0; i < plan_.inputs.size(); ++i) {
    InputPlan& input = plan_.inputs[i];
    input.hasPartialHistory = input.takesHistory && uses.contains(edgeNow(arguments_.inputs[i].fake).function.get());
  }
  // What eager made last runs first in its backward, and may be what raises: nodes are made in eager's order.
  std::map<size_t, uint64_t> madeLast; // by group
  for (size_t i = 0; i < roots_.size(); ++i) {
    uint64_t& last = madeLast[find(i)];
    last = std::max(last, roots_[i].function->sequence_nr());
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
  for (size_t i = 0; i < roots_.size(); ++i) {
    plan_.nodes[numbers.at(find(i))].roots.push_back(i);
  }
  std::unordered_set<torch::autograd::Node*> seen;
  for (size_t i = 0; i < wanted_.size(); ++i) {
    const auto reached = groupOf.find(wanted_[i].function.get());
    if (reached != groupOf.end()) {
      plan_.nodes[numbers.at(find(reached->second))].wanted.push_back(i);
      seen.insert(reached->first);
    }
  }
  goesOn_.resize(plan_.nodes.size());
  leaves_.resize(plan_.nodes.size());
  for (const auto& [node, group] : groupOf) {
    if (dynamic_cast<torch::autograd::AccumulateGrad*>(node) != nullptr) {
      leaves_[numbers.at(find(group))].emplace_back(node->getptr(), 0);
    }
    const auto& edges = node->next_edges();
    const bool isEnd = std::none_of(edges.begin(), edges.end(), [](const Edge& edge) { return edge.is_valid(); });
    if (isEnd && !seen.contains(node)) {
      goesOn_[numbers.at(find(group))] = true;
    }
  }
}

bool JointTrace::hasHooksAt(size_t root) const {
  return !roots_[root].function->tensor_pre_hooks().empty();
}

void JointTrace::askHooksOf(const std::vector<size_t>& roots, const torch::autograd::variable_list& gradients,
                            const std::vector<size_t>& others) const {
  std::map<torch::autograd::Node*, torch::autograd::variable_list> given;
  std::vector<torch::autograd::Node*> next;
  for (size_t i = 0; i < roots.size(); ++i) {
    const Edge& root = roots_[roots[i]];
    if (gradients[i].defined()) {
      auto& all = given[root.function.get()];
      all.resize(root.function->num_inputs());
      all[root.input_nr] = gradients[i];
      for (const Edge& edge : root.function->next_edges()) {
        next.push_back(edge.function.get());
      }
    }
  }
  const std::unordered_set<torch::autograd::Node*> behind = graph::nodesBehind(std::move(next));
  for (auto& [node, all] : given) {
    if (behind.contains(node)) {
      continue; // it waits for what comes from a node that does not run
    }
    for (const auto& hook : node->tensor_pre_hooks()) {
      const auto* ofProgram = dynamic_cast<graph::ProgramTensorHook*>(hook.get());
      const bool isOfOther = std::any_of(others.begin(), others.end(), [&, node = node](size_t other) {
        return roots_[other].function.get() == node && ofProgram != nullptr &&
               roots_[other].input_nr == ofProgram->position();
      });
      if (ofProgram != nullptr && !isOfOther) {
        all = (*hook)(all);
      }
    }
  }
}

/// Eager's backward also runs what leads nowhere, or to leaves that the program made and did not return; what it raises on
/// the way counts. Its operators are not part of what is compiled.
void JointTrace::runToAllEnds(size_t node, const torch::autograd::edge_list& roots,
                              torch::autograd::variable_list tangents) {
  const auto nothingStays = c10::make_scope_exit([&, before = tracer_.mark()] { // nor when it raises
    for (const Edge& leaf : leaves_[node]) {
      static_cast<torch::autograd::AccumulateGrad&>(*leaf.function).variable.mutable_grad().reset();
    }
    tracer_.forgetSince(before);
  });
  const BackwardScope scope(tracer_, asPyTorch_, /*underAutocast=*/false);
  BackwardWalkOptions options;
  options.keepGraph = options.accumulate = true;
  walkBackward(roots, std::move(tangents), {}, options);
}

std::vector<bool> JointTrace::reached(size_t node, const TangentLayouts& layouts) const {
  std::vector<torch::autograd::Node*> open;
  for (size_t root : plan_.nodes[node].roots) {
    if (layouts[root]) {
      open.push_back(roots_[root].function.get());
    }
  }
  const std::unordered_set<torch::autograd::Node*> seen = graph::nodesBehind(std::move(open));
  std::vector<bool> reached;
  for (size_t wanted : plan_.nodes[node].wanted) {
    reached.push_back(seen.contains(wanted_[wanted].function.get()));
  }
  return reached;
}

JointTrace::Backward JointTrace::recordBackward(size_t node, const TangentLayouts& layouts, bool underAutocast) {
  Backward backward;
  torch::autograd::edge_list &roots = backward.roots, wanted;
  torch::autograd::variable_list& tangents = backward.rootTangents;
  backward.reached = reached(node, layouts);
  backward.tangents.assign(roots_.size(), -1);
  backward.gradients.assign(wanted_.size(), -1);
  for (size_t i : plan_.nodes[node].roots) {
    if (!layouts[i]) {
      continue;
    }
    const graph::TensorMetadata& layout = *layouts[i];
    const at::Device device(layout.device);
    at::Tensor beneath = at::ones({graph::spanOf(layout)},
                                  at::TensorOptions()
                                      .dtype(static_cast<at::ScalarType>(layout.dtype.value))
                                      .device(tracer_.beneath() == Beneath::kValues ? device : at::Device(at::kMeta)));
    beneath = beneath.as_strided(layout.sizes, layout.strides);
    at::Tensor tangent = tracer_.addInput(std::move(beneath), fmt::format("tangent_{}", i), device);
    backward.tangents[i] = fakeOf(tangent)->node();
    roots.push_back(roots_[i]);
    tangents.push_back(std::move(tangent));
  }
  for (size_t i : plan_.nodes[node].wanted) {
    wanted.push_back(wanted_[i]);
  }
  torch::autograd::variable_list gradients;
  if (!wanted.empty()) {
    tracer_.setBackward(true);
    const auto forwardAgain = c10::make_scope_exit([this] { tracer_.setBackward(false); });
    const BackwardScope scope(tracer_, asPyTorch_, underAutocast);
    BackwardWalkOptions options;
    options.keepGraph = true;
    options.isHeldAlone = Tracer::isHeldAlone;
    options.onNode = [this](const torch::autograd::Node& running) { tracer_.setBackwardNode(running.sequence_nr()); };
    gradients = walkBackward(roots, tangents, wanted, options);
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined()) {
      if (fakeOf(gradients[i]) == nullptr) {
        throw graph::Unsupported("a gradient that was not traced");
      }
      backward.gradients[plan_.nodes[node].wanted[i]] = fakeOf(gradients[i])->node();
    }
  }
  backward.end = static_cast<graph::NodeId>(recorded().nodes().size());
  const auto freed = c10::make_scope_exit([this] { tracer_.freeDeadValues(); });
  if (goesOn_[node]) {
    runToAllEnds(node, roots, tangents);
  }
  return backward;
}

std::vector<int> JointTrace::savedAmong(const std::vector<int>& tensors, size_t node, Backward& backward) {
  const auto isOver = c10::make_scope_exit([&] {
    backward.roots.clear();
    backward.rootTangents.clear();
    tracer_.freeDeadValues();
  });
  std::vector<int> held;
  for (int tensor : tensors) {
    if (isHeldByOthers(tensor) && std::none_of(held.begin(), held.end(), [&](int other) {
          return versionIdentity(fakeAt(other)) == versionIdentity(fakeAt(tensor));
        })) {
      held.push_back(tensor);
    }
  }
  if (held.empty() || !raisesAfterWrites(held, node, backward)) {
    return {};
  }
  if (held.size() > 1) {
    std::erase_if(held, [&](int tensor) { return !raisesAfterWrites({tensor}, node, backward); });
  }
  return held;
}

/// Something beside this trace holds the tensor or its version counter: what autograd has saved may do so.
bool JointTrace::isHeldByOthers(int tensor) const {
  const at::Tensor& fake = fakeAt(tensor);
  if (fake.is_inference()) {
    return false;
  }
  const auto isIt = [&](const at::Tensor& other) { return other.is_same(fake); };
  auto known = 1 + std::count_if(outputs_.begin(), outputs_.end(), isIt) +
               std::count_if(arguments_.values.begin(), arguments_.values.end(),
                             [&](const graph::Value& value) { return isIt(value.tensor()); });
  if (fake.is_leaf() && torch::autograd::impl::try_get_grad_accumulator(fake)) {
    ++known; // that holds its leaf
  }
  return static_cast<int64_t>(fake.use_count()) > known || !fake.unsafeGetTensorImpl()->unique_version();
}

/// A write to what autograd saves for a node makes its backward raise: so it is seen what is saved, nodes do not tell.
bool JointTrace::raisesAfterWrites(const std::vector<int>& tensors, size_t node, const Backward& backward) {
  const ViewHistoryScope histories(tracer_.alive());
  for (int tensor : tensors) {
    torch::autograd::impl::bump_version(fakeAt(tensor));
  }
  const auto unwritten = c10::make_scope_exit([&] {
    for (int tensor : tensors) {
      c10::VariableVersion version = torch::autograd::impl::version_counter(fakeAt(tensor)); // shared
      version.set_version(static_cast<int64_t>(version.current_version()) - 1);
    }
  });
  try {
    runToAllEnds(node, backward.roots, backward.rootTangents);
  } catch (const c10::Error& error) { // of what was saved, or of a view that one operator gave together with others
    const std::string_view text = error.what_without_backtrace();
    return text.find("modified by an inplace operation") != std::string_view::npos ||
           text.find("has been modified inplace") != std::string_view::npos;
  } catch (const std::exception&) {
    return false; // it does not tell
  }
  return false;
}

} // namespace touchstone::backends
