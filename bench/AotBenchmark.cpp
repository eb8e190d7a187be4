// What the stages of the native AOT pipeline cost as a training program grows, and what a call of what it compiled costs
// beside eager. The programs are chains of sin and mul on 16x16 tensors, both inputs requiring grad. `per_operation` is
// wall time divided by the operations of the program.

#include "backends/aot_autograd/CompiledAotGraph.h"
#include "backends/aot_autograd/Functionalizer.h"
#include "backends/aot_autograd/JointTrace.h"
#include "backends/aot_autograd/RuntimeCall.h"
#include "backends/capture/FrameCapture.h"
#include "bench/Chains.h"

#include <benchmark/benchmark.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <string>

namespace touchstone::bench {

namespace {

/// A chain and arguments for it.
struct Chain {
  explicit Chain(int64_t operations) {
    theCase = chainCase(operations);
    arguments = evaluator::Evaluator(theCase).makeInputs("inputs", 1, "grid").arguments;
    capture::FrameCapture captured = capture();
    inputs = captured.examples;
    program = std::make_unique<runtime::Interpreter>(std::move(captured.graph));
  }
  capture::FrameCapture capture() const {
    capture::Steps steps(theCase);
    const language::Function& function = theCase.program();
    return capture::captureFrame(theCase, steps, steps.first(function), function.parameters, arguments,
                                 fake::Backing::kValues);
  }
  language::Case theCase;
  values::ValueList arguments;
  std::unique_ptr<runtime::Interpreter> program; // the captured Graph
  std::vector<at::Tensor> inputs;
};

void countOperations(benchmark::State& state) {
  state.counters["per_operation"] = benchmark::Counter(static_cast<double>(state.iterations() * state.range(0)),
                                                       benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

aot_autograd::TangentLayouts plannedTangents(const aot_autograd::ViewAndMutationMetadata& plan) {
  return {plan.tangents.begin(), plan.tangents.end()};
}

void captureProgram(benchmark::State& state) {
  const Chain chain(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(chain.capture());
  }
  countOperations(state);
}

void traceForward(benchmark::State& state) {
  const Chain chain(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        std::make_unique<aot_autograd::JointTrace>(*chain.program, chain.inputs, fake::Backing::kValues));
  }
  countOperations(state);
}

void recordBackward(benchmark::State& state) {
  const Chain chain(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    auto trace = std::make_unique<aot_autograd::JointTrace>(*chain.program, chain.inputs, fake::Backing::kValues);
    const aot_autograd::TangentLayouts tangents = plannedTangents(trace->plan());
    state.ResumeTiming();
    benchmark::DoNotOptimize(trace->recordBackward(0, tangents));
    state.PauseTiming();
    trace.reset();
    state.ResumeTiming();
  }
  countOperations(state);
}

void functionalize(benchmark::State& state) {
  const Chain chain(state.range(0));
  aot_autograd::JointTrace trace(*chain.program, chain.inputs, fake::Backing::kValues);
  const aot_autograd::JointTrace::Backward backward = trace.recordBackward(0, plannedTangents(trace.plan()));
  for (auto _ : state) {
    aot_autograd::Functionalizer functionalizer(trace.recorded());
    functionalizer.process(trace.forwardEnd(), false);
    functionalizer.process(backward.end, true);
    benchmark::DoNotOptimize(functionalizer.graph().nodes().size());
  }
  countOperations(state);
}

/// As `aot_eager` compiles.
aot_autograd::AotOptions aotEager() {
  return {.partition = aot_autograd::AotPartition::kMinCut};
}

void compileTraining(benchmark::State& state) {
  const Chain chain(state.range(0));
  for (auto _ : state) {
    capture::FrameCapture captured = chain.capture();
    const runtime::Interpreter program(std::move(captured.graph));
    benchmark::DoNotOptimize(
        std::make_shared<const aot_autograd::CompiledAotGraph>(program, captured.examples, aotEager()));
  }
  countOperations(state);
}

void backwardOf(const at::Tensor& tensor) {
  torch::autograd::Engine::get_default_engine().execute({torch::autograd::impl::gradient_edge(tensor)},
                                                        {tensor.detach()}, false, false, true, {});
}

void callCompiled(benchmark::State& state) {
  const Chain chain(state.range(0));
  const auto frame = std::make_shared<const aot_autograd::CompiledAotGraph>(*chain.program, chain.inputs, aotEager());
  for (auto _ : state) {
    backwardOf(aot_autograd::callCompiled(frame, chain.inputs).at(0));
  }
  countOperations(state);
}

/// The bare operators, without the Evaluator.
void callEager(benchmark::State& state) {
  const Chain chain(state.range(0));
  const at::Tensor x = chain.arguments[0].tensor(), w = chain.arguments[1].tensor();
  for (auto _ : state) {
    at::Tensor y = x;
    for (int64_t i = 0; i < state.range(0); ++i) {
      y = i % 2 == 0 ? y.sin() : y.mul(w);
    }
    backwardOf(y);
  }
  countOperations(state);
}

/// Numbers of operations: the last three say whether time grows in proportion.
void programSizes(benchmark::internal::Benchmark* stage) {
  for (int64_t operations : {5, 10, 25, 50, 100, 1000, 10000}) {
    stage->Arg(operations);
  }
  stage->Unit(benchmark::kMicrosecond);
}

} // namespace

BENCHMARK(captureProgram)->Name("capture")->Apply(programSizes);
BENCHMARK(traceForward)->Name("trace the forward")->Apply(programSizes);
BENCHMARK(recordBackward)->Name("record the backward")->Apply(programSizes);
BENCHMARK(functionalize)->Name("functionalize")->Apply(programSizes);
BENCHMARK(compileTraining)->Name("compile")->Apply(programSizes);
BENCHMARK(callCompiled)->Name("call compiled, both ways")->Arg(1)->Arg(10)->Arg(50)->Unit(benchmark::kMicrosecond);
BENCHMARK(callEager)->Name("call eager, both ways")->Arg(1)->Arg(10)->Arg(50)->Unit(benchmark::kMicrosecond);

} // namespace touchstone::bench
