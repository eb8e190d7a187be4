#include "backends/compiled_autograd/BackwardKey.h"

#include "backends/compiled_autograd/NodeKey.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/Context.h>
#include <c10/core/AutogradState.h>
#include <c10/core/DefaultDtype.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace touchstone::compiled_autograd {

namespace {

using torch::autograd::AccumulateGrad;
using torch::dynamo::autograd::AutogradCompilerCall;
using torch::dynamo::autograd::CompiledNodeArgs;
using torch::dynamo::autograd::SizeInput;

class KeyMaker {
 public:
  explicit KeyMaker(const BackwardTask& task) : task_(task), memories_(task), isWhole_(runsWholly(task)) {
    key_.lifted = std::make_unique<AutogradCompilerCall>(SizeInput::STATIC);
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
    key_.gradMemories = memories_.all();
    const auto& tensors = key_.tensors();
    key_.isTraceable =
        !isTooLong_ && std::all_of(tensors.begin(), tensors.end(), canBeTraced) && !memories_.isRead(tensors);
    return std::move(key_);
  }

 private:
  void add(const TaskNode& taskNode) {
    torch::autograd::Node& node = *taskNode.node;
    KeyedNode keyed;
    countHooks(node, isWhole_, keyed);
    keyed.runsEagerly = taskNode.runs && mustRunEagerly(node, memories_);
    keyed.sizesBegin = key_.lifted->all_size_inputs.size();
    keyed.scalarsBegin = key_.lifted->lifted_ivalue_args.args.size();
    keyed.keyBegin = key_.bytes.size();
    auto& call = key_.lifted->node_calls.lookup(taskNode.node);
    if (taskNode.runs && !keyed.runsEagerly) {
      try {
        CompiledNodeArgs args(*key_.lifted, call);
        collectShape(args, taskNode, keyed);
        collectSaved(args, node);
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
      collectShape(args, taskNode, keyed);
      append(args, node);
    }
    if (const auto* accumulate = dynamic_cast<const AccumulateGrad*>(&node)) {
      keyed.accumulates = AccumulationState::of(*accumulate);
    }
    key_.nodes.push_back(keyed);
  }

  void append(const CompiledNodeArgs& args, const torch::autograd::Node& node) {
    isTooLong_ = isTooLong_ || !hasWholeKey(args);
    appendTo(key_.bytes, args, node);
  }

  const BackwardTask& task_;
  BackwardKey key_;
  const GradMemories memories_;
  const bool isWhole_;
  bool isTooLong_ = false; // a part of the key was cut off: backwards that are not the same would meet
};

} // namespace

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

} // namespace touchstone::compiled_autograd
