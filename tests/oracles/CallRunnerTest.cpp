#include "oracles/observe/CallRunner.h"

#include "ObservedCase.h"
#include "oracles/observe/TensorSlot.h"
#include "oracles/taint/OverlapWrites.h"
#include "program/values/CompiledProgram.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rand.h>

#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>

#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

using Role = observe::Location::Role;

constexpr const char* kPlainInputs = R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    y = data((2, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()
)";
constexpr const char* kOneCall = "    dict(inputs=\"inputs\", seed=7),";

std::string withPlainInputs(const std::string& program) {
  return kPlainInputs + ("\n\n" + program);
}

at::Tensor lookedAtAgain(const observe::CallObservation& call, int after) {
  return observe::valuesAt(call, {observe::TensorSlot::Kind::kLateOutput, 0, after});
}

TEST(CallRunnerTest, OfAFunctionAmongTheResultsItsNameIsObserved) {
  const observe::CallObservation call = observe(withPlainInputs(R"(
def program(x, y):
    def inner():
        return x

    return inner, [lambda: y]
)"),
                                                kOneCall)
                                            .calls.at(0);
  ASSERT_FALSE(call.exception) << call.exception->message;
  EXPECT_EQ(call.structure, "(function(name=_), [function(name=_)])");
  ASSERT_EQ(call.nonTensors.size(), 2u);
  EXPECT_EQ(call.nonTensors[0].as<std::string>(), "inner");
}

TEST(CallRunnerTest, OutputsAreObservedWithLayoutAndStructure) {
  const observe::CallObservation call = observe(withPlainInputs(R"(
def program(x, y):
    z = x + y
    return z.t()[1:], [z.double(), 3], {"n": z.dim(), "t": x}
)"),
                                                kOneCall)
                                            .calls.at(0);
  ASSERT_FALSE(call.exception) << call.exception->message;
  EXPECT_EQ(call.structure, R"((T, [T, _], {"n": _, "t": T}))");
  ASSERT_EQ(call.outputs.size(), 3u);
  EXPECT_EQ(call.outputs[0].sizes, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(call.outputs[0].strides, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(call.outputs[0].offset, 1);
  EXPECT_EQ(call.outputs[0].storageBytes, 24);
  EXPECT_EQ(call.outputs[0].device, "cpu");
  EXPECT_EQ(call.outputs[1].dtype, at::kDouble);
  EXPECT_TRUE(call.outputs[0].values.equal(call.outputs[1].values.to(at::kFloat).t().slice(0, 1)));
  EXPECT_TRUE(call.outputs[0].values.is_contiguous());
  ASSERT_EQ(call.nonTensors.size(), 2u);
  EXPECT_EQ(call.nonTensors[0].as<int64_t>(), 3);
  EXPECT_EQ(call.nonTensors[1].as<int64_t>(), 2);
  EXPECT_EQ(call.arguments.size(), 2u);
  EXPECT_EQ(call.argumentStructure, "");
}

TEST(CallRunnerTest, MutationIsSeenInValuesVersionsAndStorages) {
  const observe::CallObservation call = observe(R"(
def inputs(seed, kind):
    base = data((24,), torch.float32, (seed, 0), kind)
    x = torch.as_strided(base, (2, 3), (4, 1), 5)
    y = data((3,), torch.float32, (seed, 1), kind)
    gapped = torch.as_strided(data((9,), torch.float32, (seed, 2), kind), (3,), (2,), 1)
    return (x, y, gapped), (base,)


def program(x, y, gapped):
    x.add_(1)
    return x.sum()
)",
                                                kOneCall)
                                            .calls.at(0);
  ASSERT_FALSE(call.exception) << call.exception->message;
  EXPECT_TRUE(call.arguments[0].versionBumped);
  EXPECT_FALSE(call.arguments[1].versionBumped);
  EXPECT_TRUE(call.watched[0].versionBumped);
  EXPECT_FALSE(call.outputs[0].versionBumped);
  EXPECT_EQ(call.outputs[0].values.item<float>(), call.arguments[0].values.sum().item<float>());
  ASSERT_EQ(call.inputStorages.size(), 3u);
  EXPECT_FALSE(call.inputStorages[0].defined()) << "the base says it all";
  EXPECT_FALSE(call.inputStorages[1].defined());
  ASSERT_TRUE(call.inputStorages[2].defined());
  EXPECT_EQ(call.inputStorages[2].sizes(), at::IntArrayRef({9}));
}

TEST(CallRunnerTest, PartitionNamesStoragesRangesAndObjects) {
  const observe::CallObservation call = observe(withPlainInputs(R"(
def program(x, y):
    return x, x[1], y.clone(), x.detach()
)"),
                                                kOneCall)
                                            .calls.at(0);
  ASSERT_EQ(call.partition.size(), 6u);
  const auto& members = call.partition;
  const std::vector<int> storages = {0, 1, 0, 0, 2, 0};
  const std::vector<int> objects = {0, 1, 0, 2, 3, 4};
  for (size_t i = 0; i < members.size(); ++i) {
    EXPECT_EQ(members[i].storage, storages[i]) << i;
    EXPECT_EQ(members[i].object, objects[i]) << i;
  }
  EXPECT_EQ(members[3].location, (observe::Location{Role::kOutput, 1}));
  EXPECT_EQ(members[3].firstByte, 12);
  EXPECT_EQ(members[3].endByte, 24);
  ASSERT_EQ(call.effects.size(), 4u); // outputs 0, 1, 3 and arg 0
  EXPECT_EQ(call.effects[1].written.text(), "output 1");
  EXPECT_EQ(call.effects[1].changed.size(), 3u);
  EXPECT_EQ(call.effects[3].written.text(), "arg 0");
}

TEST(CallRunnerTest, AutogradMetadataAndItsErrors) {
  const observe::CallObservation call = observe(R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x * 2
    a, b = y.unbind(0)
    y.add_(x)
    return y, x.detach(), a
)",
                                                kOneCall)
                                            .calls.at(0);
  ASSERT_FALSE(call.exception) << call.exception->message;
  EXPECT_TRUE(call.outputs[0].requiresGrad && call.outputs[0].hasGradFn && !call.outputs[0].isLeaf);
  EXPECT_TRUE(!call.outputs[1].requiresGrad && !call.outputs[1].hasGradFn && call.outputs[1].isLeaf);
  EXPECT_NE(call.outputs[2].autogradError, "");
  EXPECT_TRUE(call.outputs[2].values.defined());
  EXPECT_TRUE(call.arguments[0].requiresGrad && call.arguments[0].isLeaf);
}

TEST(CallRunnerTest, ExceptionsHaveTheirStageAndInputsAreStillObserved) {
  const observe::CaseObservation observed = observe(R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    if seed == 1:
        x = x.view(7)
    return (x,), ()


def program(x):
    x.mul_(2)
    return torch.mm(x, x)
)",
                                                    R"(    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=1),
    dict(inputs=None),
    dict(inputs="inputs", seed=8),)");
  EXPECT_EQ(observed.calls[0].exception.value().phase, "forward");
  EXPECT_EQ(observed.calls[0].exception.value().type, "RuntimeError");
  EXPECT_TRUE(observed.calls[0].outputs.empty());
  ASSERT_EQ(observed.calls[0].arguments.size(), 1u);
  EXPECT_TRUE(observed.calls[0].arguments[0].versionBumped);
  EXPECT_EQ(observed.calls[1].exception.value().phase, "inputs");
  EXPECT_EQ(observed.calls[2].exception.value().phase, "inputs");
  EXPECT_EQ(observed.calls[3].exception.value().phase, "forward");
}

TEST(CallRunnerTest, UnsupportedIsTold) {
  const language::Case theCase = caseOf(withPlainInputs("def program(x, y):\n    return x\n"), kOneCall);
  ProgramOf program([](values::ValueList&) -> values::Value { throw ir::Unsupported("no tensors on Mondays"); });
  const observe::ExceptionObservation exception = observe::runCalls(theCase, program).calls.at(0).exception.value();
  EXPECT_TRUE(exception.unsupported);
  EXPECT_EQ(exception.message, "no tensors on Mondays");
}

TEST(CallRunnerTest, PreviousObjectsAreUsedAgain) {
  const observe::CaseObservation observed = observe(withPlainInputs(R"(
def program(x, y):
    x.add_(y)
    return x
)"),
                                                    "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=None),");
  const observe::CallObservation& first = observed.calls[0];
  const observe::CallObservation& second = observed.calls[1];
  EXPECT_TRUE(second.outputs[0].values.equal(first.outputs[0].values + first.arguments[1].values));
  EXPECT_TRUE(lookedAtAgain(first, 1).equal(second.outputs[0].values)) << "it is the same tensor";
  EXPECT_TRUE(second.arguments[0].versionBumped);
}

TEST(CallRunnerTest, LateLookShowsReusedBuffers) {
  const language::Case theCase = caseOf(withPlainInputs("def program(x, y):\n    return x\n"),
                                        "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=\"inputs\", seed=8),");
  at::Tensor buffer = at::full({2, 3}, 5.f);
  ProgramOf program([&](values::ValueList& arguments) -> values::Value {
    buffer.copy_(arguments[0].tensor());
    return buffer.view({3, 2});
  });
  const observe::CaseObservation observed = observe::runCalls(theCase, program);
  EXPECT_TRUE(lookedAtAgain(observed.calls[0], 0).is_same(observed.calls[0].outputs[0].values));
  EXPECT_TRUE(lookedAtAgain(observed.calls[0], 1).equal(observed.calls[1].outputs[0].values));
  EXPECT_TRUE(observed.calls[1].changes.empty());
}

TEST(CallRunnerTest, AnotherInstanceServesTheCallsThatAskForIt) {
  const language::Case theCase = caseOf(withPlainInputs("def program(x, y):\n    return x\n"),
                                        "    dict(inputs=\"inputs\"),\n    dict(inputs=\"inputs\", instance=1),");
  std::string log;
  ProgramOf first([&](values::ValueList& arguments) -> values::Value {
    log += "0";
    return arguments[0];
  });
  observe::RunOptions options;
  options.instance = [&](int instance, values::ValueList& arguments) {
    log += std::to_string(instance);
    return arguments[0];
  };
  observe::runCalls(theCase, first, options);
  EXPECT_EQ(log, "01");
  log.clear();
  observe::runCalls(theCase, first);
  EXPECT_EQ(log, "00") << "one program serves all where there is no other";
}

TEST(CallRunnerTest, AProgramIsToldOfMarksBeforeItsCall) {
  class Marked final : public values::Callable {
   public:
    std::string log;
    at::Tensor marked;
    values::Value operator()(values::ValueList& arguments) override {
      log += arguments[0].tensor().is_same(marked) ? " call" : " another tensor";
      return arguments[0];
    }
    void mark(const at::Tensor& tensor, const values::DimensionMark& mark) override {
      marked = tensor;
      log += " " + mark.function + std::to_string(mark.dimension) + std::to_string(mark.minimum.value_or(-1)) +
             std::to_string(mark.maximum.value_or(-1));
    }
  };
  const language::Case theCase = caseOf(R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    torch._dynamo.mark_dynamic(x, 1, min=2, max=9)
    torch._dynamo.decorators.mark_unbacked(x, 0)
    return (x,), ()


def program(x):
    return x
)",
                                        "    dict(inputs=\"inputs\"),\n    dict(inputs=None),");
  Marked program;
  observe::runCalls(theCase, program);
  EXPECT_EQ(program.log, " mark_dynamic129 decorators.mark_unbacked0-1-1 call call");
}

TEST(CallRunnerTest, ModesAreSetObservedAndRestored) {
  const std::string functions = withPlainInputs(R"(
def program(x, y):
    if x.dim() == 2:
        torch.set_grad_enabled(False)
    return torch.mm(x, y.t())
)");
  const observe::CaseObservation observed = observe(functions, R"(    dict(inputs="inputs", grad_mode="no_grad"),
    dict(inputs="inputs", grad_mode="inference"),
    dict(inputs="inputs", autocast=torch.bfloat16),
    dict(inputs="inputs"),)");
  for (const observe::CallObservation& call : observed.calls) {
    ASSERT_FALSE(call.exception) << call.exception->message;
    EXPECT_NE(call.state.find("grad off"), std::string::npos) << call.state;
  }
  EXPECT_FALSE(observed.calls[0].outputs[0].inference);
  EXPECT_TRUE(observed.calls[1].outputs[0].inference);
  EXPECT_NE(observed.calls[1].state.find("inference on"), std::string::npos);
  EXPECT_EQ(observed.calls[2].outputs[0].dtype, at::kBFloat16);
  EXPECT_NE(observed.calls[2].state.find("autocast on BFloat16"), std::string::npos);
  EXPECT_EQ(observed.calls[3].outputs[0].dtype, at::kFloat);
  EXPECT_NE(observed.calls[3].state.find("autocast off"), std::string::npos);
  EXPECT_TRUE(c10::GradMode::is_enabled());
}

TEST(CallRunnerTest, GeneratorIsSeededForEachCallObservedAndRestored) {
  const language::Case theCase = caseOf(withPlainInputs("def program(x, y):\n    return torch.rand_like(x)\n"),
                                        R"(    dict(inputs="inputs"),
    dict(inputs="inputs"),
    dict(inputs="inputs", rng_seed=5),)");
  at::manual_seed(17);
  const at::Tensor expected = at::rand({4});
  at::manual_seed(17);
  const observe::CaseObservation observed = observe(theCase);
  EXPECT_TRUE(at::rand({4}).equal(expected));
  EXPECT_TRUE(observed.calls[0].outputs[0].values.equal(observed.calls[1].outputs[0].values));
  EXPECT_FALSE(observed.calls[0].outputs[0].values.equal(observed.calls[2].outputs[0].values));
  EXPECT_EQ(observed.calls[0].state, observed.calls[1].state);
  EXPECT_NE(observed.calls[0].state, observed.calls[2].state);
  ProgramOf drawsNothing([](values::ValueList& arguments) { return arguments[0]; });
  EXPECT_NE(observed.calls[0].state, observe::runCalls(theCase, drawsNothing).calls[0].state);
  ProgramOf setsDtype([](values::ValueList& arguments) {
    c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
    return arguments[0];
  });
  EXPECT_NE(observe::runCalls(theCase, setsDtype).calls[0].state.find("default Double"), std::string::npos);
  EXPECT_EQ(c10::get_default_dtype_as_scalartype(), at::kFloat);
}

TEST(CallRunnerTest, ContainersAmongArgumentsAreObservedAfterTheCall) {
  const observe::CallObservation call = observe(R"(
def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind)
    return ([x, x], 3), ()


def program(items, n):
    items.append(items[0] * n)
    return items[0]
)",
                                                kOneCall)
                                            .calls.at(0);
  ASSERT_FALSE(call.exception) << call.exception->message;
  EXPECT_EQ(call.argumentStructure, "([T0, T0, T1], 3)");
  ASSERT_EQ(call.arguments.size(), 3u);
  EXPECT_TRUE(call.arguments[2].values.equal(call.arguments[0].values * 3));
}

TEST(CallRunnerTest, HooksAreCalledInOrder) {
  const language::Case theCase = caseOf(withPlainInputs("def program(x, y):\n    return x\n"),
                                        "    dict(inputs=\"inputs\"),\n    dict(inputs=\"inputs\", reset=True),");
  std::string log;
  int64_t runs = 0;
  observe::RunOptions options;
  options.onStep = [&](int call, const char* step) { log += std::to_string(call) + step + " "; };
  options.reset = [&] { log += "reset "; };
  options.evidence = [&] {
    ++runs;
    return observe::CompileEvidence{runs, 2 * runs, runs};
  };
  const observe::CaseObservation observed = observe(theCase, options);
  EXPECT_EQ(log, "0inputs 0forward 0observe 0late reset 1inputs 1forward 1observe 1late 0effects 1effects ");
  EXPECT_EQ(observed.calls[1].compiledRuns, 1);
  EXPECT_EQ(observed.calls[1].graphsCompiled, 2);
  options.end = 1;
  EXPECT_EQ(observe(theCase, options).calls.size(), 1u);
}

TEST(CallRunnerTest, DoublePrecisionStartsFromDeclaredValues) {
  const language::Case theCase = caseOf(R"(
def inputs(seed, kind):
    base = data((6,), torch.float16, (seed, 0), kind)
    x = base.view(2, 3)
    return (x,), (base,)


def program(x):
    return x / 3
)",
                                        "    dict(inputs=\"inputs\", seed=7, kind=\"uniform\"),");
  observe::RunOptions options;
  options.evaluator.inDouble = true;
  const observe::CallObservation precise = observe(theCase, options).calls.at(0);
  const observe::CallObservation plain = observe(theCase).calls.at(0);
  EXPECT_EQ(precise.arguments.at(0).dtype, at::kDouble);
  EXPECT_TRUE(precise.arguments[0].values.equal(plain.arguments[0].values.to(at::kDouble)));
  EXPECT_EQ(precise.partition[0].storage, precise.partition[1].storage);
  EXPECT_FALSE(precise.outputs[0].values.equal(plain.outputs[0].values.to(at::kDouble)));
}

TEST(CallRunnerTest, OverlappingWritesAreTold) {
  const language::Case theCase = caseOf(R"(
def inputs(seed, kind):
    x = data((1, 3), torch.float32, (seed, 0), kind)
    return (x.expand(2, 3),), ()


def program(x):
    if x.sum() > 1000:
        return x
    x.fill_(2)
    return x
)",
                                        kOneCall);
  taint::OverlapWrites writes;
  evaluator::EvaluatorOptions evaluator;
  evaluator.onOperation = [&](const c10::OperatorHandle& op, torch::jit::Stack& stack) { return writes(op, stack); };
  observe::RunOptions options;
  options.overlapWrites = &writes;
  EXPECT_TRUE(
      observe::runCalls(theCase, *evaluator::eagerProgram(theCase, evaluator), options).calls[0].overlapWritten);
}

} // namespace
} // namespace touchstone::tests
