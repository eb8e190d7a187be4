#include "tests/backends/DebuggingCalls.h"

#include "backends/debugging/EagerCompilers.h"
#include "backends/debugging/PreDispatch.h"
#include "program/values/RaisedException.h"

#include <ATen/Context.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

TEST(EagerCompilersTest, AnExceptionInsideAGraphBecomesAnErrorThatKeepsItsCause) {
  DebuggingCalls calls("def program(x, i):\n    return x.index_select(0, i).exp()\n",
                       debugging::compileExpectingNoException);
  const at::Tensor x = numbers({3, 4});
  EXPECT_TRUE(at::equal(calls({x, at::tensor({1, 2})}).at(0), x.slice(0, 1).exp()));
  try {
    calls({x, at::tensor({1, 7})});
    FAIL();
  } catch (const debugging::UnexpectedException& error) {
    EXPECT_EQ(std::string(error.what())
                  .find("TorchDynamoException: Unexpected exception when running generated GraphModule\ncaused by "),
              0u)
        << error.what();
    EXPECT_EQ(error.wrapper, "TorchDynamoException");
    EXPECT_THROW(std::rethrow_exception(error.cause()), c10::Error);
    std::string ofEager;
    try {
      DebuggingCalls::call(*calls.eager, {x, at::tensor({1, 7})});
    } catch (...) {
      ofEager = values::currentException().what();
    }
    EXPECT_EQ(error.type() + ": " + error.message(), ofEager) << "the innermost cause is what is compared";
  }
}

TEST(EagerCompilersTest, OtherCompilersLetTheExceptionThroughAsItIs) {
  DebuggingCalls calls("def program(x, i):\n    return x.index_select(0, i).exp()\n", backends::compileToInterpreter);
  calls({numbers({3, 4}), at::tensor({1, 2})});
  EXPECT_THROW(calls({numbers({3, 4}), at::tensor({1, 7})}), c10::Error);
}

struct PreDispatched {
  explicit PreDispatched(const std::string& program)
      : calls(program, debugging::preDispatchEager([this](ir::Graph& graph, const std::string& code) {
                graphs.push_back(graph);
                codes.push_back(code);
              })) {}
  std::vector<ir::Graph> graphs;
  std::vector<std::string> codes;
  DebuggingCalls calls;
};

TEST(EagerCompilersTest, PreDispatchTracesAboveAutogradAndShowsReadableCode) {
  PreDispatched traced(
      "def program(x, w):\n    y = torch.nn.functional.linear(x, w)\n    with torch.no_grad():\n        z = y.exp()\n"
      "    return y.relu(), z + torch.tensor([1.0, 2.0])\n");
  const at::Tensor x = numbers({3, 4}), w = numbers({2, 4}).requires_grad_();
  const auto outputs = traced.calls({x, w});
  const auto expected = DebuggingCalls::call(*traced.calls.eager, {x, w});
  ASSERT_EQ(traced.codes.size(), 1u);
  for (const char* part : {"def pre_dispatch(", "torch.ops.aten.linear.default(x, w)",
                           "with torch.no_grad():", "torch.ops.aten.relu.default(", "\"f32[3, 2]\""}) {
    EXPECT_NE(traced.codes[0].find(part), std::string::npos) << part << "\n" << traced.codes[0];
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(at::equal(outputs.at(i), expected[i]));
    EXPECT_EQ(outputs.at(i).requires_grad(), expected[i].requires_grad());
  }
}

TEST(EagerCompilersTest, TracingAgainChangesNeitherInputsNorTheGenerator) {
  PreDispatched traced("def program(x):\n    x.add_(1)\n    return torch.rand_like(x)\n");
  at::manual_seed(3);
  const at::Tensor expected = at::rand({4});
  at::manual_seed(3);
  const at::Tensor x = numbers({4});
  EXPECT_TRUE(at::equal(traced.calls({x}).at(0), expected));
  EXPECT_TRUE(at::equal(x, numbers({4}).add(1))) << "written to once, by the run";
}

TEST(EagerCompilersTest, WhatRunsIsTheGraphThatWasShown) {
  DebuggingCalls calls("def program(x):\n    return x.relu()\n",
                       debugging::preDispatchEager([](ir::Graph& graph, const std::string&) {
                         for (size_t i = 0; i < graph.nodes().size(); ++i) {
                           ir::Node& node = graph.node(static_cast<ir::NodeId>(i));
                           node.target = node.target == "aten::relu" ? "aten::neg" : node.target;
                         }
                       }));
  EXPECT_TRUE(at::equal(calls({numbers({4})}).at(0), numbers({4}).neg()));
}

TEST(EagerCompilersTest, HooksSeeBothStagesOfPreDispatch) {
  struct Stages final : backends::PipelineObserver {
    void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
      seen.push_back(stage);
      EXPECT_NE(artifacts.graph(stage), nullptr);
    }
    std::vector<std::string> seen;
  };
  const auto stages = std::make_shared<Stages>();
  const language::Case theCase = debuggingCase("def program(x):\n    return x.relu()\n");
  const auto program =
      native::makeNativeBackend(backends::backendInfo("pre_dispatch_eager"), {stages})->compile(theCase);
  EXPECT_TRUE(at::equal(DebuggingCalls::call(*program, {numbers({4})}).at(0), numbers({4}).relu()));
  EXPECT_EQ(stages->seen, (std::vector<std::string>{"captured", "pre_dispatch"}));
}

} // namespace
} // namespace touchstone::tests
