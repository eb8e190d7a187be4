#include "backends/native/AotModule.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/capture/Guards.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"
#include "program/values/CompiledProgram.h"
#include "program/values/RaisedException.h"

#include <algorithm>

namespace touchstone::native {

namespace {

using ir::NodeId;

/// For each tensor the position of the first that is the same object, among those that are kept.
std::vector<size_t> withoutDuplicates(const std::vector<at::Tensor>& tensors, std::vector<size_t>& kept) {
  std::vector<size_t> places;
  for (size_t i = 0; i < tensors.size(); ++i) {
    size_t place = 0;
    while (place < kept.size() && !tensors[kept[place]].is_same(tensors[i])) {
      ++place;
    }
    if (place == kept.size()) {
      kept.push_back(i);
    }
    places.push_back(place);
  }
  return places;
}

ir::Argument redirected(const ir::Argument& argument, const std::vector<NodeId>& to) {
  if (const auto* reference = std::get_if<ir::NodeReference>(&argument.payload)) {
    return ir::nodeArgument(to[static_cast<size_t>(reference->node)]);
  }
  ir::Argument copy = argument;
  if (auto* container = std::get_if<ir::Argument::Container>(&copy.payload)) {
    for (ir::Argument& item : container->items) {
      item = redirected(item, to);
    }
  }
  return copy;
}

/// The Graph for inputs of which some are one object: a placeholder for each object.
ir::Graph mergePlaceholders(ir::Graph graph, const std::vector<size_t>& places, const std::vector<size_t>& kept) {
  std::vector<NodeId> to(graph.nodes().size());
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<NodeId>(i);
  }
  std::vector<NodeId> inputs;
  const std::vector<NodeId> placeholders = graph.placeholders();
  for (size_t i = 0; i < placeholders.size(); ++i) {
    to[static_cast<size_t>(placeholders[i])] = placeholders[kept[places[i]]];
  }
  for (size_t position : kept) {
    inputs.push_back(placeholders[position]);
  }
  for (size_t i = 0; i < to.size(); ++i) {
    for (ir::Argument& argument : graph.node(static_cast<NodeId>(i)).arguments) {
      argument = redirected(argument, to);
    }
  }
  graph.output = redirected(graph.output, to);
  return ir::subgraph(graph, inputs, ir::outputNodes(graph), [&](NodeId node) {
    const ir::NodeKind kind = graph.node(node).kind;
    return kind == ir::NodeKind::kOperator || kind == ir::NodeKind::kCallable;
  });
}

class AotModule final : public backends::CompiledGraph {
 public:
  AotModule(ir::Graph graph, const std::vector<at::Tensor>& examples, const AotModuleOptions& options) {
    places_ = withoutDuplicates(examples, kept_);
    if (options.debugAssert) {
      expected_.emplace(ir::placeholderNames(graph), values::ValueList(examples.begin(), examples.end()),
                        std::vector<bool>(examples.size(), true), /*distinct=*/false);
    }
    std::vector<at::Tensor> each;
    for (size_t position : kept_) {
      each.push_back(examples[position]);
    }
    compiled_ = aot_autograd::aotCompiler(options.stages)(mergePlaceholders(std::move(graph), places_, kept_), each);
    if (expected_) {
      std::vector<std::pair<size_t, backends::Assumption>> assumptions;
      const std::vector<backends::Assumption> ofEach = compiled_->assumptions();
      for (size_t i = 0; i < ofEach.size(); ++i) {
        assumptions.emplace_back(i, ofEach[i]);
      }
      expected_->rely(assumptions, {}, values::ValueList(examples.begin(), examples.end()));
    }
  }

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    if (expected_) {
      const values::ValueList values(inputs.begin(), inputs.end());
      std::vector<const at::Tensor*> tensors;
      if (!expected_->check(values, tensors)) {
        throw values::RaisedException("AssertionError",
                                      "the module was compiled for other inputs: " + expected_->failure(values));
      }
    }
    std::vector<at::Tensor> each;
    for (size_t position : kept_) {
      each.push_back(inputs.at(position));
    }
    inputs.clear();
    return compiled_->run(std::move(each));
  }

  std::vector<backends::Assumption> assumptions() const override {
    const std::vector<backends::Assumption> ofEach = compiled_->assumptions();
    std::vector<backends::Assumption> assumptions;
    for (size_t place : places_) {
      assumptions.push_back(ofEach[place]);
    }
    return assumptions;
  }

 private:
  std::vector<size_t> kept_; // of the inputs: each object once
  std::vector<size_t> places_; // of each input, among those
  std::optional<capture::Guards> expected_;
  std::shared_ptr<const backends::CompiledGraph> compiled_;
};

} // namespace

std::shared_ptr<const backends::CompiledGraph> aotModuleSimplified(ir::Graph graph,
                                                                   const std::vector<at::Tensor>& examples,
                                                                   const AotModuleOptions& options) {
  return std::make_shared<const AotModule>(std::move(graph), examples, options);
}

} // namespace touchstone::native
