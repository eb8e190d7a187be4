#include "backends/aot_autograd/CompiledAotGraph.h"

#include "backends/fake/EffectfulOperators.h"
#include "graph/ir/Unsupported.h"

#include <atomic>
#include <utility>

namespace touchstone::aot_autograd {

namespace {

Draft passedThrough(Draft draft) {
  for (const Stage& stage : pipeline()) {
    stage.run(draft);
  }
  return draft;
}

} // namespace

uint64_t CompiledAotGraph::nextId() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

CompiledAotGraph::CompiledAotGraph(const runtime::Interpreter& program, const std::vector<at::Tensor>& inputs,
                                   const AotOptions& options)
    : CompiledAotGraph(passedThrough({program, inputs, options})) {}

CompiledAotGraph::CompiledAotGraph(Draft draft)
    : id_(nextId()),
      runs_(draft.options.runs),
      watch_(backends::nodeWatch(draft.options.observers)),
      record_(std::move(draft.record)),
      forward_(std::move(draft.forward)),
      backwards_(std::move(draft.backwardGraphs)) {}

CompiledAotGraph::CompiledAotGraph(AotGraphForSizes parts)
    : id_(nextId()),
      runs_(parts.model->runs_),
      watch_(parts.model->watch_),
      forward_(parts.forward),
      parts_(std::make_unique<AotGraphForSizes>(std::move(parts))) {}

const CompiledAotGraph& CompiledAotGraph::whole() const {
  std::call_once(wholeIsMade_, [&] {
    if (const std::exception_ptr error = raisedApart([&] { whole_ = parts_->compileWhole(); })) {
      std::rethrow_exception(error);
    }
    if (!(whole_->saved() == saved())) {
      throw ir::Unsupported("for these sizes the forward saves other values");
    }
  });
  return *whole_;
}

const CompiledBackwardGraph& CompiledAotGraph::backwardFor(size_t node, const TangentLayouts& layouts,
                                                           const AutocastRegions& autocast,
                                                           const UnaskedGradients& unasked) const {
  if (!parts_) {
    return backwards_->find(node, layouts, autocast, unasked);
  }
  const auto planned = parts_->backwards.find(BackwardGraphs::keyOf(node, layouts, autocast, unasked));
  return planned != parts_->backwards.end() ? planned->second : whole().backwardFor(node, layouts, autocast, unasked);
}

std::vector<at::Tensor> CompiledAotGraph::runForward(std::vector<at::Tensor> inputs) const {
  const runtime::NodeWatchScope watched(watch_);
  if (!plan().takesToken) {
    return forward_->run(std::move(inputs));
  }
  inputs.insert(inputs.begin(), fake::makeToken());
  std::vector<at::Tensor> results = forward_->run(std::move(inputs));
  results.erase(results.begin());
  return results;
}

/// Of an input alone in its memory that is neither changed nor returned in any form nothing is taken for granted, unless
/// the program says where in that memory something is (`as_strided`).
std::vector<backends::Assumption> CompiledAotGraph::assumptions() const {
  std::vector<backends::Assumption> assumptions;
  for (size_t i = 0; i < plan().inputs.size() && !plan().inputs[i].isHidden; ++i) {
    const auto storage = static_cast<size_t>(trace().arguments().inputs[i].storage);
    // A recorded Graph runs whole, the places of hidden bases included.
    const bool isFree = onlyReads(i) && !plan().inputStorages[storage].isFlat && !runsRecorded();
    assumptions.push_back(isFree ? backends::Assumption::kNone : backends::Assumption::kMemory);
  }
  return assumptions;
}

} // namespace touchstone::aot_autograd
