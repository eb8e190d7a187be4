// What symbols cost beside numbers, in one run: the first call of a training program, which captures and compiles it, a later
// one, and its guards of ten tensors. The programs are chains of sin and mul, mm or matmul, both inputs requiring grad.

#include "backends/Registry.h"
#include "backends/capture/Guards.h"
#include "backends/native/NativeBackends.h"
#include "bench/Chains.h"

#include <ATen/ops/ones.h>
#include <benchmark/benchmark.h>

#include <string>

namespace touchstone::bench {

namespace {

struct SizedChain {
  SizedChain(int64_t operations, bool isDynamic, const char* product = "mul") {
    native::registerNativeBackends();
    theCase = chainCase(operations, product);
    theCase.compile.dynamic = isDynamic;
    arguments = evaluator::Evaluator(theCase).makeInputs("inputs", 1, "grid").arguments;
  }
  language::Case theCase;
  values::ValueList arguments;
};

void firstCall(benchmark::State& state, const char* backend, bool isDynamic, const char* product) {
  const SizedChain chain(state.range(0), isDynamic, product);
  for (auto _ : state) {
    const auto program = backends::makeBackend(backend)->compile(chain.theCase);
    values::ValueList arguments = chain.arguments;
    benchmark::DoNotOptimize((*program)(arguments));
  }
}

void laterCall(benchmark::State& state, const char* backend, bool isDynamic) {
  const SizedChain chain(state.range(0), isDynamic);
  const auto program = backends::makeBackend(backend)->compile(chain.theCase);
  for (auto _ : state) {
    values::ValueList arguments = chain.arguments;
    benchmark::DoNotOptimize((*program)(arguments));
  }
}

void checkSymbolicGuards(benchmark::State& state) {
  values::ValueList locals;
  std::vector<std::string> names;
  for (int64_t i = 0; i < 10; ++i) {
    locals.emplace_back(at::ones({16 + i, 3}));
    names.push_back("x" + std::to_string(i));
  }
  const sources::SymbolicLocals symbolic(names, locals,
                                         [](const sources::SizeSource&) { return sources::Dynamism::kShared; }, {});
  capture::Guards guards(names, locals, std::vector<bool>(10, true), false, nullptr, &symbolic);
  guards.rely({}, {}, locals);
  std::vector<const at::Tensor*> tensors;
  symbols::Assignment sizes;
  for (auto _ : state) {
    benchmark::DoNotOptimize(guards.check(locals, tensors, &sizes));
  }
}

} // namespace

BENCHMARK_CAPTURE(firstCall, eagerNumbers, "eager", false, "mul")
    ->Name("first call of eager, numbers")
    ->Arg(1)
    ->Arg(30);
BENCHMARK_CAPTURE(firstCall, eagerSymbols, "eager", true, "mul")->Name("first call of eager, symbols")->Arg(1)->Arg(30);
BENCHMARK_CAPTURE(firstCall, numbers, "aot_eager", false, "mul")
    ->Name("first call of aot_eager, numbers")
    ->Arg(1)
    ->Arg(30);
BENCHMARK_CAPTURE(firstCall, symbols, "aot_eager", true, "mul")
    ->Name("first call of aot_eager, symbols")
    ->Arg(1)
    ->Arg(30);
BENCHMARK_CAPTURE(firstCall, matrixNumbers, "aot_eager", false, "mm")
    ->Name("first call of aot_eager, matrices of numbers")
    ->Arg(2)
    ->Arg(30);
BENCHMARK_CAPTURE(firstCall, matrixSymbols, "aot_eager", true, "mm")
    ->Name("first call of aot_eager, matrices of symbols")
    ->Arg(2)
    ->Arg(30);
BENCHMARK_CAPTURE(firstCall, otherNumbers, "aot_eager", false, "matmul") // under three assignments
    ->Name("first call of aot_eager, matmul of numbers")
    ->Arg(2)
    ->Arg(30);
BENCHMARK_CAPTURE(firstCall, otherSymbols, "aot_eager", true, "matmul")
    ->Name("first call of aot_eager, matmul of symbols")
    ->Arg(2)
    ->Arg(30);
BENCHMARK_CAPTURE(laterCall, numbers, "aot_eager", false)->Name("later call of aot_eager, numbers")->Arg(1)->Arg(30);
BENCHMARK_CAPTURE(laterCall, symbols, "aot_eager", true)->Name("later call of aot_eager, symbols")->Arg(1)->Arg(30);
BENCHMARK(checkSymbolicGuards)->Name("check the guards of ten tensors, symbols");

} // namespace touchstone::bench
