#include "tests/oracles/PlantedProgram.h"

#include "backends/Registry.h"
#include "oracles/compare/EagerReference.h"
#include "oracles/compare/Rules.h"

#include <ATen/ops/erf_cpu_dispatch.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <string>

// An operator that does what its schema does not say is eager's as well as a backend's, so no comparison shows it: a Case
// has to be found by the backend `eager_debug`, and by no other of those that run the captured Graph.

namespace touchstone::tests {
namespace {

constexpr const char* kErfOfAProduct = R"(
def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    z = torch.erf(y)
    return z.sin(), y.cos()
)";

at::Tensor erfThatWrites(const at::Tensor& self) {
  at::Tensor result = at::cpu::erf(self);
  self.add_(1);
  return result;
}
at::Tensor erfThatAliases(const at::Tensor& self) {
  return self.view(self.sizes());
}

/// The Case judged under a backend while `aten::erf` is another kernel.
template <class Kernel>
compare::CaseVerdict verdictUnder(const std::string& backend, Kernel kernel) {
  torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, __FILE__, __LINE__);
  if (kernel != nullptr) {
    library.impl("erf", kernel); // until the end of the scope
  }
  const language::Case theCase =
      caseOf(kErfOfAProduct, "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=\"inputs\", seed=8),");
  const ir::BackendInfo info = backends::backendInfo(backend);
  const compare::EagerReference eager(theCase);
  const auto program = backends::makeBackend(backend)->compile(theCase);
  compare::JudgeOptions options;
  options.rules = compare::rulesOf(info.rules);
  return compare::judge(theCase, eager, *program, info, options);
}

using Erf = at::Tensor (*)(const at::Tensor&);

TEST(SchemaLiesTest, AnUndeclaredWriteInACaseIsFoundByEagerDebugAlone) {
  for (const char* backend : {"eager", "eager_noexcept"}) {
    EXPECT_EQ(verdictUnder<Erf>(backend, &erfThatWrites).text(), "Agreed") << backend;
  }
  const compare::CaseVerdict verdict = verdictUnder<Erf>("eager_debug", &erfThatWrites);
  EXPECT_EQ(verdict.text(), "BackendRejected/forward");
  EXPECT_NE(verdict.worst().message.find("Argument input is not defined as mutable but was mutated (`aten::erf`)"),
            std::string::npos)
      << verdict.worst().message;
}

TEST(SchemaLiesTest, AnUndeclaredAliasInACaseIsFoundByEagerDebugAlone) {
  EXPECT_EQ(verdictUnder<Erf>("eager", &erfThatAliases).text(), "Agreed");
  const compare::CaseVerdict verdict = verdictUnder<Erf>("eager_debug", &erfThatAliases);
  EXPECT_EQ(verdict.text(), "BackendRejected/forward");
  EXPECT_NE(
      verdict.worst().message.find("Argument input is not defined to alias output but was aliasing (`aten::erf`)"),
      std::string::npos)
      << verdict.worst().message;
}

TEST(SchemaLiesTest, TheCaseAgreesWhereTheKernelDoesWhatItsSchemaSays) {
  EXPECT_EQ(verdictUnder<Erf>("eager_debug", nullptr).text(), "Agreed");
  EXPECT_EQ(verdictUnder<Erf>("eager_debug", [](const at::Tensor& self) { return at::cpu::erf(self); }).text(),
            "Agreed");
}

} // namespace
} // namespace touchstone::tests
