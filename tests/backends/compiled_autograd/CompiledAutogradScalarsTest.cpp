#include "backends/compiled_autograd/ScalarMove.h"

#include "backends/compiled_autograd/CompiledAutograd.h"
#include "backends/compiled_autograd/CompiledSegment.h"
#include "graph/ir/Arguments.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

// Scalars on the CPU in the Graph of a backward that lies on an accelerator; the meta device stands for one.
namespace touchstone::tests {
namespace {

using ir::nodeArgument;
using ir::NodeId;

/// A Graph of a tensor on `device`, a scalar on the CPU, and what is made of them.
struct ScalarGraph {
  explicit ScalarGraph(at::ScalarType tensorDtype = at::kFloat, at::ScalarType scalarDtype = at::kFloat,
                       const std::string& device = "cuda:0") {
    tensor = placeholder("tensor", tensorDtype, {2, 3}, device);
    scalar = placeholder("scalar", scalarDtype, {}, "cpu");
  }

  NodeId placeholder(const std::string& name, at::ScalarType dtype, std::vector<int64_t> sizes,
                     const std::string& device) {
    return described(graph.addPlaceholder(name), dtype, std::move(sizes), device);
  }
  NodeId described(NodeId id, at::ScalarType dtype, std::vector<int64_t> sizes, const std::string& device) {
    ir::TensorMetadata metadata;
    metadata.dtype = {static_cast<int64_t>(dtype)};
    metadata.strides = sizes.empty() ? std::vector<int64_t>{} : std::vector<int64_t>{3, 1};
    metadata.sizes = std::move(sizes);
    metadata.device = device;
    metadata.storage = static_cast<int>(id);
    graph.node(id).metadata = std::move(metadata);
    return id;
  }
  /// An operator of both, whose result is like `like`.
  NodeId apply(const std::string& target, NodeId left, NodeId right, NodeId like) {
    std::vector<ir::Argument> arguments{nodeArgument(left), nodeArgument(right)};
    if (target.starts_with("aten::add") || target.starts_with("aten::sub")) {
      arguments.push_back(ir::Argument{int64_t{1}});
    }
    const NodeId id = graph.addOperator(target, std::move(arguments));
    graph.node(id).metadata = graph.node(like).metadata;
    graph.node(id).metadata->storage = static_cast<int>(id);
    return id;
  }
  /// What is moved when this is returned.
  std::vector<compiled_autograd::ScalarMove> moves(const std::vector<NodeId>& outputs) {
    graph.output = ir::nodeTuple(outputs);
    graph.check();
    const compiled_autograd::ScalarMoves found = compiled_autograd::scalarsToMove(graph);
    EXPECT_EQ(found.accelerator.has_value(), !found.scalars.empty());
    return found.scalars;
  }

  ir::Graph graph;
  NodeId tensor = -1, scalar = -1;
};

const std::vector<compiled_autograd::ScalarMove> kNoMoves;
const std::vector<compiled_autograd::ScalarMove> kAsFloat{{1, at::kFloat}};

TEST(CompiledAutogradScalarsTest, AScalarIsMovedToWhereTheGraphIs) {
  for (const char* device : {"cuda:0", "cuda:1", "meta"}) {
    ScalarGraph made(at::kFloat, at::kFloat, device);
    const NodeId product = made.apply("aten::mul.Tensor", made.tensor, made.scalar, made.tensor);
    EXPECT_EQ(made.moves({made.apply("aten::add.Tensor", made.scalar, product, made.tensor)}), kAsFloat);
    EXPECT_EQ(compiled_autograd::scalarsToMove(made.graph).accelerator->str(), device);
  }
}

TEST(CompiledAutogradScalarsTest, AGraphOnTheCpuOrOnTwoAcceleratorsIsLeftAlone) {
  ScalarGraph onCpu(at::kFloat, at::kFloat, "cpu");
  EXPECT_EQ(onCpu.moves({onCpu.apply("aten::mul.Tensor", onCpu.tensor, onCpu.scalar, onCpu.tensor)}), kNoMoves);
  ScalarGraph onTwo;
  onTwo.placeholder("other", at::kFloat, {2, 3}, "cuda:1");
  EXPECT_EQ(onTwo.moves({onTwo.apply("aten::mul.Tensor", onTwo.tensor, onTwo.scalar, onTwo.tensor)}), kNoMoves);
}

TEST(CompiledAutogradScalarsTest, ItIsMovedWhereEveryReaderGivesTheSameBits) {
  for (const char* reader : {"aten::div.Tensor", "aten::pow.Tensor_Tensor", "mine::scale"}) {
    ScalarGraph made;
    const NodeId product = made.apply("aten::mul.Tensor", made.tensor, made.scalar, made.tensor);
    EXPECT_EQ(made.moves({made.apply(reader, product, made.scalar, made.tensor)}), kNoMoves) << reader;
  }
}

TEST(CompiledAutogradScalarsTest, WhatIsReturnedWrittenOrGivenToOtherCodeStays) {
  ScalarGraph returned;
  const NodeId product = returned.apply("aten::mul.Tensor", returned.tensor, returned.scalar, returned.tensor);
  EXPECT_EQ(returned.moves({product, returned.scalar}), kNoMoves);
  ScalarGraph written;
  const NodeId sum = written.apply("aten::mul_.Tensor", written.scalar, written.tensor, written.tensor);
  written.graph.node(sum).writes = {written.scalar};
  EXPECT_EQ(written.moves({sum}), kNoMoves);
  ScalarGraph shared; // another tensor over its memory is written to
  const NodeId twin = shared.placeholder("twin", at::kFloat, {}, "cpu");
  shared.graph.node(twin).metadata->storage = shared.graph.node(shared.scalar).metadata->storage;
  shared.graph.node(shared.apply("aten::neg_", twin, twin, twin)).writes = {twin};
  EXPECT_EQ(shared.moves({shared.apply("aten::mul.Tensor", shared.tensor, shared.scalar, shared.tensor)}), kNoMoves);
  ScalarGraph given;
  given.graph.addCallable("mine", {nodeArgument(given.scalar)}, nullptr);
  EXPECT_EQ(given.moves({given.apply("aten::mul.Tensor", given.tensor, given.scalar, given.tensor)}), kNoMoves);
}

TEST(CompiledAutogradScalarsTest, AScalarOfScalarsOnTheCpuStaysThere) {
  ScalarGraph made; // the gradient of a leaf on the CPU would be on the accelerator
  const NodeId other = made.placeholder("other", at::kFloat, {}, "cpu");
  const NodeId both = made.apply("aten::mul.Tensor", made.scalar, other, other);
  EXPECT_EQ(made.moves({both, made.apply("aten::neg", made.tensor, made.tensor, made.tensor)}), kNoMoves);
}

TEST(CompiledAutogradScalarsTest, ItIsCastWhereTheKernelWouldCastItToTheSame) {
  struct Entry {
    at::ScalarType tensor, scalar;
    std::vector<compiled_autograd::ScalarMove> moves;
  };
  const std::vector<Entry> entries{{at::kFloat, at::kDouble, kAsFloat}, // `x * 2.0`
                                   {at::kFloat, at::kLong, kAsFloat},
                                   {at::kHalf, at::kHalf, {{1, at::kHalf}}},
                                   {at::kHalf, at::kDouble, kNoMoves}, // a parameter keeps its digits
                                   {at::kBFloat16, at::kFloat, kNoMoves},
                                   {at::kComplexFloat, at::kComplexFloat, kNoMoves}, // the order of a product decides
                                   {at::kLong, at::kLong, {{1, at::kLong}}},
                                   {at::kLong, at::kInt, kNoMoves}};
  for (const Entry& entry : entries) {
    ScalarGraph made(entry.tensor, entry.scalar);
    EXPECT_EQ(made.moves({made.apply("aten::mul.Tensor", made.tensor, made.scalar, made.tensor)}), entry.moves)
        << entry.tensor << " " << entry.scalar;
  }
  ScalarGraph promoted(at::kFloat, at::kDouble); // the result says that the scalar decides
  const NodeId one = promoted.placeholder("one", at::kFloat, {}, "cuda:0");
  const NodeId result = promoted.apply("aten::mul.Tensor", one, promoted.scalar, one);
  promoted.graph.node(result).metadata->dtype = {static_cast<int64_t>(at::kDouble)};
  EXPECT_EQ(promoted.moves({result}), kNoMoves);
}

/// Keeps where the tensors were that it was given.
struct DeviceNotes {
  std::vector<std::string> examples, inputs, metadata;

  backends::GraphCompiler compiler() {
    return [this](ir::Graph graph, const std::vector<at::Tensor>& given) {
      struct Noting final : backends::CompiledGraph {
        std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
          for (const at::Tensor& input : inputs) {
            notes->inputs.push_back(input.toString() + " " + input.device().str());
          }
          return inner->run(std::move(inputs));
        }
        DeviceNotes* notes = nullptr;
        std::shared_ptr<const backends::CompiledGraph> inner;
      };
      for (const at::Tensor& example : given) {
        examples.push_back(example.device().str());
      }
      for (const NodeId id : graph.placeholders()) {
        metadata.push_back(graph.node(id).metadata->device);
      }
      auto noting = std::make_shared<Noting>();
      noting->notes = this;
      noting->inner = backends::compileToInterpreter(std::move(graph), given);
      return noting;
    };
  }
};

TEST(CompiledAutogradScalarsTest, TheCompilerAndEachRunGetItThere) {
  ScalarGraph made(at::kFloat, at::kDouble, "meta");
  made.graph.output = ir::nodeTuple({made.apply("aten::mul.Tensor", made.tensor, made.scalar, made.tensor)});
  const auto inputs = [] {
    return std::vector<at::Tensor>{at::ones({2, 3}, at::device(at::kMeta)), at::full({}, 2.0, at::kDouble)};
  };
  for (const bool moves : {true, false}) {
    DeviceNotes notes;
    const auto compiled = compiled_autograd::compileSegment(
        made.graph, inputs(), notes.compiler(),
        moves ? compiled_autograd::scalarsToMove(made.graph) : compiled_autograd::ScalarMoves());
    for (int time = 0; time < 2; ++time) {
      const at::Tensor result = compiled->run(inputs()).at(0);
      EXPECT_EQ(result.toString(), "MetaFloatType");
      EXPECT_EQ(result.sizes(), (std::vector<int64_t>{2, 3}));
    }
    const std::string scalar = moves ? "MetaFloatType meta" : "CPUDoubleType cpu", device = moves ? "meta" : "cpu";
    EXPECT_EQ(notes.examples, (std::vector<std::string>{"meta", device}));
    EXPECT_EQ(notes.metadata, (std::vector<std::string>{"meta", device}));
    EXPECT_EQ(notes.inputs, (std::vector<std::string>{"MetaFloatType meta", scalar, "MetaFloatType meta", scalar}));
  }
}

TEST(CompiledAutogradScalarsTest, ABackwardOnTheCpuIsTheSameWithTheOption) {
  DeviceNotes notes;
  const auto compiled = std::make_shared<compiled_autograd::CompiledAutograd>(
      compiled_autograd::CompiledAutogradOptions{.compiler = notes.compiler(), .movesScalars = true});
  const compiled_autograd::CompiledAutogradScope scope(compiled);
  const at::Tensor x = at::ones({3}).requires_grad_();
  (x * at::full({}, 3.0)).sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({3}, 3.0)));
  EXPECT_FALSE(notes.inputs.empty());
  for (const std::string& input : notes.inputs) {
    EXPECT_TRUE(input.ends_with("cpu")) << input;
  }
}

} // namespace
} // namespace touchstone::tests
