#include "backends/aot_autograd/SymbolicAotGraph.h"

#include "backends/arguments/TensorLike.h"
#include "backends/arguments/ViewBase.h"
#include "graph/symbols/SymbolicGraph.h"

#include <ATen/autocast_mode.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace touchstone::aot_autograd {

using symbols::Assignment;
using symbols::NotSymbolic;

namespace {

/// What goes on to the compilers of one compile's Graphs, which are not asked.
struct GraphsOfCompile {
  std::vector<backends::GraphSample> forward, backward;
  ir::StageArtifacts stages; // where an observer sees symbols
};

std::shared_ptr<const backends::CompiledGraph> unrun() {
  return backends::graphOf([](std::vector<at::Tensor>) -> std::vector<at::Tensor> {
    throw std::logic_error("a sample of a Graph for symbols runs");
  });
}

/// No observer but one that keeps its stages is shown a sample, nor asked about it; it saves what `like` saves.
AotOptions optionsOfSample(const AotOptions& options, const CompiledAotGraph& like, GraphsOfCompile& graphs) {
  AotOptions quiet = options;
  quiet.isSample = true;
  quiet.observers.clear();
  if (backends::seesSymbols(options.observers)) {
    quiet.observers.push_back(
        backends::visitGraphs([&graphs](const std::string& stage, const ir::StageArtifacts&, const ir::Graph& graph) {
          graphs.stages.graphs.emplace_back(stage, graph);
        }));
  }
  quiet.gate = nullptr;
  const auto keepIn = [](std::vector<backends::GraphSample>& kept) {
    return [&kept](ir::Graph graph, const std::vector<at::Tensor>& examples) {
      kept.push_back({std::move(graph), examples});
      return unrun();
    };
  };
  quiet.forwardCompiler = keepIn(graphs.forward);
  quiet.inferenceCompiler = nullptr;
  if (options.backwardCompiler) {
    quiet.backwardCompiler = keepIn(graphs.backward);
  }
  if (like.cut()) {
    quiet.savedAsThere = std::make_shared<const std::vector<ir::NodeId>>(like.cut()->chosen());
  } else {
    quiet.partition = AotPartition::kDefault;
  }
  return quiet;
}

symbols::Numbers numbersOfPlans(const std::vector<const CompiledAotGraph*>& compiles, symbols::Fitting& fitting) {
  std::optional<ViewAndMutationMetadata> structure; // of the first, without numbers
  std::vector<std::vector<int64_t>> numbers;
  for (const CompiledAotGraph* each : compiles) {
    ViewAndMutationMetadata plan = each->plan();
    const std::vector<int64_t*> places = plan.numbers();
    numbers.push_back(symbols::valuesAt(places));
    std::ranges::for_each(places, [](int64_t* place) { *place = 0; });
    if (!structure) {
      structure = std::move(plan);
    } else if (!(plan == *structure)) {
      throw NotSymbolic("what is done to inputs and outputs");
    }
  }
  return {numbers, fitting, [](size_t) { return std::string("how an output lies in memory"); }};
}

/// What a Graph was compiled for.
struct Examples {
  std::vector<ir::TensorMetadata> geometries; // by placeholder; then of the bases of views that are no placeholders
  std::vector<int64_t> bytes; // of the memory that each lies in
  std::vector<bool> isFree; // nothing hangs on the memory, nor on a base

  static Examples of(const CompiledAotGraph& compiled) {
    Examples examples;
    const std::vector<backends::Assumption> assumptions = compiled.assumptions();
    const TracedArguments& arguments = compiled.trace().arguments();
    std::set<int> relied;
    for (size_t i = 0; i < assumptions.size(); ++i) {
      if (assumptions[i] == backends::Assumption::kMemory) {
        relied.insert(arguments.inputs[i].storage);
      }
    }
    for (const TracedInput& input : arguments.inputs) {
      const int number = arguments.storages[static_cast<size_t>(input.storage)].number;
      examples.geometries.push_back(input.geometry);
      examples.bytes.push_back(compiled.trace().recorded().storages[static_cast<size_t>(number)].bytes);
      examples.isFree.push_back(!relied.contains(input.storage));
    }
    return examples;
  }

  /// Of which others may be as they are in any call.
  std::vector<int64_t*> numbers(size_t placeholders) {
    std::vector<int64_t*> places;
    for (size_t i = 0; i < geometries.size(); ++i) {
      if (!isFree[i] || i < placeholders) {
        symbols::addNumbers(geometries[i], places);
      }
      if (!isFree[i]) {
        places.push_back(&bytes[i]);
      }
    }
    return places;
  }

  std::vector<at::Tensor> madeLike(const std::vector<at::Tensor>& likes, size_t placeholders) const {
    std::vector<ir::TensorMetadata> asMade = geometries;
    std::map<const c10::StorageImpl*, int64_t> byMemory;
    for (size_t i = 0; i < likes.size(); ++i) {
      if (!isFree.at(i)) {
        byMemory[likes[i].storage().unsafeGetStorageImpl()] = bytes[i];
      } else if (i >= placeholders) {
        asMade[i] = runtime::metadataOf(likes[i]);
      }
    }
    return arguments::tensorsLike(likes, asMade, byMemory);
  }
};

/// What the runtime takes from a trace has numbers that are not put.
void refuseUnnumbered(const CompiledAotGraph& compiled) {
  if (!compiled.plan().hooks.empty()) {
    throw NotSymbolic("a hook is registered on an input");
  }
  if (compiled.plan().callsEffects || compiled.plan().takesToken) {
    throw NotSymbolic("an operator has effects");
  }
  for (size_t i = 0; i < compiled.plan().made.size(); ++i) {
    const at::Tensor& made = compiled.trace().made(i);
    const auto* function = made.defined() ? arguments::viewFunction(made) : nullptr;
    if (function != nullptr && (made.layout() != at::kStrided || function->num_tensors() > 0)) {
      throw NotSymbolic("an output is a view that strides do not tell");
    }
  }
}

const BackwardConvention& conventionOf(const CompiledBackwardGraph& backward) {
  return backward;
}

/// Whether a leaf that is cast twice is cast once; what was cast is forgotten at the end.
class AutocastCache {
 public:
  explicit AutocastCache(bool isEnabled) { at::autocast::set_autocast_cache_enabled(isEnabled); }
  ~AutocastCache() { at::autocast::clear_cache(); }
  AutocastCache(const AutocastCache&) = delete;
  AutocastCache& operator=(const AutocastCache&) = delete;
};

class SymbolicAotGraph final : public backends::SymbolicCompiledGraph,
                               public std::enable_shared_from_this<SymbolicAotGraph> {
 public:
  SymbolicAotGraph(AotCompile first, const AotOptions& options, const std::vector<backends::GraphSample>& others,
                   symbols::Fitting& fitting, CompileAot compile,
                   std::function<std::shared_ptr<const backends::CompiledGraph>(AotCompile)> wrap)
      : first_(std::move(first)),
        compile_(std::move(compile)),
        wrap_(std::move(wrap)),
        wholeOptions_(optionsOfWhole(options, *first_.compiled)),
        captured_(capturedGraphs(others), fitting, runtime::constantTensors()) {
    refuseUnnumbered(*first_.compiled);
    std::vector<GraphsOfCompile> graphs(others.size());
    std::vector<std::shared_ptr<const CompiledAotGraph>> owned;
    std::vector<const CompiledAotGraph*> compiles{first_.compiled.get()};
    for (size_t i = 0; i < others.size(); ++i) {
      const runtime::Interpreter sample(others[i].graph);
      owned.push_back(compile_(sample, others[i].examples, optionsOfSample(options, *first_.compiled, graphs[i])));
      compiles.push_back(owned.back().get());
      if (!(owned.back()->saved() == first_.compiled->saved())) {
        throw NotSymbolic("what is saved for backward");
      }
    }
    takeExamples(compiles, asTraced(others.at(0).examples, *owned.at(0)), fitting);
    takeForward(graphs, fitting);
    plan_.emplace(numbersOfPlans(compiles, fitting));
    takeBackwards(compiles, graphs, fitting);
    showStages(options, graphs);
  }

  std::shared_ptr<const backends::CompiledGraph> at(const Assignment& assignment) const override {
    return wrap_(compileAt(assignment));
  }

  std::string text() const override { return captured_.text(); }

 private:
  AotCompile compileAt(const Assignment& assignment) const {
    AotGraphForSizes parts{
        .family = family(), .assignment = assignment, .model = first_.compiled, .plan = first_.compiled->plan()};
    plan_->put(parts.plan.numbers(), assignment);
    parts.forward = forward_->at(assignment);
    for (const SymbolicBackward& backward : backwards_) {
      CompiledBackwardGraph made{conventionOf(*backward.model)};
      made.watch = backward.model->watch;
      made.graph = std::make_unique<runtime::Interpreter>(backward.graph.at(assignment), runtime::NodeState::kCallers);
      made.compiled = backward.compiled == nullptr ? nullptr : backward.compiled->at(assignment);
      auto key = BackwardGraphs::keyOfPlanned(parts.plan, backward.node, made.tangents);
      parts.backwards.emplace(std::move(key), std::move(made));
    }
    Examples examples = Examples::of(*first_.compiled);
    auto captured = std::make_shared<const runtime::Interpreter>(captured_.at(assignment));
    const size_t placeholders = captured->graph().placeholders().size();
    exampleNumbers_->put(examples.numbers(placeholders), assignment);
    parts.compileWhole = [captured, examples = std::move(examples), like = examplesLike_, compile = compile_,
                          options = wholeOptions_, autocast = autocast_, castsOnce = castsOnce_, placeholders] {
      enterAutocast(autocast); // on a thread that ends behind this
      const AutocastCache cache(castsOnce); // what is saved is told by its place in the same Graph
      std::vector<at::Tensor> inputs = examples.madeLike(like, placeholders);
      inputs.resize(placeholders); // the others are bases of these
      return compile(*captured, inputs, options);
    };
    return {captured, std::make_shared<const CompiledAotGraph>(std::move(parts))};
  }

  std::shared_ptr<const AotFamily> family() const {
    const auto compileAt = [weak = weak_from_this()](const Assignment& assignment) {
      const auto graph = weak.lock();
      if (graph == nullptr) {
        throw NotSymbolic("what was compiled for symbols is gone");
      }
      return graph->compileAt(assignment).compiled;
    };
    return std::make_shared<const AotFamily>(AotFamily{id_, compileAt});
  }

  const uint64_t id_ = CompiledAotGraph::nextId();

  struct SymbolicBackward {
    size_t node = 0;
    const CompiledBackwardGraph* model = nullptr; // of the first compile
    symbols::SymbolicGraph graph;
    std::shared_ptr<const backends::SymbolicCompiledGraph> compiled; // null: it runs node by node
  };

  static AotOptions optionsOfWhole(const AotOptions& options, const CompiledAotGraph& like) {
    GraphsOfCompile unused;
    AotOptions whole = optionsOfSample(options, like, unused);
    whole.forwardCompiler = whole.backwardCompiler = nullptr;
    whole.isSample = false;
    whole.observers.clear();
    return whole;
  }

  std::vector<const ir::Graph*> capturedGraphs(const std::vector<backends::GraphSample>& others) const {
    std::vector<const ir::Graph*> graphs{&first_.captured->graph()};
    std::transform(others.begin(), others.end(), std::back_inserter(graphs),
                   [](const auto& each) { return &each.graph; });
    return graphs;
  }

  /// What shares memory and is only read was compiled as if it did not.
  static std::vector<at::Tensor> asTraced(std::vector<at::Tensor> examples, const CompiledAotGraph& compiled) {
    const std::vector<at::Tensor> given = examples;
    const std::vector<TracedInput>& traced = compiled.trace().arguments().inputs;
    for (size_t i = 0; i < given.size(); ++i) {
      for (size_t j = 0; j < given.size(); ++j) {
        if (given[i].storage().is_alias_of(given[j].storage()) && traced.at(i).storage != traced.at(j).storage) {
          examples[i] = copyOfMemory(given[i]);
          break;
        }
      }
    }
    return examples;
  }

  /// Of a Graph that has a backward: see AotGraphForSizes::compileWhole.
  void takeExamples(const std::vector<const CompiledAotGraph*>& compiles, const std::vector<at::Tensor>& given,
                    symbols::Fitting& fitting) {
    const std::vector<at::Tensor> all = inputTensors(values::ValueList(given.begin(), given.end()));
    if (!first_.compiled->plan().nodes.empty() && !std::ranges::all_of(all, arguments::hasOthersLikeIt)) {
      throw NotSymbolic("an input is a view that no other can stand for, and gradients are taken");
    }
    std::vector<std::vector<int64_t>> numbers;
    for (const CompiledAotGraph* each : compiles) {
      numbers.push_back(symbols::valuesAt(Examples::of(*each).numbers(given.size())));
    }
    exampleNumbers_.emplace(numbers, fitting, [](size_t) { return std::string("a size of an input"); });
    std::vector<ir::TensorMetadata> asTheyAre;
    std::ranges::transform(all, std::back_inserter(asTheyAre), runtime::metadataOf);
    examplesLike_ = arguments::tensorsLike(all, asTheyAre); // those of the caller are the caller's
  }

  static void showStages(const AotOptions& options, std::vector<GraphsOfCompile>& graphs) {
    std::vector<ir::StageArtifacts> stages;
    for (GraphsOfCompile& each : graphs) {
      stages.push_back(std::move(each.stages));
    }
    for (const auto& observer : options.observers) {
      observer->onSamples(stages);
    }
  }

  void takeForward(std::vector<GraphsOfCompile>& graphs, symbols::Fitting& fitting) {
    std::vector<backends::GraphSample> forwards;
    for (GraphsOfCompile& each : graphs) {
      if (each.forward.size() != 1) {
        throw NotSymbolic("how often the forward is compiled");
      }
      forwards.push_back(std::move(each.forward[0]));
    }
    forward_ = first_.compiled->forward()->forSymbols(forwards, fitting);
  }

  void takeBackwards(const std::vector<const CompiledAotGraph*>& compiles, const std::vector<GraphsOfCompile>& graphs,
                     symbols::Fitting& fitting) {
    const auto& planned = first_.compiled->backwards().planned();
    for (const CompiledAotGraph* each : compiles) {
      if (each->backwards().planned().size() != planned.size()) {
        throw NotSymbolic("which backwards are planned");
      }
    }
    for (size_t i = 0; i < planned.size(); ++i) {
      std::vector<const ir::Graph*> samples;
      for (const CompiledAotGraph* each : compiles) {
        const auto& [node, backward] = each->backwards().planned()[i];
        if (node != planned[i].first || !(conventionOf(*backward) == conventionOf(*planned[i].second))) {
          throw NotSymbolic("what a backward reads or gives");
        }
        samples.push_back(backward->graph == nullptr ? &backward->ofSample : &backward->graph->graph());
      }
      SymbolicBackward& made = backwards_.emplace_back(SymbolicBackward{
          planned[i].first, planned[i].second,
          symbols::SymbolicGraph(samples, fitting, runtime::constantTensors(), symbols::Floats::kFitted), nullptr});
      if (planned[i].second->compiled != nullptr) {
        std::vector<backends::GraphSample> others;
        for (const GraphsOfCompile& each : graphs) {
          if (each.backward.size() != planned.size()) {
            throw NotSymbolic("which backwards are compiled");
          }
          others.push_back(each.backward[i]);
        }
        made.compiled = planned[i].second->compiled->forSymbols(others, fitting);
      }
    }
  }

  const AotCompile first_;
  const CompileAot compile_;
  const std::function<std::shared_ptr<const backends::CompiledGraph>(AotCompile)> wrap_;
  const AotOptions wholeOptions_;
  const symbols::SymbolicGraph captured_;
  const AutocastRegions autocast_ = autocastOfThread(); // where the Graph was compiled
  const bool castsOnce_ = at::autocast::is_autocast_cache_enabled();
  std::vector<at::Tensor> examplesLike_;
  std::optional<symbols::Numbers> exampleNumbers_, plan_;
  std::shared_ptr<const backends::SymbolicCompiledGraph> forward_;
  std::vector<SymbolicBackward> backwards_;
};

} // namespace

std::shared_ptr<const backends::SymbolicCompiledGraph> symbolicAotGraph(
    AotCompile first, const AotOptions& options, const std::vector<backends::GraphSample>& others,
    symbols::Fitting& fitting, CompileAot compile,
    std::function<std::shared_ptr<const backends::CompiledGraph>(AotCompile ofSizes)> wrap) {
  try {
    return std::make_shared<const SymbolicAotGraph>(std::move(first), options, others, fitting, std::move(compile),
                                                    std::move(wrap));
  } catch (const NotSymbolic&) {
    throw;
  } catch (const std::exception& error) { // a sample's compile raises what the first did not
    throw NotSymbolic(error.what());
  }
}

} // namespace touchstone::aot_autograd
