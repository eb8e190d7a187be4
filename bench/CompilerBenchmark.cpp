// What it costs to compile a training program, forward and backward, with each compiler: capture, the AOT pipeline where there is one,
// and the compiler itself, until both Graphs can be called. Chains of sin and mul on 16x16 tensors; those that take Graphs without
// gradients alone compile the same chain with inputs that require none.

#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "bench/Chains.h"
#include "program/values/CompiledProgram.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

namespace touchstone::bench {

namespace {

void compileBy(benchmark::State& state, const std::string& name) {
  native::registerNativeBackends();
  const auto backend = native::makeNativeBackend(backends::backendInfo(name));
  const language::Case theCase = chainCase(state.range(0));
  values::ValueList arguments = evaluator::Evaluator(theCase).makeInputs("inputs", 1, "grid").arguments;
  if (name == "ts_compile" || name == "simple_ts_compile") {
    for (values::Value& argument : arguments) {
      argument = values::Value(argument.tensor().detach());
    }
  }
  for (auto _ : state) {
    const auto program = backend->compile(theCase);
    values::ValueList given = arguments;
    benchmark::DoNotOptimize((*program)(given)); // compiled when it is called first
  }
}

void registerCompilers() {
  for (const char* name : {"aot_eager", "aot_eager_default_partitioner", "debug_nop", "ts", "simple_ts_compile",
                           "ts_compile", "aot_ts", "nnc_jit", "memory_efficient_fusion"}) {
    benchmark::RegisterBenchmark((std::string("compile by/") + name).c_str(),
                                 [name = std::string(name)](benchmark::State& state) { compileBy(state, name); })
        ->Arg(1)
        ->Arg(10)
        ->Arg(50)
        ->Unit(benchmark::kMicrosecond);
  }
}

[[maybe_unused]] const bool areRegistered = (registerCompilers(), true);

} // namespace

} // namespace touchstone::bench
