#include "generators/decoder/DrawnOperators.h"

#include "generators/catalogue/Catalogue.h"
#include "generators/decoder/Decoder.h"
#include "generators/features/CaseFeatures.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"
#include "program/language/StatementEditing.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace touchstone::tests {
namespace {

TEST(DrawnOperatorsTest, BodiesAreDrawnAndOperatorsStayTheSame) {
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::set<std::string> names;
    for (const language::CustomOperator& made : decoder::drawnOperators(seed)) {
      names.insert(made.body.name);
      texts.insert(language::printCustomOperator(made));
    }
    EXPECT_EQ(names, (std::set<std::string>{"op_into_", "op_of_list", "op_of_one", "op_of_two", "op_pair", "op_plain",
                                            "op_step_"}));
  }
  EXPECT_GE(texts.size(), 250u);
  for (const catalogue::Operator& row : catalogue::customOperators()) {
    EXPECT_TRUE(row.has(catalogue::kCustom)) << row.name;
  }
}

TEST(DrawnOperatorsTest, CasesHaveThemWhereTheyAreAskedFor) {
  int asked = 0, have = 0;
  std::set<std::string> called;
  for (uint64_t index = 0; index < 300; ++index) {
    decoder::DecodeOptions options;
    options.features = catalogue::featuresOf(5, index);
    const language::Case theCase = decoder::decode(catalogue::makeRecipe(5, index, options.features), options);
    const bool has = features::describeCase(theCase).customOperators;
    EXPECT_TRUE(options.features.customOperators || !has);
    asked += options.features.customOperators;
    have += has;
    for (const language::CustomOperator& made : theCase.customOperators) {
      called.insert(made.body.name);
    }
  }
  EXPECT_GE(asked, 20);
  EXPECT_GE(have * 10, asked * 6) << asked; // the others chose none of them
  EXPECT_GE(called.size(), 6u);
}

} // namespace
} // namespace touchstone::tests
