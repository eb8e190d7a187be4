#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/NodeKey.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <map>
#include <vector>

// What of a key still holds while its backward runs.

namespace touchstone::compiled_autograd {

namespace {

using torch::autograd::AccumulateGrad;
using torch::dynamo::autograd::AutogradCompilerCall;
using torch::dynamo::autograd::CompiledNodeArgs;
using torch::dynamo::autograd::SizeInput;

class KeyCheck {
 public:
  KeyCheck(const BackwardTask& task, const BackwardKey& key)
      : task_(task), key_(key), memories_(task), isWhole_(runsWholly(task)) {}

  bool isUnchanged(size_t at) const {
    const TaskNode& taskNode = task_.nodes[at];
    const KeyedNode& keyed = key_.nodes[at];
    KeyedNode now;
    countHooks(*taskNode.node, isWhole_, now);
    if (!hasSameHooks(now, keyed)) {
      return false;
    }
    if (!taskNode.runs || keyed.runsEagerly) {
      return true;
    }
    if (mustRunEagerly(*taskNode.node, memories_)) {
      return false;
    }
    const auto* accumulate = dynamic_cast<const AccumulateGrad*>(taskNode.node.get());
    if (accumulate != nullptr && !(AccumulationState::of(*accumulate) == keyed.accumulates)) {
      return false;
    }
    AutogradCompilerCall again(SizeInput::STATIC);
    CompiledNodeArgs args(again, again.node_calls.lookup(taskNode.node));
    try {
      collectShape(args, taskNode, keyed);
      collectSaved(args, *taskNode.node);
    } catch (const std::exception&) {
      return false; // released, or written to
    }
    if (!hasWholeKey(args)) {
      return false;
    }
    const size_t end = at + 1 < key_.nodes.size() ? key_.nodes[at + 1].keyBegin : key_.bytes.size();
    return keyed.keyBegin + kHeadSize + args.key().key_size == end && hasSizes(keyed.sizesBegin, again) &&
           hasScalars(keyed.scalarsBegin, again) &&
           std::all_of(again.tensor_args.inputs.begin(), again.tensor_args.inputs.end(), [&](const at::Tensor& tensor) {
             return tensor.layout() == at::kStrided && tensor.has_storage() &&
                    key_.places().places.contains(TensorPlaces::placeOf(tensor));
           });
  }

 private:
  static bool hasSameHooks(const KeyedNode& left, const KeyedNode& right) {
    return left.isHooked == right.isHooked && left.tensorHooks == right.tensorHooks &&
           left.preHooks == right.preHooks && left.postHooks == right.postHooks &&
           left.isHookedAfterAccumulation == right.isHookedAfterAccumulation && left.carriesState == right.carriesState;
  }

  bool hasSizes(size_t begin, const AutogradCompilerCall& again) const {
    const auto& sizes = key_.lifted->all_size_inputs;
    const auto& now = again.all_size_inputs;
    return std::equal(now.begin(), now.end(), sizes.begin() + static_cast<std::ptrdiff_t>(begin),
                      [](const auto& left, const auto& right) { return left.value == right.value; });
  }

  /// The same places in the nodes, too: the trace puts its own there.
  bool hasScalars(size_t begin, const AutogradCompilerCall& again) const {
    const auto& known = key_.lifted->lifted_ivalue_args.args;
    const auto& now = again.lifted_ivalue_args.args;
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i].actual_ptr != known.at(begin + i).actual_ptr ||
          !isSameScalar(*now[i].actual_ptr, key_.scalars[begin + i])) {
        return false;
      }
    }
    return true;
  }

  const BackwardTask& task_;
  const BackwardKey& key_;
  const GradMemories memories_;
  const bool isWhole_;
};

} // namespace

bool isUnchanged(const BackwardTask& task, const BackwardKey& key, size_t begin, size_t end) {
  const KeyCheck check(task, key);
  for (size_t at = begin; at < end; ++at) {
    if (!check.isUnchanged(at)) {
      return false;
    }
  }
  return true;
}

std::vector<size_t> lastNodesOfTensors(const BackwardTask& task, const BackwardKey& key) {
  std::map<TensorPlaces::Place, size_t> last;
  for (size_t at = 0; at < task.nodes.size(); ++at) {
    if (!task.nodes[at].runs || key.nodes[at].runsEagerly) {
      continue;
    }
    AutogradCompilerCall again(SizeInput::STATIC);
    try {
      CompiledNodeArgs args(again, again.node_calls.lookup(task.nodes[at].node));
      collectSaved(args, *task.nodes[at].node);
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
    nodes.push_back(found == last.end() ? task.nodes.size() - 1 : found->second);
  }
  return nodes;
}

} // namespace touchstone::compiled_autograd
