#include "backends/compiled_autograd/NodeKey.h"

#include "backends/compiled_autograd/BackwardState.h"
#include "program/evaluator/Hooks.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/functions/tensor.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <typeinfo>

namespace touchstone::compiled_autograd {

namespace {

using torch::autograd::AccumulateGrad;
using torch::dynamo::autograd::CacheKey;
using torch::dynamo::autograd::CompiledNodeArgs;

/// All the bytes of a node's key: CompiledNodeArgs::key() counts them in 16 bits. An explicit instantiation may name a private
/// member, and libtorch has no other way to it.
template <size_t CompiledNodeArgs::*Member>
struct BytesOfKey {
  friend size_t countBytes(const CompiledNodeArgs& args) { return args.*Member; }
};
size_t countBytes(const CompiledNodeArgs& args);
template struct BytesOfKey<&CompiledNodeArgs::_specialization_key_size>;

bool callsTensorHooks(torch::autograd::Node& node, bool isWhole) {
  if (!node.retains_grad_hooks().empty()) {
    return true;
  }
  const auto& hooks = node.tensor_pre_hooks();
  return std::any_of(hooks.begin(), hooks.end(), [&](const auto& hook) {
    return !isWhole || dynamic_cast<const evaluator::CompiledNodeHooks*>(hook.get()) ==
                           nullptr; // those ask where some nodes do not run
  });
}

bool carriesState(const auto& hook) {
  return dynamic_cast<const CarriesBackwardState*>(hook.get()) != nullptr;
}

} // namespace

bool hasWholeKey(const CompiledNodeArgs& args) {
  return countBytes(args) == args.key().key_size;
}

GradMemories::GradMemories(const BackwardTask& task) {
  for (const TaskNode& node : task.nodes) {
    if (const auto* accumulate = dynamic_cast<const AccumulateGrad*>(node.node.get())) {
      const at::Tensor& grad = accumulate->variable.defined() ? accumulate->variable.grad() : accumulate->variable;
      if (grad.defined() && grad.has_storage()) {
        ++counts_[grad.storage().unsafeGetStorageImpl()];
      }
    }
  }
}

bool GradMemories::isShared(const at::Tensor& grad) const {
  return grad.defined() && grad.has_storage() && counts_.at(grad.storage().unsafeGetStorageImpl()) > 1;
}

bool GradMemories::isRead(const std::vector<at::Tensor>& tensors) const {
  std::unordered_map<c10::StorageImpl*, int> readers;
  for (const at::Tensor& tensor : tensors) {
    ++readers[tensor.storage().unsafeGetStorageImpl()];
  }
  return std::any_of(counts_.begin(), counts_.end(), [&](const auto& memory) {
    const auto found = readers.find(memory.first);
    return memory.second == 1 && found != readers.end() && found->second > 1;
  });
}

std::set<const c10::StorageImpl*> GradMemories::all() const {
  std::set<const c10::StorageImpl*> memories;
  for (const auto& [memory, grads] : counts_) {
    memories.insert(memory);
  }
  return memories;
}

bool runsWholly(const BackwardTask& task) {
  return std::all_of(task.nodes.begin(), task.nodes.end(), [](const TaskNode& node) { return node.runs; });
}

void countHooks(torch::autograd::Node& node, bool isWhole, KeyedNode& keyed) {
  keyed.isHooked = callsTensorHooks(node, isWhole);
  keyed.tensorHooks = keyed.isHooked ? node.tensor_pre_hooks().size() + node.retains_grad_hooks().size() : 0;
  keyed.preHooks = node.pre_hooks().size();
  keyed.postHooks = node.post_hooks().size();
  const auto* accumulate = dynamic_cast<const AccumulateGrad*>(&node);
  keyed.isHookedAfterAccumulation =
      accumulate != nullptr && accumulate->variable.defined() && accumulate->tensor_post_acc_grad_hooks() != nullptr;
  const auto addEach = [&](const auto& hooks) {
    for (const auto& hook : hooks) {
      keyed.carriesState.push_back(carriesState(hook));
    }
  };
  if (keyed.isHooked) {
    addEach(node.tensor_pre_hooks());
    for (const auto& [index, hook] : node.retains_grad_hooks()) {
      keyed.carriesState.push_back(carriesState(hook));
    }
  }
  addEach(node.pre_hooks());
  if (keyed.isHookedAfterAccumulation) {
    keyed.carriesState.push_back(carriesState(accumulate->tensor_post_acc_grad_hooks()));
  }
  addEach(node.post_hooks());
}

bool mustRunEagerly(torch::autograd::Node& node, const GradMemories& memories) {
  const auto* accumulate = dynamic_cast<const AccumulateGrad*>(&node);
  return accumulate != nullptr &&
         (!node.pre_hooks().empty() || !node.post_hooks().empty() || !accumulate->variable.defined() ||
          accumulate->variable.grad_fn() != nullptr || // a write has made it an inner node: the engine says so
          accumulate->variable.layout() != at::kStrided || memories.isShared(accumulate->variable.grad()));
}

void collectShape(CompiledNodeArgs& args, const TaskNode& taskNode, const KeyedNode& keyed) {
  args.cond(taskNode.runs);
  args.cond(keyed.runsEagerly);
  args.cond(keyed.isHooked);
  args.cond(keyed.isHookedAfterAccumulation);
  args.collect_size(keyed.tensorHooks);
  args.collect_size(keyed.preHooks);
  args.collect_size(keyed.postHooks);
  for (const bool carries : keyed.carriesState) {
    args.cond(carries);
  }
  args.collect_size(taskNode.wanted.size());
  for (const auto& [input, place] : taskNode.wanted) {
    args.collect_size(input);
    args.collect_size(place);
  }
  args.collect_size(taskNode.edges.size());
  for (const TaskEdge& edge : taskNode.edges) {
    args.collect_size(static_cast<size_t>(edge.node + 1));
    args.collect_size(edge.input);
  }
  for (const torch::autograd::Edge& edge : taskNode.node->next_edges()) {
    if (edge.is_valid()) { // what gradients are cast to
      const std::optional<at::ScalarType> dtype = edge.function->input_metadata(edge.input_nr).grad_dtype();
      args.cond(dtype.has_value());
      args.collect_size(dtype.has_value() ? static_cast<size_t>(*dtype) : 0);
    }
  }
}

void collectSaved(CompiledNodeArgs& args, torch::autograd::Node& node) {
  // Hooks after accumulation would be asked, too, and those of C++ cannot say.
  const auto* accumulate = dynamic_cast<const AccumulateGrad*>(&node);
  if (accumulate == nullptr) {
    node.compiled_args(args);
  } else if (args.cond(accumulate->variable.defined() && accumulate->variable.requires_grad())) {
    args.collect(accumulate->variable);
    args.collect(accumulate->variable.grad());
  }
  args.collect(node.next_edges());
}

void appendTo(std::string& bytes, const CompiledNodeArgs& args, const torch::autograd::Node& node) {
  const CacheKey part = args.key();
  const auto* write = dynamic_cast<const torch::autograd::CopySlices*>(&node);
  const torch::autograd::Node* inner = write == nullptr ? nullptr : write->fn.get();
  const auto type = reinterpret_cast<uintptr_t>(part.node_type.name());
  const auto innerType = inner == nullptr ? 0 : reinterpret_cast<uintptr_t>(typeid(*inner).name());
  const auto size = static_cast<uint32_t>(part.key_size);
  static_assert(kHeadSize == sizeof(type) + sizeof(innerType) + sizeof(size));
  char head[kHeadSize];
  std::memcpy(head, &type, sizeof(type));
  std::memcpy(head + sizeof(type), &innerType, sizeof(innerType));
  std::memcpy(head + sizeof(type) + sizeof(innerType), &size, sizeof(size));
  bytes.append(head, sizeof(head));
  bytes.append(reinterpret_cast<const char*>(part.key), part.key_size);
}

AccumulationState AccumulationState::of(const AccumulateGrad& node) {
  AccumulationState state;
  if (node.variable.defined()) {
    state.grad = node.variable.grad().defined() ? node.variable.grad().unsafeGetTensorImpl() : nullptr;
    state.dtype = node.variable.grad().defined() ? node.variable.grad().scalar_type() : at::ScalarType::Undefined;
    state.requiresGrad = node.variable.requires_grad();
  }
  return state;
}

} // namespace touchstone::compiled_autograd
