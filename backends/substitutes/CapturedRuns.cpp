#include "backends/substitutes/CapturedRuns.h"

#include "backends/substitutes/CapturedCall.h"
#include "backends/substitutes/PartsOfJoint.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/StorageCopy.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <exception>
#include <set>
#include <thread>

namespace touchstone::substitutes {

namespace {

using ir::Graph;
using ir::GraphSignature;
using ir::ValuePlace;
using Tensors = std::vector<at::Tensor>;

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

/// Where a tangent arrives.
struct Root {
  size_t tangent = 0; // among them
  int input = -1; // as it is in the end, or
  int result = -1;
  std::optional<ir::TensorMetadata> base; // or what that result is a view of
};

std::vector<Root> rootsOf(const GraphSignature& signature, const GraphSignature::Backward& backward) {
  std::vector<Root> roots;
  std::set<int> known; // results that have theirs: two may lie in one place
  const auto resultWhere = [&](const auto& isMeant) {
    for (size_t i = 0; i < signature.outputs.size(); ++i) {
      if (isMeant(signature.outputs[i].value) && !known.contains(static_cast<int>(i))) {
        return static_cast<int>(i);
      }
    }
    return -1;
  };
  for (const GraphSignature::Backward::Taken& taken : backward.takes) {
    Root root{.tangent = roots.size()};
    const ValuePlace& place = taken.tangentOf.value();
    if (place.input >= 0 && !place.geometry) {
      root.input = place.input;
    } else if (root.result = resultWhere([&](const ValuePlace& each) { return samePlace(each, place); });
               root.result >= 0) {
      known.insert(root.result);
    } else if (root.result = resultWhere(
                   [&](const ValuePlace& each) { return place.output >= 0 && each.output == place.output; });
               root.result >= 0) {
      root.base = place.geometry;
    } else {
      throw NoSubstitute("a tangent is of what the captured graph does not return");
    }
    roots.push_back(root);
  }
  return roots;
}

at::Tensor tensorOf(const Root& root, const Tensors& arguments, const Tensors& results) {
  if (root.input >= 0) {
    return arguments.at(static_cast<size_t>(root.input));
  }
  const at::Tensor& result = results.at(static_cast<size_t>(root.result));
  if (!root.base) {
    return result;
  }
  if (!result.is_view() || result._base().sizes() != root.base->sizes) {
    throw std::logic_error("a result is no view of what the tangent is of");
  }
  return at::Tensor(result._base());
}

Tensors gradientsOf(const CapturedCall& run, const std::vector<Root>& roots, const Tensors& given) {
  torch::autograd::edge_list edges, wanted, from;
  const Tensors arguments = run.arguments(given, edges);
  const Tensors results = run.run(arguments);
  Tensors tangents;
  for (const Root& root : roots) {
    const at::Tensor tensor = tensorOf(root, arguments, results);
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

Graph capturedForward(const Captured& captured, const ir::StageArtifacts& artifacts) {
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
  const auto run = std::make_shared<const CapturedCall>(captured.graph, captured.state, signature);
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
        const at::Tensor& memory =
            storage < 0 ? results.at(static_cast<size_t>(origin.result)) : given.at(static_cast<size_t>(storage));
        made.push_back(values::tensorOver(memory.storage(), origin.layout));
      }
    });
    return made;
  });
}

Graph capturedBackward(const Captured& captured, const ir::StageArtifacts& artifacts, const std::string& stage) {
  const GraphSignature& signature = signatureOf(artifacts);
  const GraphSignature::Backward& backward = signature.backwards.back();
  const Graph& replaced = *artifacts.graph(stage);
  const auto run = std::make_shared<const CapturedCall>(captured.graph, captured.state, signature);
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
