#include "backends/substitutes/CapturedRuns.h"

#include "backends/substitutes/PartsOfJoint.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd.h>

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
  at::Tensor argument(size_t input, const Tensors& given) const {
    const GraphSignature::Input& known = inputs_[input];
    return over(given.at(static_cast<size_t>(known.storage)), known.geometry);
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

/// Where the captured Graph's results and arguments have the memories that the forward returns.
struct MemoryOrigin {
  int input = -1; // what is in its memory in the end, or
  int result = -1;
  ir::TensorMetadata layout;
};

std::vector<MemoryOrigin> originsOf(const GraphSignature& signature, size_t memories) {
  std::vector<MemoryOrigin> origins(memories);
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    const ValuePlace& place = signature.outputs[i].value;
    if (place.output >= 0 && place.layout) {
      origins.at(static_cast<size_t>(place.output)) = {-1, static_cast<int>(i), *place.layout};
    }
  }
  for (const GraphSignature::Written& written : signature.written) {
    origins.at(static_cast<size_t>(written.value.output)) = {written.input, -1, *written.geometry};
  }
  for (const MemoryOrigin& origin : origins) {
    if (origin.input < 0 && origin.result < 0) {
      throw NoSubstitute("no result lies in a memory that the runtime wants");
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
  const at::AutoGradMode withGrad(true);
  Tensors leaves(run.inputs().size()), arguments;
  for (size_t i = 0; i < run.inputs().size(); ++i) {
    at::Tensor argument = run.argument(i, given);
    if (run.inputs()[i].requiresGrad) {
      leaves[i] = argument.requires_grad_();
      const bool isChanged = run.inputs()[i].dataMutated || run.inputs()[i].metadataMutated;
      argument = isChanged ? leaves[i].clone() : leaves[i];
    }
    arguments.push_back(std::move(argument));
  }
  const Tensors results = run.run(arguments);
  Tensors from, tangents, to;
  for (const Root& root : roots) {
    const at::Tensor& tensor =
        root.input >= 0 ? arguments.at(static_cast<size_t>(root.input)) : results.at(static_cast<size_t>(root.result));
    if (tensor.requires_grad()) {
      from.push_back(tensor);
      tangents.push_back(given.at(run.memories() + root.tangent));
    }
  }
  std::copy_if(leaves.begin(), leaves.end(), std::back_inserter(to), [](const auto& each) { return each.defined(); });
  if (from.empty() || to.empty()) {
    return leaves.empty() ? leaves : Tensors(leaves.size());
  }
  const Tensors found = torch::autograd::grad(from, to, tangents, /*retain_graph=*/std::nullopt,
                                              /*create_graph=*/false, /*allow_unused=*/true);
  size_t next = 0;
  for (at::Tensor& leaf : leaves) {
    leaf = leaf.defined() ? found.at(next++) : leaf;
  }
  return leaves;
}

} // namespace

Graph capturedForward(const Graph& captured, const ir::StageArtifacts& artifacts) {
  const GraphSignature& signature = signatureOf(artifacts);
  const Graph& forward = *artifacts.graph(ir::kForwardStage);
  const std::vector<ir::NodeId> returned = ir::outputNodes(forward);
  const size_t memories = returned.size() - artifacts.partition.saved.size();
  const std::vector<MemoryOrigin> origins = originsOf(signature, memories);
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
      Tensors arguments;
      for (size_t i = 0; i < run->inputs().size(); ++i) {
        arguments.push_back(run->argument(i, given));
      }
      const Tensors results = run->run(arguments);
      const at::NoGradGuard withoutGrad;
      for (const MemoryOrigin& origin : origins) {
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
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    for (size_t other = 0; other < signature.inputs.size(); ++other) {
      if (i != other && signature.inputs[i].requiresGrad &&
          signature.inputs[i].storage == signature.inputs[other].storage) {
        throw NoSubstitute("an argument that requires grad shares memory with another one");
      }
    }
  }
  const std::vector<ir::NodeId> returned = ir::outputNodes(replaced);
  std::vector<int> outputs;
  for (size_t i = 0; i < returned.size(); ++i) {
    const int input = i < backward.gradients.size() ? backward.gradients[i] : -1;
    if (input >= static_cast<int>(run->inputs().size()) || (input < 0 && returned[i] >= 0)) {
      throw NoSubstitute("a gradient is of no argument");
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
