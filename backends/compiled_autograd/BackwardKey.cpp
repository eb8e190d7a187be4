#include "backends/compiled_autograd/BackwardKey.h"

#include "graph/runtime/Interpreter.h"
#include "program/evaluator/Hooks.h"

#include <ATen/Context.h>
#include <c10/core/AutogradState.h>
#include <c10/core/DefaultDtype.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/functions/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <typeinfo>
#include <unordered_map>
#include <vector>

namespace touchstone::compiled_autograd {

namespace {

using torch::autograd::AccumulateGrad;
using torch::dynamo::autograd::AutogradCompilerCall;
using torch::dynamo::autograd::CacheKey;
using torch::dynamo::autograd::CompiledNodeArgs;
using torch::dynamo::autograd::SizeInput;

constexpr size_t kHeadSize = 2 * sizeof(uintptr_t) + sizeof(uint32_t); // in the key, before each node's part

/// All the bytes of a node's key: CompiledNodeArgs::key() counts them in 16 bits. An explicit instantiation may name a private
/// member, and libtorch has no other way to it.
template <size_t CompiledNodeArgs::*Member>
struct BytesOfKey {
  friend size_t countBytes(const CompiledNodeArgs& args) { return args.*Member; }
};
size_t countBytes(const CompiledNodeArgs& args);
template struct BytesOfKey<&CompiledNodeArgs::_specialization_key_size>;

bool hasWholeKey(const CompiledNodeArgs& args) {
  return countBytes(args) == args.key().key_size;
}

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

class KeyMaker {
 public:
  explicit KeyMaker(const BackwardTask& task) : task_(task) {
    key_.lifted = std::make_unique<AutogradCompilerCall>(SizeInput::STATIC);
    for (const TaskNode& node : task.nodes) {
      isWhole_ = isWhole_ && node.runs;
      countGradOf(node);
    }
  }

  BackwardKey make() {
    const std::string autocast = runtime::currentCallState().autocast;
    key_.bytes = fmt::format("{}{}{}{}{}", autocast, task_.keepGraph, at::globalContext().deterministicAlgorithms(),
                             c10::AutogradState::get_tls_state().get_grad_layout_enforcement_enabled(),
                             c10::toString(at::get_default_dtype_as_scalartype()));
    key_.nodes.reserve(task_.nodes.size());
    for (const TaskNode& node : task_.nodes) {
      add(node);
    }
    for (const auto& scalar : key_.lifted->lifted_ivalue_args.args) {
      key_.scalars.push_back(*scalar.actual_ptr);
    }
    for (const auto& [memory, grads] : memories_) {
      key_.gradMemories.insert(memory);
    }
    const auto& tensors = key_.tensors();
    key_.isTraceable = !isTooLong_ && std::all_of(tensors.begin(), tensors.end(), canBeTraced) && !readsMemoryOfGrad();
    return std::move(key_);
  }

  std::vector<size_t> lastNodesOfTensors(const BackwardKey& key) const {
    std::map<TensorPlaces::Place, size_t> last;
    for (size_t at = 0; at < task_.nodes.size(); ++at) {
      if (!task_.nodes[at].runs || key.nodes[at].runsEagerly) {
        continue;
      }
      AutogradCompilerCall again(SizeInput::STATIC);
      try {
        CompiledNodeArgs args(again, again.node_calls.lookup(task_.nodes[at].node));
        collect(args, *task_.nodes[at].node);
      } catch (const std::exception&) { // it was released since: it has run
      }
      for (const at::Tensor& tensor : again.tensor_args.inputs) {
        if (tensor.has_storage()) {
          last[TensorPlaces::placeOf(tensor)] = at;
        }
      }
    }
    std::vector<size_t> nodes;
    for (const at::Tensor& tensor : key.tensors()) {
      const auto found = tensor.defined() ? last.find(TensorPlaces::placeOf(tensor)) : last.end();
      nodes.push_back(found == last.end() ? task_.nodes.size() - 1 : found->second);
    }
    return nodes;
  }

  bool isUnchanged(const BackwardKey& key, size_t begin, size_t end) const {
    for (size_t at = begin; at < end; ++at) {
      if (!isUnchangedNode(key, at)) {
        return false;
      }
    }
    return true;
  }

 private:
  /// Memory of `.grad`s, to see which of them lie in one memory.
  void countGradOf(const TaskNode& node) {
    if (const auto* accumulate = dynamic_cast<const AccumulateGrad*>(node.node.get())) {
      const at::Tensor& grad = accumulate->variable.defined() ? accumulate->variable.grad() : accumulate->variable;
      if (grad.defined() && grad.has_storage()) {
        ++memories_[grad.storage().unsafeGetStorageImpl()];
      }
    }
  }

  /// Another `.grad` lies in its memory.
  bool isShared(const at::Tensor& grad) const {
    return grad.defined() && grad.has_storage() && memories_.at(grad.storage().unsafeGetStorageImpl()) > 1;
  }

  /// A tensor that some node reads lies in the memory of a `.grad` that is written to.
  bool readsMemoryOfGrad() const {
    std::unordered_map<c10::StorageImpl*, int> tensors;
    for (const at::Tensor& tensor : key_.tensors()) {
      ++tensors[tensor.storage().unsafeGetStorageImpl()];
    }
    return std::any_of(memories_.begin(), memories_.end(), [&](const auto& memory) {
      const auto found = tensors.find(memory.first);
      return memory.second == 1 && found != tensors.end() && found->second > 1;
    });
  }

  /// Runs as the engine runs it: accumulation between hooks of its own, which may hold the gradient, and where the `.grad` that
  /// is written to lies in memory of another.
  bool mustRunEagerly(torch::autograd::Node& node) const {
    const auto* accumulate = dynamic_cast<const AccumulateGrad*>(&node);
    return accumulate != nullptr &&
           (!node.pre_hooks().empty() || !node.post_hooks().empty() || !accumulate->variable.defined() ||
            accumulate->variable.grad_fn() != nullptr || // a write has made it an inner node: the engine says so
            accumulate->variable.layout() != at::kStrided || isShared(accumulate->variable.grad()));
  }

  void add(const TaskNode& taskNode) {
    torch::autograd::Node& node = *taskNode.node;
    KeyedNode keyed;
    countHooks(node, keyed);
    keyed.runsEagerly = taskNode.runs && mustRunEagerly(node);
    keyed.sizesBegin = key_.lifted->all_size_inputs.size();
    keyed.scalarsBegin = key_.lifted->lifted_ivalue_args.args.size();
    keyed.keyBegin = key_.bytes.size();
    auto& call = key_.lifted->node_calls.lookup(taskNode.node);
    if (taskNode.runs && !keyed.runsEagerly) {
      try {
        CompiledNodeArgs args(*key_.lifted, call);
        addShape(args, taskNode, keyed);
        collect(args, node);
        keyed.runsEagerly = !hasWholeKey(args);
        if (!keyed.runsEagerly) {
          append(args, node);
        }
      } catch (const std::exception&) {
        keyed.runsEagerly = true;
      }
    }
    if (!taskNode.runs || keyed.runsEagerly) {
      CompiledNodeArgs args(*key_.lifted, call);
      addShape(args, taskNode, keyed);
      append(args, node);
    }
    if (const auto* accumulate = dynamic_cast<const AccumulateGrad*>(&node)) {
      keyed.accumulates = AccumulationState::of(*accumulate);
    }
    key_.nodes.push_back(keyed);
  }

  void countHooks(torch::autograd::Node& node, KeyedNode& keyed) const {
    keyed.isHooked = callsTensorHooks(node, isWhole_);
    keyed.tensorHooks = keyed.isHooked ? node.tensor_pre_hooks().size() + node.retains_grad_hooks().size() : 0;
    keyed.preHooks = node.pre_hooks().size();
    keyed.postHooks = node.post_hooks().size();
    const auto* accumulate = dynamic_cast<const AccumulateGrad*>(&node);
    keyed.isHookedAfterAccumulation =
        accumulate != nullptr && accumulate->variable.defined() && accumulate->tensor_post_acc_grad_hooks() != nullptr;
  }

  static bool hasSameHooks(const KeyedNode& left, const KeyedNode& right) {
    return left.isHooked == right.isHooked && left.tensorHooks == right.tensorHooks &&
           left.preHooks == right.preHooks && left.postHooks == right.postHooks &&
           left.isHookedAfterAccumulation == right.isHookedAfterAccumulation;
  }

  /// What the node has saved. Hooks after accumulation would be asked, too, and those of C++ cannot say.
  static void collect(CompiledNodeArgs& args, torch::autograd::Node& node) {
    const auto* accumulate = dynamic_cast<const AccumulateGrad*>(&node);
    if (accumulate == nullptr) {
      node.compiled_args(args);
    } else if (args.cond(accumulate->variable.defined() && accumulate->variable.requires_grad())) {
      args.collect(accumulate->variable);
      args.collect(accumulate->variable.grad());
    }
    args.collect(node.next_edges());
  }

  bool isUnchangedNode(const BackwardKey& key, size_t at) const {
    const TaskNode& taskNode = task_.nodes[at];
    const KeyedNode& keyed = key.nodes[at];
    KeyedNode now;
    countHooks(*taskNode.node, now);
    if (!hasSameHooks(now, keyed)) {
      return false;
    }
    if (!taskNode.runs || keyed.runsEagerly) {
      return true;
    }
    if (mustRunEagerly(*taskNode.node)) {
      return false;
    }
    const auto* accumulate = dynamic_cast<const AccumulateGrad*>(taskNode.node.get());
    if (accumulate != nullptr && !(AccumulationState::of(*accumulate) == keyed.accumulates)) {
      return false;
    }
    AutogradCompilerCall again(SizeInput::STATIC);
    CompiledNodeArgs args(again, again.node_calls.lookup(taskNode.node));
    try {
      addShape(args, taskNode, keyed);
      collect(args, *taskNode.node);
    } catch (const std::exception&) {
      return false; // released, or written to
    }
    if (!hasWholeKey(args)) {
      return false;
    }
    const size_t end = at + 1 < key.nodes.size() ? key.nodes[at + 1].keyBegin : key.bytes.size();
    return keyed.keyBegin + kHeadSize + args.key().key_size == end && hasSizes(key, keyed.sizesBegin, again) &&
           hasScalars(key, keyed.scalarsBegin, again) &&
           std::all_of(again.tensor_args.inputs.begin(), again.tensor_args.inputs.end(), [&](const at::Tensor& tensor) {
             return tensor.layout() == at::kStrided && tensor.has_storage() &&
                    key.places().places.contains(TensorPlaces::placeOf(tensor));
           });
  }

  static bool hasSizes(const BackwardKey& key, size_t begin, const AutogradCompilerCall& again) {
    const auto& sizes = key.lifted->all_size_inputs;
    const auto& now = again.all_size_inputs;
    return std::equal(now.begin(), now.end(), sizes.begin() + static_cast<std::ptrdiff_t>(begin),
                      [](const auto& left, const auto& right) { return left.value == right.value; });
  }

  /// The same places in the nodes, too: the trace puts its own there.
  static bool hasScalars(const BackwardKey& key, size_t begin, const AutogradCompilerCall& again) {
    const auto& known = key.lifted->lifted_ivalue_args.args;
    const auto& now = again.lifted_ivalue_args.args;
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i].actual_ptr != known.at(begin + i).actual_ptr ||
          !isSameScalar(*now[i].actual_ptr, key.scalars[begin + i])) {
        return false;
      }
    }
    return true;
  }

  static void addShape(CompiledNodeArgs& args, const TaskNode& taskNode, const KeyedNode& keyed) {
    args.cond(taskNode.runs);
    args.cond(keyed.runsEagerly);
    args.cond(keyed.isHooked);
    args.cond(keyed.isHookedAfterAccumulation);
    args.collect_size(keyed.tensorHooks);
    args.collect_size(keyed.preHooks);
    args.collect_size(keyed.postHooks);
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

  /// Types are told apart by where their names lie: functions of several sources may have the same name. What a write to a view
  /// runs is not in libtorch's part.
  void append(const CompiledNodeArgs& args, const torch::autograd::Node& node) {
    isTooLong_ = isTooLong_ || !hasWholeKey(args);
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
    key_.bytes.append(head, sizeof(head));
    key_.bytes.append(reinterpret_cast<const char*>(part.key), part.key_size);
  }

  const BackwardTask& task_;
  BackwardKey key_;
  bool isWhole_ = true; // every node runs
  bool isTooLong_ = false; // a part of the key was cut off: backwards that are not the same would meet
  std::unordered_map<c10::StorageImpl*, int> memories_;
};

} // namespace

AccumulationState AccumulationState::of(const AccumulateGrad& node) {
  AccumulationState state;
  if (node.variable.defined()) {
    state.grad = node.variable.grad().defined() ? node.variable.grad().unsafeGetTensorImpl() : nullptr;
    state.dtype = node.variable.grad().defined() ? node.variable.grad().scalar_type() : at::ScalarType::Undefined;
    state.requiresGrad = node.variable.requires_grad();
  }
  return state;
}

TensorPlaces::Place TensorPlaces::placeOf(const at::Tensor& tensor) {
  return {tensor.storage().unsafeGetStorageImpl(), tensor.storage_offset(), tensor.sizes().vec(),
          tensor.strides().vec()};
}

void TensorPlaces::insert(const at::Tensor& tensor) {
  places.insert(placeOf(tensor));
  kept.push_back(tensor.storage().getWeakStorageImpl());
}

const TensorPlaces& BackwardKey::places() const {
  if (!notedPlaces) {
    notedPlaces.emplace();
    for (const at::Tensor& tensor : tensors()) {
      notedPlaces->insert(tensor);
    }
  }
  return *notedPlaces;
}

bool canBeTraced(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && !tensor.is_mkldnn() && tensor.has_storage() && !tensor.is_nested() &&
         !tensor._is_zerotensor() && !tensor.is_meta();
}

bool isSameScalar(const c10::IValue& left, const c10::IValue& right) {
  if (left.isDouble() && right.isDouble()) {
    const double a = left.toDouble(), b = right.toDouble();
    return std::memcmp(&a, &b, sizeof(a)) == 0;
  }
  return left.isInt() && right.isInt() && left.toInt() == right.toInt();
}

BackwardKey keyOf(const BackwardTask& task) {
  return KeyMaker(task).make();
}

std::vector<size_t> lastNodesOfTensors(const BackwardTask& task, const BackwardKey& key) {
  return KeyMaker(task).lastNodesOfTensors(key);
}

bool isUnchanged(const BackwardTask& task, const BackwardKey& key, size_t begin, size_t end) {
  return KeyMaker(task).isUnchanged(key, begin, end);
}

std::string reasonOfMiss(const BackwardTask& task, const BackwardKey& key, const std::string& nearest,
                         const std::vector<size_t>& nearestNodes) {
  if (nearest.empty()) {
    return "nothing is compiled yet";
  }
  for (size_t i = 0; i < key.nodes.size(); ++i) {
    const size_t begin = key.nodes[i].keyBegin;
    const size_t end = i + 1 < key.nodes.size() ? key.nodes[i + 1].keyBegin : key.bytes.size();
    const std::string name = fmt::format("{} (NodeCall {})", task.nodes[i].node->name(), i);
    if (i >= nearestNodes.size() || nearestNodes[i] != begin) {
      return fmt::format("{} has no counterpart in what is compiled", name);
    }
    if (nearest.compare(begin, end - begin, key.bytes, begin, end - begin) != 0) {
      return fmt::format(
          "{} is another kind of node, or has other edges, hooks, dtypes or constants, or `.grad` is there "
          "or not, than in what is compiled",
          name);
    }
  }
  return "what is compiled has more nodes";
}

} // namespace touchstone::compiled_autograd
