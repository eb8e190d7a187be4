#include "generators/idioms/Idioms.h"

#include "generators/catalogue/Draw.h"
#include "generators/catalogue/Exclusions.h"
#include "generators/decoder/DecoderIdioms.h"
#include "generators/features/CaseFeatures.h"
#include "program/analysis/ExactOperators.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>

namespace touchstone::tests {
namespace {

using catalogue::Part;

catalogue::Features withIdioms(uint64_t seed, uint64_t index) {
  return catalogue::featuresOf(seed, index, {Part::kIdioms});
}

/// The same Case without them.
catalogue::Features withoutIdioms(uint64_t seed, uint64_t index) {
  catalogue::Features features = withIdioms(seed, index);
  features.idioms = false;
  return features;
}

language::Case decoded(uint64_t seed, uint64_t index, const catalogue::Features& features) {
  decoder::DecodeOptions options;
  options.features = features;
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

/// Operands such as Cases have: tensors of several dtypes, ranks and layouts, some of them leaves that require grad; numbers.
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
    return (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, 1, 1.5), ()


def program(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r):
    return a


CALLS = [dict(inputs="inputs", seed=7)]
)";

/// One row tried on its own, on new operands.
struct RowTrial {
  decoder::IdiomTrial outcome;
  bool writes = false; // to an operand
};

/// `entry`: null: the row that the record is for, if it is for one.
RowTrial tryRow(const language::Case& operands, const idioms::IdiomEntry* entry, uint64_t seed, bool exact) {
  decoder::DecodeOptions options;
  options.features.idioms = true;
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
    versions.push_back(made.arguments[index].isTensor() ? made.arguments[index].tensor()._version() : 0);
  }
  const catalogue::Record record{.key = static_cast<uint32_t>(catalogue::mix(seed ^ 2)),
                                 .operands = static_cast<uint32_t>(catalogue::mix(seed)),
                                 .attributes = catalogue::mix(seed ^ 1)};
  RowTrial trial{.outcome = entry == nullptr ? decoder::decodeIdiom(state, record, 0)
                                             : decoder::decodeIdiom(state, record, 0, *entry)};
  for (size_t index = 0; index < versions.size(); ++index) {
    trial.writes |= made.arguments[index].isTensor() && made.arguments[index].tensor()._version() != versions[index];
  }
  return trial;
}

class IdiomsTest : public testing::Test {
 protected:
  static constexpr uint64_t kTries = 40;
  IdiomsTest() { at::set_num_threads(1); }
  const language::Case operands_ = parser::parseCase(std::string(kOperands));
};

TEST_F(IdiomsTest, NamesAreTheirOwn) {
  std::set<std::string_view> names;
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    EXPECT_TRUE(names.insert(entry->name).second) << entry->name;
  }
  EXPECT_GE(names.size(), 300u);
}

TEST_F(IdiomsTest, EveryClassHasRows) {
  using namespace idioms;
  const std::span<const Idiom> tables[] = {
      repeatedIdioms(),  inverseIdioms(),    castIdioms(),      viewIdioms(),   identityIdioms(),
      promotionIdioms(), factoryIdioms(),    reductionIdioms(), matrixIdioms(), reassociationIdioms(),
      indexingIdioms(),  writtenOutIdioms(), trainingIdioms(),  writeIdioms(),  gradientIdioms(),
      keywordIdioms(),   sizeIdioms()};
  size_t rows = 0;
  for (const std::span<const Idiom> table : tables) {
    EXPECT_GE(table.size(), 20U) << table.front().name;
    rows += table.size();
  }
  EXPECT_EQ(rows, idioms::idioms().size());
}

TEST_F(IdiomsTest, RowsRelateAtLeastTwoThings) {
  std::set<std::string_view> calls; // by themselves, or related to sizes
  for (const auto table : {idioms::keywordIdioms(), idioms::sizeIdioms()}) {
    for (const idioms::Idiom& each : table) {
      calls.insert(each.name);
    }
  }
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    const size_t least = calls.contains(entry->name) ? 1 : 2;
    EXPECT_GE(entry.results.size() + (entry->has(idioms::kMutates) ? 1 : 0), least) << entry->name;
    EXPECT_LE(entry->operands.size(), 3u) << entry->name;
    EXPECT_LE(entry->degree, 3) << entry->name;
  }
}

TEST_F(IdiomsTest, ExactRowsAreOfExactOperators) {
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    if (entry->has(idioms::kExact)) {
      EXPECT_TRUE(analysis::usesExactOperatorsOnly(caseOf(entry))) << entry->name;
    }
  }
}

// What does not fit into an integer is undefined: such rows are to say that they cast.
TEST_F(IdiomsTest, CastsToIntegersAreTold) {
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

TEST_F(IdiomsTest, EagerTakesEveryRow) {
  std::string refused;
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    int accepted = 0;
    for (uint64_t seed = 0; seed < kTries && accepted == 0; ++seed) {
      accepted += tryRow(operands_, &entry, seed, false).outcome == decoder::IdiomTrial::kAccepted ? 1 : 0;
    }
    if (accepted == 0) {
      refused += "\n" + std::string(entry->name);
    }
  }
  EXPECT_EQ(refused, "");
}

TEST_F(IdiomsTest, ExactRowsStayInTheBounds) {
  std::string refused;
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    int accepted = entry->has(idioms::kExact) ? 0 : 1;
    for (uint64_t seed = 0; seed < kTries && accepted == 0; ++seed) {
      accepted += tryRow(operands_, &entry, seed, true).outcome == decoder::IdiomTrial::kAccepted ? 1 : 0;
    }
    if (accepted == 0) {
      refused += "\n" + std::string(entry->name);
    }
  }
  EXPECT_EQ(refused, "");
}

// A row that writes is tried on a copy first: what writes has to say so, and nothing that eager refuses may have written.
TEST_F(IdiomsTest, RowsWriteWhereTheySaySo) {
  constexpr uint64_t kTriesOfEach = 6;
  for (const idioms::IdiomEntry& entry : idioms::idioms()) {
    const uint64_t most = entry->has(idioms::kMutates) ? kTries : kTriesOfEach;
    bool writes = false;
    for (uint64_t seed = 0; seed < most && !writes; ++seed) {
      const RowTrial trial = tryRow(operands_, &entry, seed, false);
      EXPECT_NE(trial.outcome, decoder::IdiomTrial::kRefused) << entry->name;
      writes = trial.writes;
    }
    EXPECT_EQ(writes, entry->has(idioms::kMutates)) << entry->name;
  }
}

TEST_F(IdiomsTest, HalfOfTheRecordsBecomeARow) {
  constexpr uint64_t kRecords = 2000;
  int rows = 0;
  for (uint64_t seed = 0; seed < kRecords; ++seed) {
    rows += tryRow(operands_, nullptr, seed, false).outcome == decoder::IdiomTrial::kAccepted ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(rows) / kRecords, 0.5, 0.05);
}

TEST_F(IdiomsTest, RowsThatWriteOrCallWhatIsExcludedAreLeftOut) {
  catalogue::Exclusions exclusions;
  exclusions.operators = {{"clone", "clones"}, {"masked_select", "selections"}, {"autograd_grad", "gradients"}};
  catalogue::Features features;
  features.mutation = false;
  features.exclusions = &exclusions;
  const size_t all = idioms::idioms().size();
  const std::vector<const idioms::IdiomEntry*> found = idioms::idiomsFrom(0, features, all);
  EXPECT_GT(found.size(), all / 2);
  for (const idioms::IdiomEntry* entry : found) {
    language::Case theCase = caseOf(*entry);
    EXPECT_FALSE(features::describeCase(theCase).mutation) << (*entry)->name;
    const std::string text = language::printFunction(theCase.program());
    EXPECT_EQ(text.find(".clone("), std::string::npos) << text;
    EXPECT_EQ(text.find("[A > 0]"), std::string::npos) << text;
    EXPECT_EQ(text.find("torch.autograd.grad("), std::string::npos) << text;
  }
  EXPECT_TRUE(exclusions.hit.contains("clones"));
  EXPECT_TRUE(exclusions.hit.contains("selections"));
}

TEST_F(IdiomsTest, MostCasesHaveThem) {
  constexpr uint64_t kCases = 400;
  int wanted = 0, have = 0;
  for (uint64_t index = 0; index < kCases; ++index) {
    const catalogue::Features features = withIdioms(3, index);
    if (features.idioms) {
      ++wanted;
      have += standalone::printCase(decoded(3, index, features)) !=
              standalone::printCase(decoded(3, index, withoutIdioms(3, index)));
    }
  }
  EXPECT_NEAR(wanted, kCases * 9 / 10, kCases / 20);
  EXPECT_GT(have, wanted * 3 / 4);
}

TEST_F(IdiomsTest, WithoutThePartNothingChanges) {
  int changed = 0;
  for (uint64_t index = 0; index < 100; ++index) {
    const std::string text = standalone::printCase(decoded(3, index, catalogue::featuresOf(3, index, {})));
    EXPECT_EQ(standalone::printCase(decoded(3, index, withoutIdioms(3, index))), text) << index;
    changed += standalone::printCase(decoded(3, index, withIdioms(3, index))) == text ? 0 : 1;
  }
  EXPECT_GT(changed, 25);
}

// What is made and never looked at is dead code to every backend.
TEST_F(IdiomsTest, ResultsReachOutputs) {
  int statements = 0, reaching = 0;
  for (uint64_t index = 0; index < 200; ++index) {
    catalogue::Features features = withIdioms(5, index);
    features.shapes = false;
    catalogue::Features without = features;
    without.idioms = false;
    const language::Case theCase = decoded(5, index, features);
    if (standalone::printCase(theCase) == standalone::printCase(decoded(5, index, without))) {
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
