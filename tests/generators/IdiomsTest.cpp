#include "generators/idioms/Idioms.h"

#include "generators/catalogue/Draw.h"
#include "generators/decoder/DecoderIdioms.h"
#include "generators/features/CaseFeatures.h"
#include "program/analysis/ExactOperators.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace touchstone::tests {
namespace {

using catalogue::Part;

catalogue::Features withIdioms(uint64_t seed, uint64_t index) {
  catalogue::Features features = catalogue::featuresOf(seed, index);
  features.parts = {Part::kIdioms};
  return features;
}

language::Case decoded(uint64_t seed, uint64_t index, const catalogue::Features& features,
                       decoder::DecodeStatistics* statistics = nullptr) {
  decoder::DecodeOptions options;
  options.features = features;
  options.statistics = statistics;
  return decoder::decode(catalogue::makeRecipe(seed, index, features), options);
}

/// A row's text on its own, the operands standing for themselves.
language::Case caseOf(const idioms::IdiomEntry& entry) {
  language::Case theCase;
  language::Function program;
  program.name = "program";
  program.body = entry.statements;
  theCase.functions.push_back(program);
  return theCase;
}

TEST(IdiomsTest, NamesAreTheirOwn) {
  std::set<std::string_view> names;
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    EXPECT_TRUE(names.insert(entry->name).second) << entry->name;
  }
  EXPECT_GE(names.size(), 300u);
}

TEST(IdiomsTest, EveryClassHasRows) {
  std::map<std::string_view, int> rows;
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    ++rows[idioms::className(entry.idiomClass)];
  }
  EXPECT_EQ(rows.size(), static_cast<size_t>(idioms::IdiomClass::kGradient) + 1);
  for (const auto& [name, count] : rows) {
    EXPECT_GE(count, 20) << name;
  }
}

TEST(IdiomsTest, RowsRelateAtLeastTwoThings) {
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    EXPECT_GE(entry.results.size() + (entry->has(idioms::kMutates) ? 1 : 0), 2u) << entry->name;
    EXPECT_LE(entry->operands.size(), 3u) << entry->name;
    EXPECT_LE(entry->degree, 3) << entry->name;
  }
}

TEST(IdiomsTest, ExactRowsAreOfExactOperators) {
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    if (entry->has(idioms::kExact)) {
      EXPECT_TRUE(analysis::usesExactOperatorsOnly(caseOf(entry))) << entry->name;
    }
  }
}

// What does not fit into an integer is undefined: such rows are to say that they cast.
TEST(IdiomsTest, CastsToIntegersAreTold) {
  const std::set<std::string> casts = {"long", "int", "short"};
  const std::set<std::string> dtypes = {"int8", "int16", "int32", "int64", "uint8"};
  const auto isComparison = [](const language::Expr& expr) {
    return expr.kind == language::ExprKind::kBinary && (expr.text == "<" || expr.text == ">" || expr.text == "==");
  };
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    const bool takesFloats = std::any_of(entry->operands.begin(), entry->operands.end(), [](auto operand) {
      return operand != catalogue::OperandConstraint::kInteger && operand != catalogue::OperandConstraint::kIntegral;
    });
    const bool isCast = language::anyExpression(entry.statements, [&](const language::Expr& expr) {
      if (expr.kind != language::ExprKind::kCall || expr.children[0]->kind != language::ExprKind::kAttribute ||
          isComparison(*expr.children[0]->children[0])) {
        return false;
      }
      const std::string& method = expr.children[0]->text;
      return casts.contains(method) ||
             (method == "to" && expr.children.size() > 1 && dtypes.contains(expr.children[1]->text));
    });
    if (takesFloats && isCast && !entry->has(idioms::kToInteger)) {
      const std::set<std::string_view> ofIntegers = {"argmax_and_cast"}; // casts an index
      EXPECT_TRUE(ofIntegers.contains(entry->name)) << entry->name;
    }
  }
}

/// Operands such as Cases have: of several dtypes, ranks and layouts, some of them leaves that require grad.
constexpr std::string_view kOperands = R"(# touchstone: 1
import torch


def inputs(seed, kind):
    a = data((2, 3), torch.float32, (seed, 0), kind)
    b = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    c = data((3, 3), torch.float32, (seed, 2), kind)
    d = data((3, 2), torch.float32, (seed, 3), kind).requires_grad_()
    e = data((4,), torch.float32, (seed, 4), kind)
    f = data((3,), torch.float32, (seed, 5), kind).requires_grad_()
    g = data((2, 3, 3), torch.float32, (seed, 6), kind)
    h = data((2, 2, 3), torch.float32, (seed, 7), kind).requires_grad_()
    i = data((2, 3), torch.int64, (seed, 8), kind)
    j = data((4,), torch.int64, (seed, 9), kind)
    k = data((2, 3), torch.bool, (seed, 10), kind)
    l = data((2, 3), torch.complex64, (seed, 11), kind)
    m = data((), torch.float32, (seed, 12), kind)
    n = data((4, 3), torch.float32, (seed, 13), kind).t()
    o = data((4,), torch.float32, (seed, 14), kind)
    p = data((2, 2, 3, 2), torch.float32, (seed, 15), kind)
    return (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p), ()


def program(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p):
    return a


CALLS = [dict(inputs="inputs", seed=7)]
)";

/// One row tried on its own, on new operands.
struct RowTrial {
  decoder::IdiomTrial outcome;
  bool writes = false; // to an operand
};

RowTrial tryRow(const language::Case& operands, const idioms::IdiomEntry& entry, uint64_t seed, bool exact) {
  decoder::DecodeOptions options;
  options.features.regions = false;
  options.features.exactOnly = exact;
  decoder::DecodeStatistics statistics;
  evaluator::Evaluator evaluator(operands);
  const evaluator::InputSet made = evaluator.makeInputs("inputs", 7, exact ? "grid" : "uniform");
  decoder::DecoderState state(options, statistics, evaluator);
  std::vector<uint32_t> versions;
  for (size_t index = 0; index < made.arguments.size(); ++index) {
    const std::string& name = operands.program().parameters[index];
    state.environment.names[name] = made.arguments[index];
    state.variables.push_back(decoder::variableOf(name, made.arguments[index], true));
    versions.push_back(made.arguments[index].tensor()._version());
  }
  const catalogue::Record record{
      .key = 0, .operands = static_cast<uint32_t>(catalogue::mix(seed)), .attributes = catalogue::mix(seed ^ 1)};
  RowTrial trial{.outcome = decoder::decodeIdiom(state, record, 0, entry)};
  for (size_t index = 0; index < versions.size(); ++index) {
    trial.writes |= made.arguments[index].tensor()._version() != versions[index];
  }
  return trial;
}

class IdiomRowsTest : public testing::Test {
 protected:
  static constexpr uint64_t kTries = 40;
  IdiomRowsTest() { at::set_num_threads(1); }
  const language::Case operands_ = parser::parseCase(std::string(kOperands));
};

TEST_F(IdiomRowsTest, EagerTakesEveryRow) {
  std::string refused;
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    int accepted = 0;
    for (uint64_t seed = 0; seed < kTries && accepted == 0; ++seed) {
      accepted += tryRow(operands_, entry, seed, false).outcome == decoder::IdiomTrial::kAccepted ? 1 : 0;
    }
    if (accepted == 0) {
      refused += "\n" + std::string(entry->name);
    }
  }
  EXPECT_EQ(refused, "");
}

TEST_F(IdiomRowsTest, ExactRowsStayInTheBounds) {
  std::string refused;
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    int accepted = entry->has(idioms::kExact) ? 0 : 1;
    for (uint64_t seed = 0; seed < kTries && accepted == 0; ++seed) {
      accepted += tryRow(operands_, entry, seed, true).outcome == decoder::IdiomTrial::kAccepted ? 1 : 0;
    }
    if (accepted == 0) {
      refused += "\n" + std::string(entry->name);
    }
  }
  EXPECT_EQ(refused, "");
}

// A row that writes is tried on a copy first: what writes has to say so, and nothing that eager refuses may have written.
TEST_F(IdiomRowsTest, RowsWriteWhereTheySaySo) {
  constexpr uint64_t kTriesOfEach = 6;
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    const uint64_t most = entry->has(idioms::kMutates) ? kTries : kTriesOfEach;
    bool writes = false;
    for (uint64_t seed = 0; seed < most && !writes; ++seed) {
      const RowTrial trial = tryRow(operands_, entry, seed, false);
      EXPECT_NE(trial.outcome, decoder::IdiomTrial::kRefused) << entry->name;
      writes = trial.writes;
    }
    EXPECT_EQ(writes, entry->has(idioms::kMutates)) << entry->name;
  }
}

TEST(IdiomCasesTest, HalfOfTheCasesHaveThem) {
  constexpr uint64_t kCases = 400;
  at::set_num_threads(1);
  int wanted = 0, have = 0, rows = 0, records = 0;
  for (uint64_t index = 0; index < kCases; ++index) {
    const catalogue::Features features = withIdioms(3, index);
    decoder::DecodeStatistics statistics;
    decoded(3, index, features, &statistics);
    EXPECT_TRUE(features.idioms || statistics.idioms.empty());
    wanted += features.idioms ? 1 : 0;
    have += statistics.idioms.empty() ? 0 : 1;
    if (features.idioms) {
      rows += static_cast<int>(statistics.idioms.size());
      records += statistics.tried;
    }
  }
  RecordProperty("cases with idioms", have);
  EXPECT_NEAR(wanted, kCases / 2, kCases / 10);
  EXPECT_GT(have, wanted * 3 / 4);
  EXPECT_NEAR(static_cast<double>(rows) / records, 0.25, 0.08);
}

TEST(IdiomCasesTest, WithoutThePartNothingChanges) {
  at::set_num_threads(1);
  int changed = 0;
  for (uint64_t index = 0; index < 100; ++index) {
    catalogue::Features plain = catalogue::featuresOf(3, index);
    plain.parts = {};
    catalogue::Features without = withIdioms(3, index);
    without.idioms = false;
    const std::string text = standalone::printCase(decoded(3, index, plain));
    EXPECT_EQ(standalone::printCase(decoded(3, index, without)), text) << index;
    changed += standalone::printCase(decoded(3, index, withIdioms(3, index))) == text ? 0 : 1;
  }
  EXPECT_GT(changed, 25);
}

// What is made and never looked at is dead code to every backend.
TEST(IdiomCasesTest, ResultsReachOutputs) {
  at::set_num_threads(1);
  int statements = 0, reaching = 0;
  for (uint64_t index = 0; index < 200; ++index) {
    catalogue::Features features = withIdioms(5, index);
    features.shapes = false;
    decoder::DecodeStatistics statistics;
    const language::Case theCase = decoded(5, index, features, &statistics);
    if (statistics.idioms.empty()) {
      continue;
    }
    const features::CaseFeatures described = features::describeCase(theCase);
    statements += described.operations;
    reaching += described.operationsReachingOutput;
  }
  EXPECT_GT(statements, 1000);
  EXPECT_GT(reaching, statements * 85 / 100);
}

} // namespace
} // namespace touchstone::tests
