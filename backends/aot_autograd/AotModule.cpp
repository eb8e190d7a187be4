#include "backends/aot_autograd/AotModule.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/capture/Guards.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Subgraph.h"
#include "graph/program/CompiledProgram.h"
#include "graph/program/RaisedException.h"

#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <set>

namespace touchstone::backends {

namespace {

using graph::NodeId;

/// A Graph of the same placeholders and outputs that calls compiled code.
graph::Graph callOf(std::shared_ptr<const CompiledGraph> compiled, const graph::Graph& like, const std::string& name) {
  graph::Graph calling;
  std::vector<graph::Argument> arguments;
  for (NodeId placeholder : like.placeholders()) {
    const NodeId copy = calling.addPlaceholder(like.node(placeholder).name);
    calling.node(copy).metadata = like.node(placeholder).metadata;
    arguments.push_back(graph::nodeArgument(copy));
  }
  graph::CallableCall call{.name = name, .run = [compiled](const graph::ValueList& values) {
                             std::vector<at::Tensor> inputs;
                             for (const graph::Value& value : values) {
                               inputs.push_back(value.isTensor() ? value.tensor() : at::Tensor());
                             }
                             graph::ValueList results;
                             for (at::Tensor& result : compiled->run(std::move(inputs))) {
                               results.push_back(result.defined() ? graph::Value(std::move(result)) : graph::Value());
                             }
                             return graph::Value::tuple(std::move(results));
                           }};
  const NodeId whole = calling.addCallable(name, std::move(arguments), graph::callableOf(std::move(call)));
  std::vector<NodeId> outputs;
  const size_t count = std::get<graph::Argument::Container>(like.output.payload).items.size();
  for (size_t i = 0; i < count; ++i) {
    outputs.push_back(calling.addElement(whole, static_cast<int64_t>(i)));
  }
  calling.output = graph::nodeTuple(outputs);
  return calling;
}

std::vector<at::Tensor> zerosFor(const graph::Graph& graph) {
  std::vector<at::Tensor> examples;
  for (NodeId placeholder : graph.placeholders()) {
    const graph::TensorMetadata& metadata = *graph.node(placeholder).metadata;
    at::Tensor example = at::empty_strided(metadata.sizes, metadata.strides,
                                           at::TensorOptions()
                                               .dtype(static_cast<at::ScalarType>(metadata.dtype.value))
                                               .device(at::Device(metadata.device)));
    examples.push_back(example.zero_());
  }
  return examples;
}

/// Hands the forward and backward Graphs to compilers.
class CompilersOfStages final : public graph::StageHook {
 public:
  CompilersOfStages(GraphCompiler forward, GraphCompiler backward)
      : forward_(std::move(forward)), backward_(std::move(backward)) {}

  void after(const std::string& stage, graph::StageArtifacts& artifacts) override {
    const GraphCompiler& compiler = stage == "forward" ? forward_ : backward_;
    if ((stage != "forward" && !stage.starts_with("backward")) || compiler == nullptr) {
      return;
    }
    graph::Graph& graph = *artifacts.graph(stage);
    graph = callOf(compiler(graph, zerosFor(graph)), graph, "compiled::" + stage);
  }

 private:
  GraphCompiler forward_, backward_;
};

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

std::vector<NodeId> outputsOf(const graph::Graph& graph) {
  std::vector<NodeId> outputs;
  for (const graph::Argument& item : std::get<graph::Argument::Container>(graph.output.payload).items) {
    const auto* reference = std::get_if<graph::NodeReference>(&item.payload);
    outputs.push_back(reference != nullptr ? reference->node : -1);
  }
  return outputs;
}

graph::Argument redirected(const graph::Argument& argument, const std::vector<NodeId>& to) {
  if (const auto* reference = std::get_if<graph::NodeReference>(&argument.payload)) {
    return graph::nodeArgument(to[static_cast<size_t>(reference->node)]);
  }
  graph::Argument copy = argument;
  if (auto* container = std::get_if<graph::Argument::Container>(&copy.payload)) {
    for (graph::Argument& item : container->items) {
      item = redirected(item, to);
    }
  }
  return copy;
}

/// The Graph for inputs of which some are one object: a placeholder for each object.
graph::Graph mergePlaceholders(graph::Graph graph, const std::vector<size_t>& places, const std::vector<size_t>& kept) {
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
    for (graph::Argument& argument : graph.node(static_cast<NodeId>(i)).arguments) {
      argument = redirected(argument, to);
    }
  }
  graph.output = redirected(graph.output, to);
  return graph::subgraph(graph, inputs, outputsOf(graph), [&](NodeId node) {
    const graph::NodeKind kind = graph.node(node).kind;
    return kind == graph::NodeKind::kOperator || kind == graph::NodeKind::kCallable;
  });
}

class AotModule final : public CompiledGraph {
 public:
  AotModule(graph::Graph graph, const std::vector<at::Tensor>& examples, const AotModuleOptions& options) {
    places_ = withoutDuplicates(examples, kept_);
    if (options.debugAssert) {
      expected_.emplace(namesOf(graph), graph::ValueList(examples.begin(), examples.end()),
                        std::vector<bool>(examples.size(), true), /*distinct=*/false);
    }
    std::vector<at::Tensor> each;
    for (size_t position : kept_) {
      each.push_back(examples[position]);
    }
    AotOptions stages{.beneath = options.beneath};
    if (options.forwardCompiler != nullptr || options.backwardCompiler != nullptr) {
      stages.hooks = {std::make_shared<CompilersOfStages>(options.forwardCompiler, options.backwardCompiler)};
    }
    compiled_ = aotCompiler(std::move(stages))(mergePlaceholders(std::move(graph), places_, kept_), each);
    if (expected_) {
      std::vector<std::pair<size_t, Reliance>> reliance;
      const std::vector<Reliance> ofEach = compiled_->reliance();
      for (size_t i = 0; i < ofEach.size(); ++i) {
        reliance.emplace_back(i, ofEach[i]);
      }
      expected_->rely(reliance, graph::ValueList(examples.begin(), examples.end()));
    }
  }

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    if (expected_) {
      const graph::ValueList values(inputs.begin(), inputs.end());
      std::vector<const at::Tensor*> tensors;
      if (!expected_->check(values, tensors)) {
        throw graph::RaisedException("AssertionError",
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

  std::vector<Reliance> reliance() const override {
    const std::vector<Reliance> ofEach = compiled_->reliance();
    std::vector<Reliance> reliance;
    for (size_t place : places_) {
      reliance.push_back(ofEach[place]);
    }
    return reliance;
  }

 private:
  static std::vector<std::string> namesOf(const graph::Graph& graph) {
    std::vector<std::string> names;
    for (NodeId placeholder : graph.placeholders()) {
      names.push_back(graph.node(placeholder).name);
    }
    return names;
  }

  std::vector<size_t> kept_; // of the inputs: each object once
  std::vector<size_t> places_; // of each input, among those
  std::optional<Guards> expected_;
  std::shared_ptr<const CompiledGraph> compiled_;
};

/// The value of a whole memory as the tensor that lies in it.
NodeId inPlace(graph::Graph& graph, NodeId value, const graph::TensorMetadata& layout,
               const graph::TensorMetadata& geometry) {
  if (graph::sameLayout(layout, geometry) && layout.offset == geometry.offset) {
    return value;
  }
  if (layout.dtype.value != geometry.dtype.value || geometry.conjugate || geometry.negative) {
    throw graph::Unsupported("an output is another view of its memory than sizes and strides tell");
  }
  const NodeId view =
      graph.addOperator("aten::as_strided", {graph::nodeArgument(value), graph::integerList(geometry.sizes),
                                             graph::integerList(geometry.strides), graph::Argument{geometry.offset}});
  graph.node(view).metadata = geometry;
  graph.node(view).sequence = graph.node(value).sequence;
  return view;
}

/// Keeps the joint Graph without writes.
class KeptJoint final : public graph::StageHook {
 public:
  void after(const std::string& stage, graph::StageArtifacts& artifacts) override {
    if (stage == "functional") {
      functional = *artifacts.graph(stage);
    }
  }
  graph::Graph functional; // returns memories, then by backward node the gradients of all that is wanted
};

} // namespace

std::shared_ptr<const CompiledGraph> aotModuleSimplified(graph::Graph graph, const std::vector<at::Tensor>& examples,
                                                         const AotModuleOptions& options) {
  return std::make_shared<const AotModule>(std::move(graph), examples, options);
}

graph::Graph aotExportJointSimple(const graph::Graph& graph, const std::vector<at::Tensor>& examples, bool traceJoint,
                                  Beneath beneath, ExportedWrites writes) {
  const auto kept = std::make_shared<KeptJoint>();
  const CompiledFrame frame(graph::Interpreter(graph), examples, {.beneath = beneath, .hooks = {kept}});
  const RuntimePlan& plan = frame.plan();
  graph::Graph& joint = kept->functional;
  std::set<size_t> used; // memories
  const std::vector<NodeId> results = outputsOf(joint);
  for (const InputStoragePlan& storage : plan.inputStorages) {
    if (storage.isFlat) {
      throw graph::Unsupported("inputs that share memory cannot be exported");
    }
  }
  std::vector<NodeId> outputs;
  for (size_t i = 0; i < plan.memories.size(); ++i) {
    if (plan.memories[i].inputStorage >= 0 && writes == ExportedWrites::kReturned) {
      outputs.push_back(results[i]);
    }
  }
  for (const InputPlan& input : plan.inputs) {
    const bool isWritten = input.dataMutated && writes == ExportedWrites::kRefused;
    if (isWritten || input.moved || input.detached || input.requiresGrad || input.root >= 0) {
      throw graph::Unsupported("the program changes its input `" + input.name + "`, which cannot be exported");
    }
  }
  std::vector<NodeId> inputs(joint.placeholders().begin(),
                             joint.placeholders().begin() + static_cast<std::ptrdiff_t>(plan.inputs.size()));
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    if (plan.outputs[i] < 0) {
      outputs.push_back(-1);
      continue;
    }
    const auto isSame = [&](int output) { return output == plan.outputs[i]; };
    const OutputKind kind = plan.outputKind(i);
    const bool isFresh = kind == OutputKind::kFresh || kind == OutputKind::kAliasOfIntermediate;
    if (!isFresh || std::count_if(plan.outputs.begin(), plan.outputs.end(), isSame) > 1) {
      throw graph::Unsupported("output " + std::to_string(i) +
                               " shares memory with something else, which cannot be exported");
    }
    const MadePlan& made = plan.made[static_cast<size_t>(plan.outputs[i]) - plan.inputs.size()];
    const auto memory = static_cast<size_t>(made.place.memory);
    if (!used.insert(memory).second) {
      throw graph::Unsupported("outputs that share memory cannot be exported");
    }
    outputs.push_back(inPlace(joint, results[memory], plan.memories[memory].layout, made.place.geometry));
  }
  if (traceJoint) {
    inputs = joint.placeholders();
    TangentLayouts layouts(plan.tangents.begin(), plan.tangents.end());
    std::vector<NodeId> gradients(plan.inputs.size(), -1);
    for (size_t node = 0; node < plan.nodes.size(); ++node) {
      frame.backwardFor(node, layouts); // raises what the backward raises
      for (size_t wanted : plan.nodes[node].wanted) {
        gradients[static_cast<size_t>(plan.wanted[wanted])] =
            results[plan.memories.size() + node * plan.wanted.size() + wanted];
      }
    }
    outputs.insert(outputs.end(), gradients.begin(), gradients.end());
  }
  return graph::subgraph(joint, inputs, outputs);
}

} // namespace touchstone::backends
