#include "oracles/stages/PartitionLaws.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/InputWrites.h"
#include "graph/ir/Stages.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/Interpreter.h"
#include "oracles/observe/TensorBytes.h"
#include "program/values/GeneratorState.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>
#include <ATen/ops/arange.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace touchstone::stages {

namespace {

using ir::Graph;
using ir::Node;
using ir::NodeId;
using ir::NodeKind;

std::optional<c10::OperatorHandle> handleOf(const Node& node) {
  return node.kind == NodeKind::kOperator ? runtime::findOperator(node.target) : std::nullopt;
}

bool writesSomething(const Node& node) {
  const auto op = handleOf(node);
  return !node.writes.empty() || (op && op->schema().is_mutable());
}

constexpr int64_t kRoom = 4; // times the memory that an input takes

/// Of all its memory, gaps, overlaps and what lies behind it included.
at::Tensor copyOfItsMemory(const at::Tensor& tensor) {
  const auto elements = static_cast<int64_t>(tensor.storage().nbytes() / tensor.itemsize());
  return tensor.as_strided({elements}, {1}, 0)
      .clone()
      .as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

/// One part of the joint Graph, and how it is called.
struct PartOfJoint {
  std::string stage;
  const Graph* graph;
};

struct Parts {
  const Graph* joint = nullptr;
  PartOfJoint forward;
  std::vector<PartOfJoint> backwards;
};

Parts partsOf(const ir::StageArtifacts& artifacts) {
  Parts parts;
  for (const auto& [stage, graph] : artifacts.graphs) {
    if (stage == ir::kMergedStage || (stage == ir::kFunctionalStage && artifacts.graph(ir::kMergedStage) == nullptr) ||
        (stage == ir::kJointStage && parts.joint == nullptr)) {
      parts.joint = &graph;
    } else if (stage == ir::kForwardStage) {
      parts.forward = {stage, &graph};
    } else if (ir::isStage(stage, ir::kBackwardStage)) {
      parts.backwards.push_back({stage, &graph});
    }
  }
  if (parts.joint == nullptr || parts.forward.graph == nullptr) {
    throw std::invalid_argument("The laws of a partition need the stages `functional` and `forward` of a compile.");
  }
  return parts;
}

bool sameTensor(const at::Tensor& left, const at::Tensor& right) {
  if (left.defined() != right.defined()) {
    return false;
  }
  if (!left.defined()) {
    return true;
  }
  if (left.sizes() != right.sizes() || left.dtype() != right.dtype()) {
    return false;
  }
  const at::Tensor one = observe::copyOfValues(left), other = observe::copyOfValues(right);
  std::vector<char> packed(static_cast<size_t>(observe::elementBytes(one))), scratch;
  observe::packElements(one, packed.data());
  return observe::equalsPacked(other, packed.data(), scratch);
}

class Judgement {
 public:
  Judgement(const ir::StageArtifacts& artifacts, const std::vector<at::Tensor>& inputs)
      : artifacts_(artifacts), parts_(partsOf(artifacts)), inputs_(inputs) {}

  std::vector<PartitionBreach> run() {
    judgePlaces();
    judgeCosts();
    judgeValues();
    return std::move(breaches_);
  }

 private:
  void breach(PartitionLaw law, std::string message) { breaches_.push_back({law, std::move(message)}); }

  /// Writes and draws are where they were recorded, and draws nowhere twice.
  void judgePlaces() {
    std::map<std::string, int> draws; // of the parts, less those of the joint Graph
    const auto judge = [&](const PartOfJoint& part, bool isBackward) {
      for (const Node& node : part.graph->nodes()) {
        const char* recorded = node.backward ? ir::kBackwardStage : ir::kForwardStage;
        if (writesSomething(node) && node.backward != isBackward) {
          breach(PartitionLaw::kMutationStays, fmt::format("`{}` (`{}`) writes in stage {}; it was recorded in the {}.",
                                                           node.name, node.target, part.stage, recorded));
        }
        if (drawsSomething(node)) {
          draws[node.target] += 1;
          if (node.backward != isBackward) {
            breach(PartitionLaw::kDrawsOnce, fmt::format("`{}` (`{}`) draws in stage {}; it was recorded in the {}.",
                                                         node.name, node.target, part.stage, recorded));
          }
        }
      }
    };
    judge(parts_.forward, false);
    for (const PartOfJoint& backward : parts_.backwards) {
      judge(backward, true);
    }
    for (const Node& node : parts_.joint->nodes()) {
      if (drawsSomething(node)) {
        draws[node.target] -= 1;
      }
    }
    for (const auto& [target, count] : draws) {
      if (count != 0) {
        breach(PartitionLaw::kDrawsOnce, fmt::format("`{}` is called {} times {} than in the joint Graph.", target,
                                                     std::abs(count), count > 0 ? "more" : "less"));
      }
    }
  }

  std::set<std::string> takenByBackwards() const {
    std::set<std::string> taken;
    for (const PartOfJoint& backward : parts_.backwards) {
      const std::vector<std::string> names = ir::placeholderNames(*backward.graph);
      taken.insert(names.begin(), names.end());
    }
    return taken;
  }

  /// What every partition can save: the values of the forward that nodes recorded in the backward read, of those that the
  /// gradients need.
  std::set<std::string> savedByDefault() const {
    const std::vector<Node>& nodes = parts_.joint->nodes();
    std::vector<bool> needed(nodes.size(), false);
    const std::vector<NodeId> outputs = ir::outputNodes(*parts_.joint);
    for (size_t i = memoryCount(); i < outputs.size(); ++i) {
      if (outputs[i] >= 0) {
        needed[static_cast<size_t>(outputs[i])] = true;
      }
    }
    std::set<std::string> saved;
    for (size_t i = nodes.size(); i-- > 0;) {
      const Node& node = nodes[i];
      if (!needed[i] || node.kind == NodeKind::kConstant || isTangent(node.name)) {
        continue;
      }
      if (!node.backward) {
        saved.insert(node.name);
        continue;
      }
      for (const ir::Argument& argument : node.arguments) {
        ir::forEachReference(argument, [&](NodeId operand) { needed[static_cast<size_t>(operand)] = true; });
      }
    }
    return saved;
  }

  void judgeCosts() {
    if (artifacts_.partition.capacities.empty()) {
      return;
    }
    const auto costOf = [&](const std::set<std::string>& names) {
      int64_t sum = 0;
      for (const std::string& name : names) {
        const auto capacity = artifacts_.partition.capacities.find(name);
        if (capacity == artifacts_.partition.capacities.end()) {
          breach(PartitionLaw::kCostsNoMore, fmt::format("`{}` is saved and has no capacity.", name));
          continue;
        }
        sum += std::max<int64_t>(capacity->second, 0);
      }
      return sum;
    };
    const std::set<std::string> taken = takenByBackwards();
    std::set<std::string> saved;
    for (const std::string& name : artifacts_.partition.saved) {
      if (taken.contains(name)) {
        saved.insert(name);
      }
    }
    const int64_t chosen = costOf(saved), byDefault = costOf(savedByDefault());
    if (chosen > byDefault) {
      breach(PartitionLaw::kCostsNoMore,
             fmt::format("What is saved costs {}; what the default partition saves, {}.", chosen, byDefault));
    }
  }

  size_t memoryCount() const {
    const size_t outputs = ir::outputNodes(*parts_.forward.graph).size();
    return outputs - std::min(outputs, artifacts_.partition.saved.size());
  }

  bool isTangent(const std::string& name) const {
    const std::vector<std::string> ofForward = ir::placeholderNames(*parts_.forward.graph);
    const std::vector<std::string> all = ir::placeholderNames(*parts_.joint);
    return std::find(all.begin(), all.end(), name) != all.end() &&
           std::find(ofForward.begin(), ofForward.end(), name) == ofForward.end();
  }

  void judgeValues() {
    const values::GeneratorStateScope generators;
    const values::GeneratorState state = values::GeneratorState::now();
    const auto copies = [&] {
      std::vector<at::Tensor> copied;
      std::transform(inputs_.begin(), inputs_.end(), std::back_inserter(copied), copyOfItsMemory);
      return copied;
    };
    const std::vector<at::Tensor> expected =
        runtime::Interpreter(*parts_.joint, runtime::NodeState::kCallers).runFlat(copies());
    state.putBack();
    runParts(copies(), expected);
  }

  void runParts(std::vector<at::Tensor> given, const std::vector<at::Tensor>& expected) {
    std::map<std::string, at::Tensor> known;
    const std::vector<std::string> names = ir::placeholderNames(*parts_.joint);
    for (size_t i = 0; i < names.size(); ++i) {
      known[names[i]] = given.at(i);
    }
    std::vector<at::Tensor> inputs;
    for (const std::string& name : ir::placeholderNames(*parts_.forward.graph)) {
      inputs.push_back(known.at(name));
    }
    const std::vector<at::Tensor> before = packed(inputs);
    std::vector<at::Tensor> outputs =
        runtime::Interpreter(*parts_.forward.graph, runtime::NodeState::kCallers).runFlat(inputs);
    const size_t memories = memoryCount();
    takeWritten(inputs, expected, outputs);
    compare({outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(memories)}, expected, 0, ir::kForwardStage);
    for (size_t i = 0; i < artifacts_.partition.saved.size(); ++i) {
      const std::string& name = artifacts_.partition.saved[i];
      known[name] = outputs[memories + i];
      for (size_t input = 0; input < inputs.size(); ++input) {
        if (known[name].defined() && known[name].storage().is_alias_of(inputs[input].storage()) &&
            !sameTensor(inputs[input], before[input])) {
          breach(PartitionLaw::kSavesNothingMutated,
                 fmt::format("Saved value `{}` lies in the memory of an input that the forward writes to.", name));
        }
      }
    }
    size_t next = memories;
    for (const PartOfJoint& backward : parts_.backwards) {
      next = runBackward(backward, known, expected, next);
    }
  }

  /// A forward that itself writes to its inputs, at its end, returns nothing for each in place of what the joint Graph
  /// returns: `outputs` gets what then lies there.
  void takeWritten(const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& expected,
                   std::vector<at::Tensor>& outputs) const {
    const Graph& forward = *parts_.forward.graph;
    for (const ir::InputWrite& write : ir::inputWrites(forward, [&](size_t i) { return expected.at(i).defined(); })) {
      if (write.output && write.placeholder) { // else `compare` finds nothing there, or the laws of writes tell
        const Node& target = forward.node(write.target);
        const at::Tensor& input = inputs.at(*write.placeholder);
        const ir::TensorMetadata& layout = *target.metadata;
        outputs[*write.output] = target.kind == NodeKind::kPlaceholder
                                     ? input
                                     : input.as_strided(layout.sizes, layout.strides, layout.offset);
      }
    }
  }

  size_t runBackward(const PartOfJoint& backward, const std::map<std::string, at::Tensor>& known,
                     const std::vector<at::Tensor>& expected, size_t next) {
    std::vector<at::Tensor> taken;
    const std::vector<std::string> names = ir::placeholderNames(*backward.graph);
    for (const std::string& name : names) {
      const auto value = known.find(name);
      if (value == known.end() || !value->second.defined()) {
        breach(PartitionLaw::kComposes,
               fmt::format("Stage {} takes `{}`, which the forward does not return.", backward.stage, name));
        return next + ir::outputNodes(*backward.graph).size();
      }
      taken.push_back(value->second);
    }
    const std::vector<at::Tensor> before = packed(taken);
    const std::vector<at::Tensor> gradients =
        runtime::Interpreter(*backward.graph, runtime::NodeState::kCallers).runFlat(taken);
    for (size_t i = 0; i < taken.size(); ++i) {
      if (!sameTensor(taken[i], before[i])) {
        breach(PartitionLaw::kSavesNothingMutated,
               fmt::format("Stage {} writes to `{}`, which it was given.", backward.stage, names[i]));
      }
    }
    compare(gradients, expected, next, backward.stage);
    return next + gradients.size();
  }

  static std::vector<at::Tensor> packed(const std::vector<at::Tensor>& tensors) {
    std::vector<at::Tensor> copies;
    std::transform(tensors.begin(), tensors.end(), std::back_inserter(copies), [](const at::Tensor& tensor) {
      return tensor.defined() ? observe::copyOfValues(tensor) : at::Tensor();
    });
    return copies;
  }

  void compare(const std::vector<at::Tensor>& found, const std::vector<at::Tensor>& expected, size_t from,
               const std::string& stage) {
    for (size_t i = 0; i < found.size(); ++i) {
      if (from + i >= expected.size() || !sameTensor(found[i], expected[from + i])) {
        breach(PartitionLaw::kComposes,
               fmt::format("Output {} of stage {} is not output {} of the joint Graph.", i, stage, from + i));
      }
    }
  }

  const ir::StageArtifacts& artifacts_;
  const Parts parts_;
  const std::vector<at::Tensor>& inputs_;
  std::vector<PartitionBreach> breaches_;
};

} // namespace

bool drawsSomething(const Node& node) {
  const auto op = handleOf(node);
  return op && op->hasTag(at::Tag::nondeterministic_seeded);
}

const char* partitionLawName(PartitionLaw law) {
  switch (law) {
    case PartitionLaw::kComposes: return "composes";
    case PartitionLaw::kSavesNothingMutated: return "saves_nothing_mutated";
    case PartitionLaw::kMutationStays: return "mutation_stays";
    case PartitionLaw::kDrawsOnce: return "draws_once";
    case PartitionLaw::kCostsNoMore: return "costs_no_more";
  }
  return "";
}

std::vector<PartitionBreach> partitionBreaches(const ir::StageArtifacts& artifacts,
                                               const std::vector<at::Tensor>& inputs) {
  return Judgement(artifacts, inputs).run();
}

std::vector<at::Tensor> inputsFor(const Graph& joint, int seed) {
  std::vector<at::Tensor> inputs;
  for (const NodeId placeholder : joint.placeholders()) {
    const auto& metadata = joint.node(placeholder).metadata;
    if (!metadata) {
      throw std::invalid_argument("Placeholder `" + joint.node(placeholder).name +
                                  "` has no metadata to make values by.");
    }
    const auto dtype = static_cast<at::ScalarType>(metadata->dtype.value);
    // Programs look at memory behind their inputs, too.
    const int64_t elements = metadata->offset + kRoom * std::max<int64_t>(ir::spanOf(*metadata), 1);
    const at::Tensor numbers =
        at::arange(elements, at::kDouble).add(static_cast<double>(seed) + static_cast<double>(placeholder)).sin();
    const at::Tensor memory = at::isIntegralType(dtype, true) ? numbers.gt(0).to(dtype) : numbers.to(dtype);
    at::Tensor input = memory.as_strided(metadata->sizes, metadata->strides, metadata->offset);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

} // namespace touchstone::stages
