#include "backends/graph_files/GraphDumper.h"
#include "graph/ir/Geometry.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/GeneratorState.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/enum_tag.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace touchstone::graph_files {

namespace {

bool draws(const ir::Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const ir::Node& node) {
    const auto op = node.kind == ir::NodeKind::kOperator ? runtime::findOperator(node.target) : std::nullopt;
    return op && op->hasTag(at::Tag::nondeterministic_seeded);
  });
}

at::Tensor generatorState() {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return generator.get_state();
}

void setGenerator(const at::Tensor& state) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(state);
}

bool sameBits(const at::Tensor& left, const at::Tensor& right) {
  return left.numel() == 0 || std::memcmp(left.const_data_ptr(), right.const_data_ptr(), left.nbytes()) == 0;
}

bool sameValues(at::Tensor left, at::Tensor right) {
  left = left.resolve_conj().resolve_neg().contiguous();
  right = right.resolve_conj().resolve_neg().contiguous();
  if (sameBits(left, right)) {
    return true;
  }
  if (!left.is_floating_point() && !left.is_complex()) {
    return false;
  }
  const at::Tensor nan = left.isnan().logical_and(right.isnan());
  return sameBits(left.masked_fill(nan, 0), right.masked_fill(nan, 0));
}

std::string differenceOfTensors(const at::Tensor& found, const at::Tensor& expected) {
  if (found.defined() != expected.defined()) {
    return found.defined() ? "a tensor where None was" : "None where a tensor was";
  }
  if (!found.defined()) {
    return "";
  }
  const ir::TensorMetadata now = runtime::metadataOf(found), then = runtime::metadataOf(expected);
  if (!(now.dtype == then.dtype)) {
    return "dtype " + ir::dtypeName(now.dtype) + " where " + ir::dtypeName(then.dtype) + " was";
  }
  if (now.sizes != then.sizes) {
    return "other sizes";
  }
  const bool areStrided = now.strides.size() == now.sizes.size() && then.strides.size() == then.sizes.size();
  if (!areStrided) {
    return now.strides.size() == then.strides.size() ? "" : "another layout";
  }
  if (ir::elementCount(now) > 0 && !ir::sameSignificantLayout(now, then)) {
    return "other strides";
  }
  return sameValues(found, expected) ? "" : "other values";
}

} // namespace

GraphObservation observeGraph(const ir::Graph& graph, const std::vector<at::Tensor>& inputs,
                              const at::Tensor& generator) {
  const values::GeneratorStateScope restored;
  const at::AutoDispatchBelowAutograd below;
  const at::NoGradGuard noGrad;
  GraphObservation observation;
  if (draws(graph)) {
    if (generator.defined()) {
      setGenerator(generator);
    }
    observation.generator = generatorState();
  }
  observation.inputs = copiesOf(inputs);
  observation.inputsAfter = copiesOf(inputs);
  observation.outputs = runtime::Interpreter(graph, runtime::NodeState::kCallers).runFlat(observation.inputsAfter);
  return observation;
}

std::string differenceOf(const GraphObservation& found, const GraphObservation& expected) {
  const auto compare = [](const std::vector<at::Tensor>& left, const std::vector<at::Tensor>& right,
                          const char* what) -> std::string {
    if (left.size() != right.size()) {
      return fmt::format("there are {} of {}, and there were {}", left.size(), what, right.size());
    }
    for (size_t i = 0; i < left.size(); ++i) {
      if (const std::string difference = differenceOfTensors(left[i], right[i]); !difference.empty()) {
        return fmt::format("{} {}: {}", what, i, difference);
      }
    }
    return "";
  };
  const std::string outputs = compare(found.outputs, expected.outputs, "output");
  return outputs.empty() ? compare(found.inputsAfter, expected.inputsAfter, "input afterwards") : outputs;
}

} // namespace touchstone::graph_files
