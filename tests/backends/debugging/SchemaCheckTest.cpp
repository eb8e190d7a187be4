#include "tests/backends/DebuggingCalls.h"

#include "backends/debugging/EagerCompilers.h"
#include "backends/debugging/SchemaCheck.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linear.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <tuple>

namespace touchstone::tests {
namespace {

at::Tensor writesUndeclared(const at::Tensor& x) {
  x.add_(1);
  return x.clone();
}
at::Tensor viewOf(const at::Tensor& x) {
  return x.view({-1});
}
std::tuple<at::Tensor, at::Tensor> twins(const at::Tensor& x) {
  at::Tensor made = x.clone();
  return {made, made.view({-1})};
}
at::Tensor handsBack(const at::Tensor& x) {
  return x;
}
at::Tensor& addsOne(at::Tensor& x) {
  return x.add_(1);
}
at::Tensor movesUndeclared(const at::Tensor& x) {
  x.t_();
  return x.clone();
}

} // namespace
} // namespace touchstone::tests

TORCH_LIBRARY(touchstone_schema_check, library) {
  library.def("writes(Tensor x) -> Tensor");
  library.def("aliases(Tensor self) -> Tensor");
  library.def("twins(Tensor x) -> (Tensor, Tensor)");
  library.def("hands_back(Tensor(a) x) -> Tensor(a)");
  library.def("moves(Tensor x) -> Tensor");
  library.def("declared_write(Tensor(a!) x) -> Tensor(a!)");
  library.def("declared_alias(Tensor(a) x) -> Tensor(a)");
}

TORCH_LIBRARY_IMPL(touchstone_schema_check, CPU, library) {
  library.impl("writes", &touchstone::tests::writesUndeclared);
  library.impl("aliases", &touchstone::tests::viewOf);
  library.impl("twins", &touchstone::tests::twins);
  library.impl("hands_back", &touchstone::tests::handsBack);
  library.impl("moves", &touchstone::tests::movesUndeclared);
  library.impl("declared_write", &touchstone::tests::addsOne);
  library.impl("declared_alias", &touchstone::tests::viewOf);
}

namespace touchstone::tests {
namespace {

std::string mismatchOf(const std::string& name, size_t results = 1) {
  const auto compiled =
      debugging::compileWithSchemaCheck(chainGraph({"touchstone_schema_check::" + name}, results), {});
  try {
    compiled->run({numbers({3, 4})});
  } catch (const debugging::SchemaMismatch& error) {
    return error.what();
  }
  return "";
}

TEST(SchemaCheckTest, AWriteThatIsNotDeclaredIsAnError) {
  EXPECT_EQ(mismatchOf("writes"),
            "Argument x is not defined as mutable but was mutated (`touchstone_schema_check::writes`)");
  EXPECT_EQ(mismatchOf("moves"),
            "Argument x is not defined as mutable but was mutated (`touchstone_schema_check::moves`)");
}

TEST(SchemaCheckTest, AnAliasThatIsNotDeclaredIsAnError) {
  EXPECT_EQ(mismatchOf("aliases"),
            "Argument input is not defined to alias output but was aliasing (`touchstone_schema_check::aliases`)");
}

at::Tensor shuffleOfNothing(const at::Tensor& x, int64_t) {
  return x.view({-1});
}

TEST(SchemaCheckTest, ChannelShuffleMayHandOnWhatHasNoElementsAndNothingElse) {
  torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, __FILE__, __LINE__);
  library.impl("channel_shuffle", &shuffleOfNothing); // until the end of the test
  ir::Graph graph;
  const ir::Argument groups{int64_t{1}};
  const ir::NodeId x = graph.addPlaceholder("x");
  const ir::NodeId shuffled = graph.addOperator("aten::channel_shuffle", {ir::nodeArgument(x), groups});
  graph.output = {
      ir::Argument::Container{.kind = ir::Argument::Container::Kind::kTuple, .items = {ir::nodeArgument(shuffled)}}};
  const auto compiled = debugging::compileWithSchemaCheck(graph, {});
  const auto textOf = [&](at::IntArrayRef sizes) { return thrownText([&] { compiled->run({numbers(sizes)}); }); };
  EXPECT_EQ(textOf({0, 2, 3}), "");
  EXPECT_EQ(textOf({1, 2, 3}),
            "Argument input is not defined to alias output but was aliasing (`aten::channel_shuffle`)");
}

TEST(SchemaCheckTest, ResultsThatShareMemoryAreAnError) {
  EXPECT_EQ(mismatchOf("twins", 2), "Outputs 0 and 1 alias unexpectedly (`touchstone_schema_check::twins`)");
}

TEST(SchemaCheckTest, AnArgumentHandedBackIsAnError) {
  EXPECT_EQ(mismatchOf("hands_back"),
            "Dispatcher operators below autograd are not allowed to directly return inputs. However, outputs[0] is x "
            "(`touchstone_schema_check::hands_back`)");
}

TEST(SchemaCheckTest, WhatIsDeclaredIsNone) {
  EXPECT_EQ(mismatchOf("declared_write"), "");
  EXPECT_EQ(mismatchOf("declared_alias"), "");
}

TEST(SchemaCheckTest, OperatorsAreSeenBelowAutogradAndTheRunIsEagers) {
  DebuggingCalls calls(
      "def program(x, w):\n    y = torch.nn.functional.linear(x, w).t()\n    x.mul_(2)\n    return y.relu(), "
      "x.view(-1)\n",
      debugging::compileWithSchemaCheck);
  const at::Tensor x = numbers({3, 4}), w = numbers({2, 4}).requires_grad_();
  const at::Tensor eagerX = numbers({3, 4}), eagerW = numbers({2, 4}).requires_grad_();
  const auto outputs = calls({x, w});
  const auto expected = DebuggingCalls::call(*calls.eager, {eagerX, eagerW});
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(at::equal(outputs.at(i), expected[i]));
  }
  EXPECT_TRUE(at::equal(x, eagerX));
  EXPECT_EQ(outputs.at(0).grad_fn()->name(), expected.at(0).grad_fn()->name());

  debugging::SchemaCheck check;
  {
    fake::DispatchMode::Scope scope(check);
    at::linear(numbers({3, 4}), numbers({2, 4}));
  }
  at::linear(numbers({3, 4}), numbers({2, 4}));
  EXPECT_EQ(check.operators(),
            (std::vector<std::string>{"aten::arange", "aten::add.Scalar", "aten::view", "aten::arange",
                                      "aten::add.Scalar", "aten::view", "aten::t", "aten::mm"}));
}

TEST(SchemaCheckTest, WritesToAListAreCountedAndMayBeSeenInOtherArguments) {
  DebuggingCalls calls(
      "def program(x, y):\n    torch._foreach_add_([x, y], [y, x])\n"
      "    torch.split_with_sizes_copy(x, [1, 2], out=[x[1:2], y[1:3]])\n    return x + y\n",
      debugging::compileWithSchemaCheck);
  const at::Tensor x = numbers({3}), y = numbers({3}, 1), eagerX = numbers({3}), eagerY = numbers({3}, 1);
  const auto outputs = calls({x, y});
  const auto expected = DebuggingCalls::call(*calls.eager, {eagerX, eagerY});
  EXPECT_TRUE(at::equal(outputs.at(0), expected.at(0)));
  EXPECT_EQ(x._version(), eagerX._version());
  EXPECT_EQ(y._version(), eagerY._version());
  EXPECT_GT(eagerX._version(), numbers({3})._version());
}

TEST(SchemaCheckTest, TheBackendFindsAWrongSchemaTheOthersDoNot) {
  const ir::Graph graph = chainGraph({"touchstone_schema_check::writes"});
  EXPECT_EQ(thrownText([&] { backends::compileToInterpreter(graph, {})->run({numbers({3})}); }), "");
}

} // namespace
} // namespace touchstone::tests
