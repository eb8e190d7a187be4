#include "backends/compiled_autograd/BackwardTask.h"

#include "backends/fake/NodeCalls.h"

#include <c10/util/Exception.h>

#include <queue>
#include <unordered_map>

namespace touchstone::compiled_autograd {

namespace {

using torch::autograd::Edge;
using torch::autograd::GraphTask;

class TaskPlan {
 public:
  TaskPlan(const GraphTask& task, const torch::autograd::Node* onlyRoot) : task_(task), onlyRoot_(onlyRoot) {}

  BackwardTask make(const values::NodePtr& root) {
    BackwardTask plan;
    plan.keepGraph = task_.keep_graph_;
    dependencies_ = task_.dependencies_;
    ready_.push({root});
    while (!ready_.empty()) {
      values::NodePtr node = ready_.top().node;
      ready_.pop();
      positions_.emplace(node.get(), static_cast<int64_t>(plan.nodes.size()));
      plan.nodes.push_back(visit(node, node == root));
    }
    TORCH_CHECK(waiting_ == 0, "could not compute gradients for some functions");
    for (TaskNode& node : plan.nodes) {
      lookUpEdges(node);
    }
    return plan;
  }

 private:
  struct Ready {
    values::NodePtr node;
  };

  TaskNode visit(const values::NodePtr& node, bool isRoot) {
    TaskNode visited;
    visited.node = node;
    if (const GraphTask::ExecInfo* info = infoOf(*node); info != nullptr && !isRoot) {
      visited.runs = info->needed_;
      if (info->captures_) {
        for (const auto& capture : *info->captures_) {
          visited.wanted.emplace_back(capture.input_idx_, capture.output_idx_);
        }
      }
    } else if (!task_.exec_info_.empty() && !isRoot) {
      visited.runs = false; // a single root from which nothing wanted is reached
    }
    if (visited.runs) {
      for (const Edge& edge : node->next_edges()) {
        deliver(edge);
      }
    }
    return visited;
  }

  void deliver(const Edge& edge) {
    if (!edge.is_valid() || !takesGradients(*edge.function)) {
      return;
    }
    const auto found = dependencies_.find(edge.function.get());
    // The engine counts nothing where what is wanted lies above the root.
    const bool isCounted = found != dependencies_.end() && found->second > 0;
    TORCH_CHECK(isCounted || edge.function.get() == onlyRoot_, "dependency not found for ", edge.function->name());
    const bool isReady = !isCounted || --found->second == 0;
    int& waits = waits_[edge.function.get()];
    waiting_ += waits == 0 ? 1 : 0;
    waits = 1;
    if (isReady) {
      --waiting_;
      ready_.push({edge.function});
    }
  }

  const GraphTask::ExecInfo* infoOf(const torch::autograd::Node& node) const {
    const auto found = task_.exec_info_.find(const_cast<torch::autograd::Node*>(&node));
    return found == task_.exec_info_.end() ? nullptr : &found->second;
  }

  bool takesGradients(const torch::autograd::Node& node) const {
    if (task_.exec_info_.empty() || &node == onlyRoot_) {
      return true;
    }
    const GraphTask::ExecInfo* info = infoOf(node);
    return info != nullptr && info->should_execute();
  }

  void lookUpEdges(TaskNode& node) const {
    if (!node.runs) {
      return;
    }
    for (const Edge& edge : node.node->next_edges()) {
      const auto found = edge.is_valid() ? positions_.find(edge.function.get()) : positions_.end();
      node.edges.push_back(found == positions_.end() ? TaskEdge() : TaskEdge{found->second, edge.input_nr});
    }
  }

  const GraphTask& task_;
  const torch::autograd::Node* onlyRoot_; // the engine calls its hooks even when nothing wanted is reached from it
  std::unordered_map<torch::autograd::Node*, int> dependencies_;
  std::unordered_map<torch::autograd::Node*, int> waits_;
  std::unordered_map<torch::autograd::Node*, int64_t> positions_;
  std::priority_queue<Ready, std::vector<Ready>, fake::RunsLater> ready_;
  size_t waiting_ = 0;
};

} // namespace

BackwardTask planTask(const values::NodePtr& root, const GraphTask& task) {
  const bool isSingle = root->num_outputs() == 1 && root->next_edge(0).is_valid();
  return TaskPlan(task, isSingle ? root->next_edge(0).function.get() : nullptr).make(root);
}

} // namespace touchstone::compiled_autograd
