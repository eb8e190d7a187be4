// What a call of code that is there already costs: the guards of ten tensors, and a Program of one operation beside the
// bare operator.

#include "backends/Registry.h"
#include "backends/capture/Guards.h"
#include "backends/native/NativeBackends.h"
#include "program/evaluator/Evaluator.h"
#include "program/parser/CaseParser.h"

#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <benchmark/benchmark.h>

#include <string>

namespace touchstone::bench {

namespace {

constexpr const char* kOneOperation =
    "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n"
    "    x = data((16, 16), torch.float32, (seed, 0), kind)\n"
    "    w = data((16, 16), torch.float32, (seed, 1), kind)\n"
    "    return (x, w), ()\n\n\ndef program(x, w):\n    return torch.mul(x, w)\n\n\n"
    "CALLS = [\n    dict(inputs=\"inputs\", seed=1),\n]\n";

/// Guards of ten tensors, on `relied` of which compiled code relies.
void checkGuards(benchmark::State& state) {
  values::ValueList locals;
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) {
    locals.emplace_back(at::ones({16, 16}));
    names.push_back("x" + std::to_string(i));
  }
  capture::Guards guards(names, locals, std::vector<bool>(10, true), false);
  std::vector<std::pair<size_t, backends::Assumption>> assumptions;
  for (size_t i = 0; i < 10; ++i) {
    assumptions.emplace_back(
        i, static_cast<int64_t>(i) < state.range(0) ? backends::Assumption::kMemory : backends::Assumption::kNone);
  }
  guards.rely(assumptions, {}, locals);
  std::vector<const at::Tensor*> tensors;
  for (auto _ : state) {
    benchmark::DoNotOptimize(guards.check(locals, tensors));
  }
}

struct OneOperation {
  OneOperation() {
    parser::ParseOptions options;
    options.checkMainPart = false;
    theCase = parser::parseCase(kOneOperation, options);
    arguments = evaluator::Evaluator(theCase).makeInputs("inputs", 1, "grid").arguments;
  }
  language::Case theCase;
  values::ValueList arguments;
};

void callBareOperator(benchmark::State& state) {
  const OneOperation one;
  const at::Tensor x = one.arguments[0].tensor(), w = one.arguments[1].tensor();
  for (auto _ : state) {
    benchmark::DoNotOptimize(at::mul(x, w));
  }
}

void callCached(benchmark::State& state, const char* backend) {
  const OneOperation one;
  native::registerNativeBackends();
  const auto program = backends::makeBackend(backend)->compile(one.theCase);
  for (auto _ : state) {
    values::ValueList arguments = one.arguments;
    benchmark::DoNotOptimize((*program)(arguments));
  }
}

} // namespace

BENCHMARK(checkGuards)->Name("check the guards of ten tensors, relied on")->Arg(0)->Arg(1)->Arg(10);
BENCHMARK(callBareOperator)->Name("one operation, bare");
BENCHMARK_CAPTURE(callCached, eager, "eager")->Name("one operation, cached call of eager");
BENCHMARK_CAPTURE(callCached, aot_eager, "aot_eager")->Name("one operation, cached call of aot_eager");

} // namespace touchstone::bench
