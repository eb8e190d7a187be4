#include "harness/campaign/StartProgram.h"

#include <fmt/format.h>

namespace touchstone::campaign {

namespace {

/// Twice called; with gradients or without.
std::string caseOf(const char* program, bool hasGradients) {
  const std::string calls = fmt::format("    dict(inputs=\"inputs\"{0}),\n    dict(inputs=\"inputs\", seed=1{0}),\n",
                                        hasGradients ? ", backward=[0]" : "");
  return fmt::format(R"(# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    w = data((3, 3), torch.float32, (seed, 1), kind){}
    return (x, w, 2), ()


{}

CALLS = [
{}]
)",
                     hasGradients ? ".requires_grad_()" : "", program, calls);
}

constexpr const char* kWrites = R"(def program(x, w, n):
    y = torch.mm(x.clone(), w)
    x.add_(1)
    z = y.t()[1:].sin() * n
    return y, z, x.view(-1), z.sum()
)";
constexpr const char* kBreaks = R"(def program(x, w, n):
    y = x * w
    torch._dynamo.graph_break()
    return y.relu(), x.size(0)
)";
constexpr const char* kValues = R"(def program(x, w, n):
    y = torch.mm(x, w)
    return y.t()[1:].sin(), y.sum()
)";

} // namespace

std::vector<std::string> startCases() {
  return {caseOf(kWrites, true), caseOf(kBreaks, true), caseOf(kWrites, false), caseOf(kBreaks, false),
          caseOf(kValues, false)};
}

} // namespace touchstone::campaign
