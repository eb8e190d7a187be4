#include "backends/compiled_autograd/CompiledAutograd.h"

#include "tests/backends/WalkJudge.h"

#include "backends/debugging/CompilerRegistry.h"

#include <torch/nn/functional/activation.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/modules/rnn.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Small models train as they do in eager, bit for bit.
namespace touchstone::tests {
namespace {

namespace nn = torch::nn;

struct Attention : nn::Module {
  Attention() {
    for (auto* layer : {&query, &key, &value, &out}) {
      *layer = register_module("layer" + std::to_string(layers++), nn::Linear(8, 8));
    }
    norm = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({8})));
  }
  at::Tensor forward(const at::Tensor& x) {
    const auto heads = [](const at::Tensor& each) { return each.view({2, 5, 2, 4}).transpose(1, 2); };
    const at::Tensor q = heads(query(x)), k = heads(key(x)), v = heads(value(x));
    const at::Tensor weights = at::softmax(at::matmul(q, k.transpose(-2, -1)) / 2.0, -1);
    return norm(x + out(at::matmul(weights, v).transpose(1, 2).reshape({2, 5, 8})));
  }
  nn::Linear query{nullptr}, key{nullptr}, value{nullptr}, out{nullptr};
  nn::LayerNorm norm{nullptr};
  int layers = 0;
};

/// A model, and the loss of one batch.
struct Training {
  std::shared_ptr<nn::Module> model;
  std::function<at::Tensor(const at::Tensor& batch)> loss;
  std::vector<int64_t> batch; // sizes
};

Training mlp() {
  nn::Sequential model(nn::Linear(6, 16), nn::ReLU(), nn::Linear(16, 16), nn::Tanh(), nn::Linear(16, 3));
  return {model.ptr(), [model](const at::Tensor& x) mutable { return model->forward(x).square().mean(); }, {4, 6}};
}

Training lstm() {
  nn::LSTM model(nn::LSTMOptions(5, 7).num_layers(2));
  return {model.ptr(),
          [model](const at::Tensor& x) mutable { return std::get<0>(model->forward(x)).square().mean(); },
          {3, 2, 5}};
}

Training convolutions() {
  nn::Sequential model(nn::Conv2d(nn::Conv2dOptions(2, 4, 3).padding(1)), nn::BatchNorm2d(4), nn::ReLU(),
                       nn::Conv2d(nn::Conv2dOptions(4, 3, 3).stride(2)), nn::BatchNorm2d(3));
  return {model.ptr(), [model](const at::Tensor& x) mutable { return model->forward(x).exp().mean(); }, {2, 2, 7, 7}};
}

Training attention() {
  auto model = std::make_shared<Attention>();
  return {model, [model](const at::Tensor& x) { return model->forward(x).pow(3).mean(); }, {2, 5, 8}};
}

struct Setting {
  bool setsToNone = true;
  bool usesAdam = false;
  std::string compiler; // empty: node by node
};

/// All parameters and buffers after each of `steps`, as text.
std::vector<std::string> train(const std::function<Training()>& make, const Setting& setting, int steps,
                               const std::shared_ptr<compiled_autograd::CompiledAutograd>& compiled) {
  at::manual_seed(7);
  Training training = make();
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  if (setting.usesAdam) {
    optimizer = std::make_unique<torch::optim::Adam>(training.model->parameters(), torch::optim::AdamOptions(0.05));
  } else {
    optimizer =
        std::make_unique<torch::optim::SGD>(training.model->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  }
  std::vector<std::string> after;
  for (int step = 0; step < steps; ++step) {
    const at::Tensor loss = training.loss(at::randn(training.batch));
    optimizer->zero_grad(setting.setsToNone);
    {
      std::optional<compiled_autograd::CompiledAutogradScope> scope;
      if (compiled) {
        scope.emplace(compiled);
      }
      loss.backward();
    }
    std::string text;
    for (const auto& parameter : training.model->named_parameters()) {
      text += parameter.key() + " grad " + describeTensor(parameter->grad()) + "\n";
    }
    optimizer->step();
    for (const auto& parameter : training.model->named_parameters()) {
      text += parameter.key() + " " + describeTensor(*parameter) + "\n";
    }
    for (const auto& buffer : training.model->named_buffers()) {
      text += buffer.key() + " " + describeTensor(*buffer) + "\n";
    }
    after.push_back(text);
  }
  return after;
}

class CompiledAutogradTrainingTest : public testing::TestWithParam<std::pair<const char*, Training (*)()>> {};

TEST_P(CompiledAutogradTrainingTest, ParametersAreEagersBitForBit) {
  constexpr int kSteps = 3;
  for (const Setting& setting : {Setting{}, Setting{.setsToNone = false}, Setting{.usesAdam = true},
                                 Setting{.compiler = "eager"}, Setting{.compiler = "aot_eager"}}) {
    compiled_autograd::CompiledAutogradOptions options;
    if (!setting.compiler.empty()) {
      options.compiler = debugging::lookUpCompiler(setting.compiler);
    }
    const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>(std::move(options));
    const auto eager = train(GetParam().second, setting, kSteps, nullptr);
    const auto trained = train(GetParam().second, setting, kSteps, compiled);
    for (int step = 0; step < kSteps; ++step) {
      EXPECT_EQ(eager[static_cast<size_t>(step)], trained[static_cast<size_t>(step)]) << "after step " << step;
      EXPECT_NE(eager[static_cast<size_t>(step)], eager[static_cast<size_t>((step + 1) % kSteps)])
          << "it learns nothing";
    }
    const compiled_autograd::CompiledAutogradCounts counts = compiled->counts();
    // The first backward finds no `.grad`s; with `set_to_none` no later one does, either.
    EXPECT_EQ(counts.captures, setting.setsToNone ? 1 : 2) << fmt::format("{}", fmt::join(counts.misses, "\n"));
    EXPECT_EQ(counts.backwards, kSteps);
    EXPECT_EQ(counts.compiledRuns, kSteps) << "one Graph each";
    EXPECT_EQ(counts.eagerNodes, 0);
    EXPECT_GT(counts.operations, 10);
  }
}

INSTANTIATE_TEST_SUITE_P(, CompiledAutogradTrainingTest,
                         testing::Values(std::pair("mlp", &mlp), std::pair("lstm", &lstm),
                                         std::pair("convolutions", &convolutions), std::pair("attention", &attention)),
                         [](const auto& info) { return std::string(info.param.first); });

} // namespace
} // namespace touchstone::tests
