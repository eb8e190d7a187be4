#include "backends/aot_autograd/CompiledBackward.h"

#include "backends/aot_autograd/TracedArguments.h"
#include "backends/arguments/VersionSharing.h"
#include "backends/fake/EffectfulOperators.h"
#include "backends/fake/FakeTensor.h"
#include "backends/fake/TensorMemory.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/AutogradNodes.h"
#include "program/values/GeneratorState.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_strided.h>
#include <c10/util/ScopeExit.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/dynamo/compiled_autograd.h>

#include <algorithm>
#include <iterator>

namespace touchstone::aot_autograd {

namespace {

/// What a backward Graph can read: strided, without lazy bits, from the start of its memory.
at::Tensor plainTangent(const at::Tensor& tangent) {
  if (tangent.layout() != at::kStrided) {
    return tangent.to_dense();
  }
  at::Tensor plain = tangent.resolve_conj().resolve_neg();
  if (plain.storage_offset() == 0 || plain.numel() == 0) {
    return plain;
  }
  if (!plain.is_non_overlapping_and_dense()) {
    return plain.contiguous().clone();
  }
  at::Tensor moved = at::empty_strided(plain.sizes(), plain.strides(), plain.options());
  return moved.copy_(plain);
}

/// The memory of a tensor; of what is traced, that of what stands behind it.
const c10::StorageImpl* realMemoryOf(const at::Tensor& tensor) {
  const auto* traced = fake::fakeOf(tensor);
  return fake::memoryOf(traced != nullptr ? traced->backing() : tensor);
}

std::vector<const c10::StorageImpl*> realMemoriesOf(const torch::autograd::variable_list& tensors) {
  std::vector<const c10::StorageImpl*> memories;
  std::ranges::transform(tensors, std::back_inserter(memories), realMemoryOf);
  return memories;
}

/// The generators as they were for the forward, as they are now for the backward.
std::vector<at::Tensor> runFromBeginning(const CompiledBackwardGraph& joint, std::vector<at::Tensor> inputs,
                                         const values::GeneratorState& generatorAtBegin) {
  const runtime::NodeWatchScope watched(joint.watch);
  const values::GeneratorState now = values::GeneratorState::now();
  generatorAtBegin.putBack();
  bool isBackward = false;
  std::vector<at::Tensor> results = joint.graph->runFlat(std::move(inputs), [&](const ir::Node& node) {
    if (node.backward && !isBackward) {
      now.putBack();
      isBackward = true;
    }
  });
  if (!isBackward) {
    now.putBack();
  }
  return results;
}

} // namespace

void CompiledBackward::save(const std::vector<at::Tensor>& saved) {
  saved_.resize(saved.size());
  for (size_t position : graph_->saved().byNode[node_]) {
    at::Tensor tensor = saved[position];
    if (!tensor.defined()) {
      continue;
    }
    const auto* view = torch::autograd::impl::get_view_autograd_meta(tensor);
    if (view != nullptr && !tensor.is_inference()) {
      // Its memory and version matter; what autograd thinks of its base does not.
      tensor = arguments::aliasCountedWith(tensor, tensor);
    }
    saved_[position] = torch::autograd::SavedVariable(tensor, /*is_output=*/false);
  }
}

void CompiledBackward::keepBeginning(std::vector<at::Tensor> inputs, values::GeneratorState generators) {
  inputs_ = std::move(inputs);
  generators_ = std::move(generators);
}

bool CompiledBackward::isPartial(size_t output) const {
  const ViewAndMutationMetadata& plan = graph_->plan();
  return plan.partial[plan.nodes[node_].roots.at(output)];
}

void CompiledBackward::release_variables() {
  const std::lock_guard<std::mutex> lock(savedMutex_);
  if (lastRun_ && (!lastRun_->unasked.empty() || lastRun_->roots.size() < graph_->plan().nodes[node_].roots.size())) {
    released_.push_back(*lastRun_);
    return;
  }
  isReleased_ = true;
  for (torch::autograd::SavedVariable& variable : saved_) {
    variable.reset_data();
  }
}

bool CompiledBackward::wasReleased(const JointTrace::Run& run) const {
  return isReleased_ || std::ranges::any_of(released_, [&](const JointTrace::Run& before) {
           return graph_->traceForSizes().doMeet(node_, run, before);
         });
}

/// Some gradient that the given tangents lead to is wanted by this run of the engine.
bool CompiledBackward::isAskedFor(const std::vector<bool>& reached) const {
  for (size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] && task_should_compute_output(i)) {
      return true;
    }
  }
  return std::find(reached.begin(), reached.end(), true) == reached.end();
}

/// What the given tangents lead to, and this run of the engine does not want.
UnaskedGradients CompiledBackward::unaskedOf(const std::vector<bool>& reached) const {
  UnaskedGradients unasked;
  for (size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] && !task_should_compute_output(i)) {
      unasked.push_back(i);
    }
  }
  return unasked;
}

void CompiledBackward::endUnreached(const std::vector<bool>& reached) const {
  torch::autograd::edge_list edges, others;
  for (size_t i = 0; i < reached.size(); ++i) {
    if (next_edge(i).is_valid()) {
      (reached[i] ? others : edges).push_back(next_edge(i));
    }
  }
  leadNowhere(edges, others);
}

torch::autograd::variable_list HooksOfUnneeded::operator()(const torch::autograd::variable_list& gradients) {
  const auto* wanted = torch::autograd::get_current_graph_task_exec_info(); // empty: all nodes run
  if (wanted == nullptr || wanted->empty()) {
    return gradients;
  }
  const auto taskOf = [&](const torch::autograd::Node* node) {
    return wanted->find(const_cast<torch::autograd::Node*>(node));
  };
  const auto found = taskOf(node_);
  if (found != wanted->end() && found->second.needed_) {
    return gradients;
  }
  std::vector<size_t> others; // that this backward goes to as well
  for (size_t root = 0; root < all_->size(); ++root) {
    if ((*all_)[root] != node_ && taskOf((*all_)[root]) != wanted->end()) {
      others.push_back(root);
    }
  }
  graph_->traceForSizes().askHooksOf(roots_, gradients, others);
  return gradients;
}

/// Says of tangents that are one tensor which root's comes first; false: no two are. Throws ir::Unsupported for those that
/// share memory otherwise.
bool CompiledBackward::markShared(const torch::autograd::variable_list& tangents, TangentLayouts& layouts) const {
  const std::vector<size_t>& roots = graph_->plan().nodes[node_].roots;
  bool any = false;
  for (size_t i = 0; i < tangents.size(); ++i) {
    for (size_t first = 0; first < i && layouts[roots[i]] && layouts[roots[i]]->storage < 0; ++first) {
      if (tangents[i].is_same(tangents[first])) {
        layouts[roots[i]]->storage = static_cast<int>(roots[first]);
        any = true;
      } else if (fake::mayMeet(tangents[i], tangents[first])) {
        throw ir::Unsupported("a tangent is written to that shares memory with another");
      }
    }
  }
  return any;
}

const CompiledBackwardGraph& CompiledBackward::backwardFor(const torch::autograd::variable_list& tangents,
                                                           TangentLayouts layouts, const AutocastRegions& autocast,
                                                           const UnaskedGradients& unasked) const {
  const CompiledBackwardGraph& backward = graph_->backwardFor(node_, layouts, autocast, unasked);
  const bool sees = !backward.writtenTangents.empty() && markShared(tangents, layouts);
  return sees ? graph_->backwardFor(node_, layouts, autocast, unasked) : backward;
}

/// Whoever else holds a tangent sees in it what a hook has written there, as in eager.
void CompiledBackward::writeTangents(const CompiledBackwardGraph& compiled,
                                     const torch::autograd::variable_list& tangents,
                                     const std::vector<at::Tensor>& results) const {
  const ViewAndMutationMetadata& plan = graph_->plan();
  const std::vector<size_t>& roots = plan.nodes[node_].roots;
  for (size_t i = 0; i < compiled.writtenTangents.size(); ++i) {
    const auto position = std::find(roots.begin(), roots.end(), compiled.writtenTangents[i]) - roots.begin();
    at::Tensor tangent = tangents[static_cast<size_t>(position)], value = results[plan.wanted.size() + i];
    if (tangent.layout() != at::kStrided) {
      continue; // a hook's write to a sparse one is lost to others
    }
    for (int64_t dimension = tangent.dim() - 1; dimension >= 0; --dimension) {
      if (tangent.stride(dimension) == 0 && tangent.size(dimension) > 1) { // the same memory many times over
        tangent = tangent.select(dimension, 0);
        value = value.select(dimension, 0);
      }
    }
    tangent.copy_(value);
  }
}

/// Flat, all of each: what lies there now.
std::vector<at::Tensor> CompiledBackward::memoryOfWritten(const CompiledBackwardGraph& compiled) const {
  std::vector<at::Tensor> memory;
  for (const WrittenInput& written : compiled.writtenInputs) {
    const at::Tensor& kept = written_.at(written.storage);
    if (!kept.defined()) {
      throw ir::Unsupported("an input is written to in the backward from some outputs alone");
    }
    const InputStoragePlan& storage = graph_->plan().inputStorages[written.storage];
    memory.push_back(flatAlias(kept, storage.isFlat ? storage.dtype : kept.scalar_type()));
  }
  return memory;
}

void CompiledBackward::writeInputs(const CompiledBackwardGraph& compiled, const std::vector<at::Tensor>& memory,
                                   const std::vector<at::Tensor>& results) const {
  const size_t first = graph_->plan().wanted.size() + compiled.writtenTangents.size();
  for (size_t i = 0; i < memory.size(); ++i) {
    memory[i].copy_(results[first + i]);
    const at::Tensor& kept = written_[compiled.writtenInputs[i].storage];
    for (int64_t write = 0; write < compiled.writtenInputs[i].writes && !kept.is_inference(); ++write) {
      kept.unsafeGetTensorImpl()->bump_version();
    }
  }
}

/// Eager's engine still holds a gradient for another node when a leaf gets it, so that the leaf takes a copy for its own. Here no
/// other node is seen: a leaf would take it as it is, though another leaf has a view of it, or it is itself a view of a tangent;
/// and adding to one would add to both. So this node holds it, or, where it is traced, hands out a copy.
torch::autograd::variable_list CompiledBackward::gradientsOf(
    const CompiledBackwardGraph& compiled, std::vector<at::Tensor> results,
    const std::vector<const c10::StorageImpl*>& memoryOfTangents, std::vector<at::Tensor>* held) const {
  const std::vector<size_t>& wanted = graph_->plan().nodes[node_].wanted;
  const auto sharesMemory = [&](const at::Tensor& result) {
    const c10::StorageImpl* memory = realMemoryOf(result);
    return memory != nullptr && (std::ranges::find(memoryOfTangents, memory) != memoryOfTangents.end() ||
                                 std::ranges::any_of(wanted, [&](size_t other) {
                                   return !results[other].is_same(result) && realMemoryOf(results[other]) == memory;
                                 }));
  };
  const auto isHeld = [&](size_t position) {
    return std::ranges::find(compiled.heldGradients, position) != compiled.heldGradients.end();
  };
  for (const size_t position : compiled.heldGradients) {
    at::Tensor& result = results[position];
    // The last leaf of several that get one tensor takes it: while others get it, the engine holds it for that one.
    const bool isTaken =
        std::ranges::any_of(wanted, [&](size_t other) { return !isHeld(other) && results[other].is_same(result); });
    if (result.defined() && !isTaken && sharesMemory(result)) {
      if (held != nullptr) {
        held->push_back(result);
      } else {
        result = result.clone();
      }
    }
  }
  torch::autograd::variable_list gradients(num_outputs());
  for (size_t i = 0; i < wanted.size(); ++i) {
    gradients[i] = results[wanted[i]];
  }
  return gradients;
}

torch::autograd::variable_list CompiledBackward::apply(torch::autograd::variable_list&& tangents) {
  const ViewAndMutationMetadata& plan = graph_->plan();
  const BackwardNodePlan& node = plan.nodes[node_];
  torch::autograd::variable_list gradients(num_outputs());
  TangentLayouts layouts(plan.roots.size());
  std::vector<at::Tensor> inputs(plan.roots.size()), results;
  const std::vector<bool>* reached = nullptr; // of what `graph_` keeps, or the next
  std::vector<bool> reachedOfFailed;
  std::vector<size_t> rootsWithGrad; // whose tangents require grad
  const bool passedBy = isPassedBy(tangents);
  {
    const std::lock_guard<std::mutex> lock(savedMutex_);
    lastRun_.reset();
  }
  JointTrace::Run run; // `roots` that have a tangent
  bool requiresGrad = false;
  const AutocastRegions autocast = autocastOfThread();
  {
    at::AutoDispatchBelowAutograd below;
    c10::impl::ExcludeDispatchKeyGuard noAutocast(c10::autocast_dispatch_keyset);
    for (size_t i = 0; i < tangents.size(); ++i) {
      if (tangents[i].defined()) {
        at::Tensor& input = inputs[node.roots[i]];
        input = plainTangent(tangents[i]);
        layouts[node.roots[i]] = runtime::metadataOf(input);
        run.roots.push_back(node.roots[i]);
        if (tangents[i].requires_grad()) {
          rootsWithGrad.push_back(node.roots[i]);
        }
      }
    }
    if (run.roots.empty()) {
      if (!passedBy && graph_->traceForSizes().runsWithoutGradient(node_)) {
        throw ir::Unsupported("a custom function or a hook of a module is given no gradient at all");
      }
      return gradients;
    }
    const CompiledBackwardGraph* asked = nullptr;
    try {
      asked = &backwardFor(tangents, layouts, autocast);
      reached = &asked->reached;
    } catch (...) { // recording it has raised what a node of eager's would
      reachedOfFailed = graph_->traceForSizes().reached(node_, layouts);
      if (isAskedFor(reachedOfFailed)) {
        throw;
      }
      reached = &reachedOfFailed;
    }
    if (!isAskedFor(*reached)) { // eager's nodes on such a way do not run, and nothing that they saved is looked at
      endUnreached(*reached);
      return gradients;
    }
    run.unasked = unaskedOf(*reached);
    if (asked->isSeenOutside() && !run.unasked.empty()) {
      asked = &backwardFor(tangents, layouts, autocast, run.unasked);
    }
    const CompiledBackwardGraph& compiled = *asked;
    requiresGrad = !rootsWithGrad.empty() || compiled.readsGrad;
    std::vector<at::Tensor> taken;
    {
      const std::lock_guard<std::mutex> lock(savedMutex_);
      // What eager saved in between is not there to be missed.
      const bool saves = compiled.savesInEager || !compiled.checked.empty() || !compiled.saved.empty();
      TORCH_CHECK(!saves || !wasReleased(run), torch::autograd::ERR_BACKWARD_TWICE);
      lastRun_ = std::move(run);
      for (size_t position : compiled.checked) {
        saved_[position].unpack();
      }
      for (size_t position : compiled.saved) {
        taken.push_back(saved_[position].unpack());
      }
      std::transform(inputs_.begin(), inputs_.end(), std::back_inserter(taken), copyOfMemory);
    }
    for (size_t root : compiled.tangents) {
      taken.push_back(std::move(inputs[root]));
    }
    const std::vector<const c10::StorageImpl*> memoryOfTangents =
        compiled.heldGradients.empty() ? std::vector<const c10::StorageImpl*>() : realMemoriesOf(tangents);
    const std::vector<at::Tensor> memory = memoryOfWritten(compiled);
    taken.insert(taken.end(), memory.begin(), memory.end());
    if (compiled.takesToken) {
      taken.push_back(fake::makeToken());
    }
    if (compiled.writtenTangents.empty()) { // else they are needed behind it
      tangents.clear();
    }
    try {
      results = graph_->runsRecorded() ? runFromBeginning(compiled, std::move(taken), generators_)
                                       : compiled.run(std::move(taken));
    } catch (const std::exception&) { // before it is known what eager's has written
      if (!compiled.writtenTangents.empty() || !compiled.writtenInputs.empty()) {
        throw ir::Unsupported(kRaisesAfterWrites);
      }
      throw;
    }
    if (compiled.takesToken) {
      results.pop_back();
    }
    writeTangents(compiled, tangents, results);
    writeInputs(compiled, memory, results);
    std::vector<at::Tensor> held;
    gradients = gradientsOf(compiled, std::move(results), memoryOfTangents, &held);
    const std::lock_guard<std::mutex> lock(savedMutex_);
    held_ = std::move(held);
  }
  endUnreached(*reached);
  if (c10::GradMode::is_enabled() && requiresGrad) { // create_graph
    auto refusal = values::makeNode<torch::autograd::Error>(
        "torch.compile with aot_autograd does not currently support double backward",
        torch::autograd::edge_list(next_edges()));
    const std::vector<bool> requireGrad = graph_->requireGrad(node_, layouts, rootsWithGrad);
    for (size_t i = 0; i < gradients.size(); ++i) {
      at::Tensor& gradient = gradients[i];
      if (gradient.defined() && requireGrad[i]) {
        gradient = gradient.detach();
        torch::autograd::create_gradient_edge(gradient, refusal);
      }
    }
  }
  return gradients;
}

void CompiledBackward::compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const {
  if (isReleased_ || !released_.empty() || graph_->runsRecorded() || !inputs_.empty() || !written_.empty()) {
    throw ir::Unsupported(
        "a compiled backward that was released, runs the forward again, or writes to an input is not traced");
  }
  args.collect(graph_->family() == nullptr ? graph_->id() : graph_->family()->id);
  args.collect(static_cast<uint64_t>(node_));
  args.collect(symbols_);
  args.collect(saved_, /*is_output=*/false);
}

torch::autograd::variable_list CompiledBackward::apply_with_saved(const torch::autograd::variable_list& tangents,
                                                                  torch::dynamo::autograd::SwapSavedVariables& swap) {
  swap.before(symbols_);
  swap.before(saved_);
  const std::shared_ptr<const CompiledAotGraph> ofCall = graph_;
  const auto putBack = c10::make_scope_exit([&] {
    graph_ = ofCall;
    swap.after(saved_);
    swap.after(symbols_);
  });
  symbols::Assignment assignment;
  for (const c10::SymInt& symbol : symbols_) {
    assignment.push_back(symbol.guard_int(__FILE__, __LINE__));
  }
  if (assignment != ofCall->assignment()) { // it is traced for other sizes than those of the call
    graph_ = ofCall->family()->at(assignment);
  }
  return traceGraph(tangents);
}

/// The backward Graph for these tangents, recorded node by node by whoever traces.
torch::autograd::variable_list CompiledBackward::traceGraph(const torch::autograd::variable_list& tangents) const {
  const BackwardNodePlan& node = graph_->plan().nodes[node_];
  const size_t roots = graph_->plan().roots.size();
  TangentLayouts layouts(roots);
  std::vector<at::Tensor> inputs(roots);
  const AutocastRegions autocast = autocastOfThread();
  const at::AutoDispatchBelowAutograd below;
  const c10::impl::ExcludeDispatchKeyGuard uncast(c10::autocast_dispatch_keyset);
  for (size_t i = 0; i < tangents.size(); ++i) {
    if (tangents[i].defined()) {
      inputs[node.roots[i]] = plainTangent(tangents[i]);
      layouts[node.roots[i]] = runtime::metadataOf(inputs[node.roots[i]]);
    }
  }
  const bool isNothing =
      std::none_of(inputs.begin(), inputs.end(), [](const at::Tensor& input) { return input.defined(); });
  if (isNothing) {
    return torch::autograd::variable_list(num_outputs());
  }
  const CompiledBackwardGraph* compiled = nullptr;
  {
    const c10::impl::ExcludeDispatchKeyGuard unseen(c10::DispatchKey::Fake); // compiling is not part of the trace
    const c10::impl::LocalDispatchKeySet outer = c10::impl::tls_local_dispatch_key_set();
    compiled = &backwardFor(tangents, layouts, autocast);
    c10::impl::_force_tls_local_dispatch_key_set(outer);
  }
  if (!std::all_of(compiled->reached.begin(), compiled->reached.end(), [](bool reached) { return reached; })) {
    throw ir::Unsupported("a compiled backward that does not lead to all of its gradients is not traced");
  }
  if (compiled->hasEffects) {
    throw ir::Unsupported("an operator with an effect in a compiled backward is not traced");
  }
  std::vector<at::Tensor> taken;
  for (size_t position : compiled->saved) {
    taken.push_back(saved_[position].unpack());
  }
  for (size_t root : compiled->tangents) {
    taken.push_back(std::move(inputs[root]));
  }
  std::vector<at::Tensor> results = compiled->graph->runFlat(std::move(taken));
  writeTangents(*compiled, tangents, results);
  return gradientsOf(*compiled, std::move(results), realMemoriesOf(tangents), nullptr);
}

} // namespace touchstone::aot_autograd
