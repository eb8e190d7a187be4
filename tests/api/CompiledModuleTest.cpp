#include <touchstone/module.h>

#include "tests/api/Comparison.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <torch/nn/modules/linear.h>

namespace touchstone::aot {
namespace {

/// Returns something else in training.
struct NetImpl : torch::nn::Module {
  NetImpl() : linear(register_module("linear", torch::nn::Linear(4, 2))) {
    calls = register_buffer("calls", at::zeros({}));
  }
  at::Tensor forward(const at::Tensor& x, const at::Tensor& y) {
    calls.add_(1);
    const at::Tensor result = at::silu(linear->forward(x)).mul(y);
    return is_training() ? result : result.neg();
  }
  torch::nn::Linear linear;
  at::Tensor calls;
};
TORCH_MODULE(Net);

TEST(CompiledModuleTest, MemoryEfficientFusionTakesAModuleAndGivesOne) {
  Net net;
  const at::Tensor x = at::randn({3, 4}), y = at::randn({3, 2});
  const std::shared_ptr<CompiledModule> fused = memoryEfficientFusion(net.ptr());
  EXPECT_TRUE(at::allclose((*fused)(x, y), net->forward(x, y), 1e-5, 1e-6));
  EXPECT_EQ(net->calls.item<double>(), 2) << "a buffer is changed by both";
  EXPECT_GT(fused->report().graphs, 0);

  ASSERT_EQ(fused->parameters().size(), 2u);
  EXPECT_TRUE(fused->named_parameters()["orig_module.linear.weight"].is_same(net->linear->weight));
  (*fused)(x, y).sum().backward();
  const at::Tensor gradient = net->linear->weight.grad().clone();
  fused->zero_grad();
  net->forward(x, y).sum().backward();
  EXPECT_TRUE(at::allclose(gradient, net->linear->weight.grad(), 1e-5, 1e-6));
  {
    const at::NoGradGuard noGradients;
    net->linear->weight.mul_(2); // what an optimizer does
  }
  EXPECT_TRUE(at::allclose((*fused)(x, y), net->forward(x, y), 1e-5, 1e-6));
}

TEST(CompiledModuleTest, TrainAndEvalReachTheOriginalAndCompileAnew) {
  Net net;
  const at::Tensor x = at::randn({3, 4}), y = at::randn({3, 2});
  const std::shared_ptr<CompiledModule> compiled = compiledModule(net.ptr());
  const at::Tensor training = (*compiled)(x, y);
  compiled->eval();
  EXPECT_FALSE(net->is_training());
  EXPECT_TRUE(at::equal((*compiled)(x, y), training.neg()));
  compiled->train();
  EXPECT_TRUE(at::equal((*compiled)(x, y), training));
}

TEST(CompiledModuleTest, AForwardIsCalledWithAsManyTensorsAsItTakes) {
  struct Two : torch::nn::Module {
    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& x) { return {x.sin(), x.cos()}; }
  };
  const std::shared_ptr<CompiledModule> compiled = compiledModule(std::make_shared<Two>());
  const at::Tensor x = at::randn({3});
  const Tensors results = compiled->forward({x});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(at::equal(results[0], x.sin()) && at::equal(results[1], x.cos()));
  EXPECT_THROW((*compiled)(x), c10::ValueError);
  const std::string tooMany = thrownBy<std::exception>([&] { compiled->forward({x, at::randn({3})}); });
  EXPECT_TRUE(contains(tooMany, "does not take 2 tensors")) << tooMany;
}

} // namespace
} // namespace touchstone::aot
