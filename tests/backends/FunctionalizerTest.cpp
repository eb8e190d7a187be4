#include "backends/aot_autograd/Functionalizer.h"

#include "backends/fake/OperatorTraits.h"
#include "graph/ir/Geometry.h"
#include "program/values/CompiledProgram.h"
#include "graph/runtime/Interpreter.h"
#include "tests/backends/AotPrograms.h"
#include "tests/backends/CallOutcome.h"
#include "tests/backends/WholeCapture.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <functional>

namespace touchstone::backends {
namespace {

using graph::NodeId;

graph::ValueList argumentsOf(const graph::Case& theCase, int64_t seed) {
  return graph::Evaluator(theCase).makeInputs("inputs", seed, "uniform").arguments;
}

/// Every operator that writes to memory, by the name of its node.
std::vector<std::string> writersIn(const graph::Graph& graph) {
  std::vector<std::string> writers;
  for (const graph::Node& node : graph.nodes()) {
    if (node.kind != graph::NodeKind::kOperator) {
      continue;
    }
    const c10::OperatorHandle& op = operatorOf(node.target);
    bool writes = op.schema().is_mutable();
    if (traitsOf(op).hidesWrites) {
      const bool* training = std::get_if<bool>(&node.arguments.at(5).payload);
      writes = writes || training == nullptr || *training;
    }
    if (writes) {
      writers.push_back(node.name + " = " + node.target);
    }
  }
  return writers;
}

/// A program's functional Graph, which returns all outputs, then all inputs as they are at the end, then all memory of
/// inputs.
struct FunctionalForm {
  FunctionalForm(const graph::Case& theCase, int64_t seed, Beneath beneath = Beneath::kValues)
      : whole(theCase, argumentsOf(theCase, seed), beneath), trace(whole.trace), functionalizer(trace.recorded()) {
    functionalizer.process(trace.forwardEnd(), false);
    std::vector<NodeId> nodes;
    for (int output : trace.plan().outputs) {
      outputs.push_back(output);
      nodes.push_back(output < 0 ? -1 : functionalizer.read(trace.nodeOf(output)));
    }
    for (size_t i = 0; i < trace.plan().inputs.size(); ++i) {
      nodes.push_back(functionalizer.read(trace.nodeOf(static_cast<int>(i))));
    }
    for (const TracedInputStorage& storage : trace.arguments().storages) {
      const Functionalizer::StorageValue value = functionalizer.readStorage(storage.number);
      isFlat.push_back(value.isFlat);
      nodes.push_back(value.node);
    }
    graph = functionalizer.graph();
    graph::Argument::Container results;
    results.kind = graph::Argument::Container::Kind::kTuple;
    for (NodeId node : nodes) {
      results.items.push_back(node < 0 ? graph::Argument{} : graph::Argument{graph::NodeReference{node}});
    }
    graph.output = graph::Argument{results};
  }

  std::vector<at::Tensor> run(const graph::ValueList& arguments) const {
    const std::vector<at::Tensor> inputs = inputTensors(whole.inputsOf(arguments));
    std::vector<at::Tensor> placeholders;
    for (const InputStoragePlan& storage : trace.plan().inputStorages) {
      const at::Tensor& first = inputs[static_cast<size_t>(storage.firstInput)];
      placeholders.push_back(storage.isFlat ? flatAlias(first, storage.dtype) : first.detach());
    }
    at::NoGradGuard noGrad;
    at::manual_seed(5);
    return graph::Interpreter(graph, graph::NodeState::kCallers).runFlat(placeholders);
  }

  WholeTrace whole;
  JointTrace& trace;
  Functionalizer functionalizer;
  graph::Graph graph;
  std::vector<int> outputs;
  std::vector<bool> isFlat; // by input storage
};

class FunctionalizerTest : public testing::TestWithParam<AotProgram> {};

TEST_P(FunctionalizerTest, NothingWritesAndTheGraphIsSound) {
  const graph::Case theCase = caseOfProgram(GetParam());
  const FunctionalForm form(theCase, 1);
  EXPECT_EQ(writersIn(form.graph), std::vector<std::string>()) << graph::printGraph(form.graph);
  EXPECT_NO_THROW(form.graph.check());
  EXPECT_EQ(form.graph.placeholders().size(), form.trace.plan().inputStorages.size());
}

TEST_P(FunctionalizerTest, OtherValuesGiveWhatEagerGives) {
  const graph::Case theCase = caseOfProgram(GetParam());
  const FunctionalForm form(theCase, 1);

  const graph::ValueList eagerArguments = argumentsOf(theCase, 2);
  const graph::ValueList eagerGiven = form.whole.inputsOf(eagerArguments);
  const std::vector<at::Tensor> eagerInputs = inputTensors(eagerGiven);
  std::vector<at::Tensor> eagerMemories; // before the program, which may move inputs elsewhere
  for (size_t i = 0; i < form.trace.plan().inputStorages.size(); ++i) {
    const InputStoragePlan& storage = form.trace.plan().inputStorages[i];
    const at::Tensor& first = eagerInputs[static_cast<size_t>(storage.firstInput)];
    eagerMemories.push_back(form.isFlat[i] ? flatAlias(first, storage.dtype) : first.detach());
  }
  at::manual_seed(5);
  std::vector<at::Tensor> given;
  for (const graph::Value& value : eagerGiven) {
    given.push_back(value.tensor());
  }
  const std::vector<at::Tensor> eagerOutputs = form.whole.program.runFlat(given);
  const at::Tensor eagerGenerator = generatorState();

  const graph::ValueList arguments = argumentsOf(theCase, 2);
  const std::vector<at::Tensor> inputs = inputTensors(form.whole.inputsOf(arguments));
  std::vector<std::vector<char>> before;
  for (const at::Tensor& input : inputs) {
    before.push_back(bitsOf(flatAlias(input, at::kByte)));
  }
  const std::vector<at::Tensor> results = form.run(arguments);
  EXPECT_TRUE(generatorState().equal(eagerGenerator)) << "draws of random numbers";
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(bitsOf(flatAlias(inputs[i], at::kByte)), before[i]) << "the functional Graph has written to input " << i;
  }

  const RuntimePlan& plan = form.trace.plan();
  ASSERT_EQ(eagerOutputs.size(), form.outputs.size());
  ASSERT_EQ(results.size(), eagerOutputs.size() + eagerInputs.size() + eagerMemories.size());
  const std::string text = graph::printGraph(form.trace.recorded(), "recorded") + graph::printGraph(form.graph);
  for (size_t i = 0; i < eagerOutputs.size(); ++i) {
    EXPECT_EQ(differenceOfValues(eagerOutputs[i], results[i]), "") << "output " << i << "\n" << text;
    EXPECT_EQ(eagerOutputs[i].strides(), results[i].strides()) << "output " << i << "\n" << text;
    if (form.outputs[i] >= static_cast<int>(plan.inputs.size())) {
      const MadePlan& made = plan.made[static_cast<size_t>(form.outputs[i]) - plan.inputs.size()];
      EXPECT_EQ(at::IntArrayRef(made.place.geometry.strides), eagerOutputs[i].strides()) << "planned output " << i;
      EXPECT_EQ(at::IntArrayRef(made.place.geometry.sizes), eagerOutputs[i].sizes()) << "planned output " << i;
      EXPECT_EQ(made.place.geometry.offset, eagerOutputs[i].storage_offset()) << "planned output " << i;
    }
  }
  for (size_t i = 0; i < eagerInputs.size(); ++i) {
    EXPECT_EQ(differenceOfValues(eagerInputs[i], results[eagerOutputs.size() + i]), "") << "input " << i << "\n"
                                                                                        << text;
  }
  for (size_t i = 0; i < eagerMemories.size(); ++i) {
    EXPECT_EQ(differenceOfValues(eagerMemories[i], results[eagerOutputs.size() + eagerInputs.size() + i]), "")
        << "memory " << i << "\n"
        << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, FunctionalizerTest, testing::ValuesIn(writingPrograms()),
                         [](const auto& info) { return info.param.name; });

/// The stages of a compile with its backward.
class FunctionalStages : public graph::StageHook {
 public:
  void after(const std::string&, graph::StageArtifacts& artifacts) override { last = artifacts; }
  graph::StageArtifacts last;
};

TEST_P(FunctionalizerTest, NothingWritesInTheJointGraphAndItsParts) {
  const graph::Case theCase = caseOfProgram(GetParam());
  auto stages = std::make_shared<FunctionalStages>();
  AotOptions options;
  options.hooks = {stages};
  const WholeFrame frame(theCase, argumentsOf(theCase, 1), options);
  int checked = 0;
  for (const auto& [stage, graph] : stages->last.graphs) {
    EXPECT_NO_THROW(graph.check()) << stage;
    if (stage != "captured" && stage != "joint") {
      EXPECT_EQ(writersIn(graph), std::vector<std::string>()) << stage;
      ++checked;
    }
  }
  EXPECT_GE(checked, 2);
}

graph::Case oneInput(const std::string& body) {
  return caseOfProgram({"", "F(8)", "x", body.c_str()});
}

TEST_F(FunctionalizerTest, RefusesMemoryThatGrows) {
  EXPECT_THROW(FunctionalForm(oneInput("z = x * 2\nz.resize_(4, 4)\nreturn z.fill_(1)"), 1), graph::Unsupported);
  EXPECT_THROW(FunctionalForm(oneInput("z = torch.zeros(2)\ntorch.add(x, x, out=z)\nreturn z"), 1), graph::Unsupported);
}

TEST_F(FunctionalizerTest, WritesThatMeetAreEagersWhereTheyDoNotMeet) {
  // What an operator that reads what it writes does where it writes twice is undefined; elsewhere it is not.
  struct Overlap {
    const char* body;
    std::vector<int64_t> writtenOnce;
  };
  for (const Overlap& overlap :
       {Overlap{"z = x * 1\nz.unfold(0, 3, 1)[:4].add_(1)\nreturn z", {0, 5, 6, 7}},
        Overlap{"x.unfold(0, 4, 2).mul_(2)\nreturn x * 1", {0, 1, 6, 7}},
        Overlap{"z = x * 1\nz.as_strided((3, 3), (1, 1), 2).mul_(x[:3])\nreturn z", {0, 1, 2, 6, 7}}}) {
    const graph::Case theCase = oneInput(overlap.body);
    const FunctionalForm form(theCase, 1);
    const at::Tensor eager = graph::Evaluator(theCase).call("program", argumentsOf(theCase, 2)).tensor();
    const at::Tensor functional = form.run(argumentsOf(theCase, 2))[0];
    for (int64_t position : overlap.writtenOnce) {
      EXPECT_EQ(differenceOfValues(eager.select(0, position), functional.select(0, position)), "")
          << overlap.body << "\nelement " << position;
    }
  }
}

TEST_F(FunctionalizerTest, GoesOnInTwoWays) {
  const graph::Case theCase = oneInput("z = x * 2\nz[1:3].add_(1)\nreturn z");
  WholeTrace whole(theCase, argumentsOf(theCase, 1));
  JointTrace& trace = whole.trace;
  Functionalizer first(trace.recorded());
  first.process(trace.forwardEnd() / 2, false);
  Functionalizer second = first;
  first.process(trace.forwardEnd(), false);
  second.process(trace.forwardEnd(), false);
  const NodeId output = trace.nodeOf(trace.plan().outputs[0]);
  EXPECT_EQ(first.read(output), second.read(output));
  EXPECT_EQ(graph::printGraph(first.graph()), graph::printGraph(second.graph()));
}

TEST_F(FunctionalizerTest, CountsWritesOfEachStorage) {
  const graph::Case theCase = oneInput("z = x * 2\nz[1:3].add_(1)\nz.mul_(2)\nx[0].zero_()\nreturn z.t()");
  WholeTrace whole(theCase, argumentsOf(theCase, 1));
  JointTrace& trace = whole.trace;
  Functionalizer functionalizer(trace.recorded());
  functionalizer.process(trace.forwardEnd(), false);
  EXPECT_EQ(functionalizer.writes(trace.storageOf(trace.plan().outputs[0])), 2);
  EXPECT_EQ(functionalizer.writes(trace.arguments().storages[0].number), 1);
  EXPECT_EQ(functionalizer.length(trace.arguments().storages[0].number), 8);
}

TEST_F(FunctionalizerTest, WhatIsNotWrittenIsNotCopied) {
  const graph::Case theCase = oneInput("z = x.view(2, 4).t()\ny = z[1:3] + 1\nreturn y.sum()");
  const FunctionalForm form(theCase, 1);
  for (const graph::Node& node : form.graph.nodes()) {
    EXPECT_EQ(node.target.find("as_strided"), std::string::npos) << node.target;
    EXPECT_EQ(node.target.find("copy"), std::string::npos) << node.target;
  }
}

} // namespace
} // namespace touchstone::backends
