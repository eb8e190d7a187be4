#include "backends/aot_autograd/JointTrace.h"

#include "backends/aot_autograd/TorchTracing.h"
#include "backends/arguments/ArgumentCopies.h"
#include "backends/arguments/VersionSharing.h"
#include "backends/arguments/ViewBase.h"
#include "backends/fake/BackwardWalk.h"
#include "backends/fake/EffectfulOperators.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/AutogradNodes.h"
#include "program/values/CompiledProgram.h"
#include "program/values/GeneratorState.h"

#include <ATen/ops/ones.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/ScopeExit.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/functions/tensor.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace touchstone::aot_autograd {

namespace {

using torch::autograd::Edge;

/// What operators of a backward are recorded in: they leave the generator and what they write to as it is, for the next
/// backward, and a region of the forward's is over.
struct BackwardScope {
  BackwardScope(fake::Tracer& tracer, bool asPyTorch, bool underAutocast)
      : writes(tracer), recorded(tracer), manner(asPyTorch) {
    if (!underAutocast) {
      noAutocast.emplace(c10::autocast_dispatch_keyset);
    }
  }
  values::GeneratorStateScope generator;
  fake::Tracer::Rehearsal writes;
  std::optional<c10::impl::ExcludeDispatchKeyGuard> noAutocast;
  c10::InferenceMode normal{false};
  fake::Tracer::Scope recorded;
  TorchTracing manner;
};

} // namespace

JointTrace::JointTrace(const runtime::Interpreter& program, const std::vector<at::Tensor>& inputs,
                       fake::Backing backing, std::optional<c10::Device> claimed, bool asPyTorch)
    : asPyTorch_(asPyTorch), tracer_(backing, claimed) {
  values::GeneratorStateScope generator;
  arguments_ =
      traceArguments(tracer_, values::ValueList(inputs.begin(), inputs.end()), ir::placeholderNames(program.graph()));
  {
    fake::Tracer::Scope scope(tracer_);
    const TorchTracing manner(asPyTorch_);
    const evaluator::HookTaker hooks(
        [this](const at::Tensor& tensor, evaluator::HookKind kind,
               const std::shared_ptr<evaluator::ProgramHook>& hook) { return takeHook(tensor, kind, hook); });
    std::vector<at::Tensor> fakes;
    for (const values::Value& value : arguments_.values) {
      fakes.push_back(value.tensor());
    }
    outputs_ = program.runFlat(std::move(fakes), [this](const ir::Node& node) { tracer_.setLine(node.line); });
    for (const auto& hook : programHooks_) {
      hook->active = false;
    }
    forwardEnd_ = static_cast<ir::NodeId>(tracer_.graph().nodes().size());
    plan_ = planOf(tracer_.graph(), arguments_, outputs_);
    for (const auto& [hook, plan] : hooks_) {
      if (hook->active) { // not removed by the program itself
        plan_.metadata.hooks.push_back(plan);
        activeHooks_.push_back(hook);
      }
    }
  }
  tracer_.freeDeadValues();
}

/// Of an input that is still what it was: the hook sees all gradients of the tensor, those from elsewhere as well.
bool JointTrace::takeHook(const at::Tensor& tensor, evaluator::HookKind kind,
                          const std::shared_ptr<evaluator::ProgramHook>& hook) {
  for (size_t i = 0; i < arguments_.inputs.size(); ++i) {
    const TracedInput& input = arguments_.inputs[i];
    if (input.fake.is_same(tensor) && arguments::differentiableBase(tensor) != nullptr && tensor.grad_fn() &&
        tensor.grad_fn().get() != input.startEdge.function.get()) {
      // It takes its history from its base again after the call, and would lose the hook.
      throw ir::Unsupported("a hook on an argument that is a view and was written to");
    }
    if (input.fake.is_same(tensor) && tensor.grad_fn().get() == input.startEdge.function.get()) {
      hooks_.emplace_back(hook, InputHook{static_cast<int>(i), kind, hook->name});
      evaluator::registerHook(tensor, kind, forProgramOnly(hook));
      return true;
    }
  }
  return false;
}

/// The same hook while the program runs: gradients that it asks for itself go through it.
std::shared_ptr<evaluator::ProgramHook> JointTrace::forProgramOnly(
    const std::shared_ptr<evaluator::ProgramHook>& hook) {
  auto traced = std::make_shared<evaluator::ProgramHook>(*hook);
  traced->call = [hook](const values::Value& gradient) {
    return hook->active ? hook->call(gradient) : values::Value();
  };
  programHooks_.push_back(traced);
  return traced;
}

const at::Tensor& JointTrace::fakeAt(int tensor) const {
  const auto position = static_cast<size_t>(tensor);
  return position < arguments_.inputs.size() ? arguments_.inputs[position].fake
                                             : plan_.made[position - arguments_.inputs.size()];
}

ir::NodeId JointTrace::nodeOf(int tensor) const {
  return fake::fakeOf(fakeAt(tensor))->node();
}

int JointTrace::storageOf(int tensor) const {
  return recorded().node(nodeOf(tensor)).metadata->storage;
}

void JointTrace::askHooksOf(const std::vector<size_t>& roots, const torch::autograd::variable_list& gradients,
                            const std::vector<size_t>& others) const {
  std::map<torch::autograd::Node*, torch::autograd::variable_list> given;
  std::vector<torch::autograd::Node*> next;
  for (size_t i = 0; i < roots.size(); ++i) {
    const Edge& root = plan_.roots[roots[i]];
    if (gradients[i].defined()) {
      auto& all = given[root.function.get()];
      all.resize(root.function->num_inputs());
      all[root.input_nr] = gradients[i];
      for (const Edge& edge : root.function->next_edges()) {
        next.push_back(edge.function.get());
      }
    }
  }
  const std::unordered_set<torch::autograd::Node*> behind = values::nodesBehind(std::move(next));
  for (auto& [node, all] : given) {
    if (behind.contains(node)) {
      continue; // it waits for what comes from a node that does not run
    }
    for (const auto& hook : node->tensor_pre_hooks()) {
      auto* ofProgram = dynamic_cast<evaluator::ProgramTensorHook*>(hook.get());
      if (ofProgram == nullptr) {
        continue;
      }
      const Edge position(node->getptr(), static_cast<uint32_t>(ofProgram->position()));
      if (std::none_of(others.begin(), others.end(), [&](size_t other) { return plan_.roots[other] == position; })) {
        all = (*ofProgram)(all);
      }
    }
  }
}

/// Eager's backward also runs what leads nowhere, or to leaves that the program made and did not return; what it raises on
/// the way counts. Its operators are not part of what is compiled. Gives what is seenOutside() of it.
std::map<int, int64_t> JointTrace::runToAllEnds(size_t node, const torch::autograd::edge_list& roots,
                                                torch::autograd::variable_list tangents) {
  const auto begin = static_cast<NodeId>(recorded().nodes().size());
  const auto nothingStays = c10::make_scope_exit([&, before = tracer_.mark()] { // nor when it raises
    for (const Edge& leaf : plan_.leaves[node]) {
      static_cast<torch::autograd::AccumulateGrad&>(*leaf.function).variable.mutable_grad().reset();
    }
    tracer_.forgetSince(before);
  });
  const BackwardScope scope(tracer_, asPyTorch_, /*underAutocast=*/false);
  fake::BackwardWalkOptions options;
  options.keepGraph = options.accumulate = true;
  fake::walkBackward(roots, std::move(tangents), {}, options);
  return seenOutside(begin, static_cast<NodeId>(recorded().nodes().size()));
}

/// How often recorded nodes write to each memory that was there before the backward, and, by -1, have an effect.
std::map<int, int64_t> JointTrace::seenOutside(NodeId begin, NodeId end) const {
  std::map<int, int64_t> seen = writesToForward(begin, end);
  for (NodeId id = begin; id < end; ++id) {
    if (fake::isEffectful(recorded().node(id).target)) {
      seen[-1] += 1;
    }
  }
  return seen;
}

std::map<int, int64_t> JointTrace::writesToForward(NodeId begin, NodeId end) const {
  std::map<int, int64_t> writes;
  for (NodeId id = begin; id < end; ++id) {
    for (const NodeId written : recorded().node(id).writes) {
      const int storage = recorded().node(written).metadata->storage;
      if (storage >= 0 && recorded().storages[static_cast<size_t>(storage)].root < forwardEnd_) {
        writes[storage] += 1;
      }
    }
  }
  return writes;
}

bool JointTrace::isSeenOutside(NodeId begin) const {
  const auto end = static_cast<NodeId>(recorded().nodes().size());
  const auto writesToTangent = [&](const ir::Node& node) {
    return std::ranges::any_of(node.writes, [&](NodeId written) {
      const int storage = recorded().node(written).metadata->storage;
      return storage >= 0 &&
             recorded().node(recorded().storages[static_cast<size_t>(storage)].root).kind == ir::NodeKind::kPlaceholder;
    });
  };
  return !seenOutside(begin, end).empty() ||
         std::any_of(recorded().nodes().begin() + begin, recorded().nodes().end(), writesToTangent);
}

JointTrace::Nodes JointTrace::nodesRun(size_t node, const Run& run) const {
  std::vector<torch::autograd::Node*> open;
  for (size_t root : run.roots) {
    open.push_back(plan_.roots[root].function.get());
  }
  Nodes behind = values::nodesBehind(std::move(open));
  if (run.unasked.empty()) {
    return behind;
  }
  Nodes running; // what leads to a gradient that is asked for
  const std::vector<size_t>& wanted = plan_.metadata.nodes[node].wanted;
  for (size_t position = 0; position < wanted.size(); ++position) {
    torch::autograd::Node* const asked = plan_.wanted[wanted[position]].function.get();
    if (behind.contains(asked) && std::ranges::find(run.unasked, position) == run.unasked.end()) {
      running.insert(asked);
    }
  }
  for (bool grows = true; grows;) {
    grows = false;
    for (torch::autograd::Node* each : behind) {
      const bool leads = std::ranges::any_of(each->next_edges(),
                                             [&](const Edge& edge) { return running.contains(edge.function.get()); });
      grows = (leads && running.insert(each).second) || grows;
    }
  }
  return running;
}

bool JointTrace::runsWithoutGradient(size_t node) const {
  const Run all{plan_.metadata.nodes[node].roots, {}};
  return std::ranges::any_of(nodesRun(node, all), [](const torch::autograd::Node* each) {
    return dynamic_cast<const evaluator::RunsWithoutGradient*>(each) != nullptr;
  });
}

bool JointTrace::doMeet(size_t node, const Run& run, const Run& other) const {
  const Nodes others = nodesRun(node, other);
  return std::ranges::any_of(nodesRun(node, run), [&](torch::autograd::Node* each) { return others.contains(each); });
}

std::vector<bool> JointTrace::reached(size_t node, const TangentLayouts& layouts) const {
  Run run;
  std::ranges::copy_if(plan_.metadata.nodes[node].roots, std::back_inserter(run.roots),
                       [&](size_t root) { return layouts[root].has_value(); });
  const Nodes seen = nodesRun(node, run);
  std::vector<bool> reached;
  for (size_t wanted : plan_.metadata.nodes[node].wanted) {
    reached.push_back(seen.contains(plan_.wanted[wanted].function.get()));
  }
  return reached;
}

/// Those of the backward's roots.
void JointTrace::addTangents(size_t node, const TangentLayouts& layouts, Backward& backward) {
  std::map<int, at::Tensor> tangentOf; // by root
  for (size_t i : plan_.metadata.nodes[node].roots) {
    if (!layouts[i]) {
      continue;
    }
    const ir::TensorMetadata& layout = *layouts[i];
    backward.roots.push_back(plan_.roots[i]);
    if (layout.storage >= 0) {
      backward.rootTangents.push_back(tangentOf.at(layout.storage));
      continue;
    }
    const at::Device device(layout.device);
    at::Tensor backing =
        at::ones({ir::spanOf(layout)},
                 at::TensorOptions()
                     .dtype(static_cast<at::ScalarType>(layout.dtype.value))
                     .device(tracer_.backing() == fake::Backing::kValues ? device : at::Device(at::kMeta)));
    backing = backing.as_strided(layout.sizes, layout.strides);
    at::Tensor tangent = tracer_.addInput(std::move(backing), fmt::format("tangent_{}", i), device);
    backward.tangents[i] = fake::fakeOf(tangent)->node();
    tangentOf.emplace(static_cast<int>(i), tangent);
    backward.rootTangents.push_back(std::move(tangent));
  }
}

JointTrace::Backward JointTrace::recordBackward(size_t node, const TangentLayouts& layouts, bool underAutocast,
                                                const UnaskedGradients& unasked) {
  const auto begin = static_cast<NodeId>(recorded().nodes().size());
  Backward backward;
  torch::autograd::edge_list wanted;
  std::vector<size_t> gradientOf; // by wanted edge
  backward.reached = reached(node, layouts);
  backward.tangents.assign(plan_.roots.size(), -1);
  backward.gradients.assign(plan_.wanted.size(), -1);
  addTangents(node, layouts, backward);
  const std::vector<size_t>& given = plan_.metadata.nodes[node].wanted;
  for (size_t position = 0; position < given.size(); ++position) {
    if (std::ranges::find(unasked, position) == unasked.end()) {
      wanted.push_back(plan_.wanted[given[position]]);
      gradientOf.push_back(given[position]);
    }
  }
  torch::autograd::variable_list gradients;
  if (!wanted.empty()) {
    tracer_.setBackward(true);
    const auto forwardAgain = c10::make_scope_exit([this] { tracer_.setBackward(false); });
    const BackwardScope scope(tracer_, asPyTorch_, underAutocast);
    fake::BackwardWalkOptions options;
    options.keepGraph = true;
    options.isHeldAlone = fake::Tracer::isHeldAlone;
    options.onHeld = [&](size_t position) { backward.held.push_back(gradientOf[position]); };
    options.onNode = [&](const torch::autograd::Node& running) {
      tracer_.setBackwardNode(running.sequence_nr());
      const bool dropsFunction = dynamic_cast<const torch::autograd::CopySlices*>(&running) != nullptr;
      backward.writesToViews = backward.writesToViews || dropsFunction;
    };
    gradients = fake::walkBackward(backward.roots, backward.rootTangents, wanted, options);
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined()) {
      if (fake::fakeOf(gradients[i]) == nullptr) {
        throw ir::Unsupported("a gradient that was not traced");
      }
      backward.gradients[gradientOf[i]] = fake::fakeOf(gradients[i])->node();
    }
  }
  backward.end = static_cast<ir::NodeId>(recorded().nodes().size());
  const auto freed = c10::make_scope_exit([this] { tracer_.freeDeadValues(); });
  if (plan_.goesOn[node]) {
    const std::map<int, int64_t> seen = runToAllEnds(node, backward.roots, backward.rootTangents);
    if (unasked.empty() && seen != seenOutside(begin, backward.end)) {
      throw ir::Unsupported("a backward writes or has an effect on a way that leads to no gradient");
    }
  }
  return backward;
}

std::vector<bool> JointTrace::requireGrad(size_t node, const TangentLayouts& layouts,
                                          const std::vector<size_t>& roots) {
  std::vector<bool> requireGrad;
  Backward backward;
  backward.tangents.assign(plan_.roots.size(), -1);
  addTangents(node, layouts, backward);
  size_t next = 0;
  for (const size_t root : plan_.metadata.nodes[node].roots) {
    if (layouts[root]) {
      at::Tensor& tangent = backward.rootTangents[next++];
      if (std::ranges::find(roots, root) != roots.end()) {
        tangent.requires_grad_();
      }
    }
  }
  torch::autograd::edge_list wanted;
  for (const size_t each : plan_.metadata.nodes[node].wanted) {
    wanted.push_back(plan_.wanted[each]);
  }
  const auto onlyTangentsStay = c10::make_scope_exit([&, before = tracer_.mark()] { tracer_.forgetSince(before); });
  const BackwardScope scope(tracer_, asPyTorch_, /*underAutocast=*/false);
  fake::BackwardWalkOptions options;
  options.keepGraph = options.createGraph = true;
  for (const at::Tensor& gradient : fake::walkBackward(backward.roots, backward.rootTangents, wanted, options)) {
    requireGrad.push_back(gradient.defined() && gradient.requires_grad());
  }
  return requireGrad;
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
          return arguments::versionIdentity(fakeAt(other)) == arguments::versionIdentity(fakeAt(tensor));
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
                             [&](const values::Value& value) { return isIt(value.tensor()); });
  if (fake.is_leaf() && torch::autograd::impl::try_get_grad_accumulator(fake)) {
    ++known; // that holds its leaf
  }
  return static_cast<int64_t>(fake.use_count()) > known || !fake.unsafeGetTensorImpl()->unique_version();
}

/// A write to what autograd saves for a node makes its backward raise: so it is seen what is saved, nodes do not tell.
bool JointTrace::raisesAfterWrites(const std::vector<int>& tensors, size_t node, const Backward& backward) {
  const arguments::ViewHistoryScope histories(tracer_.alive());
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

} // namespace touchstone::aot_autograd
