#include "harness/worker/JudgeBackend.h"

#include "backends/Registry.h"
#include "program/parser/CaseParser.h"
#include "program/values/CompiledProgram.h"
#include "harness/worker/Progress.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace touchstone::harness {

namespace {

const std::string kOuter = "torch:nested:outer", kInner = "torch:nested:inner";

/// A backend that asks the inner one, as an oracle does, and notes the rung that its own death would be told of.
class NestedBackend final : public backends::Backend {
 public:
  NestedBackend(graph::BackendInfo info, Judgements*& judgements, std::string& afterInner)
      : info_(std::move(info)), judgements_(judgements), afterInner_(afterInner) {}
  const graph::BackendInfo& info() const override { return info_; }
  std::unique_ptr<graph::CompiledProgram> compile(const graph::Case&) override {
    if (info_.name == kOuter) {
      judgements_->underRung(kInner);
      afterInner_ = currentProgress().rung;
    }
    throw graph::Unsupported("for this test");
  }

 private:
  const graph::BackendInfo info_;
  Judgements*& judgements_;
  std::string& afterInner_;
};

} // namespace

TEST(JudgeBackendTest, AfterARungWithinARungTheOuterOneGoesOn) {
  static Judgements* judgements = nullptr;
  static std::string afterInner;
  backends::registerFactory(graph::Family::kTorch, [](const graph::BackendInfo& info) {
    return std::make_unique<NestedBackend>(info, judgements, afterInner);
  });
  const graph::Case theCase = graph::parseCase(smallCase("torch.sin(x)"));
  const oracles::EagerReference eager(theCase);
  const Job job;
  Judgements ofThisCase(job, theCase, eager);
  judgements = &ofThisCase;
  ofThisCase.underRung(kOuter);
  EXPECT_EQ(afterInner, kOuter);
  EXPECT_STREQ(currentProgress().rung, "");
}

} // namespace touchstone::harness
