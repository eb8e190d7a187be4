#include "backends/fake/Tracer.h"

#include "tests/backends/AotPrograms.h"
#include "tests/backends/CallOutcome.h"
#include "tests/backends/WholeCapture.h"

#include "program/values/CompiledProgram.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>

namespace touchstone::tests {
namespace {

using ir::Node;
using ir::NodeKind;

/// A program traced on inputs of seed 1.
struct TracedProgram {
  TracedProgram(const char* inputs, const char* parameters, const char* body,
                fake::Backing backing = fake::Backing::kValues)
      : theCase(caseOfProgram({"", inputs, parameters, body})),
        arguments(evaluator::Evaluator(theCase).makeInputs("inputs", 1, "uniform").arguments),
        whole(theCase, arguments, backing),
        trace(whole.trace) {}

  std::vector<std::string> targets() const {
    std::vector<std::string> result;
    for (const Node& node : trace.recorded().nodes()) {
      if (node.kind == NodeKind::kOperator) {
        result.push_back(node.target);
      }
    }
    return result;
  }
  const Node& call(const std::string& target) const {
    for (const Node& node : trace.recorded().nodes()) {
      if (node.target == target) {
        return node;
      }
    }
    throw std::out_of_range("no call of " + target + " in\n" + ir::printGraph(trace.recorded()));
  }

  language::Case theCase;
  values::ValueList arguments;
  WholeTrace whole;
  aot_autograd::JointTrace& trace;
};

using Names = std::vector<std::string>;

TEST(TracerTest, RecordsOperatorsBelowAutograd) {
  const TracedProgram traced("F(2, 3).requires_grad_(), F(4, 3)", "x, w",
                             "return torch.nn.functional.linear(x, w).relu()");
  EXPECT_EQ(traced.targets(), (Names{"aten::t", "aten::mm", "aten::relu"}));
  const at::Tensor& output = traced.trace.outputs().at(0);
  EXPECT_TRUE(output.requires_grad());
  ASSERT_NE(output.grad_fn(), nullptr);
  EXPECT_EQ(output.grad_fn()->name(), "ReluBackward0");
  EXPECT_EQ(output.sizes(), at::IntArrayRef({2, 4}));
}

TEST(TracerTest, WhatWasTriedIsForgottenUnlessATensorOfItLives) {
  fake::Tracer tracer;
  const at::Tensor x = tracer.addInput(at::ones({2}), "x", at::kCPU);
  const fake::Tracer::Mark mark = tracer.mark();
  const auto recorded = [&] { return std::pair(tracer.graph().nodes().size(), tracer.graph().storages.size()); };
  const auto before = recorded();
  {
    const fake::Tracer::Scope scope(tracer);
    const at::Tensor kept = x.sin();
    tracer.forgetSince(mark);
    EXPECT_EQ(recorded(), std::pair(before.first + 1, before.second + 1));
  }
  tracer.forgetSince(mark);
  EXPECT_EQ(recorded(), before);
  at::Tensor again;
  {
    const fake::Tracer::Scope scope(tracer);
    again = x.cos();
    x.unsqueeze_(0); // `x` is what was recorded behind the mark
  }
  again.reset();
  tracer.forgetSince(mark);
  EXPECT_EQ(tracer.graph().nodes().size(), before.first + 2);
  EXPECT_EQ(tracer.graph().nodes().back().target, "aten::unsqueeze");
}

TEST(TracerTest, AutocastShowsAsConversions) {
  const TracedProgram traced(
      "F(2, 3), F(3, 4)", "x, w",
      "with torch.autocast(\"cpu\", dtype=torch.bfloat16):\n    y = torch.mm(x, w)\nreturn y + 1");
  EXPECT_EQ(traced.targets(), (Names{"aten::_to_copy", "aten::_to_copy", "aten::mm", "aten::add.Tensor"}));
  EXPECT_EQ(ir::dtypeName(traced.call("aten::mm").metadata->dtype), "bfloat16");
}

TEST(TracerTest, CallsKnowTheirLines) {
  const TracedProgram traced("F(2, 3)", "x", "y = x.sin()\n\nz = y.exp()\nreturn z.sum(0)");
  const auto& body = traced.theCase.program().body;
  EXPECT_EQ(traced.call("aten::sin").line, body.at(0)->place.line);
  EXPECT_EQ(traced.call("aten::exp").line, body.at(1)->place.line);
  EXPECT_EQ(traced.call("aten::sum.dim_IntList").line, body.at(2)->place.line);
  EXPECT_EQ(traced.call("aten::exp").line, traced.call("aten::sin").line + 2);
}

TEST(TracerTest, SequenceNumbersGrowWithTheCallsOfTheForward) {
  TracedProgram traced("F(2, 3).requires_grad_()", "x", "y = x.sin()\nreturn y.tanh()");
  EXPECT_GE(traced.call("aten::sin").sequence, 0);
  EXPECT_LT(traced.call("aten::sin").sequence, traced.call("aten::tanh").sequence);
  traced.trace.recordBackward(0, {traced.trace.plan().tangents.at(0)});
  EXPECT_TRUE(traced.call("aten::tanh_backward").backward);
  EXPECT_TRUE(traced.call("aten::cos").backward);
  EXPECT_FALSE(traced.call("aten::sin").backward);
}

TEST(TracerTest, SequenceNumbersTieBackwardCallsToForwardCalls) {
  TracedProgram traced("F(2, 3).requires_grad_()", "x", "y = x.sin()\nreturn y.tanh()");
  const int64_t sine = traced.call("aten::sin").sequence, hyperbolic = traced.call("aten::tanh").sequence;
  EXPECT_EQ(hyperbolic, static_cast<int64_t>(traced.trace.outputs().at(0).grad_fn()->sequence_nr()));
  traced.trace.recordBackward(0, {traced.trace.plan().tangents.at(0)});
  EXPECT_EQ(traced.call("aten::tanh_backward").sequence, hyperbolic);
  EXPECT_EQ(traced.call("aten::cos").sequence, sine);
}

TEST(TracerTest, KnowsWritesAndStorages) {
  const TracedProgram traced("F(4, 6), F(4, 6)", "x, y",
                             "v = x.t()[1:3]\nv.add_(1)\nz = y * 2\nz.mul_(y)\nreturn v, z");
  const ir::Graph& graph = traced.trace.recorded();
  const Node& add = traced.call("aten::add_.Tensor");
  ASSERT_EQ(add.writes.size(), 1u);
  EXPECT_EQ(graph.node(add.writes[0]).target, "aten::slice.Tensor");
  const int ofX = graph.node(graph.placeholders()[0]).metadata->storage;
  const int ofY = graph.node(graph.placeholders()[1]).metadata->storage;
  EXPECT_NE(ofX, ofY);
  EXPECT_EQ(graph.node(add.writes[0]).metadata->storage, ofX);
  EXPECT_EQ(traced.call("aten::t").metadata->storage, ofX);
  EXPECT_EQ(graph.storages.at(static_cast<size_t>(ofX)).input, 0);
  EXPECT_EQ(graph.storages.at(static_cast<size_t>(ofX)).bytes, 4 * 6 * 4);
  EXPECT_EQ(graph.storages.at(static_cast<size_t>(ofX)).root, graph.placeholders()[0]);
  const Node& product = traced.call("aten::mul.Tensor");
  EXPECT_TRUE(product.writes.empty());
  EXPECT_NE(product.metadata->storage, ofY);
  EXPECT_EQ(graph.storages.at(static_cast<size_t>(product.metadata->storage)).input, -1);
  ASSERT_EQ(traced.call("aten::mul_.Tensor").writes.size(), 1u);
  EXPECT_EQ(graph.node(traced.call("aten::mul_.Tensor").writes[0]).target, "aten::mul.Tensor");
}

TEST(TracerTest, FakeTensorsHaveNoMemory) {
  fake::Tracer tracer;
  const at::Tensor x = tracer.addInput(at::ones({2, 3}), "x", at::kCPU);
  EXPECT_THROW(x.data_ptr(), c10::Error);
  EXPECT_THROW(x.const_data_ptr(), c10::Error);
  EXPECT_THROW(x.mutable_data_ptr<float>(), c10::Error);
  EXPECT_THROW(x.storage(), c10::Error);
  EXPECT_EQ(x.sizes(), at::IntArrayRef({2, 3}));
  EXPECT_EQ(fake::fakeOf(at::ones({2})), nullptr);
  ASSERT_NE(fake::fakeOf(x), nullptr);
  EXPECT_EQ(&fake::fakeOf(x)->tracer(), &tracer);
}

std::string unsupportedReason(const char* inputs, const char* body, fake::Backing backing) {
  try {
    TracedProgram traced(inputs, "x", body, backing);
    return "traced: " + ir::printGraph(traced.trace.recorded());
  } catch (const ir::Unsupported& reason) {
    return reason.what();
  } catch (const std::exception&) {
    return firstLine(std::current_exception());
  }
}

TEST(TracerTest, ReadingDataIsControlFlow) {
  for (const fake::Backing backing : {fake::Backing::kValues, fake::Backing::kMeta}) {
    for (const char* body :
         {"return x * x.sum().item()", "if x.sum() > 0:\n    return x\nreturn x + 1", "return x[x > 0]",
          "return x.nonzero()", "return torch.masked_select(x, x > 0)", "return x * float(x.sum())",
          "while x.sum() < 0:\n    x = x + 1\nreturn x", "return torch.unique(x)"}) {
      EXPECT_NE(unsupportedReason("F(4)", body, backing).find("values are read from tensor data"), std::string::npos)
          << body << "\n"
          << unsupportedReason("F(4)", body, backing);
    }
  }
}

TEST(TracerTest, AListOfNumbersIsReadData) {
  for (const fake::Backing backing : {fake::Backing::kValues, fake::Backing::kMeta}) {
    const std::string reason = unsupportedReason("F(4)", "y = x.tolist()\nreturn x", backing);
    EXPECT_NE(reason.find("values are read from tensor data"), std::string::npos) << reason;
  }
}

TEST(TracerTest, TwoThreadsTraceAtOnce) {
  const TracedProgram alone("F(3, 4).requires_grad_()", "x", "z = x * 2\nz[1].add_(1)\nreturn z.exp().sum()");
  const std::string expected = ir::printGraph(alone.trace.recorded());
  std::vector<std::thread> threads;
  std::vector<std::string> different(4);
  for (size_t i = 0; i < different.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 10 && different[i].empty(); ++round) {
        const TracedProgram traced("F(3, 4).requires_grad_()", "x", "z = x * 2\nz[1].add_(1)\nreturn z.exp().sum()");
        const std::string text = ir::printGraph(traced.trace.recorded());
        different[i] = text == expected ? "" : text;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(different, std::vector<std::string>(4)) << expected;
}

bool isRecording() {
  return c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::Fake);
}

TEST(TracerTest, ScopesAreRestored) {
  EXPECT_FALSE(isRecording());
  fake::Tracer outer, inner;
  const at::Tensor x = outer.addInput(at::ones({2}), "x", at::kCPU);
  const at::Tensor y = inner.addInput(at::ones({2}), "y", at::kCPU);
  {
    fake::Tracer::Scope outerScope(outer);
    {
      fake::Tracer::Scope innerScope(inner);
      at::sin(y);
    }
    at::exp(x);
    try {
      fake::Tracer::Scope innerScope(inner);
      TORCH_CHECK(false, "out");
    } catch (const c10::Error&) {
    }
    EXPECT_TRUE(isRecording());
    at::zeros({2}) + x;
  }
  EXPECT_FALSE(isRecording());
  EXPECT_EQ(inner.graph().operatorCount(), 1);
  EXPECT_EQ(outer.graph().operatorCount(), 3) << ir::printGraph(outer.graph());
  EXPECT_EQ(fake::fakeOf(at::zeros({2})), nullptr) << "nothing is recorded any more";
}

TEST(TracerTest, AProgramThatRaisesLeavesNoScopeBehind) {
  EXPECT_THROW(TracedProgram("F(2, 3)", "x", "y = x.sin()\nreturn torch.mm(y, y)"), c10::Error);
  EXPECT_THROW(TracedProgram("F(2, 3)", "x", "return x.sum().item()"), ir::Unsupported);
  EXPECT_FALSE(isRecording());
}

std::string messageOf(const std::function<void()>& body) {
  try {
    body();
    return "nothing was thrown";
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
}

TEST(TracerTest, FakeTensorsAreOfUseInTheirTraceOnly) {
  fake::Tracer tracer;
  const at::Tensor x = tracer.addInput(at::ones({2}), "x", at::kCPU);
  {
    fake::Tracer::Scope scope(tracer);
    at::exp(x);
  }
  EXPECT_NE(messageOf([&] { at::sin(x); }).find("outside of its trace"), std::string::npos)
      << messageOf([&] { at::sin(x); });
  EXPECT_NE(messageOf([&] { at::sin(x); }).find("aten::sin"), std::string::npos);
  fake::Tracer other;
  fake::Tracer::Scope scope(other);
  EXPECT_NE(messageOf([&] { at::sin(x); }).find("another trace"), std::string::npos) << messageOf([&] { at::sin(x); });
  EXPECT_EQ(other.graph().operatorCount(), 0);
}

TEST(TracerTest, FactoriesAreRecorded) {
  const TracedProgram traced("F(3)", "x",
                             "a = torch.zeros(3)\nb = torch.arange(3)\nc = torch.rand(3)\nd = torch.full((3,), 2.0)\n"
                             "e = torch.empty(3).fill_(1)\nreturn x + a + b + c + d + e");
  const Names targets = traced.targets();
  for (const char* target : {"aten::zeros", "aten::arange", "aten::rand", "aten::full", "aten::empty.memory_format"}) {
    EXPECT_NE(std::find(targets.begin(), targets.end(), target), targets.end())
        << target << "\n"
        << ir::printGraph(traced.trace.recorded());
  }
}

TEST(TracerTest, ConstantsAreCopiedWhenTheyComeIn) {
  const TracedProgram traced("F(2)", "x", "c = torch.tensor([1.0, 2.0])\nc.mul_(2)\nreturn x + c");
  const Node& lift = traced.call("aten::lift_fresh_copy");
  const auto* constant = std::get_if<ir::NodeReference>(&lift.arguments.at(0).payload);
  ASSERT_NE(constant, nullptr);
  EXPECT_EQ(traced.trace.recorded().node(constant->node).kind, NodeKind::kConstant);
  EXPECT_EQ(traced.trace.recorded().node(traced.call("aten::mul_.Tensor").writes.at(0)).target,
            "aten::lift_fresh_copy");
}

TEST(TracerTest, CompositeOperatorsAreDecomposedInInferenceModeToo) {
  const char* body =
      "y = torch.nn.functional.linear(x, w)\nz = torch.einsum(\"ij,kj->ik\", y, y)\n"
      "p = torch.nn.functional.max_pool2d(x.view(1, 1, 4, 6), 2)\nq = torch.nn.functional.layer_norm(x, (6,))\n"
      "return z.softmax(0), p.flatten(), q.reshape(6, 4), torch.square(x)";
  const std::string moded = "with torch.inference_mode():\n" + indented(body);
  const TracedProgram inference("F(4, 6), F(6, 6)", "x, w", moded.substr(0, moded.size() - 1).c_str());
  for (const std::string& target : inference.targets()) {
    EXPECT_FALSE(fake::traitsOf(fake::operatorOf(target)).isComposite) << target;
  }
  const TracedProgram normal("F(4, 6), F(6, 6)", "x, w", body);
  EXPECT_EQ(inference.targets(), normal.targets());
  EXPECT_TRUE(inference.call("aten::mm").state.inference);
  EXPECT_FALSE(normal.call("aten::mm").state.inference);
}

TEST(TracerTest, GeneratorAndArgumentsStayAsTheyWere) {
  for (const fake::Backing backing : {fake::Backing::kValues, fake::Backing::kMeta}) {
    at::manual_seed(3);
    const at::Tensor before = generatorState();
    const language::Case theCase =
        caseOfProgram({"", "F(4, 6)", "x",
                       "x.mul_(torch.rand(6))\nx.t_()\nx[0].normal_()\n"
                       "return torch.dropout(x, 0.5, True), torch.randperm(4), torch.randn_like(x)"});
    const values::ValueList arguments = evaluator::Evaluator(theCase).makeInputs("inputs", 1, "uniform").arguments;
    const at::Tensor& x = arguments[0].tensor();
    const std::vector<char> bits = bitsOf(x);
    const int64_t version = x._version();
    const WholeTrace trace(theCase, arguments, backing);
    EXPECT_TRUE(generatorState().equal(before));
    EXPECT_EQ(bitsOf(x), bits);
    EXPECT_EQ(x._version(), version);
    EXPECT_EQ(x.sizes(), at::IntArrayRef({4, 6}));
  }
}

TEST(TracerTest, WithoutValuesThereIsNoMemoryBeneath) {
  const TracedProgram traced("F(64, 64)", "x", "return torch.mm(x, x).sum()", fake::Backing::kMeta);
  EXPECT_TRUE(fake::fakeOf(traced.trace.outputs().at(0))->backing().is_meta());
  EXPECT_TRUE(traced.trace.outputs().at(0).is_cpu()) << "the program sees the device of its arguments";
}

TEST(TracerTest, WhatATraceWouldLoseIsRefusedWithAReason) {
  const std::pair<const char*, const char*> table[] = {
      {"torch.manual_seed(3)\nreturn x + torch.rand(3)", "the generator is seeded"},
      {"return torch.tensor_split(x, torch.tensor([1, 2]))", "values are read from tensor data"},
      {"return x.tolist()", "values are read from tensor data"},
      {"y = x.exp()\nx.detach_()\nx.requires_grad_()\nreturn x * x, y", "an argument is used, then detached"},
  };
  for (const auto& [body, reason] : table) {
    try {
      const TracedProgram traced("F(3).requires_grad_() * 1", "x", body);
      ADD_FAILURE() << "traced:\n" << body;
    } catch (const ir::Unsupported& refusal) {
      EXPECT_EQ(std::string(refusal.what()).find(reason), 0u) << refusal.what();
    }
  }
}

TEST(TracerTest, ErrorsAreEagers) {
  for (const fake::Backing backing : {fake::Backing::kValues, fake::Backing::kMeta}) {
    for (const char* body :
         {"return torch.mm(x, x)", "return x.view(5)", "return x.expand(3, 3)", "x.add_(torch.ones(7))",
          "return torch.cat((x, torch.ones(1, 1)))", "return x[5]", "return x.squeeze(4)"}) {
      const language::Case theCase = caseOfProgram({"", "F(2, 3)", "x", body});
      std::string eager, traced;
      try {
        evaluator::Evaluator(theCase).call("program",
                                           evaluator::Evaluator(theCase).makeInputs("inputs", 1, "grid").arguments);
      } catch (...) {
        eager = firstLine(std::current_exception());
      }
      try {
        WholeTrace trace(theCase, evaluator::Evaluator(theCase).makeInputs("inputs", 1, "grid").arguments, backing);
      } catch (...) {
        traced = firstLine(std::current_exception());
      }
      EXPECT_FALSE(eager.empty()) << body;
      EXPECT_EQ(eager, traced) << body;
    }
  }
}

} // namespace
} // namespace touchstone::tests
