#include "oracles/equivalence/ElementNumbers.h"

#include "graph/ir/Arguments.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace touchstone {
namespace {

using equivalence::ElementNumbers;
using ir::Argument;
using ir::Graph;
using ir::nodeArgument;
using ir::NodeId;

ir::TensorMetadata floats(std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  ir::TensorMetadata metadata;
  metadata.sizes = std::move(sizes);
  metadata.strides = std::move(strides);
  return metadata;
}

class ElementNumbersTest : public ::testing::Test {
 protected:
  NodeId call(Graph& graph, const std::string& target, std::vector<Argument> arguments,
              const ir::TensorMetadata& metadata) {
    const NodeId id = graph.addOperator(target, std::move(arguments));
    graph.node(id).metadata = metadata;
    return id;
  }

  Graph withInput() {
    Graph graph;
    graph.node(graph.addPlaceholder("x")).metadata = matrix_;
    return graph;
  }

  at::Tensor input() {
    at::Tensor numbers = at::arange(6, at::kLong);
    for (int64_t i = 0; i < 6; ++i) {
      numbers[i] = numbers_.ofMemory("x", i, 4);
    }
    return numbers.reshape({2, 3});
  }

  /// Of a Graph of two matrices, of which the second may be a tangent.
  at::Tensor outputOfTwo(Graph graph, NodeId output, bool isTangent) {
    graph.output = ir::nodeTuple({output});
    return numbers_.run(graph, {input(), input()}, {false, isTangent}).at(0);
  }

  at::Tensor outputOf(Graph graph, NodeId output, bool isBackward = false) {
    graph.output = ir::nodeTuple({output});
    return numbers_.run(graph, {input()}, {isBackward}).at(0);
  }

  ElementNumbers numbers_;
  const ir::TensorMetadata matrix_ = floats({2, 3}, {3, 1});
  const ir::TensorMetadata turned_ = floats({3, 2}, {1, 3});
};

TEST_F(ElementNumbersTest, WhatComputesEachElementCommutesWithViews) {
  Graph first = withInput();
  const NodeId sine = call(first, "aten::sin", {nodeArgument(0)}, matrix_);
  const at::Tensor sineTurned = outputOf(first, call(first, "aten::t", {nodeArgument(sine)}, turned_));
  Graph second = withInput();
  const NodeId turn = call(second, "aten::t", {nodeArgument(0)}, turned_);
  const at::Tensor turnedSine = outputOf(second, call(second, "aten::sin", {nodeArgument(turn)}, turned_));
  EXPECT_TRUE(sineTurned.equal(turnedSine));
  EXPECT_FALSE(sineTurned.equal(input().t()));
}

TEST_F(ElementNumbersTest, AScatterIsTheSameInWhateverOperatorsItIsSaid) {
  Graph first = withInput();
  const NodeId row =
      call(first, "aten::select.int", {nodeArgument(0), Argument{int64_t{0}}, Argument{int64_t{1}}}, floats({3}, {1}));
  const NodeId sine = call(first, "aten::sin", {nodeArgument(row)}, floats({3}, {1}));
  const at::Tensor selected =
      outputOf(first, call(first, "aten::select_scatter",
                           {nodeArgument(0), nodeArgument(sine), Argument{int64_t{0}}, Argument{int64_t{1}}}, matrix_));
  Graph second = withInput();
  const NodeId flat = call(second, "aten::reshape", {nodeArgument(0), ir::integerList({-1})}, floats({6}, {1}));
  const NodeId end =
      call(second, "aten::as_strided",
           {nodeArgument(flat), ir::integerList({3}), ir::integerList({1}), Argument{int64_t{3}}}, floats({3}, {1}));
  const NodeId other = call(second, "aten::sin", {nodeArgument(end)}, floats({3}, {1}));
  const at::Tensor strided = outputOf(second, call(second, "aten::as_strided_scatter",
                                                   {nodeArgument(flat), nodeArgument(other), ir::integerList({3}),
                                                    ir::integerList({1}), Argument{int64_t{3}}},
                                                   floats({6}, {1})));
  EXPECT_TRUE(selected.reshape({-1}).equal(strided));
  EXPECT_FALSE(selected.equal(input()));
}

TEST_F(ElementNumbersTest, OperatorsConstantsAndOperandsTellComputationsApart) {
  Graph graph = withInput();
  const auto added = [&](int64_t number) {
    return call(graph, "aten::add.Scalar", {nodeArgument(0), Argument{number}, Argument{int64_t{1}}}, matrix_);
  };
  const NodeId sine = call(graph, "aten::sin", {nodeArgument(0)}, matrix_);
  const NodeId again = call(graph, "aten::sin", {nodeArgument(0)}, matrix_);
  const NodeId cosine = call(graph, "aten::cos", {nodeArgument(0)}, matrix_);
  EXPECT_TRUE(outputOf(graph, sine).equal(outputOf(graph, again)));
  EXPECT_FALSE(outputOf(graph, sine).equal(outputOf(graph, cosine)));
  const NodeId one = added(1);
  const NodeId two = added(2);
  EXPECT_FALSE(outputOf(graph, one).equal(outputOf(graph, two)));
  const int64_t left = outputOf(graph, one)[0][0].item<int64_t>();
  const int64_t right = outputOf(graph, two)[0][0].item<int64_t>();
  EXPECT_NE(numbers_.firstDifference(left, right).find(";1;"), std::string::npos);
  EXPECT_NE(numbers_.firstDifference(left, right).find(";2;"), std::string::npos);
  const auto difference = [&](const char* target, NodeId a, NodeId b) {
    return outputOf(graph, call(graph, target, {nodeArgument(a), nodeArgument(b), Argument{int64_t{1}}}, matrix_));
  };
  EXPECT_TRUE(difference("aten::add.Tensor", sine, cosine).equal(difference("aten::add.Tensor", cosine, sine)));
  EXPECT_FALSE(difference("aten::sub.Tensor", sine, cosine).equal(difference("aten::sub.Tensor", cosine, sine)));
}

TEST_F(ElementNumbersTest, AnyOtherOperatorReadsAllThatItIsGiven) {
  Graph graph = withInput();
  const NodeId sum = call(graph, "aten::sum.dim_IntList",
                          {nodeArgument(0), ir::integerList({0}), Argument{false}, Argument{}}, floats({3}, {1}));
  const NodeId sine = call(graph, "aten::sin", {nodeArgument(0)}, matrix_);
  const NodeId other = call(graph, "aten::sum.dim_IntList",
                            {nodeArgument(sine), ir::integerList({0}), Argument{false}, Argument{}}, floats({3}, {1}));
  const at::Tensor first = outputOf(graph, sum);
  EXPECT_FALSE(first.equal(outputOf(graph, other)));
  EXPECT_NE(first[0].item<int64_t>(), first[1].item<int64_t>());
}

TEST_F(ElementNumbersTest, AnotherDtypeIsAnotherNumber) {
  Graph graph = withInput();
  ir::TensorMetadata whole = matrix_;
  whole.dtype = {static_cast<int64_t>(at::kLong)};
  const std::vector<Argument> asLong{nodeArgument(0), Argument{ir::DtypeConstant{static_cast<int64_t>(at::kLong)}},
                                     Argument{},      Argument{},
                                     Argument{},      Argument{false},
                                     Argument{}};
  EXPECT_FALSE(outputOf(graph, call(graph, "aten::_to_copy", asLong, whole)).equal(input()));
  const NodeId copy = call(graph, "aten::clone", {nodeArgument(0), Argument{}}, matrix_);
  EXPECT_TRUE(outputOf(graph, copy).equal(input()));
}

TEST_F(ElementNumbersTest, BitsReadAsAnotherDtypeAreTheSameBits) {
  Graph graph = withInput();
  ir::TensorMetadata whole = matrix_;
  whole.dtype = {static_cast<int64_t>(at::kInt)};
  const auto dtype = [](at::ScalarType type) { return Argument{ir::DtypeConstant{static_cast<int64_t>(type)}}; };
  const NodeId read = call(graph, "aten::view.dtype", {nodeArgument(0), dtype(at::kInt)}, whole);
  const NodeId back = call(graph, "aten::view.dtype", {nodeArgument(read), dtype(at::kFloat)}, matrix_);
  EXPECT_TRUE(outputOf(graph, back).equal(input()));
  // What is computed of them is another thing.
  const NodeId ofWhole = call(graph, "aten::abs", {nodeArgument(read)}, whole);
  const NodeId ofFloats = call(graph, "aten::abs", {nodeArgument(0)}, matrix_);
  EXPECT_FALSE(outputOf(graph, ofWhole).equal(outputOf(graph, ofFloats)));
}

TEST_F(ElementNumbersTest, AnIndexedWriteIsTheSameWithoutChecks) {
  Graph graph = withInput();
  ir::TensorMetadata index = floats({1}, {1});
  index.dtype = {static_cast<int64_t>(at::kLong)};
  const NodeId indices =
      call(graph, "aten::arange", {Argument{int64_t{1}}, Argument{}, Argument{}, Argument{}, Argument{}}, index);
  const Argument list{Argument::Container{.items = {nodeArgument(indices)}}};
  const auto written = [&](const std::string& target, bool adds, std::vector<Argument> more) {
    std::vector<Argument> arguments{nodeArgument(0), list, nodeArgument(0), Argument{adds}};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return outputOf(graph, call(graph, target, arguments, matrix_));
  };
  const at::Tensor sum = written("aten::index_put", true, {});
  EXPECT_TRUE(sum.equal(written("aten::_index_put_impl", true, {Argument{true}})));
  EXPECT_FALSE(sum.equal(written("aten::_index_put_impl", false, {Argument{true}})));
}

TEST_F(ElementNumbersTest, WindowsApartAreMovedBack) {
  Graph graph = withInput();
  const auto back = [&](int64_t columns, int64_t size, int64_t step) {
    const ir::TensorMetadata windows = floats({2, 3 / size, size}, {3, size, 1});
    const NodeId view =
        call(graph, "aten::unfold", {nodeArgument(0), Argument{int64_t{1}}, Argument{size}, Argument{step}}, windows);
    return outputOf(graph, call(graph, "aten::unfold_backward",
                                {nodeArgument(view), ir::integerList({2, columns}), Argument{int64_t{1}},
                                 Argument{size}, Argument{step}},
                                floats({2, columns}, {columns, 1})));
  };
  EXPECT_TRUE(back(3, 1, 1).equal(input()));
  EXPECT_FALSE(back(3, 3, 1).equal(input())); // windows that could cover one another are added up
}

TEST_F(ElementNumbersTest, WhereAResultLiesIsNoPartOfWhatItHolds) {
  Graph graph = withInput();
  const auto counted = [&](int64_t end, Argument pinned) {
    return outputOf(graph, call(graph, "aten::arange",
                                {Argument{end}, Argument{}, Argument{}, Argument{}, std::move(pinned)}, matrix_));
  };
  EXPECT_TRUE(counted(6, Argument{}).equal(counted(6, Argument{false})));
  EXPECT_FALSE(counted(6, Argument{}).equal(counted(7, Argument{})));
}

TEST_F(ElementNumbersTest, NothingIsAddedInABackwardAlone) {
  Graph graph = withInput();
  const std::vector<Argument> like{nodeArgument(0), Argument{}, Argument{}, Argument{}, Argument{}, Argument{}};
  const NodeId zeros = call(graph, "aten::zeros_like", like, matrix_);
  const NodeId sum =
      call(graph, "aten::add.Tensor", {nodeArgument(0), nodeArgument(zeros), Argument{int64_t{1}}}, matrix_);
  EXPECT_TRUE(outputOf(graph, sum, true).equal(input()));
  EXPECT_FALSE(outputOf(graph, sum, false).equal(input()));
}

TEST_F(ElementNumbersTest, EachAddendOfASumCounts) {
  const int64_t tangent = numbers_.ofTangent(numbers_.ofMemory("x", 0, 4));
  const int64_t other = numbers_.ofTangent(numbers_.ofMemory("x", 1, 4));
  const int64_t twice = numbers_.ofSum(tangent, tangent, "float32");
  EXPECT_NE(twice, tangent);
  EXPECT_NE(numbers_.ofSum(twice, tangent, "float32"), twice);
  EXPECT_EQ(numbers_.ofSum(twice, other, "float32"),
            numbers_.ofSum(tangent, numbers_.ofSum(other, tangent, "float32"), "float32"));
  EXPECT_NE(numbers_.ofSum(tangent, other, "float32"), numbers_.ofSum(tangent, other, "float64"));
}

TEST_F(ElementNumbersTest, AnOperatorThatIsNotLinearMakesSomethingOfZeros) {
  Graph graph = withInput();
  const std::vector<Argument> like{nodeArgument(0), Argument{}, Argument{}, Argument{}, Argument{}, Argument{}};
  const NodeId zeros = call(graph, "aten::zeros_like", like, matrix_);
  const NodeId softmax =
      call(graph, "aten::_softmax", {nodeArgument(zeros), Argument{int64_t{0}}, Argument{false}}, matrix_);
  const NodeId sum = call(graph, "aten::cumsum", {nodeArgument(zeros), Argument{int64_t{0}}, Argument{}}, matrix_);
  EXPECT_FALSE(outputOf(graph, softmax, true).equal(at::zeros({2, 3}, at::kLong)));
  EXPECT_TRUE(outputOf(graph, sum, true).equal(at::zeros({2, 3}, at::kLong)));
}

TEST_F(ElementNumbersTest, WhatABackwardComputesAgainIsWhatTheForwardComputed) {
  Graph graph = withInput();
  const NodeId second = graph.addPlaceholder("second");
  graph.node(second).metadata = matrix_;
  const std::vector<Argument> ofFirst{nodeArgument(0), nodeArgument(0), Argument{int64_t{1}}},
      ofSecond{nodeArgument(second), nodeArgument(second), Argument{int64_t{1}}};
  const NodeId again = call(graph, "aten::add.Tensor", ofFirst, matrix_);
  const NodeId sum = call(graph, "aten::add.Tensor", ofSecond, matrix_);
  EXPECT_TRUE(outputOfTwo(graph, again, true).equal(outputOfTwo(graph, again, false)));
  EXPECT_FALSE(outputOfTwo(graph, sum, true).equal(outputOfTwo(graph, sum, false))) << "a sum of gradients";
}

TEST_F(ElementNumbersTest, AWriteThatIsNoCopyHasNoNormalForm) {
  Graph graph = withInput();
  const NodeId written = call(graph, "aten::sin_", {nodeArgument(0)}, matrix_);
  EXPECT_THROW(outputOf(graph, written), equivalence::NotComparable);
}

} // namespace
} // namespace touchstone
