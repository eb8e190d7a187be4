#include "backends/aot_autograd/CompiledAotGraph.h"

#include "backends/fake/EffectfulOperators.h"

#include <atomic>
#include <utility>

namespace touchstone::aot_autograd {

namespace {

uint64_t nextId() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

Draft passedThrough(Draft draft) {
  for (const Stage& stage : pipeline()) {
    stage.run(draft);
  }
  return draft;
}

} // namespace

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
