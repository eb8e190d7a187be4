#include "generators/catalogue/Parts.h"
#include "harness/report/Report.h"
#include "harness/report/Tally.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace touchstone::tests {

namespace {

worker::JobResult resultOfFamily(const std::string& backend, double generate, double eager) {
  worker::JobResult result;
  result.facts.calls = 3;
  result.facts.mutation = true;
  result.making.seconds = generate;
  result.eagerSeconds = eager;
  worker::BackendResult& judged = result.backends.emplace_back();
  judged.backend = backend;
  judged.outcome = language::Outcome::kAgreed;
  return result;
}

} // namespace

TEST(TallyTest, ResultsOfTwoFamiliesAreOneCaseWithTheTimeOfBoth) {
  worker::JobResult merged;
  report::mergeResults(merged, resultOfFamily("eager", 1, 2));
  report::mergeResults(merged, resultOfFamily("torch:eager", 4, 8));
  report::Tally tally;
  tally.add(merged);
  EXPECT_EQ(tally.cases, 1);
  EXPECT_EQ(tally.mutation, 1);
  EXPECT_EQ(tally.generateSeconds, 5);
  EXPECT_EQ(tally.eagerSeconds, 10);
  EXPECT_EQ(tally.backends.at("eager").count(language::Outcome::kAgreed), 1);
  EXPECT_EQ(tally.backends.at("torch:eager").count(language::Outcome::kAgreed), 1);
}

TEST(TallyTest, ACaseOnWhichTouchstoneFailedIsCountedAndTold) {
  worker::JobResult failed;
  failed.error = "a defect";
  report::Report report;
  report.tally.add(resultOfFamily("eager", 1, 1));
  report.tally.add(failed);
  EXPECT_EQ(report.tally.unreadable, 1);
  EXPECT_EQ(report::reportJson(report).at("not_judged"), 1);
  EXPECT_NE(report::summaryText(report, false).find("failed on 1 of 2 Cases"), std::string::npos);
  report.waiting = 2;
  report.folder = "my/findings";
  EXPECT_NE(report::summaryText(report, false).find("fuzz --resume my/findings goes on with them"), std::string::npos);
}

TEST(TallyTest, TheSummaryNamesTheFiguresThatDoNotHoldAndCountsTheOthers) {
  report::Report report;
  EXPECT_EQ(report::summaryText(report, true).find("validity"), std::string::npos) << "nothing was judged";
  worker::JobResult vacuous = resultOfFamily("eager", 1, 1);
  vacuous.backends[0].outcome = language::Outcome::kVacuous;
  report.tally.add(vacuous);
  const std::vector<report::ValidityFigure> figures = report::validityFigures(report.tally);
  const std::string text = report::summaryText(report, true);
  const auto held =
      std::count_if(figures.begin(), figures.end(), [](const report::ValidityFigure& each) { return each.holds; });
  ASSERT_GT(held, 0);
  EXPECT_NE(text.find("validity: " + std::to_string(held) + " of " + std::to_string(figures.size()) + " figures hold"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("HIGH eager: Vacuous: 100.0 % (at most 1 %)"), std::string::npos) << text;
  for (const report::ValidityFigure& each : figures) {
    EXPECT_EQ(text.find(each.name + ": " + each.value + " (" + each.bound) == std::string::npos, each.holds)
        << each.name;
  }
  EXPECT_EQ(report::summaryText(report, false).find("figures hold"), std::string::npos);
}

TEST(TallyTest, AnErrorOfCompilingThatEagersBackwardHasTooIsTheProgramsNotALimitOfTheBackend) {
  report::Tally tally;
  for (const char* rule : {"A8", "A8", "A13", ""}) {
    worker::JobResult result = resultOfFamily("torch:aot_eager", 1, 1);
    result.backends[0].outcome = *rule != 0 ? language::Outcome::kLimit : language::Outcome::kAgreed;
    result.backends[0].detail = rule;
    tally.add(result);
  }
  std::map<std::string, std::string> values;
  for (const report::ValidityFigure& figure : report::validityFigures(tally)) {
    values[figure.name] = figure.value;
  }
  EXPECT_EQ(values.at("torch:aot_eager: EagerRejected + Limit(A8)"), "50.0 %");
  EXPECT_EQ(values.at("torch:aot_eager: Unsupported + other Limit"), "25.0 %");
}

TEST(TallyTest, WhatCompiledAutogradDidIsCountedByBackend) {
  report::Report report;
  for (const char* backend : {"eager", "eager", "aot_eager"}) {
    worker::JobResult result = resultOfFamily(backend, 1, 1);
    if (backend[0] == 'e') {
      result.backends[0].counters = {
          .backwards = 5, .backwardCaptures = 2, .backwardGraphs = 3, .backwardRuns = 8, .backwardEagerNodes = 1};
    }
    report.tally.add(result);
  }
  const nlohmann::json object = report::reportJson(report);
  EXPECT_EQ(object.at("compiled_autograd"),
            nlohmann::json::parse(
                R"({"eager": {"backwards": 10, "captures": 4, "graphs": 6, "runs": 16, "eager_nodes": 2}})"));
}

TEST(TallyTest, CasesInWhichSymbolsWereGivenUpAreToldWhereThereAreSymbols) {
  report::Report report;
  const auto add = [&](const std::string& backend, worker::Counters counters) {
    worker::JobResult result = resultOfFamily(backend, 1, 1);
    result.backends[0].counters = counters;
    report.tally.add(result);
  };
  for (const char* backend : {"eager", "aot_eager", "torch:eager"}) {
    add(backend, {.graphs = 1});
  }
  EXPECT_EQ(report::reportJson(report).at("symbols"), nlohmann::json::object());
  EXPECT_EQ(report::summaryText(report, false).find("symbols:"), std::string::npos);
  add("aot_eager", {.graphs = 2, .symbols = 3});
  add("aot_eager", {.graphs = 2, .symbols = 3, .specializations = 2});
  add("aot_eager", {.graphs = 1, .specializations = 1});
  add("torch:eager", {.graphs = 1, .symbols = 1});
  EXPECT_EQ(report::reportJson(report).at("symbols"),
            nlohmann::json::parse(R"({"aot_eager": {"cases": 2, "given_up": 2}, "torch:eager": {"cases": 1}})"));
  const std::string text = report::summaryText(report, false);
  EXPECT_NE(text.find("  symbols: in 2 of 4 compiled Cases; in 2 one that was to be a symbol kept its number\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  symbols: in 1 of 2 compiled Cases\n"), std::string::npos) << text;
}

TEST(TallyTest, TheSummarySaysWhereKnownDefectsAreTold) {
  report::Report report;
  for (const char* name : {"transposed_twice", "an_entry_of_a_file"}) {
    worker::JobResult result = resultOfFamily("ts", 1, 1);
    result.backends[0].outcome = language::Outcome::kKnown;
    result.backends[0].detail = name;
    report.tally.add(result);
  }
  const std::string text = report::summaryText(report, false);
  EXPECT_NE(text.find("Known(transposed_twice) 1: see corpus/known/transposed_twice.py and docs/torchscript.md\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Known(an_entry_of_a_file) 1\n"), std::string::npos) << text;
}

TEST(TallyTest, FiguresOfDensityAreAskedOfCasesThatAreDrawnDense) {
  const std::map<std::string, std::string> lowest = {
      {"operations that reach an output or a write that is seen", "80.0 %"},
      {"generated Cases with a backward", "60.0 %"},
      {"generated Cases with two differentiable inputs of one shape", "30.0 %"},
      {"leaves with a gradient that is not zero, median with a backward", "3"},
      {"operators with derivatives on the longest path, median with a backward", "5"},
  };
  const auto figuresOf = [&](catalogue::Parts parts, bool areDense) {
    report::Tally tally;
    tally.expect(parts);
    for (int index = 0; index < 10; ++index) {
      worker::JobResult result = resultOfFamily("eager", 1, 1);
      result.facts = {.operations = areDense ? 8 : 7, .backward = index < (areDense ? 6 : 5), .statedOperations = 10};
      result.facts.gradientLeaves = areDense ? 3 : 2;
      result.facts.gradientPath = areDense ? 5 : 4;
      result.facts.twoLeavesOfOneShape = index < (areDense ? 3 : 2);
      tally.add(result);
    }
    std::map<std::string, report::ValidityFigure> found;
    for (const report::ValidityFigure& figure : report::validityFigures(tally)) {
      if (lowest.contains(figure.name)) {
        found.emplace(figure.name, figure);
      }
    }
    return found;
  };
  const catalogue::Parts dense = catalogue::partsOf({"all"});
  for (const auto& [name, value] : lowest) {
    EXPECT_EQ(figuresOf(dense, true).at(name).value, value);
    EXPECT_TRUE(figuresOf(dense, true).at(name).holds) << name;
    EXPECT_FALSE(figuresOf(dense, false).at(name).holds) << name;
  }
  EXPECT_TRUE(figuresOf(catalogue::partsOf({"all", "no-training"}), false).empty());
}

TEST(TallyTest, SymbolsAreAskedForWhereSizesChange) {
  const auto summaryOf = [](int64_t symbols, int assignments, catalogue::Parts parts) {
    report::Report report;
    worker::JobResult result;
    result.facts.sizeAssignments = assignments;
    worker::BackendResult& backend = result.backends.emplace_back();
    backend.backend = "torch:aot_eager";
    backend.counters.graphs = 1;
    backend.counters.symbols = symbols;
    report.tally.add(result);
    report.tally.expect(parts);
    return report::summaryText(report, /*withValidity=*/true);
  };
  const catalogue::Parts parts = {catalogue::Part::kDynamic};
  EXPECT_NE(summaryOf(0, 1, parts).find("LOW  torch:aot_eager: compiled Cases with symbols: 0.0 %, vacuous"),
            std::string::npos)
      << summaryOf(0, 1, parts);
  EXPECT_NE(summaryOf(0, 1, parts).find("LOW  Cases with two assignments of sizes or more: 0.0 %"), std::string::npos);
  EXPECT_EQ(summaryOf(2, 3, parts).find("compiled Cases with symbols"), std::string::npos) << "it holds";
  EXPECT_EQ(summaryOf(2, 3, parts).find("assignments"), std::string::npos);
  EXPECT_EQ(summaryOf(0, 1, catalogue::kDefaultParts).find("symbols"), std::string::npos);
}

TEST(TallyTest, WhatDidNotRecurIsNotJudged) {
  report::Tally tally;
  for (const language::Outcome outcome : {language::Outcome::kUnconfirmed, language::Outcome::kUnconfirmed,
                                          language::Outcome::kUnconfirmed, language::Outcome::kAgreed}) {
    worker::JobResult result = resultOfFamily("eager", 1, 1);
    result.backends[0].outcome = outcome;
    tally.add(result);
  }
  EXPECT_EQ(tally.backends.at("eager").judgedCases(), 1);
  EXPECT_EQ(tally.unjudgedShare(), 0.75);
}

} // namespace touchstone::tests
