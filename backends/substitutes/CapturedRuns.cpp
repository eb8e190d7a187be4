#include "backends/substitutes/CapturedRuns.h"

#include "backends/substitutes/PartsOfJoint.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/AutogradNodes.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <exception>
#include <thread>

namespace touchstone::substitutes {

namespace {

using ir::Graph;
using ir::GraphSignature;
using ir::ValuePlace;
using Tensors = std::vector<at::Tensor>;

/// A tensor of this geometry in the memory of another one.
at::Tensor over(const at::Tensor& memory, const ir::TensorMetadata& geometry) {
  at::Tensor tensor = at::empty({0}, memory.options().dtype(static_cast<at::ScalarType>(geometry.dtype.value)));
  tensor.set_(memory.storage(), geometry.offset, geometry.sizes, geometry.strides);
  return tensor;
}

bool sameGeometry(const std::optional<ir::TensorMetadata>& left, const std::optional<ir::TensorMetadata>& right) {
  return left.has_value() == right.has_value() &&
         (!left || (left->dtype == right->dtype && left->sizes == right->sizes && left->strides == right->strides &&
                    left->offset == right->offset));
}

bool samePlace(const ValuePlace& left, const ValuePlace& right) {
  return left.output == right.output && left.input == right.input && sameGeometry(left.geometry, right.geometry);
}

/// Works on another thread, where autograd and autocast are as at the begin of a program. Throws what the work does.
template <class Work>
void onAnotherThread(const Work& work) {
  std::exception_ptr raised;
  std::thread([&] {
    try {
      work();
    } catch (...) {
      raised = std::current_exception();
    }
  }).join();
  if (raised) {
    std::rethrow_exception(raised);
  }
}

/// The captured Graph, on arguments in the memory that the recorded one is given.
class CapturedRun {
 public:
  CapturedRun(const Graph& captured, const GraphSignature& signature) : captured_(captured), signature_(signature) {
    const std::vector<ir::NodeId>& placeholders = captured.placeholders();
    if (placeholders.size() > signature.inputs.size()) {
      throw NoSubstitute("arguments are one tensor");
    }
    for (size_t i = 0; i < placeholders.size(); ++i) {
      const GraphSignature::Input& input = signature.inputs[i];
      if (input.geometry.conjugate || input.geometry.negative) {
        throw NoSubstitute("an argument is a lazy view");
      }
      if (input.storage < 0 || static_cast<size_t>(input.storage) >= signature.takes.size()) {
        throw NoSubstitute("an argument lies in no memory that is known");
      }
      inputs_.push_back(input);
    }
  }

  const std::vector<GraphSignature::Input>& inputs() const { return inputs_; }
  const GraphSignature& signature() const { return signature_; }
  size_t memories() const { return signature_.takes.size(); }
  /// Arguments that require grad have a node of their own, and are no leaves, which could not be written to; `edges`, by input:
  /// it. One that is a view is made of its base where their memory is written to, and else apart from it: so autograd has it.
  Tensors arguments(const Tensors& given, torch::autograd::edge_list& edges) const {
    Tensors made(signature_.inputs.size());
    edges.assign(made.size(), {});
    for (size_t i = made.size(); i-- > 0;) { // hidden bases are the last
      argument(i, given, edges, made);
    }
    made.resize(inputs_.size());
    return made;
  }
  bool isWritten(int storage) const {
    return std::any_of(signature_.inputs.begin(), signature_.inputs.end(), [&](const GraphSignature::Input& each) {
      return each.storage == storage && (each.dataMutated || each.metadataMutated);
    });
  }
  /// Those that are no None, as the signature counts them.
  Tensors run(const Tensors& arguments) const {
    Tensors results = interpreter().runFlat(arguments);
    std::erase_if(results, [](const at::Tensor& each) { return !each.defined(); });
    if (results.size() != signature_.outputs.size()) {
      throw std::logic_error("the captured graph does not return what was traced");
    }
    return results;
  }

 private:
  void argument(size_t input, const Tensors& given, torch::autograd::edge_list& edges, Tensors& made) const {
    const GraphSignature::Input& known = signature_.inputs[input];
    if (made[input].defined()) {
      return;
    }
    if (known.base >= 0 && isWritten(known.storage)) {
      argument(static_cast<size_t>(known.base), given, edges, made);
      made[input] = made[static_cast<size_t>(known.base)].as_strided(known.geometry.sizes, known.geometry.strides,
                                                                     known.geometry.offset);
      return;
    }
    made[input] = over(given.at(static_cast<size_t>(known.storage)), known.geometry);
    if (known.requiresGrad) {
      edges[input] = torch::autograd::Edge(values::makeNode<torch::autograd::Identity>(), 0);
      edges[input].function->add_input_metadata(made[input]);
      torch::autograd::impl::set_gradient_edge(made[input], edges[input]);
    }
  }
  const runtime::Interpreter& interpreter() const {
    if (interpreter_ == nullptr) {
      interpreter_ = std::make_shared<const runtime::Interpreter>(captured_);
    }
    return *interpreter_;
  }

  const Graph captured_;
  const GraphSignature signature_;
  std::vector<GraphSignature::Input> inputs_;
  mutable std::shared_ptr<const runtime::Interpreter> interpreter_;
};

/// A Graph with these placeholders that makes one call; an output is a result of it, -1: None.
Graph graphOfCall(const Graph& like, const std::string& name, const std::vector<int>& outputs,
                  std::function<Tensors(Tensors)> call) {
  Graph graph;
  std::vector<ir::Argument> arguments;
  runtime::CallableCall callable{.name = name};
  callable.run = [call = std::move(call)](const values::ValueList& values) {
    Tensors given;
    std::transform(values.begin(), values.end(), std::back_inserter(given),
                   [](const values::Value& value) { return value.tensor(); });
    values::ValueList results;
    for (const at::Tensor& result : call(std::move(given))) {
      results.push_back(result.defined() ? values::Value(result) : values::Value());
    }
    return values::Value::tuple(std::move(results));
  };
  for (const ir::NodeId placeholder : like.placeholders()) {
    const ir::NodeId node = graph.addPlaceholder(like.node(placeholder).name);
    graph.node(node).metadata = like.node(placeholder).metadata;
    arguments.push_back(ir::nodeArgument(node));
  }
  const ir::NodeId made = graph.addCallable(name, std::move(arguments), runtime::callableOf(std::move(callable)));
  std::vector<ir::NodeId> returned;
  for (const int output : outputs) {
    returned.push_back(output < 0 ? -1 : graph.addElement(made, output));
  }
  graph.output = ir::nodeTuple(returned);
  return graph;
}

const GraphSignature& signatureOf(const ir::StageArtifacts& artifacts) {
  if (!artifacts.signature) {
    throw NoSubstitute("what it promises of inputs and outputs is not known");
  }
  return *artifacts.signature;
}

/// Where the captured Graph's results and arguments have the memories that the forward returns. In one of neither lies nothing.
struct MemoryOrigin {
  int input = -1; // what is in its memory in the end, or
  int result = -1;
  ir::TensorMetadata layout;
};

std::vector<MemoryOrigin> originsOf(const GraphSignature& signature, const Graph& forward, size_t memories) {
  const std::vector<ir::NodeId> returned = ir::outputNodes(forward);
  std::vector<MemoryOrigin> origins(memories);
  for (size_t i = 0; i < memories; ++i) {
    if (returned[i] < 0 || !forward.node(returned[i]).metadata) {
      throw NoSubstitute("a memory has no layout");
    }
    origins[i].layout = *forward.node(returned[i]).metadata;
  }
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    const ValuePlace& place = signature.outputs[i].value;
    if (place.output >= 0 && place.layout) {
      origins.at(static_cast<size_t>(place.output)) = {-1, static_cast<int>(i), *place.layout};
    }
  }
  for (const GraphSignature::Written& written : signature.written) {
    origins.at(static_cast<size_t>(written.value.output)) = {written.input, -1, *written.geometry};
  }
  const bool isMoved = std::any_of(signature.inputs.begin(), signature.inputs.end(),
                                   [](const GraphSignature::Input& each) { return each.metadataMutated; });
  for (const MemoryOrigin& origin : origins) {
    if (isMoved && origin.input < 0 && origin.result < 0) { // there, it may be
      throw NoSubstitute("an argument is moved to memory that no result lies in");
    }
  }
  return origins;
}

/// A backward root by root, with the tangent that each has.
struct Root {
  size_t tangent = 0; // among them
  int input = -1; // as it is in the end, or
  int result = -1;
};

std::vector<Root> rootsOf(const GraphSignature& signature, const GraphSignature::Backward& backward) {
  std::vector<Root> roots;
  for (const GraphSignature::Backward::Taken& taken : backward.takes) {
    Root root{.tangent = roots.size()};
    const ValuePlace& place = taken.tangentOf.value();
    const auto result = std::find_if(signature.outputs.begin(), signature.outputs.end(),
                                     [&](const auto& each) { return samePlace(each.value, place); });
    if (place.input >= 0 && !place.geometry) {
      root.input = place.input;
    } else if (result != signature.outputs.end()) {
      root.result = static_cast<int>(result - signature.outputs.begin());
    } else {
      throw NoSubstitute("a tangent is of what the captured graph does not return");
    }
    roots.push_back(root);
  }
  return roots;
}

Tensors gradientsOf(const CapturedRun& run, const std::vector<Root>& roots, const Tensors& given) {
  torch::autograd::edge_list edges, wanted, from;
  const Tensors arguments = run.arguments(given, edges);
  const Tensors results = run.run(arguments);
  Tensors tangents;
  for (const Root& root : roots) {
    const at::Tensor& tensor =
        root.input >= 0 ? arguments.at(static_cast<size_t>(root.input)) : results.at(static_cast<size_t>(root.result));
    if (tensor.requires_grad()) {
      from.push_back(torch::autograd::impl::gradient_edge(tensor));
      tangents.push_back(given.at(run.memories() + root.tangent));
    }
  }
  std::copy_if(edges.begin(), edges.end(), std::back_inserter(wanted),
               [](const auto& each) { return each.is_valid(); });
  Tensors gradients(edges.size());
  if (from.empty() || wanted.empty()) {
    return gradients;
  }
  const Tensors found = torch::autograd::Engine::get_default_engine().execute(
      from, tangents, /*keep_graph=*/false, /*create_graph=*/false, /*accumulate_grad=*/false, wanted);
  size_t next = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    gradients[i] = edges[i].is_valid() ? found.at(next++) : at::Tensor();
  }
  return gradients;
}

} // namespace

Graph capturedForward(const Graph& captured, const ir::StageArtifacts& artifacts) {
  const GraphSignature& signature = signatureOf(artifacts);
  const Graph& forward = *artifacts.graph(ir::kForwardStage);
  const std::vector<ir::NodeId> returned = ir::outputNodes(forward);
  const size_t memories = returned.size() - artifacts.partition.saved.size();
  const std::vector<MemoryOrigin> origins = originsOf(signature, forward, memories);
  std::vector<int> outputs;
  for (size_t i = 0; i < returned.size(); ++i) { // of what is saved the versions alone matter
    const auto memory =
        std::find(returned.begin(), returned.begin() + static_cast<std::ptrdiff_t>(memories), returned[i]);
    const auto place = static_cast<size_t>(memory - returned.begin());
    outputs.push_back(i < memories ? static_cast<int>(i) : place < memories ? static_cast<int>(place) : -1);
  }
  const auto run = std::make_shared<const CapturedRun>(captured, signature);
  return graphOfCall(forward, "captured", outputs, [run, origins](const Tensors& given) {
    Tensors made;
    onAnotherThread([&] {
      torch::autograd::edge_list edges;
      const Tensors results = run->run(run->arguments(given, edges));
      const at::NoGradGuard withoutGrad;
      for (const MemoryOrigin& origin : origins) {
        if (origin.input < 0 && origin.result < 0) {
          made.push_back(at::zeros({}, given.front().options()));
          continue;
        }
        const int storage =
            origin.input < 0 ? -1 : run->signature().inputs.at(static_cast<size_t>(origin.input)).storage;
        made.push_back(
            over(storage < 0 ? results.at(static_cast<size_t>(origin.result)) : given.at(static_cast<size_t>(storage)),
                 origin.layout));
      }
    });
    return made;
  });
}

Graph capturedBackward(const Graph& captured, const ir::StageArtifacts& artifacts, const std::string& stage) {
  const GraphSignature& signature = signatureOf(artifacts);
  const GraphSignature::Backward& backward = signature.backwards.back();
  const Graph& replaced = *artifacts.graph(stage);
  const auto run = std::make_shared<const CapturedRun>(captured, signature);
  const std::vector<ir::NodeId> returned = ir::outputNodes(replaced);
  std::vector<int> outputs;
  for (size_t i = 0; i < returned.size(); ++i) {
    const int input = i < backward.gradients.size() ? backward.gradients[i] : -1;
    if (input < 0 && returned[i] >= 0) {
      throw NoSubstitute("a gradient is of no argument");
    }
    const GraphSignature::Input* of = input < 0 ? nullptr : &signature.inputs.at(static_cast<size_t>(input));
    if (of != nullptr && of->base >= 0 && run->isWritten(of->storage) && returned[i] >= 0) {
      throw NoSubstitute("a gradient is of a view whose memory is written to later");
    }
    outputs.push_back(input);
  }
  return graphOfCall(replaced, "captured_backward", outputs,
                     [run, roots = rootsOf(signature, backward)](const Tensors& given) {
                       Tensors gradients;
                       onAnotherThread([&] { gradients = gradientsOf(*run, roots, given); });
                       return gradients;
                     });
}

} // namespace touchstone::substitutes
