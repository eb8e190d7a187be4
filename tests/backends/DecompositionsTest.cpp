#include "backends/decompositions/DecompositionTable.h"

#include "backends/decompositions/LeftOut.h"
#include "backends/decompositions/TorchSelection.h"
#include "tests/backends/CompiledCalls.h"
#include "tests/backends/DecomposedCalls.h"

#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <gtest/gtest.h>

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
