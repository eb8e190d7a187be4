#include "backends/graph_files/GraphDumper.h"

#include "backends/debugging/BoxedNop.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Stages.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/GeneratorState.h"
#include "program/values/RaisedException.h"

#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>
#include <atomic>

namespace touchstone::graph_files {

/// One compile: where its Graphs are, and what is known of the joint Graph's inputs.
struct DumpedCompile {
  explicit DumpedCompile(GraphFolder folder) : folder(std::move(folder)) {}
  const GraphFolder folder;
  std::optional<ir::Graph> joint;

  std::mutex mutex;
  std::map<std::string, at::Tensor> known; // by placeholder of the joint Graph
  at::Tensor generator; // when the forward began
  bool isJointObserved = false;
};

namespace {

/// Some nodes that functionalization adds (draws in the order of memory) carry no metadata. What the forward returns, worked out on tensors
/// without values where that is so; nothing where an operator has no kernel for these.
std::vector<std::optional<ir::TensorMetadata>> outputsOf(const ir::Graph& forward) {
  std::vector<std::optional<ir::TensorMetadata>> outputs;
  for (const ir::NodeId id : ir::outputNodes(forward)) {
    outputs.push_back(id >= 0 ? forward.node(id).metadata : std::nullopt);
  }
  if (std::all_of(outputs.begin(), outputs.end(), [](const auto& each) { return each.has_value(); })) {
    return outputs;
  }
  try {
    const values::GeneratorStateScope restored; // factories draw on the CPU
    std::vector<at::Tensor> inputs;
    std::string device;
    for (const ir::NodeId id : forward.placeholders()) {
      device = forward.node(id).metadata.value().device;
      inputs.push_back(runtime::metaTensor(*forward.node(id).metadata));
    }
    const at::AutoDispatchBelowAutograd below;
    const std::vector<at::Tensor> found = runtime::Interpreter(forward, runtime::NodeState::kCallers).runFlat(inputs);
    for (size_t i = 0; i < found.size(); ++i) {
      if (!outputs[i] && found[i].defined()) {
        outputs[i] = runtime::metadataOf(found[i]);
        outputs[i]->device = device;
      }
    }
  } catch (const std::exception&) { // see above
  }
  return outputs;
}

/// Keeps what the first run of a Graph is given, and what the Graph gives for it node by node.
class ObservedGraph final : public backends::CompiledGraph {
 public:
  ObservedGraph(std::shared_ptr<const backends::CompiledGraph> compiled, ir::Graph graph,
                std::shared_ptr<DumpedCompile> dumped, std::string part, std::shared_ptr<GraphDumper> dumper)
      : compiled_(std::move(compiled)),
        graph_(std::move(graph)),
        dumped_(std::move(dumped)),
        part_(std::move(part)),
        dumper_(std::move(dumper)) {}

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    if (!isObserved_.exchange(true)) {
      observe(inputs);
    }
    return compiled_->run(std::move(inputs));
  }
  std::vector<backends::Assumption> assumptions() const override { return compiled_->assumptions(); }

 private:
  void observe(const std::vector<at::Tensor>& inputs) const {
    try {
      const GraphObservation observation = observeGraph(graph_, inputs);
      dumped_->folder.addObservation(part_, observation);
      observeJoint(observation);
    } catch (const std::exception&) { // what the Graph raises it raises when it runs, too
      dumper_->refuse(part_, values::currentException().what());
    }
  }

  /// As soon as the inputs of forward and backwards give all of the joint Graph's.
  void observeJoint(const GraphObservation& observation) const {
    DumpedCompile& dumped = *dumped_;
    const std::lock_guard<std::mutex> lock(dumped.mutex);
    if (!dumped.joint || dumped.isJointObserved) {
      return;
    }
    if (part_ == ir::kForwardStage) {
      dumped.generator = observation.generator;
    }
    const std::vector<std::string> given = ir::placeholderNames(graph_);
    for (size_t i = 0; i < given.size(); ++i) {
      dumped.known.try_emplace(given[i],
                               observation.inputs.at(i)); // of a backward: the tangents, and inputs that were saved
    }
    std::vector<at::Tensor> inputs;
    for (const std::string& name : ir::placeholderNames(*dumped.joint)) {
      const auto found = dumped.known.find(name);
      if (found == dumped.known.end()) {
        return;
      }
      inputs.push_back(found->second);
    }
    dumped.isJointObserved = true;
    dumped.folder.addObservation(ir::kJointStage, observeGraph(*dumped.joint, inputs, dumped.generator));
    dumped.known.clear();
  }

  std::shared_ptr<const backends::CompiledGraph> compiled_;
  const ir::Graph graph_;
  const std::shared_ptr<DumpedCompile> dumped_;
  const std::string part_;
  const std::shared_ptr<GraphDumper> dumper_;
  mutable std::atomic<bool> isObserved_ = false;
};

/// With metadata of saved values where placeholders have none.
ir::Graph completed(const std::map<std::string, std::optional<ir::TensorMetadata>>& saved, ir::Graph graph) {
  for (const ir::NodeId id : graph.placeholders()) {
    const auto found = saved.find(graph.node(id).name);
    if (!graph.node(id).metadata && found != saved.end()) {
      graph.node(id).metadata = found->second;
    }
  }
  return graph;
}

} // namespace

void GraphDumper::afterStage(const std::string& stage, ir::StageArtifacts& artifacts) {
  const ir::Graph* graph = artifacts.graph(stage);
  if (graph == nullptr || (stage != ir::kForwardStage && !ir::isStage(stage, ir::kBackwardStage))) {
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  Compile& compile = compiles_[&artifacts];
  if (stage == ir::kForwardStage) {
    compile = begun(artifacts, *graph);
  }
  // The compiler is called next, on this thread.
  pending_.erase(std::this_thread::get_id());
  const bool isWritten = compile.dumped && write(compile, stage, completed(compile.saved, *graph));
  if (isWritten && options_.withValues) {
    pending_[std::this_thread::get_id()] = {compile.dumped, stage};
  }
}

void GraphDumper::beginAttempt() {
  const std::lock_guard<std::mutex> lock(mutex_);
  attempts_[std::this_thread::get_id()].emplace_back();
}

void GraphDumper::onKept(const backends::Attempts& attempts) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Written> made = std::move(attempts_.extract(std::this_thread::get_id()).mapped());
  std::swap(made.front(), made.at(attempts.kept));
  std::ranges::move(made.front().folders, std::back_inserter(written_.folders));
  std::ranges::move(made.front().refused, std::back_inserter(written_.refused));
  for (size_t i = 1; i < made.size(); ++i) {
    for (const std::filesystem::path& folder : made[i].folders) {
      std::error_code isLeft; // nobody needs it
      std::filesystem::remove_all(folder, isLeft);
    }
  }
}

GraphDumper::Written& GraphDumper::written() {
  const auto attempts = attempts_.find(std::this_thread::get_id());
  return attempts == attempts_.end() ? written_ : attempts->second.back();
}

GraphDumper::Compile GraphDumper::begun(const ir::StageArtifacts& artifacts, const ir::Graph& forward) {
  Compile compile;
  compile.dumped =
      std::make_shared<DumpedCompile>(GraphFolder::make(options_.parent, options_.name, options_.pipeline));
  written().folders.push_back(compile.dumped->folder.path());
  const ir::Graph* joint = artifacts.graph(ir::kMergedStage);
  joint = joint != nullptr ? joint : artifacts.graph(ir::kFunctionalStage);
  const bool hasBackward = joint != nullptr && std::any_of(joint->nodes().begin(), joint->nodes().end(),
                                                           [](const ir::Node& node) { return node.backward; });
  if (hasBackward && write(compile, ir::kJointStage, *joint, forward.placeholders().size())) {
    compile.dumped->joint = *joint;
  }
  const auto outputs = outputsOf(forward);
  const std::vector<std::string>& saved = artifacts.partition.saved; // what the forward returns last
  for (size_t i = 0; i < saved.size() && saved.size() <= outputs.size(); ++i) {
    compile.saved[saved[i]] = outputs[outputs.size() - saved.size() + i];
  }
  return compile;
}

bool GraphDumper::write(const Compile& compile, const std::string& part, const ir::Graph& graph,
                        std::optional<size_t> primals) {
  if (graph.nodes().empty()) {
    written().refused.emplace_back(part, "the Graph has no nodes");
    return false;
  }
  try {
    compile.dumped->folder.addPart(part, graph, {.primals = primals, .examples = {}});
    return true;
  } catch (const ir::Unsupported& unsupported) {
    written().refused.emplace_back(part, unsupported.what());
    return false;
  }
}

backends::GraphCompiler GraphDumper::aroundCompiler(const std::string& stage, backends::GraphCompiler compiler) {
  if (stage == ir::kCapturedStage || !options_.withValues) {
    return compiler;
  }
  return [self = shared_from_this(), compiler = compiler != nullptr ? std::move(compiler) : debugging::boxedNop()](
             ir::Graph graph, const std::vector<at::Tensor>& examples) {
    std::unique_lock<std::mutex> lock(self->mutex_);
    const auto pending = self->pending_.extract(std::this_thread::get_id());
    lock.unlock();
    auto compiled = compiler(graph, examples);
    if (pending) { // else a backward that is compiled later
      auto& [dumped, part] = pending.mapped();
      compiled = std::make_shared<const ObservedGraph>(std::move(compiled), std::move(graph), dumped, part, self);
    }
    return compiled;
  };
}

void GraphDumper::refuse(const std::string& part, const std::string& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  written_.refused.emplace_back(part, why);
}

std::vector<std::filesystem::path> GraphDumper::folders() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return written_.folders;
}

std::vector<std::pair<std::string, std::string>> GraphDumper::refused() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return written_.refused;
}

} // namespace touchstone::graph_files
