#include "backends/fake/BackwardWalk.h"

#include "backends/fake/NodeCalls.h"
#include "backends/fake/ValueFreeDerivatives.h"
#include "program/values/AutogradNodes.h"

#include <ATen/ThreadLocalState.h>
#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace touchstone::fake {
namespace {

using torch::autograd::Edge;
using torch::autograd::edge_list;
using torch::autograd::Node;
using torch::autograd::variable_list;

/// What a walk knows of one node.
struct NodeState {
  bool isVisited = false;
  bool runs = false;
  bool isOnlyRoot = false;
  std::vector<size_t> captures; ///< positions in `wanted`
  size_t dependencies = 0; ///< edges into the node that have not delivered yet
  variable_list gradients; ///< sums of what was delivered; empty before the first delivery

  bool leadsToWanted() const { return runs || !captures.empty(); }
  /// The engine calls the hooks of a single root even when nothing wanted is reached from it.
  bool takesGradients() const { return leadsToWanted() || isOnlyRoot; }
};

struct ReadyNode {
  values::NodePtr node;
  NodeState* state;
};

class BackwardWalk {
 public:
  BackwardWalk(const edge_list& roots, const edge_list& wanted, const BackwardWalkOptions& options)
      : roots_(roots), wanted_(wanted), options_(options), captured_(wanted.size()) {
    callerState_.set_grad_mode(options.createGraph);
    for (size_t position = 0; position < wanted.size(); ++position) {
      states_[wanted[position].function.get()].captures.push_back(position);
    }
    visitGraph();
    if (roots.size() == 1) {
      states_.at(roots[0].function.get()).isOnlyRoot = true;
    }
  }

  /// The caller keeps `tangents`: a tangent nobody else holds could become a `.grad` as it is.
  variable_list run(const variable_list& tangents) {
    {
      at::ThreadLocalStateGuard guard(callerState_);
      for (size_t position = 0; position < roots_.size(); ++position) {
        deliver(roots_[position], tangents[position]);
      }
    }
    while (!ready_.empty()) {
      const ReadyNode next = ready_.top();
      ready_.pop();
      at::ThreadLocalStateGuard guard(callerState_);
      evaluate(*next.node, *next.state);
    }
    TORCH_CHECK(waiting_ == 0, "could not compute gradients for some functions");
    return std::move(captured_);
  }

 private:
  /// Counts the edges into every node and finds the nodes that run. Iterative: a chain may be long.
  void visitGraph() {
    struct Visit {
      Node* node;
      size_t nextEdge;
    };
    std::vector<Visit> path;
    auto arrive = [&](const Edge& edge) {
      Node* node = edge.function.get();
      NodeState& state = states_[node];
      ++state.dependencies;
      if (!state.isVisited) {
        state.isVisited = true;
        path.push_back({node, 0});
      }
    };
    for (const Edge& root : roots_) {
      arrive(root);
      while (!path.empty()) {
        Visit& visit = path.back();
        if (visit.nextEdge < visit.node->num_outputs()) {
          const Edge& edge = visit.node->next_edge(visit.nextEdge++);
          if (edge.is_valid()) {
            arrive(edge);
          }
        } else {
          decideWhetherItRuns(*visit.node);
          path.pop_back();
        }
      }
    }
  }

  /// All that `node` leads to is decided.
  void decideWhetherItRuns(Node& node) {
    const edge_list& edges = node.next_edges();
    const bool leadsOn = std::any_of(edges.begin(), edges.end(), [this](const Edge& edge) {
      return edge.is_valid() && states_.at(edge.function.get()).leadsToWanted();
    });
    states_.at(&node).runs = options_.accumulate || leadsOn;
  }

  void deliver(const Edge& edge, at::Tensor gradient) {
    const auto found = states_.find(edge.function.get());
    TORCH_CHECK(found != states_.end() && found->second.dependencies > 0, "dependency not found for ",
                edge.function->name());
    NodeState& state = found->second;
    const bool isReady = --state.dependencies == 0;
    if (!state.takesGradients()) {
      return;
    }
    if (state.gradients.empty()) {
      state.gradients.resize(edge.function->num_inputs());
      ++waiting_;
    }
    addGradient(state.gradients.at(edge.input_nr), std::move(gradient), options_.isHeldAlone);
    if (isReady) {
      --waiting_;
      ready_.push({edge.function, &state});
    }
  }

  void evaluate(Node& node, NodeState& state) {
    variable_list gradients = std::move(state.gradients);
    if (!state.runs) {
      gradients = callTensorHooks(node, std::move(gradients));
    }
    for (size_t position : state.captures) {
      const at::Tensor& gradient =
          gradients.at(wanted_[position].input_nr); // of a node that runs: from before its hooks
      if (options_.onHeld && gradient.defined() && isHeldElsewhere(gradient)) {
        options_.onHeld(position);
      }
      captured_[position] = gradient;
    }
    if (!state.runs) {
      return;
    }
    if (options_.onNode) {
      options_.onNode(node);
    }
    variable_list results =
        callNode(node, callTensorHooks(node, std::move(gradients)), options_.keepGraph, callWithoutReadingValues);
    if (!options_.keepGraph) {
      node.release_variables();
    }
    const size_t count =
        std::min<size_t>(results.size(), node.num_outputs()); // a hook may have returned another number
    for (size_t index = 0; index < count; ++index) {
      const Edge& edge = node.next_edge(index);
      if (edge.is_valid()) {
        deliver(edge, std::move(results[index]));
      }
    }
  }

  /// Than by who is about to get it, and by those who have got it.
  bool isHeldElsewhere(const at::Tensor& gradient) const {
    const auto handedOut = static_cast<size_t>(std::count_if(
        captured_.begin(), captured_.end(), [&](const at::Tensor& each) { return each.is_same(gradient); }));
    return gradient.use_count() > 1 + handedOut;
  }

  const edge_list& roots_;
  const edge_list& wanted_;
  const BackwardWalkOptions options_;
  at::ThreadLocalState callerState_;
  std::unordered_map<Node*, NodeState> states_;
  std::priority_queue<ReadyNode, std::vector<ReadyNode>, RunsLater> ready_;
  size_t waiting_ = 0; ///< nodes that have gradients and wait for more
  variable_list captured_;
};

void checkEdge(const Edge& edge, const char* role) {
  TORCH_CHECK(edge.input_nr < edge.function->num_inputs(), "A ", role, " names input ", edge.input_nr, " of ",
              edge.function->name(), ", which has ", edge.function->num_inputs(), ".");
}

} // namespace

variable_list walkBackward(const edge_list& roots, variable_list tangents, const edge_list& wanted,
                           const BackwardWalkOptions& options) {
  for (size_t index = 0; index < roots.size(); ++index) {
    TORCH_CHECK(roots[index].is_valid(), "element ", index,
                " of tensors does not require grad and does not have a grad_fn");
    checkEdge(roots[index], "root");
  }
  torch::autograd::validate_outputs(roots, tangents, [](const std::string& message) { return message; });
  TORCH_CHECK(options.accumulate || !wanted.empty(), "grad requires non-empty inputs.");
  for (const Edge& edge : wanted) {
    TORCH_CHECK(edge.is_valid(), "One of the differentiated Tensors does not require grad");
    checkEdge(edge, "wanted edge");
  }
  const auto* inEngine = torch::autograd::get_current_graph_task_exec_info();
  TORCH_CHECK(!inEngine || inEngine->empty(),
              "A backward walk cannot run inside a torch.autograd.grad of the engine on the same thread.");
  return BackwardWalk(roots, wanted, options).run(tangents);
}

} // namespace touchstone::fake
