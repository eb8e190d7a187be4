// Laws of Cases and of the reducer's passes, on random Cases that the passes themselves make smaller.
#include "tests/harness/CaseGenerator.h"

#include "generators/features/CaseFeatures.h"
#include "program/analysis/ProgramSignature.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

namespace touchstone::tests {

namespace {

[[maybe_unused]] const bool oneThread = (at::set_num_threads(1), true);

bool readsBack(const language::Case& theCase) {
  const std::string text = standalone::printCase(theCase);
  return standalone::printCase(parser::parseCase(text)) == text;
}

/// Passes may propose what is no Case, which costs one judgement: it must be a ParseError then. Counts those in `refused`.
bool readsBackOrIsRefused(const language::Case& theCase, int& refused) {
  try {
    return readsBack(theCase);
  } catch (const parser::ParseError&) {
    ++refused;
    return true;
  }
}

bool uses(const language::Case& theCase, const std::string& name) {
  const std::vector<std::string>& operators = analysis::signatureOf(theCase).operators;
  return std::find(operators.begin(), operators.end(), name) != operators.end();
}

/// Goes down from a Case as rapidcheck does: to the first smaller one that still fails, as long as there is one.
template <class Fails>
language::Case smallest(rc::Shrinkable<language::Case> at, const Fails& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    rc::Seq<rc::Shrinkable<language::Case>> shrinks = at.shrinks();
    for (auto next = shrinks.next(); next; next = shrinks.next()) {
      if (fails(next->value())) {
        at = *next;
        smaller = true;
        break;
      }
    }
  }
  return at.value();
}

} // namespace

RC_GTEST_PROP(CaseLawsTest, PrintingAndParsingIsTheIdentity, ()) {
  RC_ASSERT(readsBack(*anyCase()));
}

TEST(CaseLawsTest, WhatAPassProposesReadsBackOrIsRefused) {
  int proposals = 0, refused = 0;
  EXPECT_TRUE(rc::check([&] {
    const language::Case theCase = *anyCase();
    const auto passes = reducer::reductionPasses();
    const reducer::ReductionPass& pass = passes[*rc::gen::inRange<size_t>(0, passes.size())];
    RC_LOG() << pass.name << std::endl;
    const std::vector<language::Case> proposed = pass.candidates(theCase, reducer::GuiltyPlace{});
    if (!proposed.empty()) {
      const language::Case& one = proposed[*rc::gen::inRange<size_t>(0, proposed.size())];
      ++proposals;
      RC_ASSERT(readsBackOrIsRefused(one, refused));
    }
  }));
  EXPECT_GE(proposals, 20);
  EXPECT_LE(refused, proposals / 5) << "of " << proposals << ": what is no Case makes nothing smaller";
}

RC_GTEST_PROP(CaseLawsTest, WithoutDeadPartsNothingIsDead, ()) {
  const language::Case alive = reducer::withoutDeadParts(*anyCase());
  RC_ASSERT(standalone::printCase(reducer::withoutDeadParts(alive)) == standalone::printCase(alive));
  const features::CaseFeatures features = features::describeCase(alive);
  RC_ASSERT(features.operationsReachingOutput <= features.operations);
}

TEST(CaseLawsTest, WhatBreaksALawIsShownMadeSmallByTheReducersPasses) {
  const auto fails = [](const language::Case& theCase) { return uses(theCase, "mul"); };
  int found = 0;
  for (uint64_t seed = 0; seed < 120 && found < 5; ++seed) {
    rc::Shrinkable<language::Case> start = anyCase()(rc::Random(seed), rc::kNominalSize);
    if (!fails(start.value())) {
      continue;
    }
    ++found;
    const language::Case small = smallest(std::move(start), fails);
    EXPECT_TRUE(fails(small));
    EXPECT_EQ(analysis::signatureOf(small).operators.size(), 1U) << standalone::printCase(small);
    EXPECT_EQ(small.calls.size(), 1U) << standalone::printCase(small);
  }
  EXPECT_EQ(found, 5);
}

} // namespace touchstone::tests
