#include "backends/debugging/AotCompilerOptions.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/debugging/BoxedNop.h"
#include "backends/debugging/DebugInterpreter.h"
#include "backends/debugging/FakeCrossref.h"

#include <stdexcept>
#include <utility>

namespace touchstone::debugging {

namespace {

constexpr const char* kKeepMutations = "keep_inference_input_mutations";
constexpr const char* kUnliftTokens = "unlift_effect_tokens";
constexpr const char* kMemoryBudget = "activation_memory_budget";

[[noreturn]] void throwOption(const std::string& option, const std::string& value, const char* valid) {
  throw std::invalid_argument("Option `" + option + "` is " + value + "; it can be " + valid + ".");
}

CrossrefChoice crossrefChoice(const std::string& value, CrossrefChoice otherwise) {
  if (value == "'all'" || value == "True") { // options of a Case are no strings
    return CrossrefChoice::kAll;
  }
  if (value == "'custom_ops'") {
    return CrossrefChoice::kCustomOperators;
  }
  if (!value.empty() && value != "False") {
    throwOption("fake_tensor_crossref", value, "'all' or True, 'custom_ops', or False");
  }
  return value.empty() ? otherwise : CrossrefChoice::kOff;
}

double memoryBudget(const std::string& value) {
  size_t end = 0;
  double budget = -1;
  try {
    budget = std::stod(value, &end);
  } catch (const std::exception&) { // said below
  }
  if (end != value.size() || !(budget >= 0 && budget <= 1)) {
    throwOption(kMemoryBudget, value, "a number from 0 to 1");
  }
  return budget;
}

partitioners::RecomputeList recomputeList(const std::string& value) {
  if (value != "'inductor'" && value != "'nvfuser'") {
    throwOption("compiler", value, "'inductor' or 'nvfuser'");
  }
  return value == "'inductor'" ? partitioners::RecomputeList::kInductor : partitioners::RecomputeList::kPointwise;
}

/// The options of a min-cut partition.
void takeMinCutOptions(CompilerOptions& options, partitioners::MinCutOptions& minCut) {
  const std::string budget = takeOption(options, kMemoryBudget);
  if (!budget.empty()) {
    minCut.memoryBudget = memoryBudget(budget);
  }
  const std::string compiler = takeOption(options, "compiler");
  if (!compiler.empty()) {
    minCut.list = recomputeList(compiler);
  }
}

} // namespace

CompilerFunction aotCompilerWithOptions(std::string name, aot_autograd::AotOptions aot, CrossrefChoice otherwise) {
  return [name = std::move(name), aot = std::move(aot), otherwise](
             ir::Graph graph, const std::vector<at::Tensor>& examples, CompilerOptions options) {
    const CrossrefChoice crossref = crossrefChoice(takeOption(options, "fake_tensor_crossref"), otherwise);
    const bool checks = takeSwitch(options, kDebugInterpreterOption);
    aot_autograd::AotOptions chosen = aot;
    chosen.keepInferenceInputMutations = takeSwitch(options, kKeepMutations, aot.keepInferenceInputMutations);
    chosen.unliftEffectTokens = takeSwitch(options, kUnliftTokens, aot.unliftEffectTokens);
    if (chosen.partition == aot_autograd::AotPartition::kMinCut) {
      takeMinCutOptions(options, chosen.minCut);
    }
    reportUnknownOptions(name, options);
    if (crossref != CrossrefChoice::kOff) {
      if (chosen.forwardCompiler || chosen.backwardCompiler) {
        throw std::invalid_argument(
            "The option `fake_tensor_crossref` says how forward and backward Graphs run, and so do the compilers that "
            "`" +
            name + "` has. Leave one of them out.");
      }
      chosen.forwardCompiler = chosen.backwardCompiler = boxedNop(crossrefMode(crossref));
    }
    if (checks) {
      chosen.observers.push_back(std::make_shared<DebugInterpreter>());
    }
    return aot_autograd::aotCompiler(std::move(chosen))(std::move(graph), examples);
  };
}

} // namespace touchstone::debugging
