#include "harness/worker/JudgeBackend.h"

#include "backends/Registry.h"
#include "harness/worker/Progress.h"
#include "program/parser/CaseParser.h"
#include "program/values/CompiledProgram.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace touchstone::tests {

namespace {

const std::string kOuter = "torch:nested:outer", kInner = "torch:nested:inner";

/// A backend that asks the inner one, as an oracle does, and notes the rung that its own death would be told of.
class NestedBackend final : public backends::Backend {
 public:
  NestedBackend(ir::BackendInfo info, worker::Judgements*& judgements, std::string& afterInner)
      : info_(std::move(info)), judgements_(judgements), afterInner_(afterInner) {}
  const ir::BackendInfo& info() const override { return info_; }
  std::unique_ptr<values::CompiledProgram> compile(const language::Case&) override {
    if (info_.name == kOuter) {
      judgements_->underRung(kInner);
      afterInner_ = worker::currentProgress().rung;
    }
    throw ir::Unsupported("for this test");
  }

 private:
  const ir::BackendInfo info_;
  worker::Judgements*& judgements_;
  std::string& afterInner_;
};

} // namespace

TEST(JudgeBackendTest, AfterARungWithinARungTheOuterOneGoesOn) {
  static worker::Judgements* judgements = nullptr;
  static std::string afterInner;
  backends::registerFactory(ir::Family::kTorch, [](const ir::BackendInfo& info) {
    return std::make_unique<NestedBackend>(info, judgements, afterInner);
  });
  const language::Case theCase = parser::parseCase(smallCase("torch.sin(x)"));
  const compare::EagerReference eager(theCase);
  const worker::Job job;
  worker::Judgements ofThisCase(job, theCase, eager);
  judgements = &ofThisCase;
  ofThisCase.underRung(kOuter);
  EXPECT_EQ(afterInner, kOuter);
  EXPECT_STREQ(worker::currentProgress().rung, "");
}

} // namespace touchstone::tests
