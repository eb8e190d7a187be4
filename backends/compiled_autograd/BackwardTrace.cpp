#include "backends/compiled_autograd/BackwardTrace.h"

#include "backends/compiled_autograd/NodeFunctions.h"
#include "backends/compiled_autograd/StretchTrace.h"
#include "backends/fake/LiftedSize.h"
#include "backends/fake/NodeCalls.h"
#include "backends/fake/Tracer.h"
#include "graph/ir/Unsupported.h"
#include "graph/symbols/SymbolicGraph.h"
#include "program/evaluator/Hooks.h"
#include "program/values/StorageCopy.h"

#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <map>

namespace touchstone::compiled_autograd {

namespace {

using torch::autograd::AccumulateGrad;
using torch::autograd::variable_list;
using torch::dynamo::autograd::SwapSavedVariables;
using torch::dynamo::autograd::TraceState;

/// Takes the fake tensors out of the key when a capture is over: it outlives the tracer.
class ProxyScope {
 public:
  explicit ProxyScope(BackwardKey& key) : key_(key) {}
  ~ProxyScope() {
    for (const at::Tensor& tensor : key_.tensors()) {
      if (tensor.defined()) {
        key_.lifted->tensor_args.lookup(tensor).proxy_tensor = at::Tensor();
      }
    }
  }
  ProxyScope(const ProxyScope&) = delete;
  ProxyScope& operator=(const ProxyScope&) = delete;

 private:
  BackwardKey& key_;
};

class CaptureAttempt {
 public:
  CaptureAttempt(const BackwardTask& task, BackwardKey& key, const WaitingGradients& waiting, const CaptureStart& start,
                 TraceLimits& limits)
      : task_(task),
        key_(key),
        real_(waiting),
        start_(start),
        eager_(limits.eager),
        withPlainSizes_(limits.withPlainSizes),
        tracer_(start.as == nullptr ? fake::Backing::kValues : fake::Backing::kMeta),
        proxies_(key),
        state_(std::vector<std::optional<c10::SymInt>>(key.lifted->all_size_inputs.size()), 0),
        calls_(task, key, tracer_) {
    tracer_.setBackward(true);
    for (size_t i = 0; i < key.scalars.size(); ++i) {
      key.lifted->lifted_ivalue_args.args[i].proxy = key.scalars[i]; // guarded
    }
  }

  std::optional<BackwardTrace> run() {
    const c10::AutoGradMode noGradients(false);
    makeInputs();
    if (start_.as != nullptr) {
      calls_.refuseGivenResults();
    }
    const fake::Tracer::Scope scope(tracer_);
    calls_.beginStretch(start_.begin, start_.areHooksCalled);
    for (size_t at = start_.begin; at < task_.nodes.size(); ++at) {
      if (!visit(at)) {
        return std::nullopt;
      }
    }
    calls_.endStretch(task_.nodes.size());
    BackwardTrace trace = calls_.take();
    for (const auto& [index, size] : lifted_) {
      if (size.node() >= 0) {
        trace.sizes.push_back({size.node(), index, size.value()});
      }
    }
    return trace;
  }

 private:
  bool isBegun(size_t at) const { return at == start_.begin && start_.areHooksCalled; }

  void makeInputs() {
    values::StorageCopies copies;
    WaitingGradients& gradients = calls_.gradients();
    for (size_t node = start_.begin; node < real_.size(); ++node) {
      gradients[node].resize(real_[node].size());
      for (size_t input = 0; input < real_[node].size(); ++input) {
        const at::Tensor& gradient = real_[node][input];
        if (gradient.defined()) {
          gradients[node][input] = placeholder(copies.copy(gradient), fmt::format("gradient_{}_{}", node, input),
                                               gradient, {.isGradient = true, .gradient = {node, input}});
        }
      }
    }
    const std::vector<at::Tensor>& tensors = key_.tensors();
    const std::vector<at::Tensor> others =
        start_.as == nullptr ? std::vector<at::Tensor>(tensors.size()) : tensorsWith(tensors, *start_.as);
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].defined()) { // nothing that is left reads the others
        at::Tensor fake = placeholder(others[i].defined() ? others[i] : copies.copy(tensors[i]),
                                      fmt::format("inputs_{}", i), tensors[i], {.tensor = i});
        key_.lifted->tensor_args.lookup(tensors[i]).proxy_tensor = std::move(fake);
      }
    }
  }

  at::Tensor placeholder(at::Tensor backing, const std::string& name, const at::Tensor& real,
                         const SegmentInput& input) {
    at::Tensor fake = tracer_.addInput(std::move(backing), name, real.device());
    calls_.addInput(fake::fakeOf(fake)->node(), input, real);
    return fake;
  }

  /// False: the node has failed half-way.
  bool visit(size_t at) {
    const TaskNode& node = task_.nodes[at];
    const KeyedNode& keyed = key_.nodes[at];
    tracer_.setBackwardNode(at);
    variable_list& gradients = calls_.gradients()[at];
    gradients.resize(node.node->num_inputs());
    const bool runsEagerly = node.runs && (keyed.runsEagerly || eager_.contains(at));
    const bool hasCalls = keyed.isHooked || (node.runs && (keyed.preHooks > 0 || runsEagerly));
    if (isBegun(at) && runsEagerly) {
      calls_.runEagerly(at);
      return true;
    }
    if (hasCalls && !isBegun(at)) {
      calls_.endStretch(at);
      calls_.callBefore(at);
      if (!node.runs || runsEagerly) {
        calls_.runEagerly(at);
        return true;
      }
      calls_.beginStretch(at, true);
    } else if (!isBegun(at)) {
      calls_.handOut(at, /*byGraph=*/true);
    }
    return !node.runs || trace(at);
  }

  bool trace(size_t at) {
    const size_t recorded = tracer_.graph().nodes().size();
    if (attempt(at)) {
      return true;
    }
    if (start_.as != nullptr) {
      throw symbols::NotSymbolic(fmt::format("{} (NodeCall {}): {}", task_.nodes[at].node->name(), at, whyNot_));
    }
    if (isBuiltIn(at) && endOfSizes(at) > key_.nodes[at].sizesBegin &&
        withPlainSizes_.insert(at).second) { // it may be lifted sizes that it cannot take
      return false;
    }
    eager_.insert(at);
    if (tracer_.graph().nodes().size() != recorded) {
      return false;
    }
    calls_.endStretch(at);
    calls_.runEagerly(at);
    return true;
  }

  bool attempt(size_t at) {
    try {
      torch::autograd::Node& node = *task_.nodes[at].node;
      auto* accumulate = dynamic_cast<AccumulateGrad*>(&node);
      if (accumulate == nullptr || traceAccumulation(at, *accumulate, calls_.gradients()[at].at(0))) {
        variable_list results;
        if (accumulate == nullptr) {
          results = call(at, calls_.gradients()[at]);
          check(at, results);
        }
        calls_.finish(at, std::move(results));
        return true;
      }
    } catch (const c10::Error& error) { // it raises, or not, when it runs by itself
      whyNot_ = error.what_without_backtrace();
    } catch (const std::exception& error) {
      whyNot_ = error.what();
    }
    return false;
  }

  /// The sizes of the edges are what a node lifts last.
  void check(size_t at, variable_list& results) {
    torch::autograd::Node& node = *task_.nodes[at].node;
    if (start_.as == nullptr) {
      fake::checkResults(node, results);
      return;
    }
    const auto& sizes = key_.lifted->all_size_inputs;
    size_t next = endOfSizes(at);
    std::vector<std::vector<int64_t>> shapes(node.num_outputs());
    for (size_t i = shapes.size(); i-- > 0;) {
      const torch::autograd::Edge& edge = node.next_edge(i);
      if (!edge.is_valid()) {
        continue;
      }
      const auto& shape = edge.function->input_metadata(edge.input_nr).shape_as_dim_vector();
      for (size_t d = shape.size(); d-- > 0;) {
        if (next-- == key_.nodes[at].sizesBegin || sizes[next].value != shape[d].guard_int(__FILE__, __LINE__)) {
          throw symbols::NotSymbolic("the sizes of its gradients are not lifted");
        }
        shapes[i].insert(shapes[i].begin(), start_.as->sizes[next]);
      }
    }
    fake::checkResults(node, results, shapes);
  }

  size_t endOfSizes(size_t at) const {
    return at + 1 < key_.nodes.size() ? key_.nodes[at + 1].sizesBegin : key_.lifted->all_size_inputs.size();
  }
  int64_t sizeOf(size_t index) const {
    return start_.as == nullptr ? key_.lifted->all_size_inputs[index].value : start_.as->sizes[index];
  }

  /// Its formula is libtorch's. A function of a Program may throw where it keeps what has taken the place of its sizes.
  bool isBuiltIn(size_t at) const {
    return dynamic_cast<torch::autograd::TraceableFunction*>(task_.nodes[at].node.get()) != nullptr;
  }

  /// The sizes of a node as what its operators read.
  void liftSizes(size_t at) {
    for (size_t i = key_.nodes[at].sizesBegin; i < endOfSizes(at); ++i) {
      if (isBuiltIn(at) && !withPlainSizes_.contains(at)) {
        state_.sym_sizes[i] = lifted_.try_emplace(i, i, sizeOf(i)).first->second.asSymInt();
      } else if (start_.as != nullptr) {
        state_.sym_sizes[i] = c10::SymInt(sizeOf(i));
      } else {
        state_.sym_sizes[i] = std::nullopt;
      }
    }
  }

  variable_list call(size_t at, const variable_list& gradients) {
    const values::NodePtr& node = task_.nodes[at].node;
    liftSizes(at);
    state_.sym_sizes_index = key_.nodes[at].sizesBegin;
    key_.lifted->lifted_ivalue_args.next = key_.nodes[at].scalarsBegin;
    NodeFunctions functions;
    SwapSavedVariables saved(*key_.lifted, state_, functions.handle(), key_.lifted->node_calls.lookup(node));
    variable_list results = node->apply_with_saved(gradients, saved);
    functions.rethrow();
    refuseConstants(at);
    return results;
  }

  /// A tensor that is neither lifted nor a number would be the first call's for ever. AOT autograd's Graphs have constants of their own.
  void refuseConstants(size_t at) {
    const ir::Graph& traced = tracer_.graph();
    for (; looked_ < traced.nodes().size(); ++looked_) {
      const ir::Node& node = traced.nodes()[looked_];
      if (node.kind == ir::NodeKind::kConstant &&
          dynamic_cast<evaluator::CompiledNode*>(task_.nodes[at].node.get()) == nullptr &&
          !runtime::constantOf(traced, node).unsafeGetTensorImpl()->is_wrapped_number()) {
        throw ir::Unsupported("a node reads a tensor that it does not say to have saved");
      }
    }
  }

  /// AccumulateGrad::apply on fake tensors (torch/csrc/autograd/functions/accumulate_grad.h decides what becomes of the
  /// gradient). One that others may hold is left to the engine's code: how many there are is known only when it runs.
  bool traceAccumulation(size_t at, AccumulateGrad& node, at::Tensor& waiting) {
    if (!waiting.defined() || !node.variable.requires_grad()) {
      return true;
    }
    if (calls_.isGiven(waiting) || waiting.layout() != at::kStrided) {
      return false;
    }
    at::Tensor gradient = std::move(waiting);
    const at::Tensor variable = key_.lifted->tensor_args.lookup(node.variable).proxy_tensor;
    at::Tensor present = node.variable.grad();
    if (present.defined()) {
      present = key_.lifted->tensor_args.lookup(present).proxy_tensor;
    }
    at::Tensor result;
    AccumulateGrad::accumulateGrad(variable, present, gradient, 1, [&](at::Tensor&& update) { result = update; });
    if (result.defined()) {
      calls_.addEffect({.kind = SegmentOutput::Kind::kNewGrad, .gradient = {at, 0}}, result);
    }
    return true;
  }

  const BackwardTask& task_;
  BackwardKey& key_;
  const WaitingGradients& real_;
  const CaptureStart& start_;
  std::set<size_t>& eager_;
  std::set<size_t>& withPlainSizes_;
  fake::Tracer tracer_;
  ProxyScope proxies_;
  TraceState state_;
  std::map<size_t, fake::LiftedSize> lifted_; // by index
  StretchTrace calls_;
  std::string whyNot_; // a node was not traced
  size_t looked_ = 0; // nodes of the trace whose constants are known
};

} // namespace

std::optional<BackwardTrace> traceBackward(const BackwardTask& task, BackwardKey& key, const WaitingGradients& waiting,
                                           const CaptureStart& start, TraceLimits& limits) {
  return CaptureAttempt(task, key, waiting, start, limits).run();
}

} // namespace touchstone::compiled_autograd
