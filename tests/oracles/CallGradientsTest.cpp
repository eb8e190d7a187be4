#include "ObservedCase.h"
#include "oracles/evidence/Precision.h"
#include "program/values/Data.h"

#include <ATen/TensorOperators.h>

#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

constexpr const char* kProgram = R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((3, 3), torch.float32, (seed, 1), kind).requires_grad_()
    unused = data((2,), torch.float32, (seed, 2), kind).requires_grad_()
    m = data((2, 3), torch.float32, (seed, 3), kind)
    return (x, unused, m), (w, x)


def program(x, unused, m):
    m.mul_(x)
    return x * 2, x * x


def change(args, outs):
    outs[0].zero_()


def spoil(args, outs):
    args[0].mul_(2)


def fail(args, outs):
    args[0].view(7)
)";

std::vector<observe::CallObservation> run(const std::string& calls) {
  return observe(kProgram, calls).calls;
}

at::Tensor tangent(int64_t seed, int64_t root) {
  return values::data({2, 3}, at::kFloat, seed, values::kTangentNumber + root, "grid");
}

const at::Tensor& gradient(const observe::CallObservation& call, size_t index) {
  return call.gradients.at(index).gradient.value().values;
}

TEST(CallGradientsTest, GradientsOfLeavesWithNoneApart) {
  const observe::CallObservation call =
      run(R"(    dict(inputs="inputs", seed=7, backward=[1], tangent_seed=3),)").at(0);
  ASSERT_FALSE(call.backwardException) << call.backwardException->message;
  ASSERT_EQ(call.gradients.size(), 3u); // x, unused, w; x is watched too but one object
  EXPECT_EQ(call.gradients[1].leaf.text(), "leaf 1");
  EXPECT_TRUE(call.gradients[0].fromGradAttribute);
  EXPECT_TRUE(gradient(call, 0).equal(call.arguments[0].values * 2 * tangent(3, 0)));
  EXPECT_FALSE(call.gradients[1].gradient);
  EXPECT_FALSE(call.gradients[2].gradient);
}

TEST(CallGradientsTest, SeveralRootsWithTangentsOfTheirOwn) {
  const observe::CallObservation call =
      run(R"(    dict(inputs="inputs", seed=7, backward=[0, 1], tangent_seed=3),)").at(0);
  EXPECT_TRUE(gradient(call, 0).equal(tangent(3, 0) * 2 + call.arguments[0].values * 2 * tangent(3, 1)));
}

TEST(CallGradientsTest, MutatedArgumentAsRoot) {
  const observe::CallObservation call =
      run(R"(    dict(inputs="inputs", seed=7, backward=["arg 2"], tangent_seed=3),)").at(0);
  ASSERT_FALSE(call.backwardException) << call.backwardException->message;
  const at::Tensor m = values::data({2, 3}, at::kFloat, 7, 3, "grid");
  EXPECT_TRUE(gradient(call, 0).equal(m * tangent(3, 0)));
  EXPECT_TRUE(call.arguments[2].hasGradFn);
}

TEST(CallGradientsTest, ViaGradWithSomeLeavesTwice) {
  const observe::CallObservation call =
      run(R"(    dict(inputs="inputs", seed=7, backward=[1], via="grad", wrt=[2, 0], backward_times=2),)").at(0);
  ASSERT_FALSE(call.backwardException) << call.backwardException->message;
  ASSERT_EQ(call.gradients.size(), 4u);
  EXPECT_EQ(call.gradients[0].leaf.text(), "leaf 2");
  EXPECT_FALSE(call.gradients[0].gradient);
  EXPECT_FALSE(call.gradients[1].fromGradAttribute);
  EXPECT_FALSE(gradient(call, 1).equal(gradient(call, 3))) << "each time has tangents of its own";
}

TEST(CallGradientsTest, BackwardTwiceAccumulates) {
  const auto calls = run(R"(    dict(inputs="inputs", seed=7, backward=[1]),
    dict(inputs="inputs", seed=7, backward=[1], backward_times=2),
    dict(inputs="inputs", seed=7, backward=[1], create_graph=True),)");
  ASSERT_EQ(calls[1].tangents.size(), 2u);
  EXPECT_TRUE(calls[1].tangents[0].equal(calls[0].tangents[0]));
  EXPECT_TRUE(gradient(calls[1], 0).equal(calls[1].arguments[0].values * 2 * (tangent(0, 0) + tangent(0, 1000))));
  EXPECT_FALSE(calls[0].gradients[0].gradient->hasGradFn);
  EXPECT_TRUE(calls[2].gradients[0].gradient->hasGradFn);
}

TEST(CallGradientsTest, DeferredBackwardRunsAfterTheLaterForward) {
  std::string log;
  observe::RunOptions options;
  options.onStep = [&](int call, const char* step) {
    if (std::string(step) == "forward" || std::string(step) == "backward") {
      log += std::to_string(call) + step[0];
    }
  };
  const language::Case theCase = caseOf(kProgram, R"(    dict(inputs="inputs", seed=7, backward=[1]),
    dict(inputs="inputs", seed=8, backward=[1], backward_after=0),
    dict(inputs="inputs", seed=7, backward=[1]),)");
  const observe::CaseObservation observed = observe(theCase, options);
  EXPECT_EQ(log, "0f1f0b1b2f2b");
  EXPECT_TRUE(gradient(observed.calls[0], 0).equal(gradient(observed.calls[2], 0)));
  EXPECT_FALSE(gradient(observed.calls[0], 0).equal(gradient(observed.calls[1], 0)));
}

TEST(CallGradientsTest, BackwardsOfSeveralLiveForwardsRunInTheOrderListed) {
  std::string log;
  observe::RunOptions options;
  options.onStep = [&](int call, const char* step) {
    if (std::string(step) == "forward" || std::string(step) == "backward") {
      log += std::to_string(call) + step[0];
    }
  };
  const language::Case theCase = caseOf(kProgram, R"(    dict(inputs="inputs", seed=7, backward=[1]),
    dict(inputs="inputs", seed=8, backward=[1]),
    dict(inputs="inputs", seed=9, backward=[1], backward_after=[1, 0]),)");
  observe(theCase, options);
  EXPECT_EQ(log, "0f1f2f1b0b2b");
}

TEST(CallGradientsTest, SecondDerivativesFollowTheFirst) {
  const observe::CallObservation call =
      run(R"(    dict(inputs="inputs", seed=7, backward=[0, 1], via="grad", wrt=[0], derivatives=2),)").at(0);
  ASSERT_FALSE(call.backwardException) << call.backwardException->message;
  ASSERT_EQ(call.gradients.size(), 2u);
  ASSERT_EQ(call.tangents.size(), 3u);
  EXPECT_TRUE(gradient(call, 0).equal(2 * tangent(0, 0) + call.arguments[0].values * 2 * tangent(0, 1)));
  EXPECT_TRUE(gradient(call, 1).equal(2 * tangent(0, 1) * tangent(0, 500)));
  const observe::CallObservation linear =
      run(R"(    dict(inputs="inputs", seed=7, backward=[0], via="grad", wrt=[0], derivatives=2),)").at(0);
  ASSERT_EQ(linear.gradients.size(), 2u);
  EXPECT_FALSE(linear.gradients[1].gradient) << "nothing depends on a leaf";
}

TEST(CallGradientsTest, BackwardGoesOnThroughWhatFedTheCall) {
  const auto calls = run(R"(    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8, feed=[(0, 1)], backward=[0], via="grad"),
    dict(inputs="inputs", seed=8, feed=[(0, 7)]),)");
  ASSERT_FALSE(calls[1].backwardException) << calls[1].backwardException->message;
  EXPECT_TRUE(calls[1].arguments[0].values.equal(calls[0].outputs[1].values));
  ASSERT_EQ(calls[1].gradients.size(), 6u); // unused, w and x of its own, x, unused and w of the call before
  EXPECT_TRUE(gradient(calls[1], 3).equal(calls[0].arguments[0].values * 2 * 2 * tangent(0, 0)));
  EXPECT_EQ(calls[2].exception.value().phase, "inputs");
  EXPECT_EQ(calls[2].exception.value().type, "IndexError");
}

TEST(CallGradientsTest, CompiledAutogradIsOnDuringTheBackwardThatAsksForIt) {
  int opened = 0;
  std::string log;
  observe::RunOptions options;
  options.compiledAutograd = [&]() -> std::shared_ptr<void> {
    ++opened;
    return {nullptr, [&](void*) { --opened; }};
  };
  options.onStep = [&](int call, const char* step) { log += std::to_string(opened); };
  language::Case theCase = caseOf(kProgram, R"(    dict(inputs="inputs", backward=[1], compiled_autograd=True),
    dict(inputs="inputs", backward=[1]),)");
  int duringBackward = -1;
  options.evaluator.onData = [&](at::Tensor values) { // tangents are made within the scope
    duringBackward = std::max(duringBackward, opened);
    return values;
  };
  observe(theCase, options);
  EXPECT_EQ(duringBackward, 1);
  EXPECT_EQ(opened, 0);
  EXPECT_EQ(log.find('1'), std::string::npos) << "closed before any further step";
}

TEST(CallGradientsTest, MovedInputsMoveGradients) {
  const language::Case theCase =
      caseOf(kProgram, R"(    dict(inputs="inputs", seed=7, kind="uniform", backward=[1]),)");
  observe::RunOptions options;
  options.evaluator.onData = evidence::perturbDataByUlp(1);
  const at::Tensor plain = observe(theCase).calls[0].gradients[0].gradient.value().values;
  const at::Tensor perturbed = observe(theCase, options).calls[0].gradients[0].gradient.value().values;
  EXPECT_FALSE(perturbed.equal(plain));
  EXPECT_TRUE(perturbed.allclose(plain));
}

TEST(CallGradientsTest, BetweenChangesWhatBackwardSees) {
  const auto calls = run(R"(    dict(inputs="inputs", seed=7, backward=[1], between="change"),
    dict(inputs="inputs", seed=7, backward=[1], between="spoil"),
    dict(inputs="inputs", seed=7, backward=[1], between="fail"),)");
  EXPECT_FALSE(calls[0].backwardException);
  ASSERT_FALSE(calls[0].changes.empty());
  EXPECT_FALSE(calls[0].outputs[0].values.equal(calls[0].changes[0].values)) << "observed before the change";
  EXPECT_EQ(calls[1].backwardException.value().phase, "backward");
  EXPECT_NE(calls[1].backwardException->message.find("modified by an inplace operation"), std::string::npos);
  EXPECT_EQ(calls[2].backwardException.value().phase, "between");
  EXPECT_TRUE(calls[2].gradients.empty());
}

TEST(CallGradientsTest, RootsThatAreNotThereAndRootsWithoutGradient) {
  const auto calls = run(R"(    dict(inputs="inputs", backward=[5]),
    dict(inputs="inputs", grad_mode="no_grad", backward=[0]),
    dict(inputs="inputs", backward=[0], tangent_layout="none"),)");
  EXPECT_EQ(calls[0].backwardException.value().type, "IndexError");
  EXPECT_NE(calls[1].backwardException.value().message.find("does not require grad"), std::string::npos);
  EXPECT_NE(calls[2].backwardException.value().message.find("scalar"), std::string::npos);
}

TEST(CallGradientsTest, LeafThatIsNeitherArgumentNorWatchedIsAnError) {
  const observe::CallObservation call = observe(R"(
def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x * 2,), ()


def program(x):
    return x
)",
                                                R"(    dict(inputs="inputs"),)")
                                            .calls.at(0);
  EXPECT_EQ(call.exception.value().phase, "inputs");
  EXPECT_EQ(call.exception->type, "ValueError");
}

TEST(CallGradientsTest, AnArgumentThatCameToDependOnALeafMadeInsideIsUsedAgain) {
  const auto calls = observe(R"(
def inputs(seed, kind):
    return (data((2,), torch.float32, (seed, 0), kind),), ()


def program(x):
    x.mul_(torch.ones((2,), requires_grad=True) * 2)
    return x
)",
                             R"(    dict(inputs="inputs"),
    dict(inputs=None),)")
                         .calls;
  ASSERT_FALSE(calls.at(1).exception) << calls.at(1).exception->message;
  EXPECT_TRUE(calls.at(1).outputs.at(0).values.equal(calls.at(0).outputs.at(0).values * 2));
}

TEST(CallGradientsTest, NonLeafArgumentWithWatchedLeaf) {
  const observe::CallObservation call = observe(R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x * 2,), (x,)


def program(x):
    return x * 1
)",
                                                R"(    dict(inputs="inputs", backward=[0], tangent_seed=1),)")
                                            .calls.at(0);
  ASSERT_FALSE(call.exception) << call.exception->message;
  EXPECT_TRUE(gradient(call, 0).equal(tangent(1, 0) * 2));
}

} // namespace
} // namespace touchstone::tests
