#include "backends/aot_autograd/BackwardGraphs.h"

#include "backends/aot_autograd/UnliftedTokens.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Stages.h"
#include "graph/ir/Subgraph.h"

#include <ATen/autocast_mode.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

namespace touchstone::aot_autograd {

using ir::NodeId;

const char* const kRaisesAfterWrites =
    "a backward raises that writes to an input, a tangent or a value of the forward, or has an effect";

AutocastRegions autocastOfThread() {
  AutocastRegions regions;
  for (const at::DeviceType device : {at::kCPU, at::kCUDA}) {
    if (at::autocast::is_autocast_enabled(device)) {
      regions.emplace_back(device, at::autocast::get_autocast_dtype(device));
    }
  }
  return regions;
}

void enterAutocast(const AutocastRegions& regions) {
  for (const auto& [device, dtype] : regions) {
    at::autocast::set_autocast_dtype(device, dtype);
    at::autocast::set_autocast_enabled(device, true);
    at::autocast::set_autocast_cache_enabled(false);
  }
}

std::vector<at::Tensor> CompiledBackwardGraph::run(std::vector<at::Tensor> inputs) const {
  const runtime::NodeWatchScope watched(watch);
  return compiled == nullptr ? graph->runFlat(std::move(inputs)) : compiled->run(std::move(inputs));
}

BackwardGraphs::BackwardGraphs(JointRecord& record, const AotOptions& options)
    : record_(record),
      runsRecorded_(options.runs == AotResult::kJoint),
      isSample_(options.isSample),
      compiler_(backends::aroundCompiler(options.observers, ir::kBackwardStage, options.backwardCompiler)),
      watch_(backends::nodeWatch(options.observers)) {}

BackwardGraphs::Key BackwardGraphs::keyOf(size_t node, const TangentLayouts& layouts, const AutocastRegions& autocast,
                                          const UnaskedGradients& unasked) {
  Key key{static_cast<int64_t>(node)};
  for (const size_t position : unasked) {
    key.insert(key.end(), {-3, static_cast<int64_t>(position)});
  }
  for (const auto& [device, dtype] : autocast) {
    key.insert(key.end(), {-2, static_cast<int64_t>(device), static_cast<int64_t>(dtype)});
  }
  for (const auto& layout : layouts) {
    key.push_back(layout ? static_cast<int64_t>(layout->strides.size()) : -1);
    if (layout) {
      key.insert(key.end(), layout->strides.begin(), layout->strides.end());
      key.push_back(layout->storage);
    }
  }
  return key;
}

/// Of what was recorded it runs forward and backward: it takes the inputs, then the tangents.
ir::Graph BackwardGraphs::graphOf(const ir::Graph& joint, const FunctionalBackward& backward) const {
  if (!runsRecorded_) {
    ir::Graph part = partitioners::backwardPart(joint, backward.inputs, backward.read);
    if (backward.inputs.backwardToken < 0 || backward.takesToken) {
      return part;
    }
    return unliftToken(part, part.placeholders().size() - 1, backward.inputs.gradients.size() - 1);
  }
  std::vector<NodeId> taken = record_.forward.recordedInputs();
  for (const NodeId tangent : backward.recorded.tangents) {
    if (tangent >= 0) {
      taken.push_back(tangent);
    }
  }
  return ir::subgraph(record_.forward.trace.recorded(), taken, backward.recorded.gradients, [&](NodeId id) {
    return id < record_.forward.trace.forwardEnd() || (id >= backward.recordedBegin && id < backward.recorded.end);
  });
}

size_t BackwardGraphs::positionOfSaved(NodeId value, const FunctionalBackward& backward) const {
  const auto known = backward.savedAs.find(value);
  const size_t position = record_.saved.positionOf(known != backward.savedAs.end() ? known->second : value);
  if (position == record_.saved.nodes.size()) {
    throw ir::Unsupported(
        "a backward from some outputs reads what none that was planned does: a custom function takes another way");
  }
  return position;
}

std::vector<size_t> BackwardGraphs::savedPositions(const FunctionalBackward& backward) const {
  std::vector<size_t> positions;
  for (size_t i = 0; i < backward.read.size() && !runsRecorded_; ++i) {
    positions.push_back(positionOfSaved(backward.read[i], backward));
  }
  return positions;
}

CompiledBackwardGraph BackwardGraphs::compile(ir::Graph graph, const FunctionalBackward& backward) const {
  const bool isCut = record_.cut.has_value();
  CompiledBackwardGraph compiled;
  compiled.reached = backward.recorded.reached;
  compiled.saved = savedPositions(backward);
  for (const NodeId value : backward.checked) {
    compiled.checked.push_back(positionOfSaved(value, backward));
  }
  compiled.savesInEager =
      backward.recorded.writesToViews || (isCut ? !backward.eager.empty() : runsRecorded_ && !backward.checked.empty());
  compiled.readsGrad = record_.forward.mayRequireGrad(isCut ? backward.eager : backward.read);
  for (size_t i = 0; i < backward.recorded.tangents.size(); ++i) {
    if (backward.recorded.tangents[i] >= 0) {
      compiled.tangents.push_back(i);
    }
  }
  if (!runsRecorded_) {
    compiled.writtenTangents = backward.writtenTangents;
    compiled.writtenInputs = backward.writtenInputs;
  }
  compiled.takesToken = backward.takesToken;
  compiled.hasEffects = backward.inputs.backwardToken >= 0;
  compiled.heldGradients = backward.recorded.held;
  if (compiler_ && !runsRecorded_) { // the recorded one has to see where its backward begins
    compiled.compiled = compiler_(graph, backends::metaExamples(graph));
  }
  if (isSample_) {
    compiled.ofSample = std::move(graph);
  } else {
    compiled.graph = std::make_unique<runtime::Interpreter>(std::move(graph), runtime::NodeState::kCallers);
  }
  compiled.watch = watch_;
  return compiled;
}

const CompiledBackwardGraph& BackwardGraphs::add(size_t node, const FunctionalBackward& backward, ir::Graph graph) {
  CompiledBackwardGraph compiled = compile(std::move(graph), backward);
  Key key = keyOfPlanned(record_.forward.plan, node, compiled.tangents);
  const CompiledBackwardGraph& added = backwards_.emplace(std::move(key), std::move(compiled)).first->second;
  planned_.emplace_back(node, &added);
  return added;
}

BackwardGraphs::Key BackwardGraphs::keyOfPlanned(const ViewAndMutationMetadata& plan, size_t node,
                                                 const std::vector<size_t>& roots) {
  TangentLayouts layouts(plan.roots.size());
  for (const size_t root : roots) {
    layouts[root] = plan.tangents[root];
  }
  return keyOf(node, layouts, {});
}

CompiledBackwardGraph BackwardGraphs::compileLater(size_t node, const TangentLayouts& layouts,
                                                   const AutocastRegions& autocast, const UnaskedGradients& unasked) {
  Functionalizer functionalizer = record_.forward.functionalizer;
  const auto begin = static_cast<NodeId>(record_.forward.trace.recorded().nodes().size());
  FunctionalBackward backward;
  try {
    backward = record_.recorder.record(functionalizer, node, layouts, &record_.saved, !autocast.empty(), unasked);
  } catch (const ir::Unsupported&) {
    throw;
  } catch (const std::exception&) {
    if (record_.forward.trace.isSeenOutside(begin)) {
      throw ir::Unsupported(kRaisesAfterWrites);
    }
    throw;
  }
  if (record_.cut) {
    record_.cut->follow(node, record_.saved, functionalizer.graph(), backward);
  }
  return compile(graphOf(functionalizer.graph(), backward), backward);
}

std::exception_ptr raisedApart(const std::function<void()>& record) {
  std::exception_ptr error;
  std::thread([&] {
    try {
      record();
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  return error;
}

const CompiledBackwardGraph& BackwardGraphs::find(size_t node, const TangentLayouts& layouts,
                                                  const AutocastRegions& autocast, const UnaskedGradients& unasked) {
  Key key = keyOf(node, layouts, autocast, unasked);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = backwards_.find(key);
  if (known != backwards_.end()) {
    return known->second;
  }
  const auto failed = failures_.find(key);
  if (failed != failures_.end()) { // recorded once: the trace grows with each
    std::rethrow_exception(failed->second);
  }
  CompiledBackwardGraph compiled;
  const std::exception_ptr error = raisedApart([&] {
    enterAutocast(autocast); // of this thread, which ends here
    compiled = compileLater(node, layouts, autocast, unasked);
  });
  if (error) {
    failures_.emplace(std::move(key), error);
    std::rethrow_exception(error);
  }
  return backwards_.emplace(std::move(key), std::move(compiled)).first->second;
}

std::vector<bool> BackwardGraphs::requireGrad(size_t node, const TangentLayouts& layouts,
                                              const std::vector<size_t>& roots) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [known, fresh] = requireGrad_.try_emplace({keyOf(node, layouts, {}), roots});
  if (fresh && raisedApart([&] { known->second = record_.forward.trace.requireGrad(node, layouts, roots); })) {
    known->second.assign(record_.forward.plan.nodes[node].wanted.size(), true);
  }
  return known->second;
}

} // namespace touchstone::aot_autograd
