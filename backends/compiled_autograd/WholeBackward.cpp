#include "backends/compiled_autograd/WholeBackward.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/BackwardCalls.h"
#include "graph/ir/Subgraph.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace touchstone::compiled_autograd {

namespace {

using ir::Argument;
using ir::Graph;
using ir::NodeId;

class WholeGraph {
 public:
  explicit WholeGraph(const SpecializedBackward& backward) : backward_(backward) {}

  Graph make() {
    const auto chain = backward_.chain();
    for (const auto& link : chain) { // a Graph begins with what it is given
      for (const SegmentInput& input : link.segment->inputs) {
        if (!input.isGradient && !tensors_.contains(input.tensor)) {
          tensors_[input.tensor] = whole_.addPlaceholder(fmt::format("saved_{}", input.tensor));
        }
      }
    }
    size_t done = 0;
    for (const auto& [areHooksCalled, segment] : chain) {
      for (; done < segment->begin; ++done) {
        addEagerNode(done);
      }
      if (areHooksCalled) {
        addHooks(done);
      }
      add(*segment);
      done = segment->end;
    }
    for (; done < backward_.origins().size(); ++done) {
      addEagerNode(done);
    }
    std::vector<Argument> outputs;
    for (const auto& [place, node] : wanted_) {
      outputs.push_back(ir::nodeArgument(node));
    }
    whole_.output = Argument{Argument::Container{Argument::Container::Kind::kTuple, std::move(outputs), {}}};
    return std::move(whole_);
  }

 private:
  using Slot = std::pair<size_t, size_t>;

  void addHooks(size_t at) {
    const NodeId hooks = addCall("hooks", at);
    for (auto& [slot, node] : gradients_) {
      if (slot.first == at) {
        node = whole_.addElement(hooks, static_cast<int64_t>(slot.second));
      }
    }
  }

  void addEagerNode(size_t at) {
    const NodeId call = addCall(shortName(at), at);
    std::erase_if(gradients_, [at](const auto& each) { return each.first.first == at; });
    const std::vector<TaskEdge>& edges = backward_.edges(at);
    for (size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].node >= 0) {
        const NodeId given = whole_.addElement(call, static_cast<int64_t>(i));
        const auto [sum, isFresh] =
            gradients_.try_emplace(Slot(static_cast<size_t>(edges[i].node), edges[i].input), given);
        if (!isFresh) {
          sum->second = addCall("compiled_autograd::sum", static_cast<int64_t>(at),
                                {ir::nodeArgument(sum->second), ir::nodeArgument(given)});
        }
      }
    }
  }

  /// What runs between Graphs, on the gradients that node `at` waits for.
  NodeId addCall(const std::string& name, size_t at) {
    std::vector<Argument> arguments;
    for (const auto& [slot, node] : gradients_) {
      if (slot.first == at) {
        arguments.push_back(ir::nodeArgument(node));
      }
    }
    return addCall("compiled_autograd::" + name, static_cast<int64_t>(at), std::move(arguments));
  }
  NodeId addCall(std::string target, int64_t at, std::vector<Argument> arguments) {
    const NodeId call = whole_.addCallable(std::move(target), std::move(arguments), nullptr);
    whole_.node(call).sequence = at;
    whole_.node(call).backward = true;
    return call;
  }

  std::string shortName(size_t at) const {
    const std::string& origin = backward_.origins()[at];
    return origin.substr(0, origin.find(' '));
  }

  void add(const Segment& segment) {
    const Graph& graph = segment.graph;
    std::vector<NodeId> numbers(graph.nodes().size(), -1);
    for (size_t i = 0; i < segment.inputs.size(); ++i) {
      numbers[static_cast<size_t>(graph.placeholders()[i])] = numberOf(segment.inputs[i]);
      const NodeId number = numbers[static_cast<size_t>(graph.placeholders()[i])];
      if (!whole_.node(number).metadata) {
        whole_.node(number).metadata = graph.node(graph.placeholders()[i]).metadata;
      }
    }
    std::vector<bool> copied(graph.nodes().size(), true);
    for (const NodeId placeholder : graph.placeholders()) {
      copied[static_cast<size_t>(placeholder)] = false;
    }
    ir::copyNodes(graph, copied, whole_, numbers);
    const auto& items = std::get<Argument::Container>(graph.output.payload).items;
    for (size_t i = 0; i < segment.outputs.size(); ++i) {
      const NodeId node = numbers[static_cast<size_t>(std::get<ir::NodeReference>(items[i].payload).node)];
      const SegmentOutput& output = segment.outputs[i];
      if (output.kind == SegmentOutput::Kind::kGradient) {
        gradients_[{output.gradient.node, output.gradient.input}] = node;
      } else if (output.kind == SegmentOutput::Kind::kWanted) {
        wanted_[output.place] = node;
      } else {
        const auto accumulates = static_cast<int64_t>(output.gradient.node);
        addCall(ir::kSetGrad, accumulates, {ir::nodeArgument(node), Argument{accumulates}});
      }
    }
  }

  NodeId numberOf(const SegmentInput& input) {
    if (!input.isGradient) {
      return tensors_.at(input.tensor);
    }
    const Slot slot{input.gradient.node, input.gradient.input};
    const auto known = gradients_.find(slot); // may be a hook's, which gave nothing when this was traced
    return known != gradients_.end() ? known->second : whole_.addPlaceholder("gradient");
  }

  const SpecializedBackward& backward_;
  Graph whole_;
  std::map<size_t, NodeId> tensors_;
  std::map<Slot, NodeId> gradients_;
  std::map<size_t, NodeId> wanted_;
};

} // namespace

ir::CapturedBackward wholeOf(const SpecializedBackward& backward) {
  return {WholeGraph(backward).make(), backward.origins()};
}

} // namespace touchstone::compiled_autograd
