#include "backends/decompositions/DecompositionTable.h"

#include "backends/decompositions/LeftOut.h"
#include "backends/decompositions/TorchSelection.h"
#include "backends/fake/OperatorTraits.h"
#include "tests/backends/CompiledCalls.h"
#include "tests/backends/DecomposedCalls.h"

#include <ATen/ops/clamp_min.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/signbit.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/where.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace touchstone::tests {
namespace {

using Silu = std::function<at::Tensor(const at::Tensor&)>;

/// Tables in which `silu` is computed as `compute` has it.
std::shared_ptr<decompositions::DecompositionTable> tableOf(const Silu& compute) {
  auto table = std::make_shared<decompositions::DecompositionTable>();
  table->add("aten::silu", [compute](const at::Tensor& self) { return compute(self); });
  return table;
}

at::Tensor bySigmoid(const at::Tensor& self) {
  return at::mul(self, at::sigmoid(self));
}

/// Calls `body`, which may use x, twice, and expects what eager gives, strides included. Returns the operators that ran.
std::set<std::string> operatorsOf(const char* body, aot_autograd::AotOptions options, const at::Tensor& x) {
  const auto seen = std::make_shared<FunctionalOperators>();
  options.observers = {seen};
  CompiledCalls calls("x", body, std::move(options));
  for (int call = 0; call < 2; ++call) {
    const at::Tensor other = x.detach().clone(), eagerX = other.clone();
    const std::vector<at::Tensor> found = calls({other}), expected = CompiledCalls::call(*calls.eager, {eagerX});
    EXPECT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
      EXPECT_TRUE(at::allclose(found[i], expected[i])) << body;
      EXPECT_EQ(found[i].strides(), expected[i].strides()) << body;
      EXPECT_EQ(found[i].storage_offset(), expected[i].storage_offset()) << body;
      EXPECT_EQ(found[i].storage().nbytes(), expected[i].storage().nbytes()) << body;
      EXPECT_FALSE(found[i].is_alias_of(other) && !expected[i].is_alias_of(eagerX)) << body;
    }
    EXPECT_TRUE(at::allclose(other, eagerX));
  }
  return seen->targets;
}

std::set<std::string> operatorsOf(const char* body, const Silu& compute, const at::Tensor& x = values({3, 4})) {
  return operatorsOf(body, aot_autograd::AotOptions{.decompositions = tableOf(compute)}, x);
}

TEST(DecompositionsTest, ACallIsReplacedByWhatComputesIt) {
  const auto targets = operatorsOf("return torch.nn.functional.silu(x).sin()", bySigmoid);
  EXPECT_TRUE(targets.contains("aten::sigmoid"));
  EXPECT_TRUE(targets.contains("aten::sin"));
  EXPECT_FALSE(targets.contains("aten::silu"));
}

TEST(DecompositionsTest, SoIsOneThatWritesAndItsMemoryIsWritten) {
  const auto targets = operatorsOf("y = x.t()\ntorch.nn.functional.silu(y, True)\nreturn y, x * 1", bySigmoid);
  EXPECT_TRUE(targets.contains("aten::sigmoid"));
  EXPECT_FALSE(targets.contains("aten::silu"));
}

TEST(DecompositionsTest, ResultsLieAsEagersAndInMemoryOfTheirOwn) {
  for (const Silu& compute : std::vector<Silu>{
           [](const at::Tensor& self) { return bySigmoid(self).t().contiguous().t(); },
           [](const at::Tensor& self) {
             return bySigmoid(self.expand({2, 3, 4}))[1];
           },
           [](const at::Tensor& self) {
             return bySigmoid(self.unsqueeze(2).expand({3, 4, 2})).select(2, 1);
           },
       }) {
    operatorsOf("return torch.nn.functional.silu(x)", compute);
    operatorsOf("return torch.nn.functional.silu(x.t())", compute, values({4, 3}));
  }
  for (const at::Tensor& empty : {values({0, 4}), values({3, 0})}) {
    operatorsOf(
        "return torch.nn.functional.silu(x)", [](const at::Tensor& self) { return self.view(self.sizes()); }, empty);
  }
}

TEST(DecompositionsTest, MemoryIsAsLargeAsEagers) { // whose kernel makes room for all elements before it adds them up
  auto table = std::make_shared<decompositions::DecompositionTable>();
  table->add("aten::mse_loss", [](const at::Tensor& self, const at::Tensor& target, int64_t) {
    return at::mul(self - target, self - target).mean();
  });
  const auto targets = operatorsOf("y = torch.nn.functional.mse_loss(x, x * 2)\ny.mul_(2)\nreturn y",
                                   aot_autograd::AotOptions{.decompositions = table}, values({3, 4}));
  EXPECT_FALSE(targets.contains("aten::mse_loss"));
}

TEST(DecompositionsTest, OneThatWritesToItsOwnTensorsIsTracedWithoutWrites) {
  const auto targets = operatorsOf("return torch.nn.functional.silu(x)", [](const at::Tensor& self) {
    at::Tensor result = at::sigmoid(self);
    result.view({-1}).mul_(self.reshape({-1}));
    return result;
  });
  EXPECT_FALSE(targets.contains("aten::silu") || targets.contains("aten::mul_.Tensor"));
}

TEST(DecompositionsTest, WhatADecompositionCallsIsDecomposedButForItself) {
  auto table = tableOf([](const at::Tensor& self) { return at::silu(self.neg()).neg().add(self).mul(1); });
  int calls = 0;
  table->add("aten::neg", [&](const at::Tensor& self) {
    ++calls;
    return at::mul(self, -1);
  });
  const auto seen = std::make_shared<FunctionalOperators>();
  CompiledCalls compiled("x", "return torch.nn.functional.silu(x)", {.observers = {seen}, .decompositions = table});
  const at::Tensor x = values({3, 4});
  EXPECT_TRUE(at::allclose(compiled({x}).at(0), x - at::silu(x.neg())));
  EXPECT_GE(calls, 2);
  EXPECT_TRUE(seen->targets.contains("aten::silu"));
  EXPECT_FALSE(seen->targets.contains("aten::neg"));
}

TEST(DecompositionsTest, OneThatDoesNotTakeTheCallLeavesIt) {
  EXPECT_TRUE(operatorsOf("return torch.nn.functional.silu(x)", [](const at::Tensor&) -> at::Tensor {
                throw decompositions::NotDecomposed("of anything");
              }).contains("aten::silu"));
}

TEST(DecompositionsTest, OneWithAnotherResultIsAnErrorThatNamesTheOperator) {
  for (const Silu& compute : std::vector<Silu>{
           [](const at::Tensor& self) { return bySigmoid(self).to(at::kDouble); },
           [](const at::Tensor& self) { return bySigmoid(self).unsqueeze(0); },
           [](const at::Tensor&) { return at::Tensor(); },
       }) {
    CompiledCalls calls("x", "return torch.nn.functional.silu(x)", {.decompositions = tableOf(compute)});
    EXPECT_NE(errorOf([&] { calls({values({3, 4})}); }).find("`aten::silu`"), std::string::npos);
  }
}

TEST(DecompositionsTest, AGateSaysWhichCallsAreReplaced) {
  const char* body = "return torch.nn.functional.silu(torch.nn.functional.silu(x))";
  const auto gate = std::make_shared<ir::PassGate>("decompositions", 1);
  aot_autograd::AotOptions options{.decompositions = tableOf(bySigmoid), .gate = gate};
  const auto targets = operatorsOf(body, std::move(options), values({3, 4}));
  EXPECT_TRUE(targets.contains("aten::silu"));
  EXPECT_TRUE(targets.contains("aten::sigmoid"));
}

TEST(DecompositionsTest, ATableRefusesWhatIsThereOrIsNoOperator) {
  decompositions::DecompositionTable table;
  table.add("aten::silu", [](const at::Tensor& self) { return bySigmoid(self); });
  EXPECT_THROW(table.addComposite("aten::silu"), std::exception);
  EXPECT_THROW(table.addComposite("aten::sin"), c10::Error);
  EXPECT_THROW(table.addComposite("aten::no_such_operator"), std::exception);
  EXPECT_EQ(table.targets(), std::vector<std::string>{"aten::silu"});
  EXPECT_TRUE(table.only({"aten::sin"}).targets().empty());
}

TEST(DecompositionsTest, WhatPyTorchDecomposesIsHereOrLeftOutForAReason) {
  const auto table = decompositions::allDecompositions();
  for (const auto* selection :
       {&decompositions::inductorSelection(), &decompositions::coreSelection(), &decompositions::defaultSelection()}) {
    for (const std::string& target : *selection) {
      EXPECT_NE(table->contains(target), !decompositions::whyLeftOut(target).empty()) << target;
    }
  }
  EXPECT_GT(decompositions::inductorDecompositions()->targets().size(), 180U);
  EXPECT_LT(decompositions::inductorDecompositions()->targets().size(), table->targets().size());
  EXPECT_TRUE(decompositions::defaultDecompositions()->contains("aten::tanh_backward"));
  EXPECT_FALSE(decompositions::defaultDecompositions()->contains("aten::silu"));
}

/// How a decomposition among the defaults and the kernel differ for the same arguments: the number of elements of which one is NaN and the other not, and
/// of zeros of another sign; the largest other difference, in units of the last place.
struct Apart {
  int64_t notNumbers = 0, signsOfZero = 0;
  double ulps = 0;
};
Apart apartOf(const std::string& target, const torch::jit::Stack& arguments) {
  torch::jit::Stack expected = arguments, found = arguments;
  fake::operatorOf(target).callBoxed(expected);
  decompositions::defaultDecompositions()->call(target, found);
  const at::Tensor left = expected.at(0).toTensor(), right = found.at(0).toTensor();
  EXPECT_EQ(left.scalar_type(), right.scalar_type());
  Apart apart;
  apart.notNumbers = left.isnan().ne(right.isnan()).sum().item<int64_t>();
  apart.signsOfZero =
      left.eq(0).logical_and(right.eq(0)).logical_and(left.signbit().ne(right.signbit())).sum().item<int64_t>();
  const double epsilon = left.scalar_type() == at::kDouble  ? 2.3e-16
                         : left.scalar_type() == at::kFloat ? 1.2e-7
                                                            : 7.9e-3;
  const at::Tensor both = left.isfinite().logical_and(right.isfinite());
  const at::Tensor distance =
      (left.to(at::kDouble) - right.to(at::kDouble)).abs() / (left.to(at::kDouble).abs().clamp_min(1e-30) * epsilon);
  apart.ulps = at::where(both, distance, 0).max().item<double>();
  return apart;
}

TEST(DecompositionsTest, TheDefaultsAloneDifferFromEagerAsThePageSays) {
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat, at::kBFloat16}) {
    at::Tensor x = at::linspace(-6, 6, 997).to(dtype), grad = at::linspace(-1, 2, 997).to(dtype);
    at::Tensor special = x.clone();
    special.slice(0, 0, 997, 7).fill_(std::nan(""));
    const std::vector<std::pair<std::string, std::function<torch::jit::Stack(const at::Tensor&)>>> calls{
        {"aten::elu_backward",
         [&](const at::Tensor& self) { return torch::jit::Stack{grad, 1.5, 1.25, 0.75, false, self}; }},
        {"aten::hardtanh_backward",
         [&](const at::Tensor& self) {
           return torch::jit::Stack{grad, self, -1.0, 1.0};
         }},
        {"aten::hardswish_backward",
         [&](const at::Tensor& self) {
           return torch::jit::Stack{grad, self};
         }},
    };
    for (const auto& [target, stack] : calls) {
      const bool isHardtanh = target == "aten::hardtanh_backward", isElu = target == "aten::elu_backward";
      const Apart numbers = apartOf(target, stack(x)), nan = apartOf(target, stack(special));
      EXPECT_LE(numbers.ulps, isElu ? 1.4 : 0) << target;
      EXPECT_EQ(numbers.notNumbers + numbers.signsOfZero + nan.signsOfZero, 0) << target;
      EXPECT_EQ(nan.notNumbers > 100, !isHardtanh) << target << ": all but those that no vector holds";
      EXPECT_EQ(nan.notNumbers == 0, isHardtanh) << target;
      EXPECT_FALSE(decompositions::exactDefaultDecompositions()->contains(target));
    }
  }
}

TEST(DecompositionsTest, TheDefaultsAloneThatNoGraphHoldsGiveWhatTheOperatorsMean) {
  const auto table = decompositions::defaultDecompositions();
  const auto called = [&](const std::string& target, torch::jit::Stack stack) {
    table->call(target, stack);
    return stack;
  };
  const at::Tensor x = at::linspace(-2, 3, 60).view({4, 3, 5}), weight = at::linspace(1, 2, 3), mean = weight - 1, none;
  EXPECT_TRUE(at::equal(called("aten::conj_physical", {x}).at(0).toTensor(), x));
  EXPECT_TRUE(called("aten::detach", {x}).at(0).toTensor().is_alias_of(x));
  EXPECT_TRUE(called("aten::is_same_size", {x, x + 1}).at(0).toBool());
  EXPECT_FALSE(called("aten::is_same_size", {x, weight}).at(0).toBool());
  EXPECT_THROW(called("aten::cudnn_batch_norm", {x, weight, mean, mean.clone(), weight.clone(), true, 0.1, 1e-5}),
               decompositions::NotDecomposed);
  for (const bool training : {true, false}) {
    const at::Tensor running = training ? none : mean, variance = training ? none : weight;
    const auto optional = [](const at::Tensor& tensor) {
      return tensor.defined() ? c10::IValue(tensor) : c10::IValue();
    };
    const torch::jit::Stack found =
        called("aten::cudnn_batch_norm", {x, weight, mean, optional(running), optional(variance), training, 0.1, 1e-5});
    const auto expected = at::native_batch_norm(x, weight, mean, running, variance, training, 0.1, 1e-5);
    EXPECT_TRUE(at::equal(found.at(0).toTensor(), std::get<0>(expected)));
    EXPECT_EQ(found.at(1).toTensor().numel(), training ? 3 : 0);
    EXPECT_EQ(found.at(3).toTensor().scalar_type(), at::kByte);
    if (training) {
      const torch::jit::Stack gradients =
          called("aten::cudnn_batch_norm_backward",
                 {x, x.sin(), weight, c10::IValue(), c10::IValue(), found[1], found[2], 1e-5, found[3]});
      const auto wanted = at::native_batch_norm_backward(x.sin(), x, weight, none, none, found[1].toTensor(),
                                                         found[2].toTensor(), true, 1e-5, {true, true, true});
      EXPECT_TRUE(at::equal(gradients.at(0).toTensor(), std::get<0>(wanted)));
      EXPECT_TRUE(at::equal(gradients.at(1).toTensor(), std::get<1>(wanted)));
    }
  }
}

TEST(DecompositionsTest, ThePageIsPrintedFromTheTables) {
  const std::string path = std::string(TOUCHSTONE_SOURCE_DIR) + "/docs/decompositions.md";
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), decompositions::decompositionsDocument())
      << "Run this test with TOUCHSTONE_REWRITE_DOCS=1 to print it anew.";
  if (std::getenv("TOUCHSTONE_REWRITE_DOCS") != nullptr) {
    std::ofstream(path) << decompositions::decompositionsDocument();
  }
}

} // namespace
} // namespace touchstone::tests
