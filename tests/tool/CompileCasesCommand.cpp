#include "tests/tool/Commands.h"

#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "base/ExitStatus.h"
#include "base/Interrupt.h"
#include "generators/catalogue/Recipe.h"
#include "generators/decoder/Decoder.h"
#include "harness/worker/Progress.h"
#include "program/evaluator/Evaluator.h"

#include <ATen/Parallel.h>
#include <ATen/ops/ones_like.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace touchstone::tool {

namespace {

/// `touchstone compile-cases`, for tests: compiles and runs Cases of a campaign with a native backend in this process,
/// forward and backward, without judging anything, and watches its memory.
struct CompileCasesOptions {
  uint64_t seed = 0, start = 0, cases = 100'000;
  std::string backend = "aot_eager";
  uint64_t warmUp = 5'000; // Cases after which the allocated memory is taken as what compiling needs
  double maximumGrowth = 20; // MB from there to the end; with as much or more, exit status 5
};

constexpr int kCompileLines = 10;

/// What operators warn of is not what is looked at here.
class NoWarnings final : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

/// A backward from every output that has one; the gradients end in leaves that nobody keeps.
void runBackward(const values::Value& result) {
  std::vector<at::Tensor> outputs;
  values::collectTensors(result, outputs);
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
bool compileAndRun(backends::Backend& backend, const language::Case& theCase) {
  try {
    const language::CallSpec& call = theCase.calls.front();
    evaluator::InputSet inputs = evaluator::Evaluator(theCase).makeInputs(*call.inputs, call.seed, call.kind);
    const std::unique_ptr<values::CompiledProgram> program = backend.compile(theCase);
    runBackward((*program)(inputs.arguments));
    return program->report().frames > 0;
  } catch (const std::exception&) { // of the Program, or a refusal: not what is looked at here
    return false;
  }
}

base::ExitStatus compileCases(const CompileCasesOptions& options) {
  if (options.cases <= options.warmUp) {
    throw base::WrongUse(fmt::format("Memory is compared from Case {} on: ask for more than --cases {}.",
                                     options.warmUp, options.warmUp));
  }
  native::registerNativeBackends();
  const std::unique_ptr<backends::Backend> backend = backends::makeBackend(options.backend);
  at::set_num_threads(1);
  setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "0", 0); // keeps compiled kernels of 1024 shapes otherwise
  setenv("LRU_CACHE_CAPACITY", "1", 0); // the same of their descriptions
  setenv("MKL_DISABLE_FAST_MM", "1", 0); // keeps the buffers of the largest matrix products otherwise
  NoWarnings silent;
  const c10::WarningUtils::WarningHandlerGuard guard(&silent);
  const double begin = worker::wallSeconds();
  uint64_t compiled = 0;
  double before = 0;
  for (uint64_t i = 0; i < options.cases; ++i) {
    if (base::interruptRequested()) {
      throw base::Interrupted();
    }
    const uint64_t index = options.start + i;
    decoder::DecodeOptions decoding;
    decoding.features = catalogue::featuresOf(options.seed, index);
    const language::Case theCase =
        decoder::decode(catalogue::makeRecipe(options.seed, index, decoding.features), decoding);
    compiled += compileAndRun(*backend, theCase) ? 1 : 0;
    if (i + 1 == options.warmUp) {
      before = allocatedMegabytes();
    }
    if (i + 1 == options.warmUp || (i + 1) % (options.cases / kCompileLines + 1) == 0) {
      fmt::print("{:9} Cases, {} compiled, {:7.1f} s, {:.1f} MB allocated\n", i + 1, compiled,
                 worker::wallSeconds() - begin, allocatedMegabytes());
      std::fflush(stdout);
    }
  }
  const double after = allocatedMegabytes();
  fmt::print("{:9} Cases, {} compiled, {:7.1f} s, {:.1f} MB allocated; {:.1f} MB more than after {}\n", options.cases,
             compiled, worker::wallSeconds() - begin, after, after - before, options.warmUp);
  if (compiled * 2 < options.cases) {
    fmt::print(stderr, "Fewer than half of the Cases were compiled: that says nothing about memory.\n");
    return base::ExitStatus::kTooLittleJudged;
  }
  if (after - before >= options.maximumGrowth) {
    fmt::print(stderr, "Compiling loses memory: less than {:g} MB more would do.\n", options.maximumGrowth);
    return base::ExitStatus::kFailed;
  }
  return base::ExitStatus::kNothingNew;
}

} // namespace

options::Command compileCasesCommand() {
  const auto asked = std::make_shared<CompileCasesOptions>();
  return {
      .options = {options::seed(&asked->seed, "Seed of the campaign"),
                  options::start(asked->start),
                  {"--cases", &asked->cases, "How many", options::shown()},
                  {"--backend", &asked->backend, "A native one", options::shown()},
                  memoryOptions(asked->warmUp, asked->maximumGrowth)},
      .footer = "",
      .run = [asked](const options::Given&) { return compileCases(*asked); },
  };
}

} // namespace touchstone::tool
