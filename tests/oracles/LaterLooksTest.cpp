#include "PlantedProgram.h"

#include <ATen/TensorOperators.h>

#include <gtest/gtest.h>

#include <memory>

namespace touchstone::tests {
namespace {

constexpr const char* kProductAndExponential = R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((2, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x * y, x.exp()
)";
constexpr const char* kThreeBackwards =
    "    dict(inputs=\"inputs\", seed=7, backward=[0], tangent_seed=3),\n"
    "    dict(inputs=\"inputs\", seed=8, backward=[0], tangent_seed=4),\n"
    "    dict(inputs=\"inputs\", seed=9, backward=[0], tangent_seed=5),";

/// Calls `spoil` in the call of this number, with the leaf and the first result of the call before it.
PlantedProgram::Plant spoilsEarlier(int number,
                                    std::function<void(const at::Tensor& leaf, const at::Tensor& result)> spoil) {
  struct Memory {
    int calls = 0;
    at::Tensor leaf, result;
  };
  const auto memory = std::make_shared<Memory>();
  return [=](values::Callable& eager, values::ValueList& arguments) {
    const at::Tensor leaf = arguments.front().tensor();
    values::Value returned = eager(arguments);
    if (memory->calls++ == number) {
      spoil(memory->leaf, memory->result);
    }
    memory->leaf = leaf;
    memory->result = returned.items()->front().tensor();
    return returned;
  };
}

TEST(LaterLooksTest, AnOldGradientThatIsOverwrittenShows) {
  const language::Case theCase = caseOf(kProductAndExponential, kThreeBackwards);
  const auto verdict =
      verdictOn(theCase, spoilsEarlier(1, [](const at::Tensor& leaf, const at::Tensor&) { leaf.grad().fill_(7); }));
  EXPECT_EQ(verdict.text(), "Differs/gradient_values/call 0 leaf 0");
  EXPECT_NE(verdict.worst().message.find("when looked at again after call 1"), std::string::npos)
      << verdict.worst().message;
}

TEST(LaterLooksTest, AnOldOutputThatIsOverwrittenInBetweenShows) {
  const language::Case theCase = caseOf(kProductAndExponential, kThreeBackwards);
  at::Tensor saved, kept;
  const auto overwrite = spoilsEarlier(1, [&](const at::Tensor&, const at::Tensor& result) {
    kept = result.detach();
    saved = kept.clone();
    kept.zero_();
  });
  int calls = 0;
  const auto verdict = verdictOn(theCase, [&](values::Callable& eager, values::ValueList& arguments) {
    if (calls++ == 2) {
      kept.copy_(saved); // at the end all is well again
    }
    return overwrite(eager, arguments);
  });
  EXPECT_EQ(verdict.text(), "Differs/values/call 0 output 0");
  EXPECT_NE(verdict.worst().message.find("when looked at again after call 1"), std::string::npos)
      << verdict.worst().message;
}

TEST(LaterLooksTest, ATangentThatIsWrittenShows) {
  const language::Case theCase = caseOf(kProductAndExponential, kThreeBackwards);
  const auto verdict = verdictOn(theCase, [](values::Callable& eager, values::ValueList& arguments) {
    const at::Tensor leaf = arguments.front().tensor();
    values::Value returned = eager(arguments);
    const auto tangent = std::make_shared<at::Tensor>();
    returned.items()->front().tensor().register_hook([tangent](const at::Tensor& given) { *tangent = given; });
    leaf.register_hook([tangent](const at::Tensor&) { tangent->zero_(); }); // when it has done its work
    return returned;
  });
  EXPECT_EQ(verdict.text(), "Differs/input_values/call 0 tangent 0");
  EXPECT_NE(verdict.worst().message.find("tangent 0 when looked at again after call 0"), std::string::npos)
      << verdict.worst().message;
}

TEST(LaterLooksTest, AnInputThatTheBackwardWritesShows) {
  const language::Case theCase = caseOf(kProductAndExponential, kThreeBackwards);
  const auto verdict = verdictOn(theCase, [](values::Callable& eager, values::ValueList& arguments) {
    const at::Tensor leaf = arguments[0].tensor(), other = arguments[1].tensor();
    leaf.register_hook([other](const at::Tensor&) { other.zero_(); }); // when the gradient has been computed
    return eager(arguments);
  });
  EXPECT_EQ(verdict.text(), "Differs/input_values/call 0 arg 1");
  EXPECT_NE(verdict.worst().message.find("arg 1 when looked at again after call 0"), std::string::npos)
      << verdict.worst().message;
}

TEST(LaterLooksTest, AnInputThatAPendingBackwardWritesShows) {
  const language::Case theCase =
      caseOf(kProductAndExponential, R"(    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=8, backward_after=[0]),
    dict(inputs="inputs", seed=9),)");
  const auto verdict = verdictOn(theCase, [](values::Callable& eager, values::ValueList& arguments) {
    const at::Tensor leaf = arguments[0].tensor(), other = arguments[1].tensor();
    leaf.register_hook([other](const at::Tensor&) { other.zero_(); });
    return eager(arguments);
  });
  EXPECT_EQ(verdict.text(), "Differs/input_values/call 0 arg 1");
  EXPECT_NE(verdict.worst().message.find("arg 1 when looked at again after call 1"), std::string::npos)
      << verdict.worst().message;
}

TEST(LaterLooksTest, AnInputThatTheBackwardTransposesShows) {
  const language::Case theCase = caseOf(kProductAndExponential, kThreeBackwards);
  const auto verdict = verdictOn(theCase, [](values::Callable& eager, values::ValueList& arguments) {
    const at::Tensor leaf = arguments[0].tensor(), other = arguments[1].tensor();
    values::Value returned = eager(arguments);
    leaf.register_hook([other](const at::Tensor&) { other.t_(); });
    return returned;
  });
  EXPECT_EQ(verdict.text(), "Differs/input_metadata/call 0 arg 1");
  EXPECT_NE(verdict.worst().message.find(
                "arg 1 shape when looked at again behind the backward: eager [2, 3], compiled [3, 2]"),
            std::string::npos)
      << verdict.worst().message;
}

constexpr const char* kWritesBuffer = R"(
class WritesBuffer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.b = b
        return a * 2

    @staticmethod
    def backward(ctx, g):
        ctx.b.add_(1)
        return g * 3, None


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((2, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()

)";

TEST(LaterLooksTest, AnInputThatABackwardWritesBeforeItRaisesShows) {
  const std::string functions =
      std::string(kWritesBuffer) + "\ndef program(x, y):\n    return WritesBuffer.apply(x * y, y)\n";
  const language::Case theCase = caseOf(functions.c_str(), kThreeBackwards);
  EXPECT_EQ(verdictOn(theCase, PlantedProgram::Plant()).text(), "Agreed");
  const auto verdict = verdictOn(theCase, [](values::Callable& eager, values::ValueList& arguments) {
    values::ValueList given{arguments[0], values::Value(arguments[1].tensor().clone())};
    return eager(given);
  });
  EXPECT_EQ(verdict.text(), "Differs/input_values/call 0 arg 1");
  EXPECT_NE(verdict.worst().message.find("arg 1 when looked at again after call 0"), std::string::npos)
      << verdict.worst().message;
}

TEST(LaterLooksTest, AWriteOfTheBackwardThatNoVersionCountsShows) {
  const std::string functions =
      std::string(kWritesBuffer) + "\ndef program(x, y):\n    return WritesBuffer.apply(x, y)\n";
  const language::Case theCase = caseOf(functions.c_str(), kThreeBackwards);
  const auto verdict = verdictOn(theCase, [](values::Callable& eager, values::ValueList& arguments) {
    const at::Tensor leaf = arguments[0].tensor(), written = arguments[1].tensor();
    const values::ValueList others{arguments[0], values::Value(written.clone())};
    values::ValueList given = others;
    values::Value returned = eager(given);
    leaf.register_hook([written](const at::Tensor&) { at::Tensor(written.variable_data()).add_(1); });
    return returned;
  });
  EXPECT_EQ(verdict.text(), "Differs/version/call 0 arg 1");
}

TEST(LaterLooksTest, WhatEagerChangesTooIsNoDifference) {
  const language::Case theCase =
      caseOf(kProductAndExponential, R"(    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=3),
    dict(inputs=None, backward=[0], tangent_seed=4),
    dict(inputs="inputs", seed=8),)");
  EXPECT_EQ(verdictOn(theCase, PlantedProgram::Plant()).text(), "Agreed");
  const observe::CaseObservation eager = observe(theCase);
  ASSERT_EQ(eager.calls[0].changes.size(), 1u) << "the gradient goes on";
  EXPECT_EQ(eager.calls[0].changes[0].of, observe::LaterChange::Of::kGradient);
  EXPECT_EQ(eager.calls[0].changes[0].after, 1);
}

} // namespace
} // namespace touchstone::tests
