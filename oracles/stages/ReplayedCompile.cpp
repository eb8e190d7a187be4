#include "oracles/stages/ReplayedCompile.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Stages.h"

#include <fmt/format.h>

#include <algorithm>

namespace touchstone::stages {

const ir::Graph& ReplayedCompile::graph(const std::string& stage) const {
  if (const ir::Graph* graph = artifacts_.graph(stage)) {
    return *graph;
  }
  for (const auto& [refused, reason] : artifacts_.refused) {
    if (refused == stage) {
      throw NotJudged(fmt::format("the {} graph cannot be taken over: {}", stage, reason));
    }
  }
  throw NotJudged(fmt::format("there is no {} graph", stage));
}

const ir::GraphSignature& ReplayedCompile::signature() const {
  if (!artifacts_.signature) {
    throw NotJudged("what it promises of inputs and outputs is not known");
  }
  return *artifacts_.signature;
}

bool ReplayedCompile::isCut() const {
  const auto isJoint = [](const auto& entry) { return entry.first == ir::kJointStage; };
  return std::any_of(artifacts_.graphs.begin(), artifacts_.graphs.end(), isJoint) ||
         std::any_of(artifacts_.refused.begin(), artifacts_.refused.end(), isJoint);
}

size_t ReplayedCompile::ends() const {
  const size_t outputs = ir::outputNodes(graph(ir::kForwardStage)).size();
  return outputs - std::min(outputs, saved().size());
}

std::string ReplayedCompile::outputName(const std::string& stage, size_t position) const {
  const auto& signature = artifacts_.signature;
  if (stage == ir::kBackwardStage) {
    const bool known =
        signature && !signature->backwards.empty() && position < signature->backwards[0].gradients.size();
    return fmt::format("gradient {}{}", position, known ? ofArgument(signature->backwards[0].gradients[position]) : "");
  }
  if (position >= ends()) {
    return fmt::format("saved value `{}`", saved().at(position - ends()));
  }
  if (signature) {
    for (const ir::GraphSignature::Written& written : signature->written) {
      if (written.value.output == static_cast<int>(position)) {
        return fmt::format("result {}, the new value{}", position, ofArgument(written.input));
      }
    }
  }
  return fmt::format("result {}", position);
}

std::string ReplayedCompile::inputName(const std::string& stage, size_t position) const {
  return fmt::format("input `{}` after the run", ir::placeholderNames(graph(stage)).at(position));
}

std::string ReplayedCompile::savedName(const std::string& name) const {
  const std::vector<std::string> names = ir::placeholderNames(graph(ir::kForwardStage));
  const auto position = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  const auto& signature = artifacts_.signature;
  const bool isArgument = signature && position < std::min(names.size(), signature->takes.size());
  return fmt::format("`{}`{}", name,
                     isArgument ? ", the memory" + ofArgument(signature->takes[position].input) + "," : "");
}

std::string ReplayedCompile::ofArgument(int input) const {
  const auto& signature = artifacts_.signature;
  const bool known = signature && input >= 0 && static_cast<size_t>(input) < signature->inputs.size();
  return known ? fmt::format(" of argument `{}`", signature->inputs[static_cast<size_t>(input)].name) : "";
}

} // namespace touchstone::stages
