#include "backends/compiled_autograd/SymbolicSegment.h"

#include "backends/arguments/TensorLike.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <iterator>

namespace touchstone::compiled_autograd {

namespace {

symbols::SymbolicGraph fitted(const std::vector<ir::Graph>& graphs, FittedSizes& sizes) {
  std::vector<const ir::Graph*> samples;
  std::transform(graphs.begin(), graphs.end(), std::back_inserter(samples),
                 [](const ir::Graph& each) { return &each; });
  const std::lock_guard<std::mutex> lock(sizes.mutex);
  return {samples, sizes.fitting, runtime::constantTensors()};
}

} // namespace

SymbolicSegment::SymbolicSegment(std::vector<ir::Graph> graphs, std::shared_ptr<FittedSizes> sizes)
    : samples_(std::move(graphs)), sizes_(std::move(sizes)), graph_(fitted(samples_, *sizes_)) {}

/// Like those that are there, of the sizes of the sample's placeholders. Whole numbers are 0: an index must be in range.
std::vector<at::Tensor> SymbolicSegment::examplesFor(size_t sample, const std::vector<at::Tensor>& examples) const {
  const ir::Graph& graph = samples_[sample];
  std::vector<at::Tensor> made;
  for (size_t i = 0; i < examples.size(); ++i) {
    const auto& metadata = graph.node(graph.placeholders()[i]).metadata;
    const bool isAsItIs = !metadata || (examples[i].sizes() == at::IntArrayRef(metadata->sizes) &&
                                        examples[i].strides() == at::IntArrayRef(metadata->strides));
    at::Tensor example = examples[i].detach();
    if (!isAsItIs) {
      example = arguments::tensorsLike({example}, {*metadata})[0];
    }
    const bool isIndex = at::isIntegralType(example.scalar_type(), /*includeBool=*/false);
    made.push_back(isIndex && sample > 0 ? at::zeros_like(example) : example);
  }
  return made;
}

void SymbolicSegment::compile(const std::vector<at::Tensor>& examples, const backends::GraphCompiler& compiler,
                              const std::function<void(const std::string& line)>& log) {
  const auto first = compiler(samples_[0], examplesFor(0, examples));
  std::vector<backends::GraphSample> others;
  for (size_t i = 1; i < samples_.size(); ++i) {
    others.push_back({samples_[i], examplesFor(i, examples)});
  }
  try {
    compiled_ = first->forSymbols(others, sizes_->fitting);
  } catch (const symbols::NotSymbolic& error) {
    log(std::string("captured for symbols, and compiled for each sizes: ") + error.what());
  }
}

std::shared_ptr<const backends::CompiledGraph> SymbolicSegment::at(
    const symbols::Assignment& assignment, const std::vector<at::Tensor>& examples,
    const backends::GraphCompiler& compiler, const std::function<void(const std::string& line)>& log) {
  const std::lock_guard<std::mutex> lock(sizes_->mutex);
  if (!isTried_) {
    compile(examples, compiler, log);
    isTried_ = true;
    samples_.clear();
  }
  return compiled_ != nullptr ? compiled_->at(assignment) : compiler(graph_.at(assignment), examples);
}

} // namespace touchstone::compiled_autograd
