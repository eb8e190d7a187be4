// Laws of Cases and of the reducer's passes, on random Cases that the passes themselves make smaller.
#include "tests/harness/CaseGenerator.h"

#include "generators/features/CaseFeatures.h"
#include "program/parser/CaseParser.h"
#include "program/analysis/Skeleton.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

namespace touchstone::harness {

namespace {

[[maybe_unused]] const bool oneThread = (at::set_num_threads(1), true);

bool readsBack(const graph::Case& theCase) {
  const std::string text = graph::printCase(theCase);
  return graph::printCase(graph::parseCase(text)) == text;
}

/// Passes may propose what is no Case, which costs one judgement: it must be a ParseError then. Counts those in `refused`.
bool readsBackOrIsRefused(const graph::Case& theCase, int& refused) {
  try {
    return readsBack(theCase);
  } catch (const graph::ParseError&) {
    ++refused;
    return true;
  }
}

bool uses(const graph::Case& theCase, const std::string& name) {
  const std::vector<std::string>& operators = skeletonOf(theCase).operators;
  return std::find(operators.begin(), operators.end(), name) != operators.end();
}

/// Goes down from a Case as rapidcheck does: to the first smaller one that still fails, as long as there is one.
template <class Fails>
graph::Case smallest(rc::Shrinkable<graph::Case> at, const Fails& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    rc::Seq<rc::Shrinkable<graph::Case>> shrinks = at.shrinks();
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
    const graph::Case theCase = *anyCase();
    const auto passes = reductionPasses();
    const ReductionPass& pass = passes[*rc::gen::inRange<size_t>(0, passes.size())];
    RC_LOG() << pass.name << std::endl;
    const std::vector<graph::Case> proposed = pass.candidates(theCase, GuiltyPlace{});
    if (!proposed.empty()) {
      const graph::Case& one = proposed[*rc::gen::inRange<size_t>(0, proposed.size())];
      ++proposals;
      RC_ASSERT(readsBackOrIsRefused(one, refused));
    }
  }));
  EXPECT_GE(proposals, 20);
  EXPECT_LE(refused, proposals / 5) << "of " << proposals << ": what is no Case makes nothing smaller";
}

RC_GTEST_PROP(CaseLawsTest, WithoutDeadPartsNothingIsDead, ()) {
  const graph::Case alive = withoutDeadParts(*anyCase());
  RC_ASSERT(graph::printCase(withoutDeadParts(alive)) == graph::printCase(alive));
  const generators::CaseFeatures features = generators::describeCase(alive);
  RC_ASSERT(features.operationsReachingOutput <= features.operations);
}

TEST(CaseLawsTest, WhatBreaksALawIsShownMadeSmallByTheReducersPasses) {
  const auto fails = [](const graph::Case& theCase) { return uses(theCase, "mul"); };
  int found = 0;
  for (uint64_t seed = 0; seed < 120 && found < 5; ++seed) {
    rc::Shrinkable<graph::Case> start = anyCase()(rc::Random(seed), rc::kNominalSize);
    if (!fails(start.value())) {
      continue;
    }
    ++found;
    const graph::Case small = smallest(std::move(start), fails);
    EXPECT_TRUE(fails(small));
    EXPECT_EQ(skeletonOf(small).operators.size(), 1U) << graph::printCase(small);
    EXPECT_EQ(small.calls.size(), 1U) << graph::printCase(small);
  }
  EXPECT_EQ(found, 5);
}

} // namespace touchstone::harness
