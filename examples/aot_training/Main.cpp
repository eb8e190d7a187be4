// A small network trained twice from the same seed: eagerly, and compiled by the AOT pipeline with a compiler of one's own.
// Prints both losses as they fall; exits with 1 when they part, or do not fall.

#include <touchstone/aot.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

namespace aot = touchstone::aot;

namespace {

struct Network : torch::nn::Module {
  Network() {
    register_module("first", first);
    register_module("norm", norm);
    register_module("second", second);
  }

  /// `x`: (rows, 8); gives the loss, without dimensions.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& target) {
    return at::mse_loss(second(at::relu(norm(first(x)))), target);
  }

  torch::nn::Linear first{8, 32}, second{32, 1};
  torch::nn::BatchNorm1d norm{32};
};

/// One batch of a function that can be learned.
struct Batch {
  at::Tensor x = at::randn({64, 8});
  at::Tensor target = x.narrow(1, 0, 2).sin().sum(1, /*keepdim=*/true);
};

/// Counts the operators of each Graph that it is given, prints them, and leaves the rest to the library.
class OperatorCounter {
 public:
  aot::GraphFunction operator()(const touchstone::ir::Graph& graph, const aot::Tensors& examples) const {
    std::map<std::string, int> counts;
    for (const touchstone::ir::Node& node : graph.nodes()) {
      if (node.kind == touchstone::ir::NodeKind::kOperator) {
        ++counts[node.target];
      }
    }
    std::printf("a graph of %zu inputs:", examples.size());
    for (const auto& [target, count] : counts) {
      std::printf(" %s%s", target.c_str(), count > 1 ? (" x" + std::to_string(count)).c_str() : "");
    }
    std::printf("\n");
    *operators_ += graph.operatorCount();
    return aot::interpret(graph);
  }

  int64_t operators() const { return *operators_; }

 private:
  std::shared_ptr<int64_t> operators_ = std::make_shared<int64_t>(0); // copies count together
};

std::shared_ptr<Network> seededNetwork() {
  torch::manual_seed(7);
  return std::make_shared<Network>();
}

double step(torch::optim::Optimizer& optimizer, const at::Tensor& loss) {
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
  return loss.item<double>();
}

} // namespace

int main() {
  const auto eager = seededNetwork(), trained = seededNetwork();
  const OperatorCounter counter;
  const Batch example;
  const aot::GraphFunction compiled = aot::aotModuleSimplified(
      trained,
      [trained](const aot::Tensors& arguments) -> aot::Tensors {
        return {trained->forward(arguments[0], arguments[1])};
      },
      {example.x, example.target},
      {.forwardCompiler = counter,
       .decompositions = aot::Decompositions::all().only({"aten::mse_loss", "aten::mse_loss_backward"}),
       .partition = aot::Partition::kMinCut});

  torch::optim::SGD eagerOptimizer(eager->parameters(), 0.1), optimizer(trained->parameters(), 0.1);
  double first = 0, last = 0;
  for (int i = 0; i < 100; ++i) {
    const Batch batch;
    const double expected = step(eagerOptimizer, eager->forward(batch.x, batch.target));
    last = step(optimizer, compiled({batch.x, batch.target})[0]);
    first = i == 0 ? last : first;
    if (i % 20 == 0 || i == 99) {
      std::printf("step %2d: eager %.6f, compiled %.6f\n", i, expected, last);
    }
    if (!(std::abs(expected - last) <= 1e-4 * std::abs(expected))) {
      std::printf("the losses part at step %d: eager %.9g, compiled %.9g\n", i, expected, last);
      return 1;
    }
  }
  const bool sameStatistics = trained->norm->running_var.allclose(eager->norm->running_var, 1e-3, 1e-4);
  std::printf("%lld operators were compiled; running statistics %s\n", static_cast<long long>(counter.operators()),
              sameStatistics ? "agree" : "differ");
  return last < first / 2 && sameStatistics && counter.operators() > 0 ? 0 : 1;
}
