#include "backends/compiled_autograd/SegmentCapture.h"

#include "backends/compiled_autograd/NodeFunctions.h"
#include "backends/fake/NodeCalls.h"
#include "backends/fake/Tracer.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"
#include "graph/ir/Unsupported.h"
#include "program/evaluator/Hooks.h"
#include "program/values/GeneratorState.h"
#include "program/values/StorageCopy.h"

#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>

namespace touchstone::compiled_autograd {

namespace {

using ir::NodeId;
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
      key_.lifted->tensor_args.lookup(tensor).proxy_tensor = at::Tensor();
    }
  }
  ProxyScope(const ProxyScope&) = delete;
  ProxyScope& operator=(const ProxyScope&) = delete;

 private:
  BackwardKey& key_;
};

/// One attempt to trace [begin, limit).
class CaptureAttempt {
 public:
  CaptureAttempt(const BackwardTask& task, BackwardKey& key, const WaitingGradients& waiting, const CaptureStart& start,
                 size_t limit)
      : task_(task),
        key_(key),
        real_(waiting),
        start_(start),
        limit_(limit),
        proxies_(key),
        state_(std::vector<std::optional<c10::SymInt>>(key.lifted->all_size_inputs.size()), 0) {
    tracer_.setBackward(true);
    for (size_t i = 0; i < key.scalars.size(); ++i) {
      key.lifted->lifted_ivalue_args.args[i].proxy = key.scalars[i]; // guarded
    }
  }

  /// The node that the trace stopped before; the limit when none did.
  size_t run() {
    const c10::AutoGradMode noGradients(false);
    makeInputs();
    const fake::Tracer::Scope scope(tracer_);
    size_t at = start_.begin;
    for (; at < limit_ && isTraced(at) && trace(at); ++at) {
    }
    end_ = at;
    if (at == limit_) {
      finish();
    }
    return at;
  }

  Segment take() { return std::move(segment_); }

 private:
  bool isTraced(size_t at) const {
    const bool isHooked = key_.nodes[at].isHooked && !(at == start_.begin && start_.areHooksCalled);
    return !key_.nodes[at].runsEagerly && !isHooked && !start_.eager->contains(at);
  }

  void makeInputs() {
    values::StorageCopies copies;
    gradients_.resize(task_.nodes.size());
    segment_.begin = start_.begin;
    for (size_t node = start_.begin; node < real_.size(); ++node) {
      gradients_[node].resize(real_[node].size());
      for (size_t input = 0; input < real_[node].size(); ++input) {
        const at::Tensor& gradient = real_[node][input];
        segment_.waiting.push_back({{node, input}, TensorState::of(gradient)});
        if (gradient.defined()) {
          gradients_[node][input] =
              placeholder(copies.copy(gradient), fmt::format("gradient_{}_{}", node, input), gradient.device());
          inputs_.push_back({.isGradient = true, .gradient = {node, input}});
          given_.push_back(gradients_[node][input].unsafeGetTensorImpl());
        }
      }
    }
    const std::vector<at::Tensor>& tensors = key_.tensors();
    for (size_t i = 0; i < tensors.size(); ++i) {
      at::Tensor fake = placeholder(copies.copy(tensors[i]), fmt::format("saved_{}", i), tensors[i].device());
      inputs_.push_back({.tensor = i});
      key_.lifted->tensor_args.lookup(tensors[i]).proxy_tensor = std::move(fake);
    }
  }

  at::Tensor placeholder(at::Tensor backing, const std::string& name, c10::Device device) {
    at::Tensor fake = tracer_.addInput(std::move(backing), name, device);
    placeholders_.push_back(fake::fakeOf(fake)->node());
    return fake;
  }

  /// False: the node cannot be traced.
  bool trace(size_t at) {
    const TaskNode& node = task_.nodes[at];
    tracer_.setBackwardNode(at);
    variable_list gradients = std::move(gradients_[at]);
    gradients.resize(node.node->num_inputs());
    if (!(at == start_.begin && start_.areHooksCalled)) {
      for (const auto& [input, place] : node.wanted) {
        if (gradients.at(input).defined()) {
          outputs_.push_back({{.kind = SegmentOutput::Kind::kWanted, .place = place}, gradients[input]});
        }
      }
    }
    if (!node.runs) {
      return true;
    }
    try {
      if (auto* accumulate = dynamic_cast<AccumulateGrad*>(node.node.get())) {
        return traceAccumulation(at, *accumulate, std::move(gradients.at(0)));
      }
      variable_list results = call(at, gradients);
      fake::checkResults(*node.node, results);
      gradients.clear();
      hand(node, std::move(results));
      return true;
    } catch (const std::exception&) {
      return false; // it raises, or not, when it runs by itself
    }
  }

  variable_list call(size_t at, const variable_list& gradients) {
    const values::NodePtr& node = task_.nodes[at].node;
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

  void hand(const TaskNode& node, variable_list results) {
    for (size_t i = 0; i < std::min(results.size(), node.edges.size()); ++i) {
      const TaskEdge& edge = node.edges[i];
      if (edge.node >= 0) {
        auto& waiting = gradients_[static_cast<size_t>(edge.node)];
        waiting.resize(std::max<size_t>(waiting.size(), edge.input + 1));
        fake::addGradient(waiting[edge.input], std::move(results[i]),
                          [this](const at::Tensor& sum) { return !isGiven(sum) && fake::Tracer::isHeldAlone(sum); });
      }
    }
  }

  bool isGiven(const at::Tensor& fake) const {
    return std::find(given_.begin(), given_.end(), fake.unsafeGetTensorImpl()) != given_.end();
  }

  /// AccumulateGrad::apply on fake tensors (torch/csrc/autograd/functions/accumulate_grad.h decides what becomes of the
  /// gradient). One that came from outside may be held by others: how many there are is known only when it runs.
  bool traceAccumulation(size_t at, AccumulateGrad& node, at::Tensor gradient) {
    if (!gradient.defined() || !node.variable.requires_grad()) {
      return true;
    }
    if (isGiven(gradient) || gradient.layout() != at::kStrided) {
      return false;
    }
    const at::Tensor variable = key_.lifted->tensor_args.lookup(node.variable).proxy_tensor;
    at::Tensor present = node.variable.grad();
    if (present.defined()) {
      present = key_.lifted->tensor_args.lookup(present).proxy_tensor;
    }
    at::Tensor result;
    AccumulateGrad::accumulateGrad(variable, present, gradient, 1, [&](at::Tensor&& update) { result = update; });
    if (result.defined()) {
      outputs_.push_back({{.kind = SegmentOutput::Kind::kNewGrad, .gradient = {at, 0}}, std::move(result)});
    }
    return true;
  }

  void finish() {
    segment_.end = end_;
    for (size_t node = end_; node < gradients_.size(); ++node) {
      for (size_t input = 0; input < gradients_[node].size(); ++input) {
        const at::Tensor& gradient = gradients_[node][input];
        const bool waited = node < real_.size() && input < real_[node].size() && real_[node][input].defined();
        if (gradient.defined() && !(waited && isSlotOf(gradient, {node, input}))) {
          outputs_.push_back({{.kind = SegmentOutput::Kind::kGradient, .gradient = {node, input}}, gradient});
        }
      }
    }
    std::vector<NodeId> results;
    for (const auto& [output, fake] : outputs_) {
      results.push_back(fake::fakeOf(fake)->node());
      segment_.outputs.push_back(output);
    }
    cut(results);
    outputs_.clear();
    gradients_.clear();
  }

  /// It is what waited there from the start.
  bool isSlotOf(const at::Tensor& fake, const GradientSlot& slot) const {
    const auto found = std::find(given_.begin(), given_.end(), fake.unsafeGetTensorImpl());
    return found != given_.end() && inputs_[static_cast<size_t>(found - given_.begin())].gradient == slot;
  }

  /// The Graph without what nobody reads; what it writes to stays.
  void cut(const std::vector<NodeId>& results) {
    const ir::Graph& whole = tracer_.graph();
    std::vector<bool> wanted(whole.nodes().size());
    ir::mark(wanted, results);
    std::vector<bool> isInput(whole.nodes().size());
    ir::mark(isInput, placeholders_);
    const auto isKept = [&](NodeId id) { return !whole.node(id).writes.empty(); };
    for (size_t i = 0; i < wanted.size(); ++i) {
      wanted[i] = wanted[i] || isKept(static_cast<NodeId>(i));
    }
    ir::spreadToOperands(whole, wanted);
    std::vector<NodeId> inputs;
    for (size_t i = 0; i < placeholders_.size(); ++i) {
      if (wanted[static_cast<size_t>(placeholders_[i])]) {
        inputs.push_back(placeholders_[i]);
        segment_.inputs.push_back(inputs_[i]);
      }
    }
    segment_.graph = ir::subgraph(whole, inputs, results, isKept);
    segment_.graph.storages = whole.storages;
  }

  const BackwardTask& task_;
  BackwardKey& key_;
  const WaitingGradients& real_;
  const CaptureStart& start_;
  const size_t limit_;
  fake::Tracer tracer_;
  ProxyScope proxies_;
  TraceState state_;
  size_t end_ = 0;
  size_t looked_ = 0; // nodes of the trace whose constants are known
  Segment segment_;
  std::vector<SegmentInput> inputs_; // by placeholder
  std::vector<NodeId> placeholders_;
  std::vector<const c10::TensorImpl*> given_; // fakes of gradients that waited, by placeholder
  WaitingGradients gradients_;
  std::vector<std::pair<SegmentOutput, at::Tensor>> outputs_;
};

} // namespace

std::optional<Segment> captureSegment(const BackwardTask& task, BackwardKey& key, const WaitingGradients& waiting,
                                      const CaptureStart& start) {
  linkCapture();
  const values::GeneratorStateScope generators;
  size_t limit = task.nodes.size();
  while (limit > start.begin) { // a node that fails may have left a part of what it does behind
    CaptureAttempt attempt(task, key, waiting, start, limit);
    const size_t end = attempt.run();
    if (end == limit) {
      return attempt.take();
    }
    limit = end;
  }
  return std::nullopt;
}

void linkCapture() {
  static torch::dynamo::autograd::PyCompilerGuard guard(makeNodeFunctionsInterface());
}

} // namespace touchstone::compiled_autograd
