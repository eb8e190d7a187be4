#include "harness/campaign/StartProgram.h"

#include "program/analysis/FlatProgram.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

constexpr std::array<const char*, 3> kPrograms = {
    R"(def program(x, w, n):
    y = torch.mm(x.clone(), w)
    x.add_(1)
    z = y.t()[1:].sin() * n
    return y, z, x.view(-1), z.sum()
)",
    R"(def program(x, w, n):
    y = x * w
    torch._dynamo.graph_break()
    return y.relu(), x.size(0)
)",
    R"(def program(x, w, n):
    y = torch.mm(x, w)
    return y.t()[1:].sin(), y.sum()
)"};

bool isLeftOut(const std::string& text, const worker::Profile& profile) {
  if (profile.setsFullgraph && profile.compile.fullgraph && text.find("graph_break") != std::string::npos) {
    return true;
  }
  const bool takesWrites = !profile.lacks(worker::Profile::Feature::kMutation);
  const analysis::FlatProgram program = analysis::flatten(parser::parsePrinted(text));
  return std::ranges::any_of(program.operations, [&](const analysis::FlatOperation& each) {
    return profile.exclusions.excludes(each.name) || (!takesWrites && each.name.ends_with('_'));
  });
}

} // namespace

std::vector<StartCase> startCases(const worker::Profile& profile) {
  std::vector<StartCase> cases;
  if (profile.exclusions.excludes(at::kFloat)) {
    return cases;
  }
  int number = 0;
  for (const bool hasGradients : {true, false}) {
    for (const char* program : kPrograms) {
      const std::string text = caseOf(program, hasGradients);
      const std::string foundBy = fmt::format("what workers start with, program {}", ++number);
      if (!(hasGradients && profile.lacks(worker::Profile::Feature::kBackward)) && !isLeftOut(text, profile)) {
        cases.push_back({text, foundBy});
      }
    }
  }
  return cases;
}

} // namespace touchstone::campaign
