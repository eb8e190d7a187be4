// Compiled autograd beside libtorch's engine: a captured backward run again, what finding it costs, and what capturing it
// costs. The backwards are those of chains of sin and mul by a leaf on square tensors: as many nodes as the first argument says, of
// the side that the second says. `per_node` is wall time divided by the nodes.

#include "backends/compiled_autograd/BackwardCache.h"
#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/BackwardTask.h"
#include "backends/compiled_autograd/CompiledAutograd.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <benchmark/benchmark.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>

#include <memory>
#include <optional>

namespace touchstone::bench {

namespace {

/// A graph that is kept, and can be differentiated again and again.
struct KeptGraph {
  KeptGraph(int64_t nodes, int64_t side) : x(at::ones({side, side}).requires_grad_()) {
    at::Tensor y = x;
    for (int64_t i = 0; i < nodes; ++i) {
      y = i % 2 == 0 ? y.sin() : y * x;
    }
    result = y;
    tangent = at::ones({side, side});
  }
  void differentiate() const {
    benchmark::DoNotOptimize(torch::autograd::grad({result}, {x}, {tangent}, true, false, /*allow_unused=*/true));
  }

  at::Tensor x, result, tangent;
};

void countNodes(benchmark::State& state) {
  state.counters["per_node"] = benchmark::Counter(static_cast<double>(state.iterations() * state.range(0)),
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void byEngine(benchmark::State& state) {
  const KeptGraph kept(state.range(0), state.range(1));
  for (auto _ : state) {
    kept.differentiate();
  }
  countNodes(state);
}

void compiledBefore(benchmark::State& state) {
  const KeptGraph kept(state.range(0), state.range(1));
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  kept.differentiate();
  for (auto _ : state) {
    kept.differentiate();
  }
  if (compiled->counts().captures != 1 || compiled->counts().eagerNodes != 0) {
    state.SkipWithError("the backward is captured again, or runs eagerly");
  }
  countNodes(state);
}

void captured(benchmark::State& state) {
  const KeptGraph kept(state.range(0), state.range(1));
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>();
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  for (auto _ : state) {
    compiled->reset();
    kept.differentiate();
  }
  countNodes(state);
}

/// Plans the order, makes the key, finds what is compiled; runs nothing.
torch::autograd::variable_list lookUp(const values::NodePtr& root, const torch::autograd::GraphTask& task, bool,
                                      const torch::autograd::edge_list& outputs) {
  static compiled_autograd::BackwardCache cache;
  const compiled_autograd::BackwardTask planned = compiled_autograd::planTask(root, task);
  const compiled_autograd::BackwardKey key = compiled_autograd::keyOf(planned);
  benchmark::DoNotOptimize(cache.findOrAdd(planned, key, 64));
  return torch::autograd::variable_list(outputs.size());
}

void lookedUp(benchmark::State& state) {
  const KeptGraph kept(state.range(0), state.range(1));
  torch::autograd::Engine::set_compiled_autograd(&lookUp);
  for (auto _ : state) {
    kept.differentiate();
  }
  torch::autograd::Engine::set_compiled_autograd(nullptr);
  countNodes(state);
}

#define TOUCHSTONE_BACKWARDS \
  ArgsProduct({{100, 1000}, {4, 64}})->ArgNames({"nodes", "side"})->Unit(benchmark::kMicrosecond)

BENCHMARK(byEngine)->Name("backward by the engine")->TOUCHSTONE_BACKWARDS;
BENCHMARK(compiledBefore)->Name("backward compiled before")->TOUCHSTONE_BACKWARDS;
BENCHMARK(lookedUp)->Name("compiled backward looked up")->TOUCHSTONE_BACKWARDS;
BENCHMARK(captured)->Name("backward captured")->TOUCHSTONE_BACKWARDS;

} // namespace

} // namespace touchstone::bench
