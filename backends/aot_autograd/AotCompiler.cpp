#include "backends/aot_autograd/AotCompiler.h"

#include "backends/aot_autograd/RuntimeCall.h"
#include "backends/aot_autograd/SymbolicAotGraph.h"
#include "backends/aot_autograd/TracedArguments.h"
#include "backends/fake/EffectRecord.h"
#include "program/values/CompiledProgram.h"
#include "program/values/GeneratorState.h"

#include <exception>
#include <unordered_set>
#include <utility>

namespace touchstone::aot_autograd {

namespace {

/// The examples, with those apart that lie in one memory only for the Graph to read them: it then reads them wherever they
/// lie. Empty: there are none.
std::vector<at::Tensor> apartWhereOnlyRead(const CompiledAotGraph& compiled, const std::vector<at::Tensor>& examples) {
  std::vector<at::Tensor> apart = examples;
  bool isChanged = false;
  for (size_t i = 0; i < examples.size(); ++i) {
    bool isShared = false, isFree = true;
    for (size_t j = 0; j < examples.size(); ++j) {
      if (examples[j].storage().is_alias_of(examples[i].storage())) {
        isShared = isShared || i != j;
        isFree = isFree && compiled.onlyReads(j) && !examples[j].requires_grad() && !examples[j].is_inference() &&
                 !examples[j].is_conj() && !examples[j].is_neg() && !examples[j].device().is_meta();
      }
    }
    if (isShared && isFree) {
      apart[i] = copyOfMemory(examples[i]);
      isChanged = true;
    }
  }
  return isChanged ? apart : std::vector<at::Tensor>();
}

/// A Graph's inputs are told apart by what they are: one tensor twice would be one input.
std::vector<at::Tensor> distinct(std::vector<at::Tensor> examples) {
  std::unordered_set<const c10::TensorImpl*> known;
  for (at::Tensor& example : examples) {
    if (!known.insert(example.unsafeGetTensorImpl()).second) {
      example = example.detach().requires_grad_(example.requires_grad());
    }
  }
  return examples;
}

bool shareMemory(const std::vector<at::Tensor>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (tensors[i].storage().is_alias_of(tensors[j].storage())) {
        return true;
      }
    }
  }
  return false;
}

std::shared_ptr<const CompiledAotGraph> compileGraph(const runtime::Interpreter& captured,
                                                     const std::vector<at::Tensor>& examples,
                                                     const AotOptions& options) {
  if (!shareMemory(examples)) {
    return std::make_shared<const CompiledAotGraph>(captured, examples, options);
  }
  // Nobody is shown the first attempt, nor asked about it.
  AotOptions quiet = options;
  quiet.observers.clear();
  quiet.gate = nullptr;
  quiet.forwardCompiler = quiet.backwardCompiler = quiet.inferenceCompiler = nullptr;
  auto probe = std::make_shared<const CompiledAotGraph>(captured, examples, quiet);
  const std::vector<at::Tensor> apart = apartWhereOnlyRead(*probe, examples);
  const bool isObserved = !options.observers.empty() || options.gate != nullptr || options.forwardCompiler ||
                          options.backwardCompiler || options.inferenceCompiler;
  if (apart.empty() && !isObserved) {
    return probe;
  }
  return std::make_shared<const CompiledAotGraph>(captured, apart.empty() ? examples : apart, options);
}

class AotGraph final : public backends::CompiledGraph {
 public:
  AotGraph(ir::Graph graph, const std::vector<at::Tensor>& examples, const AotOptions& options) : options_(options) {
    const auto captured = std::make_shared<const runtime::Interpreter>(std::move(graph));
    compile_ = {captured, compileGraph(*captured, distinct(examples), options)};
  }
  AotGraph(AotCompile compile, const AotOptions& options) : options_(options), compile_(std::move(compile)) {}

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    return compile_.compiled->plan().mayRaise ? runOrRaiseAsEager(std::move(inputs))
                                              : callCompiled(compile_.compiled, std::move(inputs));
  }

  std::vector<backends::Assumption> assumptions() const override { return compile_.compiled->assumptions(); }
  bool isCompiled() const override { return compile_.compiled->isForwardCompiled(); }

  std::shared_ptr<const backends::SymbolicCompiledGraph> forSymbols(const std::vector<backends::GraphSample>& others,
                                                                    symbols::Fitting& fitting) const override {
    const auto compile = [](const runtime::Interpreter& captured, const std::vector<at::Tensor>& examples,
                            const AotOptions& options) { return compileGraph(captured, distinct(examples), options); };
    const auto wrap = [options = options_](AotCompile ofSizes) {
      return std::make_shared<const AotGraph>(std::move(ofSizes), options);
    };
    return symbolicAotGraph(compile_, options_, others, fitting, compile, wrap);
  }

 private:
  /// Where the forward Graph raises, nothing has been written yet: eager then raises after the writes that come before.
  std::vector<at::Tensor> runOrRaiseAsEager(std::vector<at::Tensor> inputs) const {
    std::vector<at::Tensor> kept = inputs;
    const values::GeneratorState state = values::GeneratorState::now();
    fake::EffectRecord effects;
    try {
      const fake::EffectRecord::Noting noting(effects, compile_.compiled->plan().callsEffects
                                                           ? fake::EffectRecord::Calls::kPlain
                                                           : fake::EffectRecord::Calls::kWithTokens);
      return callCompiled(compile_.compiled, std::move(inputs));
    } catch (const ir::Unsupported&) { // told by the runtime, after the Graph has run
      throw;
    } catch (const std::exception&) {
      const std::exception_ptr raised = std::current_exception();
      state.putBack();
      const fake::EffectRecord::Repeating repeating(effects);
      compile_.captured->runFlat(std::move(kept));
      std::rethrow_exception(raised); // a defect: eager does not raise
    }
  }

  AotOptions options_;
  AotCompile compile_;
};

} // namespace

backends::GraphCompiler aotCompiler(AotOptions options) {
  return [options = std::move(options)](ir::Graph graph, const std::vector<at::Tensor>& examples) {
    return std::make_shared<const AotGraph>(std::move(graph), examples, options);
  };
}

} // namespace touchstone::aot_autograd
