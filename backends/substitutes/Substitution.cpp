#include "backends/substitutes/Substitution.h"

#include "backends/substitutes/PartsOfJoint.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace touchstone::substitutes {

namespace {

using backends::GraphCompiler;

/// Graphs alike in text can take arguments that lie in memory in another way.
std::string layoutsOf(const ir::Graph& graph) {
  std::string text;
  for (const ir::NodeId placeholder : graph.placeholders()) {
    if (const auto& metadata = graph.node(placeholder).metadata) {
      text += fmt::format("{} {} {} {} {};", fmt::join(metadata->sizes, ","), fmt::join(metadata->strides, ","),
                          metadata->offset, metadata->requiresGrad, metadata->storage);
    }
  }
  return text;
}

std::string codeText(const std::string& stage, const ir::StageArtifacts& artifacts) {
  std::string text = stage;
  if (const std::string* shown = artifacts.text(stage)) {
    text += *shown;
  }
  if (const ir::Graph* graph = artifacts.graph(stage)) {
    text += ir::printGraph(*graph) + layoutsOf(*graph);
  }
  if (stage == ir::kForwardStage && artifacts.signature) {
    for (const ir::GraphSignature::Input& input : artifacts.signature->inputs) {
      const ir::TensorMetadata& geometry = input.geometry;
      text += fmt::format("{} {} {} {} {} {};", input.storage, input.requiresGrad, geometry.dtype.value,
                          geometry.offset, fmt::join(geometry.sizes, ","), fmt::join(geometry.strides, ","));
    }
  }
  return text;
}

} // namespace

void Substitution::Record::note(uint64_t code) {
  const auto now = static_cast<size_t>(std::max(call(), 0));
  const std::lock_guard<std::mutex> lock(mutex);
  made.codes.resize(std::max(made.codes.size(), now + 1));
  made.codes[now].push_back(code);
}

Substituted Substitution::result() const {
  const std::lock_guard<std::mutex> lock(record_->mutex);
  return record_->made;
}

ir::Graph Substitution::substituteOf(const std::string& stage, const ir::StageArtifacts& artifacts) {
  if (part_ == Part::kJoint) {
    if (!captured_) {
      throw NoSubstitute("the captured graph is not known");
    }
    return stage == ir::kForwardStage ? capturedForward(*captured_, artifacts)
                                      : capturedBackward(*captured_, artifacts, stage);
  }
  return stage == ir::kForwardStage ? forwardOfJoint(artifacts) : backwardOfJoint(artifacts, stage, gradients_);
}

void Substitution::substitute(const std::string& stage, ir::StageArtifacts& artifacts) {
  std::string refused;
  try {
    ir::Graph made = substituteOf(stage, artifacts);
    *artifacts.graph(stage) = std::move(made);
  } catch (const NoSubstitute& why) {
    refused = fmt::format("{}: {}", stage, why.what());
  }
  const std::lock_guard<std::mutex> lock(record_->mutex);
  Substituted& made = record_->made;
  made.placed += refused.empty() ? 1 : 0;
  if (!refused.empty() && std::find(made.refused.begin(), made.refused.end(), refused) == made.refused.end()) {
    made.refused.push_back(refused);
  }
}

void Substitution::afterStage(const std::string& stage, ir::StageArtifacts& artifacts) {
  if (stage == ir::kCapturedStage) {
    code_ = gradients_ = 0;
  }
  code_ = code_ * 1000003 + std::hash<std::string>()(codeText(stage, artifacts));
  const bool isForward = stage == ir::kForwardStage, isBackward = ir::isStage(stage, ir::kBackwardStage);
  if ((isForward && (part_ == Part::kForward || part_ == Part::kJoint)) ||
      (isBackward && (part_ == Part::kBackward || part_ == Part::kJoint))) {
    const size_t gradients = isBackward ? ir::outputNodes(*artifacts.graph(stage)).size() : 0;
    substitute(stage, artifacts);
    gradients_ += gradients;
  }
}

GraphCompiler Substitution::aroundCompiler(const std::string& stage, GraphCompiler compiler) {
  if (stage == ir::kCapturedStage) {
    return [this, compiler = std::move(compiler)](ir::Graph graph, const std::vector<at::Tensor>& examples) {
      captured_ = Captured{graph, runtime::currentCallState()};
      return compiler(std::move(graph), examples);
    };
  }
  if (stage == ir::kBackwardStage) {
    return part_ == Part::kBackward ? nullptr : compiler;
  }
  if (part_ == Part::kForward || compiler == nullptr) {
    compiler = [](ir::Graph graph, const std::vector<at::Tensor>&) {
      return backends::interpreted(std::move(graph), runtime::NodeState::kCallers);
    };
  }
  return [compiler = std::move(compiler), record = record_, code = code_](ir::Graph graph,
                                                                          const std::vector<at::Tensor>& examples) {
    return backends::graphOf([record, code, compiled = compiler(std::move(graph), examples)](auto inputs) {
      record->note(code);
      return compiled->run(std::move(inputs));
    });
  };
}

} // namespace touchstone::substitutes
