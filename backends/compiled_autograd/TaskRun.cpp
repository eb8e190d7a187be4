#include "backends/compiled_autograd/TaskRun.h"

#include "backends/fake/NodeCalls.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <utility>

namespace touchstone::compiled_autograd {

using torch::autograd::AccumulateGrad;
using torch::autograd::variable_list;

TaskRun::TaskRun(const BackwardTask& task, size_t places, const at::ThreadLocalState& state)
    : task_(task), state_(state), waiting_(task.nodes.size()), results_(places) {}

void TaskRun::callHooksBefore(size_t at) {
  const TaskNode& node = task_.nodes[at];
  variable_list& gradients = waiting_[at];
  gradients.resize(node.node->num_inputs());
  const auto handOut = [&] {
    for (const auto& [input, place] : node.wanted) {
      results_.at(place) = gradients.at(input);
    }
  };
  if (node.runs) {
    handOut();
  }
  const at::ThreadLocalStateGuard guard(state_);
  gradients = fake::callTensorHooks(*node.node, std::move(gradients));
  if (node.runs) {
    gradients = fake::callPreHooks(*node.node, std::move(gradients));
  } else {
    handOut();
  }
}

void TaskRun::runEagerly(size_t at) {
  callHooksBefore(at);
  runBehindHooks(at);
}

void TaskRun::runBehindHooks(size_t at) {
  const TaskNode& node = task_.nodes[at];
  variable_list gradients = std::exchange(waiting_[at], {});
  if (!node.runs) {
    return;
  }
  const at::ThreadLocalStateGuard guard(state_);
  variable_list results = fake::callBehindPreHooks(*node.node, std::move(gradients), task_.keepGraph);
  if (!task_.keepGraph) {
    node.node->release_variables();
  }
  deliver(at, std::move(results));
}

void TaskRun::deliver(size_t at, variable_list results) {
  const TaskNode& node = task_.nodes[at];
  for (size_t i = 0; i < std::min(results.size(), node.edges.size()); ++i) {
    const TaskEdge& edge = node.edges[i];
    if (edge.node < 0) {
      continue;
    }
    variable_list& waiting = waiting_[static_cast<size_t>(edge.node)];
    waiting.resize(std::max<size_t>(waiting.size(), edge.input + 1));
    fake::addGradient(waiting[edge.input], std::move(results[i]));
  }
}

/// Before the Graph runs, so that it frees what the nodes held.
void TaskRun::release(const Segment& segment) const {
  if (task_.keepGraph) {
    return;
  }
  for (size_t at = segment.begin; at < segment.end; ++at) {
    if (task_.nodes[at].runs) {
      task_.nodes[at].node->will_release_variables();
      task_.nodes[at].node->release_variables();
    }
  }
}

std::vector<at::Tensor> TaskRun::inputsOf(const Segment& segment, BackwardKey& key) {
  if (segment.end < task_.nodes.size()) {
    key.places(); // before tensors are given away
  }
  std::vector<bool> isLast(key.tensors().size());
  for (const size_t tensor : segment.lastRead) {
    isLast[tensor] = true;
  }
  std::vector<at::Tensor> inputs;
  inputs.reserve(segment.inputs.size());
  for (const SegmentInput& input : segment.inputs) {
    if (input.isGradient) {
      at::Tensor& gradient = waiting_[input.gradient.node][input.gradient.input];
      const bool isTaken = input.gradient.node < segment.end; // else it goes on waiting, as what else it was added to
      inputs.push_back(isTaken ? std::move(gradient) : gradient);
    } else if (isLast[input.tensor]) {
      inputs.push_back(std::move(key.tensors()[input.tensor]));
    } else {
      inputs.push_back(key.tensors()[input.tensor]);
    }
  }
  for (const size_t tensor : segment.lastRead) {
    key.tensors()[tensor].reset();
  }
  for (size_t at = segment.begin; at < segment.end; ++at) {
    waiting_[at].clear();
  }
  return inputs;
}

void TaskRun::runSegment(const Segment& segment, const backends::CompiledGraph& compiled, BackwardKey& key) {
  release(segment);
  std::vector<at::Tensor> inputs = inputsOf(segment, key);
  std::vector<at::Tensor> outputs;
  {
    const at::ThreadLocalStateGuard guard(state_);
    outputs = compiled.run(std::move(inputs));
  }
  ofLastNode_.assign(segment.resultCount, at::Tensor());
  givenToLastNode_.assign(segment.givenCount, at::Tensor());
  handOutputs(segment, std::move(outputs));
  if (segment.endsBeforeHooks) {
    callHooksAfter(segment.end - 1);
  }
}

void TaskRun::handOutputs(const Segment& segment, std::vector<at::Tensor> outputs) {
  for (size_t i = 0; i < segment.outputs.size(); ++i) {
    const SegmentOutput& output = segment.outputs[i];
    switch (output.kind) {
      case SegmentOutput::Kind::kWanted: results_.at(output.place) = std::move(outputs[i]); break;
      case SegmentOutput::Kind::kResult: ofLastNode_.at(output.place) = std::move(outputs[i]); break;
      case SegmentOutput::Kind::kGiven: givenToLastNode_.at(output.place) = std::move(outputs[i]); break;
      case SegmentOutput::Kind::kGradient: {
        variable_list& waiting = waiting_[output.gradient.node];
        waiting.resize(std::max<size_t>(waiting.size(), output.gradient.input + 1));
        waiting[output.gradient.input] = std::move(outputs[i]);
        break;
      }
      case SegmentOutput::Kind::kNewGrad: {
        const auto& node = static_cast<const AccumulateGrad&>(*task_.nodes[output.gradient.node].node);
        at::Tensor variable = node.variable;
        variable.mutable_grad() = std::move(outputs[i]);
        break;
      }
    }
  }
}

void TaskRun::callHooksAfter(size_t at) {
  torch::autograd::Node& node = *task_.nodes[at].node;
  variable_list results = std::exchange(ofLastNode_, {});
  variable_list given = std::exchange(givenToLastNode_, {});
  const at::ThreadLocalStateGuard guard(state_);
  if (const auto* accumulate = dynamic_cast<const AccumulateGrad*>(&node)) {
    if (const auto& hook = accumulate->tensor_post_acc_grad_hooks()) {
      (*hook)(accumulate->variable);
    }
  }
  results = fake::callPostHooks(node, std::move(results), given);
  given.clear();
  deliver(at, std::move(results));
}

} // namespace touchstone::compiled_autograd
