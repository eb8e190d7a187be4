#include "harness/report/Report.h"
#include "harness/worker/Symptom.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

using language::Severity;

Severity ofText(const std::string& text) {
  return worker::severityOf(worker::Symptom{"torch:aot_eager", text, "torch:aot_eager", "Agreed"});
}

} // namespace

TEST(SeverityTest, ASymptomHasTheClassOfItsOutcomeAndProperty) {
  EXPECT_EQ(ofText("Crashed/SIGSEGV/forward"), Severity::kCrashAndMemory);
  EXPECT_EQ(ofText("ReadsUninitialized/values/output"), Severity::kCrashAndMemory);
  EXPECT_EQ(ofText("Differs/values/output"), Severity::kWrongValues);
  EXPECT_EQ(ofText("Differs/gradient_values/leaf"), Severity::kWrongGradients);
  EXPECT_EQ(ofText("Differs/input_values/arg"), Severity::kLostWrites);
  EXPECT_EQ(ofText("Differs/partition"), Severity::kWrongSharing);
  EXPECT_EQ(ofText("BackendRejected/compile/TypeError"), Severity::kException);
  EXPECT_EQ(ofText("Differs/strides/output"), Severity::kLayout);
  EXPECT_EQ(ofText("Differs/requires_grad/output"), Severity::kMetadata);
  EXPECT_EQ(ofText("MissingRefusal/forward/IndexError"), Severity::kMissingRefusal);
  EXPECT_EQ(ofText("BackendAccepts"), Severity::kMissingRefusal); // listed, and no finding
  EXPECT_EQ(ofText("NoneBecameZero/leaf"), Severity::kNoneAndZero);
  EXPECT_EQ(ofText("Agreed"), Severity::kNoFinding);
}

TEST(SeverityTest, EachOutcomeThatIsAFindingHasAClassAndNoOther) {
  for (int i = 0; i < language::kOutcomeCount; ++i) {
    const auto outcome = static_cast<language::Outcome>(i);
    const bool hasClass = language::severityOf(outcome) != Severity::kNoFinding;
    EXPECT_TRUE(hasClass || !language::isFinding(outcome)) << language::outcomeName(outcome);
  }
  EXPECT_EQ(language::severityOf(language::Outcome::kUpstream), Severity::kNoFinding);
}

TEST(SeverityTest, FindingsAreToldWorstFirstAndEqualOnesAsTheyWereFound) {
  std::vector<report::Finding> findings;
  for (const char* text : {"NoneBecameZero/leaf", "Differs/strides/output", "Differs/values/output",
                           "Crashed/SIGSEGV/forward", "Differs/dtype/output"}) {
    findings.emplace_back().symptom.text = text;
  }
  report::sortBySeverity(findings);
  std::vector<std::string> order;
  for (const report::Finding& each : findings) {
    order.push_back(each.symptom.text);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"Crashed/SIGSEGV/forward", "Differs/values/output", "Differs/dtype/output",
                                             "Differs/strides/output", "NoneBecameZero/leaf"}));
}

} // namespace touchstone::tests
