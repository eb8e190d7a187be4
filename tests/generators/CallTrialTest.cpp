#include "generators/decoder/CallTrial.h"

#include "program/parser/CaseParser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace touchstone::tests {
namespace {

constexpr const char* kHooked = R"(# touchstone: 1
import torch


def inputs(seed, kind):
    return (data((2, 1), torch.float32, (seed, 0), kind).requires_grad_().mul(1),), ()


def inputs_of_a_view(seed, kind):
    b = data((2, 1), torch.float32, (seed, 0), kind).requires_grad_().mul(1)
    return (b[:1],), ()


def inputs_that_raise(seed, kind):
    return (data((2,), torch.float32, (seed, 0), kind).mul(1),), ()


def double_gradient(g):
    return g * 2


def program(x):
    x.unsqueeze(0).mul_(1)
    x.register_hook(double_gradient)
    return x


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_of_a_view"),
    dict(inputs=None),
    dict(inputs="inputs_that_raise"),
    dict(inputs="inputs", seed=1),
]
)";

TEST(CallTrialTest, NoCallRegistersAHookOnAWrittenView) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  const language::Case theCase = parser::parseCase(kHooked, options);
  std::vector<std::string> inputs;
  for (const language::CallSpec& call : decoder::callsPythonSurvives(theCase)) {
    inputs.push_back(call.inputs.value_or("the same"));
  }
  // The call with the objects of one that is left out goes with it; one that raises stays.
  EXPECT_EQ(inputs, (std::vector<std::string>{"inputs", "inputs_that_raise", "inputs"}));
}

} // namespace
} // namespace touchstone::tests
