#include "backends/graph_files/GraphDumper.h"

#include "backends/debugging/BoxedNop.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/GeneratorState.h"
#include "program/values/RaisedException.h"

#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace touchstone::graph_files {

namespace {

/// One compile: where its Graphs are, and what is known of the joint Graph's inputs.
struct DumpedFrame {
  explicit DumpedFrame(GraphFolder folder) : folder(std::move(folder)) {}
  const GraphFolder folder;
  std::optional<ir::Graph> joint;

  std::mutex mutex;
  std::map<std::string, at::Tensor> known; // by placeholder of the joint Graph
  at::Tensor generator; // when the forward began
  bool isJointObserved = false;
};

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

/// A part that is about to be compiled.
struct PendingPart {
  std::shared_ptr<DumpedFrame> frame;
  std::string part;
};

} // namespace

class GraphDumper::Implementation {
 public:
  explicit Implementation(GraphDumpOptions options) : options_(std::move(options)) {}

  void after(const std::string& stage, const ir::StageArtifacts& artifacts) {
    const ir::Graph* graph = artifacts.graph(stage);
    if (graph == nullptr || (stage != "forward" && !stage.starts_with("backward"))) {
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    Compile& compile = compiles_[&artifacts];
    if (stage == "forward") {
      compile = begun(artifacts, *graph);
    }
    // The compiler is called next, on this thread.
    pending_.erase(std::this_thread::get_id());
    if (compile.frame && write(compile, stage, completed(compile, *graph))) {
      pending_[std::this_thread::get_id()] = {compile.frame, stage};
    }
  }

  backends::GraphCompiler around(const std::shared_ptr<Implementation>& self, backends::GraphCompiler compiler);
  std::optional<PendingPart> takePending() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = pending_.extract(std::this_thread::get_id());
    return found ? std::optional(std::move(found.mapped())) : std::nullopt;
  }
  void refuse(const std::string& part, const std::string& why) {
    const std::lock_guard<std::mutex> lock(mutex_);
    refused_.emplace_back(part, why);
  }
  bool keepsValues() const { return options_.withValues; }
  std::vector<std::filesystem::path> folders() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return folders_;
  }
  std::vector<std::pair<std::string, std::string>> refused() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return refused_;
  }

 private:
  struct Compile {
    std::shared_ptr<DumpedFrame> frame;
    std::map<std::string, std::optional<ir::TensorMetadata>> saved; // what its forward saves
  };

  Compile begun(const ir::StageArtifacts& artifacts, const ir::Graph& forward) { // locked
    Compile compile;
    compile.frame = std::make_shared<DumpedFrame>(GraphFolder::make(options_.parent, options_.name, options_.pipeline));
    folders_.push_back(compile.frame->folder.path());
    const ir::Graph* joint = artifacts.graph("merged");
    joint = joint != nullptr ? joint : artifacts.graph("functional");
    const bool hasBackward = joint != nullptr && std::any_of(joint->nodes().begin(), joint->nodes().end(),
                                                             [](const ir::Node& node) { return node.backward; });
    if (hasBackward && write(compile, "joint", *joint)) {
      compile.frame->joint = *joint;
    }
    const auto outputs = outputsOf(forward);
    const std::vector<std::string>& saved = artifacts.partition.saved; // what the forward returns last
    for (size_t i = 0; i < saved.size() && saved.size() <= outputs.size(); ++i) {
      compile.saved[saved[i]] = outputs[outputs.size() - saved.size() + i];
    }
    return compile;
  }

  /// With metadata of saved values where placeholders have none.
  static ir::Graph completed(const Compile& compile, ir::Graph graph) {
    for (const ir::NodeId id : graph.placeholders()) {
      const auto saved = compile.saved.find(graph.node(id).name);
      if (!graph.node(id).metadata && saved != compile.saved.end()) {
        graph.node(id).metadata = saved->second;
      }
    }
    return graph;
  }

  bool write(const Compile& compile, const std::string& part, const ir::Graph& graph) { // locked
    try {
      compile.frame->folder.addPart(part, graph);
      return true;
    } catch (const ir::Unsupported& unsupported) {
      refused_.emplace_back(part, unsupported.what());
      return false;
    }
  }

  const GraphDumpOptions options_;
  mutable std::mutex mutex_;
  std::map<const ir::StageArtifacts*, Compile> compiles_; // each begins anew with its forward
  std::map<std::thread::id, PendingPart> pending_;
  std::vector<std::filesystem::path> folders_;
  std::vector<std::pair<std::string, std::string>> refused_;
};

namespace {

class DumpHook final : public ir::StageHook {
 public:
  explicit DumpHook(std::shared_ptr<GraphDumper::Implementation> dumper) : dumper_(std::move(dumper)) {}
  void after(const std::string& stage, ir::StageArtifacts& artifacts) override { dumper_->after(stage, artifacts); }

 private:
  std::shared_ptr<GraphDumper::Implementation> dumper_;
};

/// Keeps what the first run of a Graph is given, and what the Graph gives for it node by node.
class ObservedGraph final : public backends::CompiledGraph {
 public:
  ObservedGraph(std::shared_ptr<const backends::CompiledGraph> compiled, ir::Graph graph, PendingPart part,
                std::shared_ptr<GraphDumper::Implementation> dumper)
      : compiled_(std::move(compiled)), graph_(std::move(graph)), part_(std::move(part)), dumper_(std::move(dumper)) {}

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
      part_.frame->folder.addObservation(part_.part, observation);
      observeJoint(observation);
    } catch (const std::exception&) { // what the Graph raises it raises when it runs, too
      dumper_->refuse(part_.part, values::currentException().what());
    }
  }

  /// As soon as the inputs of forward and backwards give all of the joint Graph's.
  void observeJoint(const GraphObservation& observation) const {
    DumpedFrame& frame = *part_.frame;
    const std::lock_guard<std::mutex> lock(frame.mutex);
    if (!frame.joint || frame.isJointObserved) {
      return;
    }
    if (part_.part == "forward") {
      frame.generator = observation.generator;
    }
    const std::vector<std::string> given = ir::placeholderNames(graph_);
    for (size_t i = 0; i < given.size(); ++i) {
      frame.known.try_emplace(given[i],
                              observation.inputs.at(i)); // of a backward: the tangents, and inputs that were saved
    }
    std::vector<at::Tensor> inputs;
    for (const std::string& name : ir::placeholderNames(*frame.joint)) {
      const auto found = frame.known.find(name);
      if (found == frame.known.end()) {
        return;
      }
      inputs.push_back(found->second);
    }
    frame.isJointObserved = true;
    frame.folder.addObservation("joint", observeGraph(*frame.joint, inputs, frame.generator));
    frame.known.clear();
  }

  std::shared_ptr<const backends::CompiledGraph> compiled_;
  const ir::Graph graph_;
  const PendingPart part_;
  const std::shared_ptr<GraphDumper::Implementation> dumper_;
  mutable std::atomic<bool> isObserved_ = false;
};

} // namespace

backends::GraphCompiler GraphDumper::Implementation::around(const std::shared_ptr<Implementation>& self,
                                                            backends::GraphCompiler compiler) {
  return
      [self, compiler = compiler != nullptr ? std::move(compiler) : debugging::boxedNop()](
          ir::Graph graph, const std::vector<at::Tensor>& examples) -> std::shared_ptr<const backends::CompiledGraph> {
        std::optional<PendingPart> part = self->takePending(); // none: a backward that is compiled later
        if (!part || !self->keepsValues()) {
          return compiler(std::move(graph), examples);
        }
        auto compiled = compiler(graph, examples);
        return std::make_shared<const ObservedGraph>(std::move(compiled), std::move(graph), std::move(*part), self);
      };
}

GraphDumper::GraphDumper(GraphDumpOptions options)
    : implementation_(std::make_shared<Implementation>(std::move(options))) {}

std::shared_ptr<ir::StageHook> GraphDumper::hook() const {
  return std::make_shared<DumpHook>(implementation_);
}

backends::GraphCompiler GraphDumper::around(backends::GraphCompiler compiler) const {
  return implementation_->around(implementation_, std::move(compiler));
}

aot_autograd::AotOptions GraphDumper::with(aot_autograd::AotOptions options) const {
  options.hooks.push_back(hook());
  options.forwardCompiler = around(std::move(options.forwardCompiler));
  options.backwardCompiler = around(std::move(options.backwardCompiler));
  if (options.inferenceCompiler != nullptr) {
    options.inferenceCompiler = around(std::move(options.inferenceCompiler));
  }
  return options;
}

std::vector<std::filesystem::path> GraphDumper::folders() const {
  return implementation_->folders();
}

std::vector<std::pair<std::string, std::string>> GraphDumper::refused() const {
  return implementation_->refused();
}

} // namespace touchstone::graph_files
