#include "backends/Registry.h"

#include "base/NearestName.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <stdexcept>

namespace touchstone::backends {

namespace {

using ir::BackendInfo;
using ir::Family;
using ir::RuleSet;

constexpr const char* kTorchPrefix = "torch:";

std::vector<BackendInfo> makeTable() {
  // A difference that `torch:eager_python` shows already is our printer's or evaluator's, so it leads every ladder.
  const std::vector<std::string> nativeCaptured = {"eager"};
  const std::vector<std::string> nativeTraced = {"eager", "aot_eager"};
  const std::vector<std::string> nativeCut = {"eager", "aot_joint", "aot_functional", "aot_eager_default_partitioner"};
  const std::vector<std::string> scripted = {"eager", "ts"};
  const std::vector<std::string> frozen = {"eager", "ts", "simple_ts_compile"};
  const std::vector<std::string> printed = {"torch:eager_python"};
  const std::vector<std::string> captured = {"torch:eager_python", "torch:eager"};
  const std::vector<std::string> traced = {"torch:eager_python", "torch:eager", "torch:aot_eager"};
  const std::vector<std::string> decomposed = {"torch:eager_python", "torch:eager", "torch:aot_eager",
                                               "torch:aot_eager_decomp_partition"};
  return {
      {"eager",
       Family::kNative,
       "captures a Graph and runs it node by node, with autograd on",
       RuleSet::kNativeExact,
       true,
       {}},
      {"aot_joint", Family::kNative,
       "AOT autograd in C++, stopped after tracing: the joint Graph as recorded, its backward run from the inputs",
       RuleSet::kNativeExact, true, nativeCaptured},
      {"aot_functional", Family::kNative,
       "the same, stopped before the partition: the joint Graph without writes, its backward run from the inputs",
       RuleSet::kNativeFunctional, true, nativeCaptured},
      {"aot_eager_default_partitioner", Family::kNative,
       "AOT autograd in C++: forward and backward traced, functionalized, cut by the default partition",
       RuleSet::kNativeFunctional, true, nativeCaptured},
      {"aot_eager", Family::kNative,
       "the same, cut by the min-cut partition: values that are cheap to compute again are not saved",
       RuleSet::kNativeFunctional, true, nativeCaptured},
      {"aot_eager_decomp_partition", Family::kNative,
       "the same, with operators replaced by simpler ones, and values computed again, as Inductor would have it",
       RuleSet::kNativeRounding, true, nativeTraced},
      {"eager_noexcept", Family::kNative, "eager; an exception inside a Graph becomes an error of its own",
       RuleSet::kNativeExact, true, nativeCaptured},
      {"pre_dispatch_eager", Family::kNative,
       "eager; each Graph is traced again above autograd and run in that form; `dump --stage pre_dispatch` shows it",
       RuleSet::kNativeExact, true, nativeCaptured},
      {"eager_debug", Family::kNative, "eager; each operator is held against its schema: what it writes and aliases",
       RuleSet::kNativeExact, true, nativeCaptured},
      {"invoke_subgraph", Family::kNative,
       "AOT autograd; forward and backward are one call each when they are traced again", RuleSet::kNativeFunctional,
       true, nativeTraced},
      {"debug_nop", Family::kNative,
       "AOT autograd in C++; each value of forward and backward is held against what was traced: dtype, sizes, strides",
       RuleSet::kNativeFunctional, true, nativeCut},
      {"ts", Family::kNative, "TorchScript, autograd on: each Graph is scripted, then profiled and optimized",
       RuleSet::kNativeScript, true, nativeCaptured},
      {"simple_ts_compile", Family::kNative, "TorchScript, frozen; takes Graphs without gradients",
       RuleSet::kNativeScript, true, scripted},
      {"ts_compile", Family::kNative,
       "TorchScript, writes removed, frozen, optimized for inference; takes Graphs without gradients",
       RuleSet::kNativeScript, true, frozen},
      {"aot_ts", Family::kNative, "AOT autograd in C++; forward and backward compiled as by `ts_compile`",
       RuleSet::kNativeScript, true, nativeCut},
      {"nnc_jit", Family::kNative, "AOT autograd in C++; forward and backward compiled as by `simple_ts_compile`",
       RuleSet::kNativeScript, true, nativeCut},
      {"memory_efficient_fusion", Family::kNative,
       "the same as `aot_ts`, some operators replaced by simpler ones, cut by the min-cut partition",
       RuleSet::kNativeScript, true, nativeTraced},
      {"relu_compile_error_TESTING_ONLY", Family::kNative, "WRONG ON PURPOSE: raises for a Graph with a relu",
       RuleSet::kNativeExact, true, nativeCaptured},
      {"relu_runtime_error_TESTING_ONLY", Family::kNative, "WRONG ON PURPOSE: raises where a Graph comes to a relu",
       RuleSet::kNativeExact, true, nativeCaptured},
      {"relu_accuracy_error_TESTING_ONLY", Family::kNative, "WRONG ON PURPOSE: adds 1 where a Graph has a relu",
       RuleSet::kNativeExact, true, nativeCaptured},
      {"relu_out_of_bounds_TESTING_ONLY", Family::kNative,
       "WRONG ON PURPOSE: writes an element behind the memory of a relu's result", RuleSet::kNativeExact, true,
       nativeCaptured},
      {"relu_uninitialized_TESTING_ONLY", Family::kNative,
       "WRONG ON PURPOSE: a relu's result is memory that nobody wrote", RuleSet::kNativeExact, true, nativeCaptured},
      {"rare_accuracy_error_TESTING_ONLY", Family::kNative,
       "WRONG ON PURPOSE: aot_eager that adds 1 to the result of an angle, which few Cases have",
       RuleSet::kNativeFunctional, true, nativeTraced},
      {"non_leaf_compile_error_TESTING_ONLY", Family::kNative,
       "WRONG ON PURPOSE: raises for a Graph with an input that is no leaf", RuleSet::kNativeExact, true,
       nativeCaptured},
      {"torch:eager_python",
       Family::kTorch,
       "the Program in Python, not compiled: checks Touchstone's own printer",
       RuleSet::kReference,
       false,
       {}},
      {"torch:eager", Family::kTorch, "torch.compile: Dynamo alone", RuleSet::kAot, true, printed},
      {"torch:aot_function", Family::kTorch, "AOTAutograd without Dynamo, graphs run as they are", RuleSet::kAot, true,
       printed},
      {"torch:aot_eager_default_partitioner", Family::kTorch,
       "torch.compile: Dynamo and AOTAutograd with the default partition, graphs run as they are", RuleSet::kAot, true,
       captured},
      {"torch:aot_eager", Family::kTorch, "torch.compile: Dynamo and AOTAutograd, graphs run as they are",
       RuleSet::kAot, true, captured},
      {"torch:aot_eager_decomp_partition", Family::kTorch,
       "torch.compile: AOTAutograd with Inductor's decompositions and partitioner", RuleSet::kDecomposed, true, traced},
      {"torch:inductor", Family::kTorch, "torch.compile as its users run it", RuleSet::kInductor, true, decomposed},
  };
}

BackendInfo customBackend(const std::string& name) {
  return {name,          Family::kTorch, "torch.compile with a backend of one's own",
          RuleSet::kAot, true,           {"torch:eager_python", "torch:eager", "torch:aot_eager"}};
}

// `torch:package.module:attribute`
bool namesCustomBackend(const std::string& name) {
  if (name.rfind(kTorchPrefix, 0) != 0) {
    return false;
  }
  std::string path = name.substr(std::string(kTorchPrefix).size());
  size_t colon = path.find(':');
  bool wellFormed = colon != std::string::npos && colon > 0 && colon + 1 < path.size() &&
                    path.find(':', colon + 1) == std::string::npos;
  return wellFormed && std::all_of(path.begin(), path.end(), [](unsigned char character) {
           return std::isalnum(character) || character == '_' || character == '.' || character == ':';
         });
}

[[noreturn]] void throwUnknown(const std::string& name) {
  std::vector<std::string> names;
  for (const BackendInfo& info : builtInBackends()) {
    names.push_back(info.name);
  }
  std::string message = "There is no backend `" + name + "`." + base::didYouMean(name, names) + " Choose one of";
  for (const std::string& valid : base::nearestFirst(name, names)) {
    message += " `" + valid + "`,";
  }
  throw std::invalid_argument(
      message +
      " or `torch:package.module:attribute` for one of your own; one that a module registers by "
      "name needs a profile that imports the module, see docs/profiles.md.");
}

// `torch:name`
bool namesRegisteredBackend(const std::string& name) {
  const std::string prefix = kTorchPrefix;
  return name.rfind(prefix, 0) == 0 && name.size() > prefix.size() &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                     [](unsigned char character) {
                       return std::isalnum(character) || character == '_' || character == '-' || character == '.';
                     });
}

std::vector<BackendInfo>& declaredBackends() {
  static std::vector<BackendInfo> declared;
  return declared;
}

std::optional<BackendInfo> entryOf(const std::string& name) {
  const std::vector<BackendInfo>& declared = declaredBackends();
  for (const std::vector<BackendInfo>* table : {&declared, &builtInBackends()}) {
    for (const BackendInfo& info : *table) {
      if (info.name == name) {
        return info;
      }
    }
  }
  return namesCustomBackend(name) ? std::optional(customBackend(name)) : std::nullopt;
}

std::map<Family, BackendFactory>& factories() {
  static std::map<Family, BackendFactory> registered;
  return registered;
}

} // namespace

const std::vector<BackendInfo>& builtInBackends() {
  static const std::vector<BackendInfo> table = makeTable();
  return table;
}

BackendInfo importedBackendInfo(const std::string& name) {
  const auto isNamed = [&](const BackendInfo& info) { return info.name == name; };
  const bool builtIn = std::any_of(builtInBackends().begin(), builtInBackends().end(), isNamed);
  return !builtIn && namesRegisteredBackend(name) ? customBackend(name) : backendInfo(name);
}

void declareBackend(BackendInfo info) {
  std::erase_if(declaredBackends(), [&](const BackendInfo& known) { return known.name == info.name; });
  declaredBackends().push_back(std::move(info));
}

BackendInfo backendInfo(const std::string& name) {
  if (const std::optional<BackendInfo> info = entryOf(name)) {
    return *info;
  }
  throwUnknown(name);
}

bool isBackend(const std::string& name) {
  return entryOf(name).has_value();
}

void registerFactory(Family family, BackendFactory factory) {
  factories()[family] = std::move(factory);
}

std::unique_ptr<Backend> makeBackend(const std::string& name) {
  BackendInfo info = backendInfo(name);
  auto factory = factories().find(info.family);
  if (factory == factories().end()) {
    throw std::invalid_argument("Backend `" + name + "` belongs to the " +
                                (info.family == Family::kTorch ? "torch family, which only the worker that embeds "
                                                                 "Python can run."
                                                               : "native family, which this process has not "
                                                                 "registered."));
  }
  return factory->second(info);
}

} // namespace touchstone::backends
