#include "generators/mutation/CaseMutation.h"

#include "generators/catalogue/Draw.h"
#include "generators/decoder/CallTrial.h"
#include "generators/decoder/Continuation.h"
#include "generators/mutation/Mutation.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace touchstone::tests {
namespace {

using language::Case;

constexpr const char* kHead = "# touchstone: 1\nimport torch\n\n\n";

Case caseOf(const std::string& text) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  return parser::parseCase(kHead + text, options);
}

/// Two tensors; the first requires grad.
const std::string kInputs =
    "def inputs(seed, kind):\n    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()\n"
    "    z = data((2, 3), torch.float32, (seed, 1), kind)\n    return (x, z), ()\n\n\n";
const std::string kCalls =
    "\n\nCALLS = [\n    dict(inputs=\"inputs\", kind=\"uniform\", backward=[0]),\n"
    "    dict(inputs=\"inputs\", seed=1, kind=\"uniform\"),\n]\n";

Case withProgram(const std::string& program, const std::string& more = "") {
  return caseOf(kInputs + more + program + kCalls);
}

const Case& sines() {
  static const Case kCase = withProgram("def program(x, z):\n    a = torch.sin(x)\n    z.mul_(2)\n    return a * z\n");
  return kCase;
}

const Case& scans() {
  static const Case kCase = withProgram(
      "def program(x, z):\n    b = doubled(x)\n    with torch.no_grad():\n        c = torch.cumsum(b, 1)\n"
      "    d = c.t()\n    return d + 1\n",
      "def doubled(v):\n    return v + v\n\n\n");
  return kCase;
}

std::vector<std::string> statementsOf(const Case& theCase) {
  std::vector<std::string> lines;
  std::istringstream text(language::printFunction(theCase.program()));
  for (std::string line; std::getline(text, line);) {
    lines.push_back(line);
  }
  return lines;
}

bool runsEagerly(const Case& theCase) {
  try {
    evaluator::Evaluator evaluator(theCase);
    const language::CallSpec& base = theCase.calls.at(0);
    evaluator.call("program", evaluator.makeInputs(*base.inputs, base.seed, base.kind).arguments);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

class CaseMutationTest : public testing::Test {
 protected:
  void SetUp() override { at::set_num_threads(1); }
};

mutation::MutatedCase mustDerive(uint64_t index) {
  std::optional<mutation::MutatedCase> derived = mutation::deriveCase(5, index, std::vector<Case>{sines(), scans()});
  return derived ? std::move(*derived) : mutation::MutatedCase{sines(), mutation::MutationKind::kContinued};
}

TEST_F(CaseMutationTest, WhatIsDerivedIsNewIsReadBackAndMostlyRuns) {
  std::map<mutation::MutationKind, int> ways;
  int raised = 0, derivations = 0;
  for (uint64_t index = 0; index < 150; ++index) {
    const std::optional<mutation::MutatedCase> derived =
        mutation::deriveCase(3, index, std::vector<Case>{sines(), scans()});
    if (!derived) {
      continue;
    }
    ++derivations;
    ++ways[derived->mutation];
    const std::string text = standalone::printCase(derived->theCase);
    ASSERT_EQ(standalone::printCase(parser::parseCase(text)), text) << "case " << index;
    EXPECT_GE(derived->theCase.calls.size(), 1U);
    raised += runsEagerly(derived->theCase) ? 0 : 1;
  }
  EXPECT_GT(derivations, 140);
  EXPECT_EQ(ways.size(), 3U) << "continued, mutated and spliced";
  EXPECT_LT(raised, derivations / 10) << "a rejected operation is kept on purpose at times only";
}

TEST_F(CaseMutationTest, ItDependsOnTheNumbersAndTheStartsOnly) {
  std::vector<std::string> first;
  for (uint64_t index = 0; index < 30; ++index) {
    first.push_back(standalone::printCase(mustDerive(index).theCase));
  }
  for (uint64_t index = 30; index-- > 0;) {
    EXPECT_EQ(standalone::printCase(mustDerive(index).theCase), first[index]) << "case " << index;
  }
}

TEST_F(CaseMutationTest, WhatIsContinuedKeepsItsStatementsItsFirstOutputAndItsCalls) {
  int longer = 0;
  for (uint64_t index = 0; index < 40; ++index) {
    catalogue::Draw draw(index);
    catalogue::Recipe records;
    for (int record = 0; record < 6; ++record) {
      records.push_back({catalogue::Record::keyIn(catalogue::Section::kStatement, static_cast<uint32_t>(draw.next())),
                         static_cast<uint32_t>(draw.next()), draw.next()});
    }
    const std::optional<Case> made = decoder::continueCase(sines(), nullptr, records);
    ASSERT_TRUE(made.has_value());
    const std::vector<std::string> before = statementsOf(sines()), after = statementsOf(*made);
    ASSERT_GE(after.size(), before.size());
    for (size_t line = 0; line + 1 < before.size(); ++line) {
      EXPECT_EQ(after[line], before[line]);
    }
    EXPECT_NE(after.back().find("a * z"), std::string::npos) << after.back();
    longer += after.size() > before.size() ? 1 : 0;
    bool raises = !runsEagerly(*made);
    ASSERT_FALSE(made->calls.empty());
    EXPECT_TRUE(raises || made->calls[0] == sines().calls[0] || !made->calls[0].backward)
        << "the first call stays, unless eager refuses its backward now";
  }
  EXPECT_GT(longer, 30);
}

TEST_F(CaseMutationTest, ASpliceBringsTheDonorsStatementsAndFunctionsUnderOtherNames) {
  const std::optional<Case> made = decoder::continueCase(sines(), &scans(), {});
  ASSERT_TRUE(made.has_value());
  const std::string program = language::printFunction(made->program());
  EXPECT_NE(program.find("torch.sin(x)"), std::string::npos) << program;
  EXPECT_NE(program.find("= doubled("), std::string::npos) << program;
  EXPECT_NE(program.find("torch.cumsum("), std::string::npos) << program;
  EXPECT_NE(made->find("doubled"), nullptr);
  EXPECT_EQ(program.find("    b = "), std::string::npos) << "names of the donor are its own";
  EXPECT_TRUE(runsEagerly(*made));
}

TEST_F(CaseMutationTest, FunctionsThatNobodyReadsDoNotComeAlong) {
  const Case donor = withProgram("def program(x, z):\n    b = torch.cos(x)\n    return doubled(b)\n",
                                 "def doubled(v):\n    return v + v\n\n\n");
  const std::optional<Case> made = decoder::continueCase(sines(), &donor, {});
  ASSERT_TRUE(made.has_value());
  EXPECT_NE(language::printFunction(made->program()).find("torch.cos("), std::string::npos);
  EXPECT_EQ(made->find("doubled"), nullptr) << "only the `return` of the donor reads it";
}

TEST_F(CaseMutationTest, WhatRaisesOrReturnsInTheMiddleIsNotContinued) {
  const Case raising = withProgram("def program(x, z):\n    a = torch.mm(x, z)\n    return a\n");
  EXPECT_FALSE(decoder::continueCase(raising, nullptr, {}).has_value());
  const Case early = withProgram("def program(x, z):\n    if x.dim() == 2:\n        return x\n    return z\n");
  EXPECT_FALSE(decoder::continueCase(early, nullptr, {}).has_value());
  EXPECT_FALSE(mutation::deriveCase(1, 1, {}).has_value());
}

TEST_F(CaseMutationTest, CallsThatEagerNoLongerTakesGo) {
  // `exp` saves its result for the backward; written to afterwards, eager refuses the backward of the first call.
  const Case start = withProgram("def program(x, z):\n    a = torch.exp(x)\n    b = a * 1\n    return b\n");
  ASSERT_TRUE(decoder::continueCase(start, nullptr, {})->calls.at(0).backward.has_value());
  Case broken = start;
  for (language::Function& function : broken.functions) {
    if (function.name == "program") {
      function =
          *caseOf(kInputs + "def program(x, z):\n    a = torch.exp(x)\n    b = a * 1\n    a.mul_(2)\n    return b\n" +
                  kCalls)
               .find("program");
    }
  }
  const std::optional<Case> made = decoder::continueCase(broken, nullptr, {});
  ASSERT_TRUE(made.has_value());
  for (const language::CallSpec& call : made->calls) {
    EXPECT_FALSE(call.backward.has_value());
  }
}

TEST_F(CaseMutationTest, ACallUnderNoGradIsTriedUnderNoGrad) {
  Case start =
      withProgram("def program(x, z):\n    x.mul_(2)\n    return x\n"); // eager refuses it of a leaf under grad
  start.calls = {start.calls[1], start.calls[1]};
  start.calls[1].gradMode = language::GradMode::kNoGrad;
  const std::vector<language::CallSpec> running = decoder::callsThatRun(start);
  ASSERT_EQ(running.size(), 1U);
  EXPECT_EQ(running[0].gradMode, language::GradMode::kNoGrad);
}

TEST_F(CaseMutationTest, NoCallRecordIsSpentOnInputsThatAreNotKnown) {
  int added = 0;
  decoder::DecodeOptions options;
  options.features.parts = {}; // patterns of calls add more or fewer behind it
  const size_t alone = decoder::continueCase(sines(), nullptr, {}, options)->calls.size();
  for (uint64_t index = 0; index < 60; ++index) {
    const catalogue::Record call{
        catalogue::Record::keyIn(catalogue::Section::kCall, static_cast<uint32_t>(catalogue::mix(index))), 0,
        catalogue::mix(~index)};
    const std::optional<Case> made = decoder::continueCase(sines(), nullptr, {call}, options);
    ASSERT_TRUE(made.has_value());
    added += made->calls.size() > alone ? 1 : 0;
  }
  EXPECT_GT(added, 48); // the others say what some call says already
}

TEST_F(CaseMutationTest, EachMutationChangesSomeCase) {
  const Case rich = scans();
  for (const mutation::Mutation& mutation : mutation::mutations()) {
    int changed = 0;
    for (uint64_t seed = 0; seed < 60 && changed == 0; ++seed) {
      for (Case theCase : {rich, sines()}) {
        theCase.calls.push_back(theCase.calls[1]);
        theCase.calls.back().seed = 3;
        const std::string before = standalone::printCase(theCase);
        catalogue::Draw draw(seed, mutation.name);
        changed += mutation.apply(theCase, draw) && standalone::printCase(theCase) != before ? 1 : 0;
      }
    }
    EXPECT_GT(changed, 0) << "`" << mutation.name << "`";
  }
}

TEST_F(CaseMutationTest, WhatProgramsSwitchIsPutBack) {
  const Case switching =
      withProgram("def program(x, z):\n    torch.set_grad_enabled(False)\n    a = torch.sin(x)\n    return a\n");
  EXPECT_TRUE(decoder::continueCase(switching, nullptr, {}).has_value());
  EXPECT_TRUE(c10::GradMode::is_enabled());
}

TEST_F(CaseMutationTest, TheStartsStayWhenOthersComeThatDoNotWin) {
  const std::vector<uint64_t> few{11, 22, 33};
  const std::vector<uint64_t> more{44, 11, 22, 33};
  int same = 0;
  for (uint64_t index = 0; index < 200; ++index) {
    const std::vector<size_t> chosen = mutation::chooseStarts(1, index, few);
    std::vector<uint64_t> winners;
    for (const size_t position : chosen) {
      winners.push_back(few[position]);
    }
    EXPECT_EQ(mutation::chooseStarts(1, index, winners).size(), winners.size()) << "the winners alone win again";
    EXPECT_EQ(winners[mutation::chooseStarts(1, index, winners)[0]], few[chosen[0]]);
    same += more[mutation::chooseStarts(1, index, more)[0]] == few[chosen[0]] ? 1 : 0;
  }
  EXPECT_GT(same, 120) << "a fourth one wins every fourth time";
  EXPECT_LT(same, 180);
}

TEST_F(CaseMutationTest, TheShareIsKept) {
  int derived = 0;
  for (uint64_t index = 0; index < 2000; ++index) {
    EXPECT_FALSE(mutation::isDerived(7, index, 0));
    EXPECT_TRUE(mutation::isDerived(7, index, 1));
    derived += mutation::isDerived(7, index, 0.3) ? 1 : 0;
  }
  EXPECT_NEAR(derived, 600, 80);
}

} // namespace
} // namespace touchstone::tests
