#include "harness/triage/SuppressionProposal.h"

#include "harness/triage/StoredSuppression.h"
#include "program/parser/CaseParser.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

language::Case parsed(const std::string& text) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  return parser::parseCase(text, options);
}

language::Case withBody(const std::string& body) {
  return parsed(
      "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n    x = torch.ones((2, 3))\n"
      "    w = torch.ones((2, 3))\n    return (x, w), ()\n\n\ndef program(x, w):\n" +
      body + "\n\nCALLS = [\n    dict(inputs=\"inputs\"),\n    dict(inputs=\"inputs\", seed=1),\n]\n");
}

/// A compiler whose bug is told by a pattern: what it matches fails.
triage::NeighbourJudge failsWhere(const std::vector<std::string>& lines) {
  return [bug = suppressions::readPattern(lines)](const std::vector<language::Case>& cases) {
    std::vector<triage::NeighbourOutcome> outcomes;
    for (const language::Case& each : cases) {
      outcomes.push_back(suppressions::matches(bug, analysis::flatten(each)) ? triage::NeighbourOutcome::kFails
                                                                             : triage::NeighbourOutcome::kBehaves);
    }
    return outcomes;
  };
}

std::vector<std::string> linesOf(const triage::SuppressionProposal& proposal) {
  return suppressions::patternLines(proposal.pattern);
}

using Lines = std::vector<std::string>;

} // namespace

TEST(SuppressionProposalTest, OneGuiltyOperatorIsThePattern) {
  const triage::SuppressionProposal proposal =
      triage::proposeSuppression(withBody("    return torch.relu(x)\n"), failsWhere({"relu(_)"}));
  EXPECT_EQ(linesOf(proposal), Lines{"relu()"});
  EXPECT_TRUE(proposal.isSafe());
  EXPECT_GT(proposal.check.behaving, 3u);
}

TEST(SuppressionProposalTest, HowOperationsHangTogetherIsFound) {
  const std::string body =
      "    y = torch.nn.functional.dropout(x, p=0.5, training=False)\n    y.add_(1)\n    return x\n";
  const triage::SuppressionProposal proposal =
      triage::proposeSuppression(withBody(body), failsWhere({"y = dropout(_, training=False)", "'*_'(alias(y))"}));
  EXPECT_TRUE(proposal.isSafe()) << triage::checkText(proposal.check);
  EXPECT_EQ(linesOf(proposal), (Lines{"y = dropout(training=False)", "'*_'(alias(y))"}))
      << triage::checkText(proposal.check);
  EXPECT_EQ(proposal.check.covered, proposal.check.failing);
}

TEST(SuppressionProposalTest, WhereEachOperatorThatWasTriedFailsItIsAnyOfItsKind) {
  const language::Case theCase = withBody("    y = torch.nn.functional.silu(x)\n    return torch.mm(y, w.t())\n");
  const triage::SuppressionProposal any =
      triage::proposeSuppression(theCase, failsWhere({"y = elementwise(x)", "mm(y)"}));
  EXPECT_TRUE(any.isSafe()) << triage::checkText(any.check);
  EXPECT_NE(linesOf(any)[0].find("elementwise("), std::string::npos) << linesOf(any)[0];
  EXPECT_TRUE(suppressions::matches(any.pattern,
                                    analysis::flatten(withBody("    y = x.exp()\n    return torch.mm(y, w.t())\n"))));
  const triage::SuppressionProposal some =
      triage::proposeSuppression(theCase, failsWhere({"y = 'silu|sin'(x)", "mm(y)"}));
  EXPECT_EQ(linesOf(some)[0].find("elementwise("), std::string::npos) << linesOf(some)[0];
}

TEST(SuppressionProposalTest, OrderAndPlaceMatterWhereTheNeighboursSaySo) {
  const std::string body = "    y = x.t()\n    x.mul_(2)\n    return y\n";
  const triage::SuppressionProposal proposal =
      triage::proposeSuppression(withBody(body), failsWhere({"y = t(x)", "mul_(x)", "return is_returned(alias(y))"}));
  EXPECT_TRUE(proposal.check.holds());
  EXPECT_TRUE(suppressions::matches(
      proposal.pattern,
      analysis::flatten(withBody("    y = x.t()\n    x.mul_(2)\n    z = w.sin()\n    return z, y\n"))));
  EXPECT_FALSE(suppressions::matches(proposal.pattern,
                                     analysis::flatten(withBody("    x.mul_(2)\n    y = x.t()\n    return y\n"))))
      << "the other order";
  EXPECT_FALSE(suppressions::matches(proposal.pattern,
                                     analysis::flatten(withBody("    y = w.t()\n    x.mul_(2)\n    return y\n"))))
      << "of another";
}

/// Laws of every proposal: it matches its own Case and no neighbour that behaves, as far as any pattern could tell.
TEST(SuppressionProposalTest, AProposedPatternMatchesItsCaseAndNothingThatBehaves) {
  const std::vector<std::pair<std::string, Lines>> bugs{
      {"    y = x.t()\n    y.mul_(2)\n    return x\n", {"y = t(x)", "mul_(y)", "return is_argument(x)"}},
      {"    with torch.no_grad():\n        y = x.t()\n    return y.sin()\n", {"with no_grad:", "    t(_)"}},
      {"    y = x + w\n    z = y.sum()\n    return z\n", {"y = add(a, b)", "sum(derived(y))"}},
      {"    x.add_(1)\n    return x\n", {"add_(x)", "return is_returned(x), not arguments_share_memory()"}},
      {"    y = torch.cat([x, w])\n    return y.view(-1)\n", {"y = cat(_)", "view(alias(y))"}},
  };
  for (const auto& [body, bug] : bugs) {
    const language::Case theCase = withBody(body);
    const triage::SuppressionProposal proposal = triage::proposeSuppression(theCase, failsWhere(bug));
    EXPECT_TRUE(proposal.check.matchesCase) << body;
    EXPECT_TRUE(proposal.check.loose.empty()) << body << triage::checkText(proposal.check);
    EXPECT_TRUE(suppressions::matches(proposal.pattern, analysis::flatten(theCase))) << body;
    EXPECT_EQ(suppressions::readPattern(linesOf(proposal)), proposal.pattern) << body;
  }
}

TEST(SuppressionProposalTest, APatternThatIsTooLooseIsToldByTheNeighboursThatItMatches) {
  const std::string body = "    y = x.t()\n    y.mul_(2)\n    return x\n";
  const triage::NeighbourJudge judge = failsWhere({"y = t(x)", "mul_(y)"});
  const triage::Neighbourhood neighbourhood = triage::exploreNeighbours(withBody(body), judge);
  EXPECT_TRUE(triage::checkPattern(suppressions::readPattern({"y = t(x)", "mul_(y)"}), neighbourhood).holds());
  const triage::PatternCheck loose = triage::checkPattern(suppressions::readPattern({"mul_(_)"}), neighbourhood);
  EXPECT_FALSE(loose.holds());
  EXPECT_FALSE(loose.loose.empty());
  EXPECT_FALSE(triage::checkPattern(suppressions::readPattern({"mm(_)"}), neighbourhood).matchesCase);
}

TEST(SuppressionProposalTest, WhereNothingBehavesNoPatternIsSafe) {
  const triage::SuppressionProposal proposal =
      triage::proposeSuppression(withBody("    return torch.relu(x)\n"), [](const auto& cases) {
        return std::vector<triage::NeighbourOutcome>(cases.size(), triage::NeighbourOutcome::kFails);
      });
  EXPECT_FALSE(proposal.isSafe());
}

TEST(SuppressionProposalTest, ACaseThatIsNotReducedHasNoSafePattern) {
  const language::Case theCase = withBody("    y = x.clone()\n    return torch.relu(y)\n");
  const triage::NeighbourJudge fails = failsWhere({"relu(_)"});
  for (const bool shows : {true, false}) { // what fails in another way than the Case says nothing of it
    const triage::NeighbourJudge judge = [&](const std::vector<language::Case>& cases) {
      std::vector<triage::NeighbourOutcome> outcomes = fails(cases);
      std::replace(outcomes.begin(), outcomes.end(), triage::NeighbourOutcome::kFails,
                   shows ? triage::NeighbourOutcome::kShows : triage::NeighbourOutcome::kFails);
      return outcomes;
    };
    const triage::SuppressionProposal proposal = triage::proposeSuppression(theCase, judge);
    EXPECT_EQ(proposal.check.smaller > 0, shows);
    EXPECT_EQ(proposal.isSafe(), !shows);
    EXPECT_TRUE(proposal.check.holds());
  }
}

TEST(SuppressionProposalTest, AProgramWithoutOperationsHasNoSafePattern) {
  const triage::SuppressionProposal proposal =
      triage::proposeSuppression(withBody("    return x\n"), [](const auto& cases) {
        std::vector<triage::NeighbourOutcome> outcomes(cases.size(), triage::NeighbourOutcome::kFails);
        outcomes.back() = triage::NeighbourOutcome::kBehaves;
        return outcomes;
      });
  EXPECT_TRUE(proposal.pattern.steps.empty());
  EXPECT_FALSE(proposal.isSafe());
}

TEST(SuppressionProposalTest, NeighboursAreManyAndNoneTwice) {
  const language::Case theCase = withBody("    y = x.t()\n    y.mul_(2)\n    return x\n");
  const std::vector<triage::Neighbour> all = triage::neighboursOf(theCase, 1000);
  std::set<std::string> edits;
  for (const triage::Neighbour& each : all) {
    edits.insert(each.edit);
  }
  for (const char* edit : {"another operator", "a clone instead", "a view instead", "not in place", "another order",
                           "an argument apart", "statements"}) {
    EXPECT_TRUE(edits.contains(edit)) << edit;
  }
  const std::vector<triage::Neighbour> some = triage::neighboursOf(theCase, 20);
  EXPECT_EQ(some.size(), 20u);
  std::set<std::string> someEdits;
  for (const triage::Neighbour& each : some) {
    someEdits.insert(each.edit);
  }
  EXPECT_GT(someEdits.size(), 7u) << "of each edit some";
}

} // namespace touchstone::tests
