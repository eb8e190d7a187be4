#include "harness/campaign/StartProgram.h"

#include <fmt/format.h>

#include <algorithm>

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

struct StartProgram {
  const char* text;
  bool writes;
  std::vector<const char*> operators; // of the catalogue
};

const std::vector<StartProgram>& startPrograms() {
  static const std::vector<StartProgram> programs = {
      {R"(def program(x, w, n):
    y = torch.mm(x.clone(), w)
    x.add_(1)
    z = y.t()[1:].sin() * n
    return y, z, x.view(-1), z.sum()
)",
       true,
       {"mm", "add_", "t", "sin", "mul", "view", "sum"}},
      {R"(def program(x, w, n):
    y = x * w
    torch._dynamo.graph_break()
    return y.relu(), x.size(0)
)",
       false,
       {"mul", "relu"}},
      {R"(def program(x, w, n):
    y = torch.mm(x, w)
    return y.t()[1:].sin(), y.sum()
)",
       false,
       {"mm", "t", "sin", "sum"}},
  };
  return programs;
}

bool isLeftOut(const StartProgram& program, const worker::Profile& profile) {
  return (program.writes && profile.lacks(worker::Profile::Feature::kMutation)) ||
         std::ranges::any_of(program.operators, [&](const char* name) { return profile.exclusions.excludes(name); });
}

} // namespace

std::vector<std::string> startCases(const worker::Profile& profile) {
  std::vector<std::string> cases;
  if (profile.exclusions.excludes(at::kFloat)) {
    return cases;
  }
  for (const bool hasGradients : {true, false}) {
    if (hasGradients && profile.lacks(worker::Profile::Feature::kBackward)) {
      continue;
    }
    for (const StartProgram& each : startPrograms()) {
      if (!isLeftOut(each, profile)) {
        cases.push_back(caseOf(each.text, hasGradients));
      }
    }
  }
  return cases;
}

} // namespace touchstone::campaign
