#include "backends/aot_autograd/Functionalizer.h"

#include "backends/fake/OperatorTraits.h"
#include "graph/ir/Geometry.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/CompiledProgram.h"
#include "tests/backends/AotPrograms.h"
#include "tests/backends/CallOutcome.h"
#include "tests/backends/WholeCapture.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <functional>

namespace touchstone::tests {
namespace {

using ir::NodeId;

values::ValueList argumentsMade(const language::Case& theCase, int64_t seed) {
  return evaluator::Evaluator(theCase).makeInputs("inputs", seed, "uniform").arguments;
}

/// Every operator that writes to memory, by the name of its node.
std::vector<std::string> writersIn(const ir::Graph& graph) {
  std::vector<std::string> writers;
  for (const ir::Node& node : graph.nodes()) {
    if (node.kind != ir::NodeKind::kOperator) {
      continue;
    }
    const c10::OperatorHandle& op = fake::operatorOf(node.target);
    bool writes = op.schema().is_mutable();
    if (fake::traitsOf(op).hidesWrites) {
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
  FunctionalForm(const language::Case& theCase, int64_t seed, fake::Backing backing = fake::Backing::kValues)
      : whole(theCase, argumentsMade(theCase, seed), backing), trace(whole.trace), functionalizer(trace.recorded()) {
    functionalizer.process(trace.forwardEnd(), false);
    std::vector<NodeId> nodes;
    for (int output : trace.plan().outputs) {
      outputs.push_back(output);
      nodes.push_back(output < 0 ? -1 : functionalizer.read(trace.nodeOf(output)));
    }
    for (size_t i = 0; i < trace.plan().inputs.size(); ++i) {
      nodes.push_back(functionalizer.read(trace.nodeOf(static_cast<int>(i))));
    }
    for (const aot_autograd::TracedInputStorage& storage : trace.arguments().storages) {
      const aot_autograd::StorageValue value = functionalizer.readStorage(storage.number);
      isFlat.push_back(value.isFlat);
      nodes.push_back(value.node);
    }
    graph = functionalizer.graph();
    ir::Argument::Container results;
    results.kind = ir::Argument::Container::Kind::kTuple;
    for (NodeId node : nodes) {
      results.items.push_back(node < 0 ? ir::Argument{} : ir::Argument{ir::NodeReference{node}});
    }
    graph.output = ir::Argument{results};
  }

  std::vector<at::Tensor> run(const values::ValueList& arguments) const {
    const std::vector<at::Tensor> inputs = aot_autograd::inputTensors(whole.inputsOf(arguments));
    std::vector<at::Tensor> placeholders;
    for (const aot_autograd::InputStoragePlan& storage : trace.plan().inputStorages) {
      const at::Tensor& first = inputs[static_cast<size_t>(storage.firstInput)];
      placeholders.push_back(storage.isFlat ? aot_autograd::flatAlias(first, storage.dtype) : first.detach());
    }
    at::NoGradGuard noGrad;
    at::manual_seed(5);
    return runtime::Interpreter(graph, runtime::NodeState::kCallers).runFlat(placeholders);
  }

  WholeTrace whole;
  aot_autograd::JointTrace& trace;
  aot_autograd::Functionalizer functionalizer;
  ir::Graph graph;
  std::vector<int> outputs;
  std::vector<bool> isFlat; // by input storage
};

class FunctionalizerTest : public testing::TestWithParam<AotProgram> {};

TEST_P(FunctionalizerTest, NothingWritesAndTheGraphIsSound) {
  const language::Case theCase = caseOfProgram(GetParam());
  const FunctionalForm form(theCase, 1);
  EXPECT_EQ(writersIn(form.graph), std::vector<std::string>()) << ir::printGraph(form.graph);
  EXPECT_NO_THROW(form.graph.check());
  EXPECT_EQ(form.graph.placeholders().size(), form.trace.plan().inputStorages.size());
}

TEST_P(FunctionalizerTest, OtherValuesGiveWhatEagerGives) {
  const language::Case theCase = caseOfProgram(GetParam());
  const FunctionalForm form(theCase, 1);

  const values::ValueList eagerArguments = argumentsMade(theCase, 2);
  const values::ValueList eagerGiven = form.whole.inputsOf(eagerArguments);
  const std::vector<at::Tensor> eagerInputs = aot_autograd::inputTensors(eagerGiven);
  std::vector<at::Tensor> eagerMemories; // before the program, which may move inputs elsewhere
  for (size_t i = 0; i < form.trace.plan().inputStorages.size(); ++i) {
    const aot_autograd::InputStoragePlan& storage = form.trace.plan().inputStorages[i];
    const at::Tensor& first = eagerInputs[static_cast<size_t>(storage.firstInput)];
    eagerMemories.push_back(form.isFlat[i] ? aot_autograd::flatAlias(first, storage.dtype) : first.detach());
  }
  at::manual_seed(5);
  std::vector<at::Tensor> given;
  for (const values::Value& value : eagerGiven) {
    given.push_back(value.tensor());
  }
  const std::vector<at::Tensor> eagerOutputs = form.whole.program.runFlat(given);
  const at::Tensor eagerGenerator = generatorState();

  const values::ValueList arguments = argumentsMade(theCase, 2);
  const std::vector<at::Tensor> inputs = aot_autograd::inputTensors(form.whole.inputsOf(arguments));
  std::vector<std::vector<char>> before;
  for (const at::Tensor& input : inputs) {
    before.push_back(bitsOf(aot_autograd::flatAlias(input, at::kByte)));
  }
  const std::vector<at::Tensor> results = form.run(arguments);
  EXPECT_TRUE(generatorState().equal(eagerGenerator)) << "draws of random numbers";
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(bitsOf(aot_autograd::flatAlias(inputs[i], at::kByte)), before[i])
        << "the functional Graph has written to input " << i;
  }

  const aot_autograd::ViewAndMutationMetadata& plan = form.trace.plan();
  ASSERT_EQ(eagerOutputs.size(), form.outputs.size());
  ASSERT_EQ(results.size(), eagerOutputs.size() + eagerInputs.size() + eagerMemories.size());
  const std::string text = ir::printGraph(form.trace.recorded(), "recorded") + ir::printGraph(form.graph);
  for (size_t i = 0; i < eagerOutputs.size(); ++i) {
    EXPECT_EQ(differenceOfValues(eagerOutputs[i], results[i]), "") << "output " << i << "\n" << text;
    EXPECT_EQ(eagerOutputs[i].strides(), results[i].strides()) << "output " << i << "\n" << text;
    if (form.outputs[i] >= static_cast<int>(plan.inputs.size())) {
      const aot_autograd::MadePlan& made = plan.made[static_cast<size_t>(form.outputs[i]) - plan.inputs.size()];
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
class FunctionalStages : public backends::PipelineObserver {
 public:
  void afterStage(const std::string&, ir::StageArtifacts& artifacts) override { last = artifacts; }
  ir::StageArtifacts last;
};

TEST_P(FunctionalizerTest, NothingWritesInTheJointGraphAndItsParts) {
  const language::Case theCase = caseOfProgram(GetParam());
  auto stages = std::make_shared<FunctionalStages>();
  aot_autograd::AotOptions options;
  options.observers = {stages};
  const WholeFrame frame(theCase, argumentsMade(theCase, 1), options);
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

language::Case oneInput(const std::string& body) {
  return caseOfProgram({"", "F(8)", "x", body.c_str()});
}

TEST_F(FunctionalizerTest, RefusesMemoryThatGrows) {
  EXPECT_THROW(FunctionalForm(oneInput("z = x * 2\nz.resize_(4, 4)\nreturn z.fill_(1)"), 1), ir::Unsupported);
  EXPECT_THROW(FunctionalForm(oneInput("z = torch.zeros(2)\ntorch.add(x, x, out=z)\nreturn z"), 1), ir::Unsupported);
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
    const language::Case theCase = oneInput(overlap.body);
    const FunctionalForm form(theCase, 1);
    const at::Tensor eager = evaluator::Evaluator(theCase).call("program", argumentsMade(theCase, 2)).tensor();
    const at::Tensor functional = form.run(argumentsMade(theCase, 2))[0];
    for (int64_t position : overlap.writtenOnce) {
      EXPECT_EQ(differenceOfValues(eager.select(0, position), functional.select(0, position)), "")
          << overlap.body << "\nelement " << position;
    }
  }
}

TEST_F(FunctionalizerTest, GoesOnInTwoWays) {
  const language::Case theCase = oneInput("z = x * 2\nz[1:3].add_(1)\nreturn z");
  WholeTrace whole(theCase, argumentsMade(theCase, 1));
  aot_autograd::JointTrace& trace = whole.trace;
  aot_autograd::Functionalizer first(trace.recorded());
  first.process(trace.forwardEnd() / 2, false);
  aot_autograd::Functionalizer second = first;
  first.process(trace.forwardEnd(), false);
  second.process(trace.forwardEnd(), false);
  const NodeId output = trace.nodeOf(trace.plan().outputs[0]);
  EXPECT_EQ(first.read(output), second.read(output));
  EXPECT_EQ(ir::printGraph(first.graph()), ir::printGraph(second.graph()));
}

TEST_F(FunctionalizerTest, CountsWritesOfEachStorage) {
  const language::Case theCase = oneInput("z = x * 2\nz[1:3].add_(1)\nz.mul_(2)\nx[0].zero_()\nreturn z.t()");
  WholeTrace whole(theCase, argumentsMade(theCase, 1));
  aot_autograd::JointTrace& trace = whole.trace;
  aot_autograd::Functionalizer functionalizer(trace.recorded());
  functionalizer.process(trace.forwardEnd(), false);
  EXPECT_EQ(functionalizer.writes(trace.storageOf(trace.plan().outputs[0])), 2);
  EXPECT_EQ(functionalizer.writes(trace.arguments().storages[0].number), 1);
  EXPECT_EQ(functionalizer.length(trace.arguments().storages[0].number), 8);
}

TEST_F(FunctionalizerTest, WhatIsNotWrittenIsNotCopied) {
  const language::Case theCase = oneInput("z = x.view(2, 4).t()\ny = z[1:3] + 1\nreturn y.sum()");
  const FunctionalForm form(theCase, 1);
  for (const ir::Node& node : form.graph.nodes()) {
    EXPECT_EQ(node.target.find("as_strided"), std::string::npos) << node.target;
    EXPECT_EQ(node.target.find("copy"), std::string::npos) << node.target;
  }
}

} // namespace
} // namespace touchstone::tests
