#include "harness/findings/FindingPipeline.h"

#include "BinaryRun.h"
#include "program/analysis/ProgramSignature.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

language::Case suspectCase(const std::string& result, const std::string& headers = "") {
  parser::ParseOptions options;
  options.checkMainPart = false;
  return parser::parseCase(smallCase(result, headers), options);
}

findings::Suspect suspectOf(const std::string& result = "torch.relu(x.sin())") {
  findings::Suspect suspect{.theCase = suspectCase(result), .result = {}, .foundBy = "seed 7 case 12, mutated from a"};
  suspect.result.backend = suspect.result.origin = "eager";
  suspect.result.outcome = language::Outcome::kDiffers;
  suspect.result.text = "Differs/values/call 0 output 0";
  suspect.result.symptom = "Differs/values/output 0";
  suspect.result.message = "0 is not 1";
  return suspect;
}

/// Shows it in every `each`-th run of a Case that has `part` in it.
findings::RunAlone showsEach(int each, const std::string& part = "x", const std::string& upstream = "") {
  return [=, run = 0](const std::string& caseText, const worker::BackendResult& seen, int times) mutable {
    findings::Confirmation confirmation;
    for (int i = 0; i < times; ++i, ++run) {
      worker::JobResult result;
      result.backends = {seen};
      result.backends[0].outcome = upstream.empty() ? seen.outcome : language::Outcome::kUpstream;
      result.backends[0].detail = upstream;
      if (run % each != 0 || caseText.find(part) == std::string::npos) {
        result.backends[0].symptom = result.backends[0].text = "Agreed";
      }
      confirmation.add(result, seen);
    }
    return confirmation;
  };
}

/// A judge to whom a Case still shows it that has `part` in its Program.
reducer::CandidateJudge judgeOfText(const std::string& part) {
  return [=](const std::vector<language::Case>& candidates) -> std::optional<reducer::Sighting> {
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (standalone::printCase(candidates[i]).find(part) != std::string::npos) {
        return reducer::Sighting{i, {}};
      }
    }
    return std::nullopt;
  };
}

std::vector<std::string> operatorsLeft(const language::Case& theCase) {
  return analysis::signatureOf(theCase).operators;
}

} // namespace

TEST(FindingPipelineTest, WhatShowsEachTimeIsConfirmed) {
  findings::Suspect suspect = suspectOf();
  EXPECT_TRUE(findings::confirm(suspect, showsEach(1)));
  EXPECT_FALSE(suspect.isFlaky());
  EXPECT_EQ(suspect.repetitions(), 1);
  EXPECT_EQ(suspect.runs, 3) << "the first, and two alone";
}

TEST(FindingPipelineTest, WhatAWeakerPipelineShowsIsNotItsOwn) {
  findings::Suspect suspect = suspectOf();
  EXPECT_FALSE(findings::confirm(suspect, showsEach(1, "x", "torch:eager")));
  EXPECT_EQ(suspect.upstream, "torch:eager");
}

TEST(FindingPipelineTest, AFlakySymptomIsNotConfirmedUnlessItIsAskedFor) {
  findings::Suspect left = suspectOf(), measured = suspectOf(), gone = suspectOf();
  EXPECT_FALSE(findings::confirm(left, showsEach(2)));
  EXPECT_EQ(left.flakyText(), "flaky (2 of 3)");
  EXPECT_TRUE(findings::confirm(measured, showsEach(2), findings::IfFlaky::kMeasure));
  EXPECT_EQ(measured.flakyText(), "flaky (7 of 13)");
  EXPECT_GT(measured.repetitions(), 2);
  EXPECT_FALSE(findings::confirm(gone, showsEach(1, "there is no such text"), findings::IfFlaky::kMeasure));
  EXPECT_EQ(gone.flakyText(), "flaky (1 of 13)");
}

TEST(FindingPipelineTest, TheLastStepThatIsConfirmedIsTaken) {
  findings::Suspect whole = suspectOf(), earlier = suspectOf();
  findings::reduce(whole, judgeOfText("relu"), showsEach(1), {});
  EXPECT_EQ(operatorsLeft(whole.theCase), std::vector<std::string>{"relu"});
  EXPECT_TRUE(whole.isFinished);
  findings::reduce(earlier, judgeOfText("relu"), showsEach(1, ".sin("), {}); // the judge was wrong of all without it
  EXPECT_EQ(operatorsLeft(earlier.theCase).size(), 2U);
}

TEST(FindingPipelineTest, WhatTheTimeEndedSaysSo) {
  findings::Suspect suspect = suspectOf();
  findings::reduce(suspect, judgeOfText("relu"), showsEach(1), {.seconds = -1});
  EXPECT_FALSE(suspect.isFinished);
  EXPECT_TRUE(findings::headersOf(suspect.theCase).isUnfinished());
  findings::forgetFinding(suspect.theCase);
  EXPECT_FALSE(findings::headersOf(suspect.theCase).isUnfinished());
}

TEST(FindingPipelineTest, WhatIsNotConfirmedIsKeptWithWhatEachRunShowed) {
  const TemporaryFolder folder("pipeline_unconfirmed");
  findings::Suspect suspect = suspectOf();
  ASSERT_FALSE(findings::confirm(suspect, showsEach(2)));
  const std::string text = standalone::printCase(suspect.theCase);
  findings::writeUnconfirmed(folder.path(), text, suspect);
  const language::Case kept = parser::readCase(folder.path() / "unconfirmed" / "eager-seed-7-case-12.py");
  const std::vector<std::string> notes = findings::headersOf(kept).notes;
  ASSERT_EQ(notes.size(), 4U);
  EXPECT_EQ(notes[0], "found by seed 7 case 12, mutated from a, did not recur when run alone");
  EXPECT_EQ(notes[2], "then eager Differs/values/call 0 output 0: 0 is not 1");
  EXPECT_EQ(notes[3], "eager Agreed: 0 is not 1");
}

TEST(FindingPipelineTest, HeadersAreReadAsTheyWereWritten) {
  language::Case theCase = suspectCase("x", "# torch: 1.0\n# bound: 2\n# stage: gone\n# note: later\n");
  findings::FindingHeaders headers = findings::headersOf(theCase);
  EXPECT_EQ(headers.stage, "gone");
  headers.torch = "2.13.0";
  headers.stage = "";
  headers.foundBy = "seed 7 case 12";
  headers.cluster = "eager-values-12345678";
  headers.symptom = {"eager", "Differs/values/output", "eager", ""};
  headers.profile = "profile-0123.json";
  headers.setMessage("0 is\nnot 1");
  findings::setHeaders(theCase, headers);
  const findings::FindingHeaders read = findings::headersOf(parser::parsePrinted(standalone::printCase(theCase)));
  EXPECT_EQ(read.torch, "2.13.0");
  EXPECT_EQ(read.foundBy, headers.foundBy);
  EXPECT_EQ(read.cluster, headers.cluster);
  EXPECT_EQ(read.symptom, headers.symptom);
  EXPECT_EQ(read.profile, headers.profile);
  EXPECT_EQ(read.message(), "0 is not 1");
  EXPECT_EQ(read.notes, (std::vector<std::string>{"0 is not 1", "later"}));
  EXPECT_EQ(theCase.header("bound"), "2") << "what is not of a finding stays";
  EXPECT_FALSE(theCase.header("stage").has_value());
}

} // namespace touchstone::tests
