#include "backends/native/BackendTable.h"

#include "backends/compilers/JitFuser.h"
#include "backends/compilers/TorchScriptCompilers.h"
#include "backends/debugging/AotCompilerOptions.h"
#include "backends/debugging/AotDebugging.h"
#include "backends/debugging/DebugInterpreter.h"
#include "backends/debugging/EagerCompilers.h"
#include "backends/debugging/FaultInjection.h"
#include "backends/debugging/InvokeSubgraph.h"
#include "backends/debugging/PreDispatch.h"
#include "backends/debugging/SchemaCheck.h"
#include "backends/decompositions/DecompositionTable.h"
#include "graph/ir/PassGate.h"
#include "graph/ir/Stages.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace touchstone::native {

namespace {

using aot_autograd::AotOptions;
using aot_autograd::AotPartition;
using aot_autograd::AotResult;
using debugging::CompilerFunction;
using ir::RuleSet;

/// A compiler without options, under the name of its backend.
CompilerFunction named(const CompilerSettings& settings, backends::GraphCompiler compiler) {
  return debugging::withDebugInterpreter(debugging::withoutOptions(settings.name, std::move(compiler)));
}

template <auto kCompile>
CompilerFunction captured(const CompilerSettings& settings) {
  return shownTo(settings.aot.observers, named(settings, kCompile));
}

/// `pre_dispatch_eager`; with observers its second Graph is shown to them instead of printed.
CompilerFunction preDispatch(const CompilerSettings& settings) {
  if (settings.aot.observers.empty()) {
    return named(settings, debugging::preDispatchEager());
  }
  const auto showGraph = [observers = settings.aot.observers](ir::Graph& graph, const std::string&) {
    backends::ShownStages(observers).pass(ir::kPreDispatchStage, graph);
  };
  return shownTo(settings.aot.observers, named(settings, debugging::preDispatchEager(showGraph)));
}

constexpr const char* kFuserOption = "fuser";

/// `compiler` of TorchScript as the option `fuser` says, which is taken out of the list.
backends::GraphCompiler asOptionSays(debugging::CompilerOptions& options, backends::GraphCompiler compiler) {
  std::string fuser = debugging::takeOption(options, kFuserOption);
  std::erase(fuser, '\'');
  return fuser.empty() ? compiler : compilers::underFuser(compilers::jitFuser(fuser), std::move(compiler));
}

/// What `ts` does with other options: torch/_dynamo/backends/debugging.py, torchscript, has no keyword arguments.
void refuseOptions(const std::string& name, const debugging::CompilerOptions& options) {
  if (!options.empty()) {
    throw std::invalid_argument("`" + name + "` takes no option `" + options.front().name + "`, but `" + kFuserOption +
                                "` and `" + debugging::kDebugInterpreterOption + "`.");
  }
}

template <compilers::TorchScriptOptions (*kScript)(), auto kUnknown = debugging::reportUnknownOptions>
CompilerFunction scripted(const CompilerSettings& settings) {
  const auto compile = [name = settings.name](ir::Graph graph, const std::vector<at::Tensor>& examples,
                                              debugging::CompilerOptions options) {
    const auto compiler = asOptionSays(options, compilers::torchScriptCompiler(kScript()));
    kUnknown(name, options);
    return compiler(std::move(graph), examples);
  };
  return shownTo(settings.aot.observers, debugging::withDebugInterpreter(compile));
}

/// AOT autograd whose forward and backward TorchScript compiles, with the option `fuser` besides.
CompilerFunction aotScriptedWithOptions(const char* name, AotOptions aot) {
  return [name, aot = std::move(aot)](ir::Graph graph, const std::vector<at::Tensor>& examples,
                                      debugging::CompilerOptions options) {
    AotOptions chosen = aot;
    chosen.forwardCompiler = chosen.backwardCompiler = asOptionSays(options, aot.forwardCompiler);
    return debugging::aotCompilerWithOptions(name, std::move(chosen))(std::move(graph), examples, options);
  };
}

compilers::TorchScriptOptions simpleTsForCapturedGraphs() {
  return compilers::forCapturedGraphs(compilers::simpleTsCompile());
}

compilers::TorchScriptOptions tsForCapturedGraphs() {
  return compilers::forCapturedGraphs(compilers::tsCompile());
}

CompilerFunction reluAccuracy(const CompilerSettings& settings) {
  return shownTo(settings.aot.observers,
                 named(settings, settings.aot.gate != nullptr ? debugging::gatedReluAccuracyError(settings.aot.gate)
                                                              : debugging::reluAccuracyError));
}

/// AOT autograd of its own, which shows the stages.
template <backends::GraphCompiler (*kMake)(AotOptions)>
CompilerFunction staged(const CompilerSettings& settings) {
  return named(settings, kMake(settings.aot));
}

template <AotResult kResult, AotPartition kPartition = AotPartition::kDefault>
AotOptions aot(AotOptions options) {
  options.runs = kResult;
  options.partition = kPartition;
  return options;
}

constexpr AotPipeline kDefaultPartition = aot<AotResult::kPartitioned>;
constexpr AotPipeline kMinCut = aot<AotResult::kPartitioned, AotPartition::kMinCut>;

/// Writes to inputs stay in a forward Graph without gradients: so torch/_dynamo/backends/debugging.py has it for these.
template <AotPipeline kPipeline>
AotOptions keepingMutations(AotOptions options) {
  options = kPipeline(std::move(options));
  options.keepInferenceInputMutations = true;
  return options;
}

CompilerFunction invokeSubgraph(const CompilerSettings& settings) {
  return named(settings, debugging::invokeSubgraphCompiler(keepingMutations<kMinCut>(settings.aot)));
}

/// Operators of custom namespaces alone are compared where no option says otherwise.
CompilerFunction crossref(const CompilerSettings& settings) {
  return debugging::aotCompilerWithOptions(settings.name, debugging::decompPartition(settings.aot),
                                           debugging::CrossrefChoice::kCustomOperators);
}

template <compilers::TorchScriptOptions (*kScript)()>
AotOptions aotScripted(AotOptions options) {
  return compilers::withTorchScript(kDefaultPartition(std::move(options)), kScript());
}

AotOptions debugNop(AotOptions options) {
  options = kDefaultPartition(std::move(options));
  options.forwardCompiler = options.backwardCompiler = debugging::debugNop();
  return options;
}

AotOptions memoryEfficientFusion(AotOptions options) { // torch/_functorch/compilers.py
  options = kMinCut(std::move(options));
  options.decompositions = decompositions::exactDefaultDecompositions();
  return compilers::withTorchScript(std::move(options), compilers::tsCompile());
}

std::vector<NativeBackend> makeTable() {
  return {
      {"eager", "captures a Graph and runs it node by node, with autograd on", RuleSet::kNativeExact, "",
       "capture: Graphs, guards, breaks; run with autograd on", captured<backends::compileToInterpreter>},
      {"aot_joint",
       "AOT autograd in C++, stopped after tracing: the joint Graph as recorded, its backward run from the inputs",
       RuleSet::kNativeExact, "eager",
       "tracing below autograd, and the runtime around it; the backward runs the recorded joint Graph",
       aot<AotResult::kJoint>},
      {"aot_functional",
       "the same, stopped before the partition: the joint Graph without writes, its backward run from the inputs",
       RuleSet::kNativeFunctional, "aot_joint", "functionalization; the backward runs the joint Graph without writes",
       aot<AotResult::kFunctional>,
       /*continuesBase=*/true},
      {"aot_eager_default_partitioner",
       "AOT autograd in C++: forward and backward traced, functionalized, cut by the default partition",
       RuleSet::kNativeFunctional, "aot_functional", "the default partition: the forward saves what the backward reads",
       keepingMutations<kDefaultPartition>, /*continuesBase=*/true},
      {"aot_eager", "the same, cut by the min-cut partition: values that are cheap to compute again are not saved",
       RuleSet::kNativeFunctional, "aot_eager_default_partitioner",
       "the min-cut partition: the backward computes again what is cheaper to compute than to save",
       keepingMutations<kMinCut>,
       /*continuesBase=*/true},
      {"aot_eager_decomp_partition", "the same, with operators replaced by simpler ones, as Inductor would have it",
       RuleSet::kNativeRounding, "aot_eager", "decompositions, the partition as below", debugging::decompPartition},
      {"aot_eager_decomp_partition_crossref",
       "the same; each operator of a custom namespace is run on fake tensors, too, and what it makes of them compared",
       RuleSet::kNativeRounding, "aot_eager_decomp_partition", "", crossref},
      {"eager_noexcept", "eager; an exception inside a Graph becomes an error of its own", RuleSet::kNativeExact,
       "eager", "", captured<debugging::compileExpectingNoException>},
      {"pre_dispatch_eager",
       "eager; each Graph is traced again above autograd and run in that form; `dump --stage pre_dispatch` shows it",
       RuleSet::kNativeExact, "eager", "", preDispatch},
      {"eager_debug", "eager; each operator is held against its schema: what it writes and aliases",
       RuleSet::kNativeExact, "eager", "", captured<debugging::compileWithSchemaCheck>},
      {"invoke_subgraph",
       "AOT autograd, cut by the min-cut partition; forward and backward are one call each when they are traced again",
       RuleSet::kNativeFunctional, "aot_eager", "", invokeSubgraph},
      {"debug_nop",
       "AOT autograd in C++; each value of forward and backward is held against what was traced: dtype, sizes, strides",
       RuleSet::kNativeFunctional, "aot_eager_default_partitioner", "", debugNop},
      {"ts", "TorchScript, autograd on: each Graph is scripted, then profiled and optimized", RuleSet::kNativeScript,
       "eager", "", scripted<compilers::scriptAlone, refuseOptions>},
      {"simple_ts_compile", "TorchScript, frozen; takes Graphs without gradients", RuleSet::kNativeScript, "ts", "",
       scripted<simpleTsForCapturedGraphs>},
      {"ts_compile", "TorchScript, writes removed, frozen, optimized for inference; takes Graphs without gradients",
       RuleSet::kNativeScript, "simple_ts_compile", "", scripted<tsForCapturedGraphs>},
      {"aot_ts", "AOT autograd in C++; forward and backward compiled as by `ts_compile`", RuleSet::kNativeScript,
       "aot_eager_default_partitioner", "", aotScripted<compilers::tsCompile>},
      {"nnc_jit", "AOT autograd in C++; forward and backward compiled as by `simple_ts_compile`",
       RuleSet::kNativeScript, "aot_eager_default_partitioner", "", aotScripted<compilers::simpleTsCompile>},
      {"memory_efficient_fusion",
       "the same as `aot_ts`, some operators replaced by simpler ones, cut by the min-cut partition",
       RuleSet::kNativeScript, "aot_eager", "", memoryEfficientFusion},
      {"relu_compile_error_TESTING_ONLY", "WRONG ON PURPOSE: raises for a Graph with a relu", RuleSet::kNativeExact,
       "eager", "", captured<debugging::reluCompileError>},
      {"relu_runtime_error_TESTING_ONLY", "WRONG ON PURPOSE: raises where a Graph comes to a relu",
       RuleSet::kNativeExact, "eager", "", captured<debugging::reluRuntimeError>},
      {"relu_accuracy_error_TESTING_ONLY", "WRONG ON PURPOSE: adds 1 where a Graph has a relu", RuleSet::kNativeExact,
       "eager", "", reluAccuracy},
      {"relu_out_of_bounds_TESTING_ONLY", "WRONG ON PURPOSE: writes an element behind the memory of a relu's result",
       RuleSet::kNativeExact, "eager", "", captured<debugging::reluOutOfBounds>},
      {"relu_uninitialized_TESTING_ONLY", "WRONG ON PURPOSE: a relu's result is memory that nobody wrote",
       RuleSet::kNativeExact, "eager", "", captured<debugging::reluUninitialized>},
      {"rare_accuracy_error_TESTING_ONLY",
       "WRONG ON PURPOSE: aot_eager that adds 1 to the result of an angle, which few Cases have",
       RuleSet::kNativeFunctional, "aot_eager", "", staged<debugging::rareAccuracyError>},
      {"non_leaf_compile_error_TESTING_ONLY", "WRONG ON PURPOSE: raises for a Graph with an input that is no leaf",
       RuleSet::kNativeExact, "eager", "", captured<debugging::nonLeafCompileError>},
  };
}

} // namespace

const std::vector<NativeBackend>& nativeBackends() {
  static const std::vector<NativeBackend> table = makeTable();
  return table;
}

const NativeBackend* nativeBackend(const std::string& name) {
  const auto row = std::find_if(nativeBackends().begin(), nativeBackends().end(),
                                [&](const NativeBackend& each) { return name == each.name; });
  return row == nativeBackends().end() ? nullptr : &*row;
}

AotPipeline aotPipelineOf(const std::string& name) {
  const NativeBackend* row = nativeBackend(name);
  const AotPipeline* pipeline = row == nullptr ? nullptr : std::get_if<AotPipeline>(&row->make);
  return pipeline == nullptr ? nullptr : *pipeline;
}

std::vector<std::string> passesOf(const NativeBackend& row) {
  std::vector<std::string> passes;
  if (const auto* pipeline = std::get_if<AotPipeline>(&row.make)) {
    const AotOptions options = (*pipeline)({});
    const bool isCut = options.runs == AotResult::kPartitioned,
               isMinCut = isCut && options.partition == AotPartition::kMinCut;
    const auto has = [&](const std::string& pass) {
      return pass == "decompositions" ? options.decompositions != nullptr
             : pass == "saved_values" ? isCut
             : pass == "dead_code"    ? true
                                      : isMinCut && (pass == "cse" || pass == "recomputation");
    };
    std::ranges::copy_if(ir::kPasses, std::back_inserter(passes), has);
  } else if (const NativeBackend* base = nativeBackend(row.base)) { // made of the same
    passes = passesOf(*base);
  }
  if (const auto* make = std::get_if<MakeCompiler>(&row.make); make != nullptr && *make == reluAccuracy) {
    passes.emplace_back("relu_to_add");
  }
  return passes;
}

CompilerFunction compilerOf(const NativeBackend& row, CompilerSettings settings) {
  if (const auto* pipeline = std::get_if<AotPipeline>(&row.make)) {
    AotOptions aot = (*pipeline)(std::move(settings.aot));
    return row.rules == RuleSet::kNativeScript ? aotScriptedWithOptions(row.name, std::move(aot))
                                               : debugging::aotCompilerWithOptions(row.name, std::move(aot));
  }
  return std::get<MakeCompiler>(row.make)(settings);
}

CompilerFunction shownTo(const backends::PipelineObservers& observers, CompilerFunction compiler) {
  if (observers.empty()) {
    return compiler;
  }
  return [observers, compiler = std::move(compiler)](ir::Graph graph, const std::vector<at::Tensor>& examples,
                                                     const debugging::CompilerOptions& options) {
    backends::ShownStages(observers).pass(ir::kCapturedStage, graph);
    const auto compile = [&](ir::Graph given, const std::vector<at::Tensor>& of) {
      return compiler(std::move(given), of, options);
    };
    return backends::watched(observers, compile)(std::move(graph), examples);
  };
}

} // namespace touchstone::native
