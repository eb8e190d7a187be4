#include "backends/compiled_autograd/TaskRun.h"

#include "backends/fake/NodeCalls.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <utility>

namespace touchstone::compiled_autograd {

using torch::autograd::variable_list;

TaskRun::TaskRun(const BackwardTask& task, size_t places, const at::ThreadLocalState& state)
    : task_(task), state_(state), waiting_(task.nodes.size()), results_(places) {}

void TaskRun::callHooks(size_t at) {
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
  if (!node.runs) {
    handOut();
  }
}

void TaskRun::runBelowHooks(size_t at) {
  const TaskNode& node = task_.nodes[at];
  variable_list gradients = std::exchange(waiting_[at], {});
  if (!node.runs) {
    return;
  }
  const at::ThreadLocalStateGuard guard(state_);
  variable_list results = fake::callNode(*node.node, std::move(gradients), task_.keepGraph);
  if (!task_.keepGraph) {
    node.node->release_variables();
  }
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
  const bool isLast = segment.end == task_.nodes.size();
  std::vector<at::Tensor> inputs;
  inputs.reserve(segment.inputs.size());
  for (const SegmentInput& input : segment.inputs) {
    if (input.isGradient) {
      inputs.push_back(std::move(waiting_[input.gradient.node][input.gradient.input]));
    } else if (isLast) {
      inputs.push_back(std::move(key.tensors()[input.tensor]));
    } else {
      inputs.push_back(key.tensors()[input.tensor]);
    }
  }
  for (size_t at = segment.begin; at < segment.end; ++at) {
    waiting_[at].clear();
  }
  if (isLast) {
    key.tensors().clear();
  }
  return inputs;
}

void TaskRun::runSegment(const Segment& segment, BackwardKey& key) {
  release(segment);
  std::vector<at::Tensor> inputs = inputsOf(segment, key);
  std::vector<at::Tensor> outputs;
  {
    const at::ThreadLocalStateGuard guard(state_);
    outputs = segment.compiled->run(std::move(inputs));
  }
  for (size_t i = 0; i < segment.outputs.size(); ++i) {
    const SegmentOutput& output = segment.outputs[i];
    switch (output.kind) {
      case SegmentOutput::Kind::kWanted: results_.at(output.place) = std::move(outputs[i]); break;
      case SegmentOutput::Kind::kGradient: {
        variable_list& waiting = waiting_[output.gradient.node];
        waiting.resize(std::max<size_t>(waiting.size(), output.gradient.input + 1));
        waiting[output.gradient.input] = std::move(outputs[i]);
        break;
      }
      case SegmentOutput::Kind::kNewGrad: {
        const auto& node = static_cast<const torch::autograd::AccumulateGrad&>(*task_.nodes[output.gradient.node].node);
        at::Tensor variable = node.variable;
        variable.mutable_grad() = std::move(outputs[i]);
        break;
      }
    }
  }
}

} // namespace touchstone::compiled_autograd
