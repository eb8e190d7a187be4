#include "tests/backends/DebuggingCalls.h"
#include "tests/backends/DecomposedCalls.h"

#include "backends/debugging/AotCompilerOptions.h"
#include "backends/debugging/AotDebugging.h"
#include "backends/debugging/CompilerRegistry.h"
#include "backends/debugging/FakeCrossref.h"
#include "backends/fake/OperatorTraits.h"

#include <ATen/ops/any.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/silu.h>
#include <gtest/gtest.h>
#include <torch/library.h>

namespace touchstone::tests {
namespace {

/// AOT autograd whose forward and backward Graphs are compared with fake tensors while they run.
backends::GraphCompiler compared(debugging::CrossrefChoice choice, aot_autograd::AotOptions options = {}) {
  return debugging::lookUpCompiler(debugging::aotCompilerWithOptions("aot", std::move(options), choice), {});
}

at::Tensor doubled(const at::Tensor& x) {
  return x.mul(2);
}
at::Tensor asIntegers(const at::Tensor& x) {
  return at::empty_like(x, x.options().dtype(at::kLong));
}
at::Tensor transposed(const at::Tensor& x) {
  return at::empty_like(x.t().contiguous()).t();
}
at::Tensor flat(const at::Tensor& x) {
  return x.reshape({-1}).clone();
}
at::Tensor sameMemory(const at::Tensor& x) {
  return x.view(x.sizes());
}
at::Tensor doubledIfAny(const at::Tensor& x) {
  TORCH_CHECK(x.any().item<bool>(), "all zeros");
  return x.mul(2);
}
at::Tensor refusing(const at::Tensor&) {
  TORCH_CHECK(false, "no fake tensors here");
}

} // namespace
} // namespace touchstone::tests

TORCH_LIBRARY(touchstone_crossref, library) {
  for (const char* name : {"right", "dtype", "strides", "sizes", "alias", "refuses", "without_meta"}) {
    library.def((std::string(name) + "(Tensor x) -> Tensor").c_str());
  }
}

TORCH_LIBRARY_IMPL(touchstone_crossref, CPU, library) {
  for (const char* name : {"right", "dtype", "strides", "sizes", "alias"}) {
    library.impl(name, &touchstone::tests::doubled);
  }
  library.impl("refuses", &touchstone::tests::doubledIfAny);
  library.impl("without_meta", &touchstone::tests::doubledIfAny);
}

TORCH_LIBRARY_IMPL(touchstone_crossref, Meta, library) {
  library.impl("right", &touchstone::tests::doubled);
  library.impl("dtype", &touchstone::tests::asIntegers);
  library.impl("strides", &touchstone::tests::transposed);
  library.impl("sizes", &touchstone::tests::flat);
  library.impl("alias", &touchstone::tests::sameMemory);
  library.impl("refuses", &touchstone::tests::refusing);
}

namespace touchstone::tests {
namespace {

std::string mismatchOf(const std::string& target, const backends::GraphCompiler& compiler) {
  const at::Tensor x = numbers({3, 4});
  try {
    const at::Tensor result = compiler(chainGraph({target}), {})->run({x}).at(0);
    EXPECT_TRUE(target.find("touchstone") == std::string::npos || at::equal(result, x.mul(2))) << target;
  } catch (const debugging::MetadataMismatch& error) {
    return error.what();
  }
  return "";
}

std::string of(const std::string& name) {
  return "When comparing the output of touchstone_crossref::" + name + " on FakeTensor and concrete Tensors, found ";
}

TEST(FakeCrossrefTest, WhatAnOperatorMakesOfFakeTensorsMustBeWhatItMakesOfRealOnes) {
  const backends::GraphCompiler all = debugging::fakeCrossrefBoxedNop();
  EXPECT_EQ(mismatchOf("touchstone_crossref::right", all), "");
  EXPECT_EQ(mismatchOf("touchstone_crossref::dtype", all),
            of("dtype") + "mismatched tensor metadata: dtype float32 is int64 on fake tensors");
  EXPECT_EQ(mismatchOf("touchstone_crossref::strides", all),
            of("strides") + "mismatched tensor metadata: strides [4, 1] are [1, 3] on fake tensors");
  EXPECT_EQ(mismatchOf("touchstone_crossref::sizes", all),
            of("sizes") + "mismatched tensor metadata: sizes [3, 4] are [12] on fake tensors");
  EXPECT_EQ(mismatchOf("touchstone_crossref::alias", all), of("alias") + "mismatch in outputs_alias_inputs check");
  EXPECT_EQ(mismatchOf("touchstone_crossref::without_meta", all), "");
  EXPECT_EQ(mismatchOf("touchstone_crossref::refuses", all).find(of("refuses") + "that only the fake call raises: "),
            0u);
}

TEST(FakeCrossrefTest, BuiltInOperatorsAgree) {
  for (const char* target : {"aten::exp", "aten::t", "aten::relu_", "aten::detach", "aten::nonzero", "aten::t_"}) {
    EXPECT_EQ(mismatchOf(target, debugging::fakeCrossrefBoxedNop()), "") << target;
  }
}

TEST(FakeCrossrefTest, IgnoredOperatorsAreNotCompared) {
  const std::string wrong = "touchstone_crossref::dtype";
  EXPECT_EQ(mismatchOf(wrong, debugging::fakeCrossrefBoxedNop([](const c10::OperatorHandle&) { return true; })), "");
  EXPECT_NE(mismatchOf(wrong, debugging::fakeCrossrefBoxedNop(debugging::ignoreBuiltins)), "");
  EXPECT_TRUE(debugging::ignoreBuiltins(fake::operatorOf("aten::add.Tensor")));
  EXPECT_FALSE(debugging::ignoreBuiltins(fake::operatorOf(wrong)));
}

TEST(FakeCrossrefTest, TheChoiceSaysWhatIsCompared) {
  const std::string wrong = "touchstone_crossref::dtype";
  EXPECT_EQ(mismatchOf(wrong, debugging::nopFunction(debugging::CrossrefChoice::kOff)), "");
  EXPECT_NE(mismatchOf(wrong, debugging::nopFunction(debugging::CrossrefChoice::kAll)), "");
  EXPECT_NE(mismatchOf(wrong, debugging::nopFunction(debugging::CrossrefChoice::kCustomOperators)), "");
  EXPECT_EQ(debugging::crossrefMode(debugging::CrossrefChoice::kOff), nullptr);
}

TEST(FakeCrossrefTest, ForwardAndBackwardOfAotAutogradAreCompared) {
  for (debugging::CrossrefChoice choice :
       {debugging::CrossrefChoice::kAll, debugging::CrossrefChoice::kCustomOperators}) {
    DebuggingCalls calls("def program(x, w):\n    x.add_(1)\n    return torch.mm(x, w).t().relu(), x.view(-1)\n",
                         compared(choice));
    const at::Tensor x = numbers({3, 4}), w = numbers({4, 2}).requires_grad_();
    const at::Tensor eagerX = numbers({3, 4}), eagerW = numbers({4, 2}).requires_grad_();
    const auto outputs = calls({x, w}), expected = DebuggingCalls::call(*calls.eager, {eagerX, eagerW});
    outputs.at(0).sum().backward();
    expected.at(0).sum().backward();
    EXPECT_TRUE(at::equal(outputs.at(0), expected.at(0)));
    EXPECT_TRUE(at::equal(w.grad(), eagerW.grad()));
  }
  const at::Tensor x = numbers({3, 4});
  for (const aot_autograd::AotOptions& options : {aot_autograd::AotOptions(), debugging::decompPartition()}) {
    const backends::GraphCompiler compiler = compared(debugging::CrossrefChoice::kCustomOperators, options);
    EXPECT_THROW(compiler(chainGraph({"touchstone_crossref::dtype"}), {x})->run({x}), debugging::MetadataMismatch);
  }
}

TEST(FakeCrossrefTest, TheBackendComparesWhatItsOptionSays) {
  const at::Tensor x = numbers({3, 4});
  const auto run = [&](const char* target, debugging::CompilerOptions options) {
    const backends::GraphCompiler compiler = debugging::lookUpCompiler(
        debugging::compilerRegistry().find("aot_eager_decomp_partition_crossref"), std::move(options));
    compiler(chainGraph({target}), {x})->run({x});
  };
  const std::string option = "fake_tensor_crossref";
  for (const char* value : {"'all'", "True", "'custom_ops'"}) {
    EXPECT_THROW(run("touchstone_crossref::dtype", {{option, value}}), debugging::MetadataMismatch) << value;
  }
  EXPECT_THROW(run("touchstone_crossref::dtype", {}), debugging::MetadataMismatch) << "operators of custom namespaces";
  EXPECT_NO_THROW(run("touchstone_crossref::dtype", {{option, "False"}}));
  EXPECT_NO_THROW(run("aten::sin", {}));
}

TEST(FakeCrossrefTest, WhatOperatorsAreDecomposedToIsComparedUnderItsName) {
  for (const bool decomposes : {false, true}) {
    const auto seen = std::make_shared<FunctionalOperators>();
    aot_autograd::AotOptions options{.observers = {seen}};
    DebuggingCalls calls(
        "def program(x):\n    return torch.nn.functional.silu(x)\n",
        compared(debugging::CrossrefChoice::kAll, decomposes ? debugging::decompPartition(options) : options));
    EXPECT_TRUE(agree(calls({numbers({3})}).at(0), at::silu(numbers({3}))));
    EXPECT_EQ(seen->targets.contains("aten::silu"), !decomposes);
    EXPECT_EQ(seen->targets.contains("aten::exp"), decomposes);
  }
}

} // namespace
} // namespace touchstone::tests
