#include "backends/compiled_autograd/BackwardGraph.h"

#include "backends/compiled_autograd/PartCutter.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/BackwardCalls.h"
#include "graph/ir/Subgraph.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace touchstone::compiled_autograd {

namespace {

using ir::Argument;
using ir::NodeId;

Argument containerOf(Argument::Container::Kind kind, std::vector<Argument> items) {
  return Argument{Argument::Container{kind, std::move(items), {}}};
}
Argument listOf(std::vector<Argument> items) {
  return containerOf(Argument::Container::Kind::kList, std::move(items));
}

/// What the engine says of a gradient that a node gives along an edge: dtype, sizes, device.
Argument metadataOfEdge(const torch::autograd::Edge& edge) {
  const auto& metadata = edge.function->input_metadata(edge.input_nr);
  std::vector<int64_t> sizes;
  for (const c10::SymInt& size : metadata.shape_as_dim_vector()) {
    sizes.push_back(size.guard_int(__FILE__, __LINE__));
  }
  return containerOf(Argument::Container::Kind::kTuple,
                     {Argument{ir::DtypeConstant{static_cast<int64_t>(metadata.dtype().toScalarType())}},
                      ir::integerList(sizes), Argument{ir::DeviceConstant{metadata.device().str()}}});
}

class GraphMaker {
 public:
  GraphMaker(const BackwardTrace& trace, const BackwardTask& task)
      : trace_(trace), task_(task), numbers_(trace.graph.nodes().size(), -1) {}

  BackwardGraph make() {
    markWanted();
    addInputs();
    size_t done = 0;
    for (const TracedCall& call : trace_.calls) {
      copyUpTo(done, call.before);
      done = call.before;
      add(call);
    }
    copyUpTo(done, numbers_.size());
    std::vector<NodeId> outputs;
    for (const auto& [place, node] : trace_.wanted) {
      outputs.push_back(numberOf(node));
    }
    made_.whole.output = ir::nodeTuple(outputs);
    made_.whole.storages = trace_.graph.storages;
    const ir::Graph guarded = withNumbers();
    PartCutter cutter(guarded);
    for (const TracedStretch& stretch : trace_.stretches) {
      made_.segments.push_back(cut(stretch, cutter));
    }
    return std::move(made_);
  }

 private:
  NodeId numberOf(NodeId traced) const { return traced < 0 ? -1 : numbers_[static_cast<size_t>(traced)]; }

  /// What something reads; what is written to stays.
  void markWanted() {
    wanted_.resize(numbers_.size());
    const auto want = [&](NodeId node) {
      if (node >= 0) {
        wanted_[static_cast<size_t>(node)] = true;
      }
    };
    for (const TracedCall& call : trace_.calls) {
      for (const auto& list : call.arguments) {
        std::for_each(list.begin(), list.end(), want);
      }
    }
    for (const TracedStretch& stretch : trace_.stretches) {
      std::for_each(stretch.outputs.begin(), stretch.outputs.end(), want);
    }
    for (const auto& [place, node] : trace_.wanted) {
      want(node);
    }
    for (size_t i = 0; i < wanted_.size(); ++i) {
      wanted_[i] = wanted_[i] || !trace_.graph.nodes()[i].writes.empty();
    }
    ir::spreadToOperands(trace_.graph, wanted_);
    for (size_t i = 0; i < wanted_.size(); ++i) {
      isCopied_.push_back(wanted_[i] && trace_.graph.nodes()[i].kind != ir::NodeKind::kPlaceholder);
    }
  }

  void addInputs() {
    const NodeId inputs = made_.whole.addPlaceholder("inputs");
    const NodeId sizes = made_.whole.addPlaceholder("sizes");
    hooks_ = made_.whole.addPlaceholder("hooks");
    const bool isRest = std::any_of(trace_.inputs.begin(), trace_.inputs.end(),
                                    [](const auto& input) { return input.second.isGradient; });
    const NodeId gradients = isRest ? made_.whole.addPlaceholder("gradients") : -1;
    int64_t gradientCount = 0;
    for (const auto& [node, input] : trace_.inputs) {
      const int64_t index = input.isGradient ? gradientCount++ : static_cast<int64_t>(input.tensor);
      if (wanted_[static_cast<size_t>(node)]) {
        const NodeId element = made_.whole.addElement(input.isGradient ? gradients : inputs, index);
        made_.whole.node(element).metadata = trace_.graph.node(node).metadata;
        numbers_[static_cast<size_t>(node)] = element;
        if (!input.isGradient) {
          lifted_.emplace(element, input);
        }
      }
    }
    for (const TracedSize& size : trace_.sizes) {
      if (wanted_[static_cast<size_t>(size.node)]) {
        const NodeId element = made_.whole.addElement(sizes, static_cast<int64_t>(size.index));
        numbers_[static_cast<size_t>(size.node)] = element;
        sizes_.emplace(element, size.value);
      }
    }
  }

  Argument withNumbers(const Argument& argument) const {
    if (const auto* reference = std::get_if<ir::NodeReference>(&argument.payload)) {
      const auto found = sizes_.find(reference->node);
      return found == sizes_.end() ? argument : Argument{found->second};
    }
    Argument changed = argument;
    if (auto* container = std::get_if<Argument::Container>(&changed.payload)) {
      for (Argument& item : container->items) {
        item = withNumbers(item);
      }
    }
    return changed;
  }

  /// What compilers get a part of: sizes are guarded, so that they are numbers there.
  ir::Graph withNumbers() const {
    ir::Graph guarded = made_.whole;
    for (size_t i = 0; i < guarded.nodes().size() && !sizes_.empty(); ++i) {
      for (Argument& argument : guarded.node(static_cast<NodeId>(i)).arguments) {
        argument = withNumbers(argument);
      }
    }
    return guarded;
  }

  void copyUpTo(size_t begin, size_t end) {
    ir::copyNodes(trace_.graph, static_cast<NodeId>(begin), static_cast<NodeId>(end), isCopied_, made_.whole, numbers_);
    for (size_t i = begin; i < end; ++i) {
      for (const NodeId written : isCopied_[i] ? trace_.graph.nodes()[i].writes : std::vector<NodeId>()) {
        made_.whole.node(numbers_[i]).writes.push_back(numberOf(written));
      }
    }
  }

  Argument argumentOf(NodeId traced) const {
    return numberOf(traced) < 0 ? Argument() : ir::nodeArgument(numberOf(traced));
  }

  /// Hooks of nodes get all gradients at once, those on a tensor its own.
  static bool takesLists(const TracedCall& call) {
    const bool isOfNode = call.hookKind == "pre_hook" || call.hookKind == "post_hook";
    return isOfNode || (std::string_view(call.target) == ir::kCallHook && call.results.size() > 1);
  }

  std::vector<Argument> argumentsOf(const TracedCall& call) {
    const std::string_view target = call.target;
    const auto number = static_cast<int64_t>(call.node);
    std::vector<Argument> arguments;
    if (call.hook) {
      arguments.push_back(ir::nodeArgument(made_.whole.addElement(hooks_, static_cast<int64_t>(*call.hook))));
    }
    if (target == ir::kCallBackward) {
      arguments.push_back(metadataOfResults(call));
    }
    for (const std::vector<NodeId>& list : call.arguments) {
      std::vector<Argument> items;
      for (const NodeId node : list) {
        items.push_back(argumentOf(node));
      }
      if (takesLists(call)) {
        arguments.push_back(listOf(std::move(items)));
      } else {
        arguments.insert(arguments.end(), items.begin(), items.end());
      }
    }
    if (call.state) {
      arguments.push_back(ir::nodeArgument(made_.whole.addElement(hooks_, static_cast<int64_t>(*call.state))));
    }
    if (target == ir::kCallHook) {
      arguments.push_back(Argument{call.hookKind});
    } else if (target == ir::kSetGrad || target == ir::kAccumulateGrad) {
      arguments.push_back(Argument{number});
    }
    return arguments;
  }

  Argument metadataOfResults(const TracedCall& call) const {
    const auto& edges = task_.nodes[call.node].node->next_edges();
    std::vector<Argument> items;
    for (size_t i = 0; i < call.results.size(); ++i) {
      items.push_back(call.results[i] < 0 ? Argument() : metadataOfEdge(edges[i]));
    }
    return listOf(std::move(items));
  }

  void add(const TracedCall& call) {
    const NodeId node = made_.whole.addCallable(call.target, argumentsOf(call), nullptr);
    made_.whole.node(node).sequence = static_cast<int64_t>(call.node);
    made_.whole.node(node).backward = true;
    const bool isPlain =
        call.results.size() == 1 && !takesLists(call) && std::string_view(call.target) != ir::kCallBackward;
    for (size_t i = 0; i < call.results.size(); ++i) {
      if (call.results[i] >= 0) {
        const NodeId given = isPlain ? node : made_.whole.addElement(node, static_cast<int64_t>(i));
        made_.whole.node(given).metadata = trace_.graph.node(call.results[i]).metadata;
        numbers_[static_cast<size_t>(call.results[i])] = given;
      }
    }
  }

  Segment cut(const TracedStretch& stretch, PartCutter& cutter) const {
    std::map<NodeId, SegmentInput> waiting; // by what waits; of several places, the first
    std::vector<NodeId> inputs;
    for (const auto& [slot, node] : stretch.given) {
      if (waiting.try_emplace(numberOf(node), SegmentInput{.isGradient = true, .gradient = slot}).second) {
        inputs.push_back(numberOf(node));
      }
    }
    std::vector<NodeId> outputs;
    for (const NodeId node : stretch.outputs) {
      outputs.push_back(numberOf(node));
    }
    NodeId begin = -1, end = -1; // in the whole Graph, where no call stands between them
    for (size_t i = stretch.firstNode; i < stretch.endNode; ++i) {
      if (sizes_.contains(numbers_[i])) { // stands at the head of the whole Graph
        continue;
      }
      begin = begin < 0 ? numbers_[i] : begin;
      end = numbers_[i] < 0 ? end : numbers_[i] + 1;
    }
    std::set<NodeId> read = cutter.choose(std::max(begin, 0), std::max(end, 0), outputs, [&](NodeId node) {
      return waiting.contains(node) || lifted_.contains(node);
    });
    std::erase_if(inputs, [&](NodeId node) { return read.erase(node) == 0; });
    inputs.insert(inputs.end(), read.begin(), read.end());
    Segment segment = stretch.segment;
    for (const NodeId node : inputs) {
      const auto found = waiting.find(node);
      segment.inputs.push_back(found != waiting.end() ? found->second : lifted_.at(node));
    }
    segment.graph = cutter.cut(inputs);
    return segment;
  }

  const BackwardTrace& trace_;
  const BackwardTask& task_;
  BackwardGraph made_;
  std::vector<NodeId> numbers_; // by node of the trace: what it is in the whole Graph
  std::vector<bool> wanted_, isCopied_; // by node of the trace
  std::map<NodeId, int64_t> sizes_; // by node of the whole Graph: what it is in this backward
  std::map<NodeId, SegmentInput> lifted_; // tensors of the key, by node of the whole Graph
  NodeId hooks_ = -1;
};

} // namespace

BackwardGraph graphOf(const BackwardTrace& trace, const BackwardTask& task) {
  return GraphMaker(trace, task).make();
}

} // namespace touchstone::compiled_autograd
