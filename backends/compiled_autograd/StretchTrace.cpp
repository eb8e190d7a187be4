#include "backends/compiled_autograd/StretchTrace.h"

#include "backends/fake/FakeTensor.h"
#include "backends/fake/NodeCalls.h"
#include "graph/ir/BackwardCalls.h"
#include "graph/symbols/SymbolicGraph.h"
#include "program/values/StorageCopy.h"

#include <ATen/ops/zeros.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <utility>

namespace touchstone::compiled_autograd {

namespace {

using ir::NodeId;
using torch::autograd::variable_list;

NodeId nodeOf(const at::Tensor& fake) {
  return fake.defined() ? fake::fakeOf(fake)->node() : -1;
}

/// With memory of its own, and its strides and offset.
at::Tensor clonePreservingStrides(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && tensor.has_storage() ? values::StorageCopies().copy(tensor)
                                                                 : tensor.clone();
}

} // namespace

StretchTrace::StretchTrace(const BackwardTask& task, const BackwardKey& key, fake::Tracer& tracer)
    : task_(task), key_(key), tracer_(tracer), gradients_(task.nodes.size()) {}

std::vector<NodeId> StretchTrace::nodesOf(const variable_list& fakes) {
  std::vector<NodeId> nodes;
  for (const at::Tensor& fake : fakes) {
    nodes.push_back(nodeOf(fake));
  }
  return nodes;
}

void StretchTrace::addInput(NodeId placeholder, const SegmentInput& input, const at::Tensor& real) {
  trace_.inputs.emplace_back(placeholder, input);
  if (input.isGradient) {
    states_[placeholder] = TensorState::of(real);
  }
}

void StretchTrace::give(const at::Tensor& fake) {
  if (fake.defined() && given_.insert(fake.unsafeGetTensorImpl()).second) {
    held_.push_back(fake);
  }
}

void StretchTrace::beginStretch(size_t node, bool areHooksCalled) {
  stretch_ = {};
  stretch_.segment.begin = node;
  stretch_.segment.areHooksCalled = areHooksCalled;
  stretch_.firstNode = tracer_.graph().nodes().size();
  for (size_t at = node; at < gradients_.size(); ++at) {
    for (size_t input = 0; input < gradients_[at].size(); ++input) {
      const at::Tensor& gradient = gradients_[at][input];
      if (gradient.defined()) {
        give(gradient);
        stretch_.given.emplace_back(GradientSlot{at, input}, nodeOf(gradient));
        const auto known = states_.find(nodeOf(gradient));
        stretch_.segment.waiting.push_back(
            {{at, input}, known != states_.end() ? known->second : TensorState::of(fake::fakeOf(gradient)->backing())});
      }
    }
  }
}

void StretchTrace::endStretch(size_t end) {
  if (stretch_.segment.begin < end) {
    closeStretch(end);
  }
}

void StretchTrace::closeStretch(size_t end) {
  stretch_.segment.end = end;
  stretch_.endNode = tracer_.graph().nodes().size();
  for (size_t at = end; at < gradients_.size(); ++at) {
    for (size_t input = 0; input < gradients_[at].size(); ++input) {
      const NodeId node = nodeOf(gradients_[at][input]);
      const bool isWhatWaited = std::any_of(stretch_.given.begin(), stretch_.given.end(), [&](const auto& each) {
        return each.first == GradientSlot{at, input} && each.second == node;
      });
      if (node >= 0 && !isWhatWaited) {
        stretch_.segment.outputs.push_back({.gradient = {at, input}});
        stretch_.outputs.push_back(node);
      }
    }
  }
  for (size_t i = 0; i < stretch_.outputs.size(); ++i) {
    const SegmentOutput& output = stretch_.segment.outputs[i];
    if (output.kind == SegmentOutput::Kind::kNewGrad) {
      addCall(ir::kSetGrad, output.gradient.node).arguments = {{stretch_.outputs[i]}};
    }
  }
  trace_.stretches.push_back(std::exchange(stretch_, {}));
}

void StretchTrace::handOut(size_t node, bool byGraph) {
  for (const auto& [input, place] : task_.nodes[node].wanted) {
    const at::Tensor& gradient = gradients_[node].at(input);
    if (gradient.defined()) {
      trace_.wanted[place] = nodeOf(gradient);
      if (byGraph) {
        addEffect({.kind = SegmentOutput::Kind::kWanted, .place = place}, gradient);
      } else {
        kept_.push_back(gradient);
      }
    }
  }
}

void StretchTrace::addEffect(SegmentOutput output, const at::Tensor& fake) {
  stretch_.segment.outputs.push_back(output);
  stretch_.outputs.push_back(nodeOf(fake));
  kept_.push_back(fake);
}

void StretchTrace::finish(size_t node, variable_list results) {
  const variable_list given = std::exchange(gradients_[node], {});
  const KeyedNode& keyed = key_.nodes[node];
  if (keyed.postHooks == 0 && !keyed.isHookedAfterAccumulation) {
    deliver(node, std::move(results), false);
    return;
  }
  Segment& segment = stretch_.segment;
  segment.endsBeforeHooks = true;
  segment.resultCount = results.size();
  segment.givenCount = given.size();
  const auto addOutputs = [&](SegmentOutput::Kind kind, const variable_list& fakes) {
    for (size_t i = 0; i < fakes.size(); ++i) {
      if (fakes[i].defined()) {
        segment.outputs.push_back({.kind = kind, .place = i});
        stretch_.outputs.push_back(nodeOf(fakes[i]));
      }
    }
  };
  addOutputs(SegmentOutput::Kind::kResult, results);
  addOutputs(SegmentOutput::Kind::kGiven, given);
  closeStretch(node + 1);
  callHooksAfter(node, results, given);
  deliver(node, std::move(results), true);
  beginStretch(node + 1, false);
}

void StretchTrace::callBefore(size_t at) {
  const TaskNode& node = task_.nodes[at];
  variable_list& gradients = gradients_[at];
  if (node.runs) {
    handOut(at, /*byGraph=*/false);
  }
  if (key_.nodes[at].isHooked) {
    const size_t onTensors = node.node->tensor_pre_hooks().size();
    callHooks(at, "tensor_pre_hook", 0, onTensors, gradients);
    callHooks(at, "retains_grad_hook", onTensors, node.node->retains_grad_hooks().size(), gradients);
  }
  if (node.runs) {
    callHooks(at, "pre_hook", key_.nodes[at].tensorHooks, node.node->pre_hooks().size(), gradients);
  } else {
    handOut(at, /*byGraph=*/false);
  }
}

void StretchTrace::runEagerly(size_t at) {
  const TaskNode& node = task_.nodes[at];
  const variable_list given = std::exchange(gradients_[at], {});
  if (node.runs) {
    const bool accumulates = dynamic_cast<const torch::autograd::AccumulateGrad*>(node.node.get()) != nullptr;
    variable_list results(node.edges.size());
    TracedCall& call = addCall(accumulates ? ir::kAccumulateGrad : ir::kCallBackward, at);
    call.arguments = {nodesOf(given)};
    if (!accumulates) {
      call.hook = hooks_++;
    }
    for (size_t i = 0; i < node.edges.size(); ++i) {
      if (node.edges[i].node >= 0) {
        if (refusesResults_) {
          throw symbols::NotSymbolic(node.node->name() + " runs by itself");
        }
        const torch::autograd::Edge& edge = node.node->next_edge(i);
        const auto& metadata = edge.function->input_metadata(edge.input_nr);
        results[i] = result(metadata.device(), [&] {
          return at::zeros(C10_AS_INTARRAYREF_SLOW(metadata.shape_as_dim_vector()), metadata.options());
        });
      }
    }
    trace_.calls.back().results = nodesOf(results);
    callHooksAfter(at, results, given);
    deliver(at, std::move(results), true);
  }
  beginStretch(at + 1, false);
}

void StretchTrace::callHooksAfter(size_t at, variable_list& results, const variable_list& given) {
  const TaskNode& node = task_.nodes[at];
  size_t first = key_.nodes[at].tensorHooks + key_.nodes[at].preHooks;
  if (key_.nodes[at].isHookedAfterAccumulation) {
    addHookCall(at, "post_acc_grad_hook", first++);
  }
  callHooks(at, "post_hook", first, node.node->post_hooks().size(), results, &given);
}

TracedCall& StretchTrace::addHookCall(size_t at, const char* kind, size_t number) {
  TracedCall& call = addCall(ir::kCallHook, at);
  call.hookKind = kind;
  call.hook = hooks_++;
  if (key_.nodes[at].carriesState.at(number)) {
    call.state = hooks_++;
  }
  return call;
}

void StretchTrace::callHooks(size_t at, const char* kind, size_t first, size_t count, variable_list& gradients,
                             const variable_list* given) {
  for (size_t number = first; number < first + count; ++number) {
    TracedCall& call = addHookCall(at, kind, number);
    call.arguments.push_back(nodesOf(gradients));
    if (given != nullptr) {
      call.arguments.push_back(nodesOf(*given));
    }
    for (at::Tensor& gradient : gradients) {
      if (gradient.defined()) {
        gradient = result(gradient.device(),
                          [backing = fake::fakeOf(gradient)->backing()] { return clonePreservingStrides(backing); });
      }
    }
    trace_.calls.back().results = nodesOf(gradients);
  }
}

TracedCall& StretchTrace::addCall(const char* target, size_t node) {
  TracedCall& call = trace_.calls.emplace_back();
  call.target = target;
  call.node = node;
  call.before = tracer_.graph().nodes().size();
  return call;
}

at::Tensor StretchTrace::result(c10::Device device, const std::function<at::Tensor()>& makeBacking) {
  at::Tensor backing;
  {
    const c10::impl::ExcludeDispatchKeyGuard real(c10::DispatchKey::Fake);
    backing = makeBacking();
  }
  at::Tensor fake = tracer_.addInput(std::move(backing), "result", device);
  give(fake);
  return fake;
}

at::Tensor StretchTrace::sumOfCall(size_t node, const at::Tensor& sum, const at::Tensor& gradient) {
  addCall(ir::kAccumulate, node).arguments = {{nodeOf(sum)}, {nodeOf(gradient)}};
  const auto add = [left = fake::fakeOf(sum)->backing(), right = fake::fakeOf(gradient)->backing()]() mutable {
    fake::addGradient(left, right, [](const at::Tensor&) { return false; }); // others may hold what is added to
    return left;
  };
  at::Tensor added = result(sum.device(), add);
  trace_.calls.back().results = {nodeOf(added)};
  return added;
}

/// `areCalled`: the engine's code has run the node, and adds what it gives.
void StretchTrace::deliver(size_t at, variable_list results, bool areCalled) {
  const TaskNode& node = task_.nodes[at];
  for (size_t i = 0; i < std::min(results.size(), node.edges.size()); ++i) {
    const TaskEdge& edge = node.edges[i];
    if (edge.node < 0) {
      continue;
    }
    variable_list& waiting = gradients_[static_cast<size_t>(edge.node)];
    waiting.resize(std::max<size_t>(waiting.size(), edge.input + 1));
    at::Tensor& sum = waiting[edge.input];
    if (areCalled && sum.defined() && results[i].defined()) {
      sum = sumOfCall(at, sum, results[i]);
    } else {
      fake::addGradient(sum, std::move(results[i]),
                        [this](const at::Tensor& each) { return !isGiven(each) && fake::Tracer::isHeldAlone(each); });
    }
  }
}

BackwardTrace StretchTrace::take() {
  kept_.clear();
  held_.clear();
  gradients_.clear();
  trace_.graph = tracer_.graph();
  return std::move(trace_);
}

} // namespace touchstone::compiled_autograd
