#include "harness/commands/CompileCasesCommand.h"

#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "generators/decoder/Decoder.h"
#include "generators/catalogue/Recipe.h"
#include "program/evaluator/Evaluator.h"
#include "base/Interrupt.h"
#include "harness/worker/Machine.h"
#include "harness/worker/Progress.h"

#include <ATen/Parallel.h>
#include <ATen/ops/ones_like.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>

#include <malloc.h>

#include <cstdio>
#include <cstdlib>

namespace touchstone::harness {

namespace {

constexpr int kCompileLines = 10;

/// What operators warn of is not what is looked at here.
class NoWarnings final : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

double residentNow() {
  malloc_trim(0); // what is free does not count
  return static_cast<double>(processMemory().resident) / 1e6;
}

/// A backward from every output that has one; the gradients end in leaves that nobody keeps.
void runBackward(const graph::Value& result) {
  std::vector<at::Tensor> outputs;
  graph::collectTensors(result, outputs);
  torch::autograd::edge_list roots;
  torch::autograd::variable_list tangents;
  for (const at::Tensor& output : outputs) {
    if (output.defined() && output.grad_fn()) {
      roots.push_back(torch::autograd::impl::gradient_edge(output));
      tangents.push_back(at::ones_like(output.detach()));
    }
  }
  if (!roots.empty()) {
    torch::autograd::Engine::get_default_engine().execute(roots, tangents, false, false, true, {});
  }
}

/// True when the Case was compiled, called and went backward.
bool compileAndRun(backends::Backend& backend, const graph::Case& theCase) {
  try {
    const graph::CallSpec& call = theCase.calls.front();
    graph::InputSet inputs = graph::Evaluator(theCase).makeInputs(*call.inputs, call.seed, call.kind);
    const std::unique_ptr<graph::CompiledProgram> program = backend.compile(theCase);
    runBackward((*program)(inputs.arguments));
    return program->report().frames > 0;
  } catch (const std::exception&) { // of the Program, or a refusal: not what is looked at here
    return false;
  }
}

} // namespace

ExitStatus compileCases(const CompileCasesOptions& options) {
  if (options.cases <= options.warmUp) {
    throw WrongUse(fmt::format("Memory is compared from Case {} on: ask for more than --cases {}.", options.warmUp,
                               options.warmUp));
  }
  backends::registerNativeBackends();
  const std::unique_ptr<backends::Backend> backend = backends::makeBackend(options.backend);
  at::set_num_threads(1);
  setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "0", 0); // keeps compiled kernels of 1024 shapes otherwise
  NoWarnings silent;
  const c10::WarningUtils::WarningHandlerGuard guard(&silent);
  const double begin = wallSeconds();
  uint64_t compiled = 0;
  double before = 0;
  for (uint64_t i = 0; i < options.cases; ++i) {
    if (interruptRequested()) {
      throw Interrupted();
    }
    const uint64_t index = options.start + i;
    generators::DecodeOptions decoding;
    decoding.features = generators::featuresOf(options.seed, index);
    const graph::Case theCase =
        generators::decode(generators::makeRecipe(options.seed, index, decoding.features), decoding);
    compiled += compileAndRun(*backend, theCase) ? 1 : 0;
    if (i + 1 == options.warmUp) {
      before = residentNow();
    }
    if (i + 1 == options.warmUp || (i + 1) % (options.cases / kCompileLines + 1) == 0) {
      fmt::print("{:9} Cases, {} compiled, {:7.1f} s, {:.1f} MB resident\n", i + 1, compiled, wallSeconds() - begin,
                 residentNow());
      std::fflush(stdout);
    }
  }
  const double after = residentNow();
  fmt::print("{:9} Cases, {} compiled, {:7.1f} s, {:.1f} MB resident; {:.1f} MB more than after {}\n", options.cases,
             compiled, wallSeconds() - begin, after, after - before, options.warmUp);
  if (compiled * 2 < options.cases) {
    fmt::print(stderr, "Fewer than half of the Cases were compiled: that says nothing about memory.\n");
    return ExitStatus::kTooLittleJudged;
  }
  if (after - before >= options.maximumGrowth) {
    fmt::print(stderr, "Compiling loses memory: less than {:g} MB more would do.\n", options.maximumGrowth);
    return ExitStatus::kFailed;
  }
  return ExitStatus::kNothingNew;
}

} // namespace touchstone::harness
