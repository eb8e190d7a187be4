#include "harness/probing/ProbeGroups.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace touchstone::tests {
namespace {

using Kind = probing::GroupAnswer::Kind;

std::vector<worker::Probe> someProbes(size_t count, const std::string& dtype = "float32") {
  std::vector<worker::Probe> probes;
  for (size_t index = 0; index < count; ++index) {
    probes.push_back({"op" + std::to_string(index), dtype, false});
  }
  return probes;
}

std::vector<size_t> inOrder(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

/// A backend on which some probes fail wherever they are, and what was found out of it.
struct Backend {
  std::set<size_t> bad, hanging, withoutCase, apart;
  std::map<size_t, bool> known; // of each probe whether it is supported; a probe that comes twice is a failure
  std::vector<std::vector<size_t>> trials;

  probing::GroupAnswer answer(const std::vector<size_t>& members) const {
    probing::GroupAnswer answer{.kind = Kind::kNothing, .withoutCase = {}, .apart = {}};
    for (size_t position = 0; position < members.size(); ++position) {
      const size_t member = members[position];
      if (withoutCase.count(member) != 0) {
        answer.withoutCase.push_back(position);
      } else if (members.size() > 1 && apart.count(member) != 0) {
        answer.apart.push_back(position);
      } else if (hanging.count(member) != 0) {
        answer.kind = Kind::kTimedOut;
      } else if (answer.kind != Kind::kTimedOut && (bad.count(member) != 0 || answer.kind == Kind::kFailed)) {
        answer.kind = Kind::kFailed;
      } else if (answer.kind == Kind::kNothing) {
        answer.kind = Kind::kAgreed;
      }
    }
    return answer;
  }

  void learn(size_t probe, bool supported) { EXPECT_TRUE(known.emplace(probe, supported).second) << probe; }

  void take(probing::ProbeGroups& groups, const probing::ProbeGroups::Trial& trial) {
    trials.push_back(trial.members);
    const probing::GroupAnswer answered = answer(trial.members);
    const probing::ProbeGroups::Decided decided = groups.take(trial.id, answered);
    if (trial.members.size() == 1) {
      EXPECT_TRUE(decided.supported.empty() && decided.notApplicable.empty());
      learn(trial.members.front(), answered.kind == Kind::kAgreed);
    }
    for (const size_t each : decided.supported) {
      learn(each, true);
    }
    for (const size_t each : decided.notApplicable) {
      learn(each, false);
    }
  }

  /// Tries everything, `workers` trials at a time.
  void tryAll(const std::vector<worker::Probe>& probes, size_t largest, size_t workers = 1) {
    probing::ProbeGroups groups(probes, inOrder(probes.size()), largest);
    std::deque<probing::ProbeGroups::Trial> underWay;
    while (true) {
      while (underWay.size() < workers) {
        const std::optional<probing::ProbeGroups::Trial> trial = groups.next();
        if (!trial.has_value()) {
          break;
        }
        underWay.push_back(*trial);
      }
      if (underWay.empty()) {
        break;
      }
      take(groups, underWay.front());
      underWay.pop_front();
    }
    EXPECT_EQ(known.size(), probes.size());
    for (const auto& [probe, supported] : known) {
      const bool expected = bad.count(probe) + hanging.count(probe) + withoutCase.count(probe) == 0;
      EXPECT_EQ(supported, expected) << probe;
    }
  }
};

TEST(ProbeGroupsTest, AGroupThatAgreesIsTriedOnce) {
  Backend backend;
  backend.tryAll(someProbes(64), 16);
  EXPECT_EQ(backend.trials.size(), 4U);
}

TEST(ProbeGroupsTest, OneBadOfSixteenIsFoundByBinarySearch) {
  for (size_t bad = 0; bad < 16; ++bad) {
    Backend backend;
    backend.bad = {bad};
    backend.tryAll(someProbes(16), 16);
    EXPECT_LE(backend.trials.size(), 9U) << bad; // 1 + 2 log2(16)
    EXPECT_EQ(std::count(backend.trials.begin(), backend.trials.end(), std::vector<size_t>{bad}), 1);
  }
}

TEST(ProbeGroupsTest, ManyBadOnesAreFoundWithWhateverIsUnderWay) {
  for (const size_t workers : {1U, 2U, 5U}) {
    for (const std::set<size_t>& bad :
         {std::set<size_t>{3, 12}, std::set<size_t>{0, 1}, std::set<size_t>{7, 8, 40}, std::set<size_t>{14, 15, 31}}) {
      Backend backend;
      backend.bad = bad;
      backend.tryAll(someProbes(48), 16, workers);
      EXPECT_LT(backend.trials.size(), 32U);
    }
  }
}

TEST(ProbeGroupsTest, WhereAllFailGroupsShrinkToSingleProbesAndGrowAgainBehind) {
  std::vector<worker::Probe> probes = someProbes(200, "float64");
  const std::vector<worker::Probe> fine = someProbes(200, "int64");
  probes.insert(probes.end(), fine.begin(), fine.end());
  Backend backend;
  for (size_t index = 0; index < 200; ++index) {
    backend.bad.insert(index);
    probes[200 + index].operatorName += "_other";
  }
  backend.tryAll(probes, 16);
  EXPECT_LT(backend.trials.size(), 200U + 40U + 200U / 16U + 8U);
}

TEST(ProbeGroupsTest, WhatHasNoCaseIsToldAndTriedNoMore) {
  Backend backend;
  const std::vector<size_t> all = inOrder(40);
  backend.withoutCase = {all.begin(), all.end()};
  backend.tryAll(someProbes(40), 16);
  EXPECT_EQ(backend.trials.size(), 3U);
  Backend mixed;
  mixed.withoutCase = {0, 2, 4, 6, 8, 10, 12, 14};
  mixed.bad = {5};
  mixed.tryAll(someProbes(16), 16);
  for (size_t trial = 1; trial < mixed.trials.size(); ++trial) {
    for (const size_t each : mixed.trials[trial]) {
      EXPECT_EQ(mixed.withoutCase.count(each), 0U);
    }
  }
}

TEST(ProbeGroupsTest, WhatNeedsACaseOfItsOwnGetsIt) {
  Backend backend;
  backend.apart = {1, 9};
  backend.bad = {9};
  backend.tryAll(someProbes(16), 16);
  EXPECT_EQ(backend.trials.size(), 3U); // the group without them, and they
}

TEST(ProbeGroupsTest, AGroupThatRanOutOfTimeIsNotHalved) {
  Backend backend;
  backend.hanging = {4};
  backend.tryAll(someProbes(16), 16);
  EXPECT_EQ(backend.trials.size(), 17U);
  for (size_t trial = 1; trial < backend.trials.size(); ++trial) {
    EXPECT_EQ(backend.trials[trial].size(), 1U);
  }
}

TEST(ProbeGroupsTest, GroupsHaveOneDtypeAndOnePass) {
  std::vector<worker::Probe> probes = someProbes(10);
  for (const bool backward : {false, true}) {
    for (const worker::Probe& each : someProbes(7, "int64")) {
      probes.push_back({each.operatorName, each.dtype, backward});
    }
  }
  Backend backend;
  backend.tryAll(probes, 16);
  EXPECT_EQ(backend.trials.size(), 3U);
}

TEST(ProbeGroupsTest, AnOperatorThatFailedComesAloneUntilItAgrees) {
  std::vector<worker::Probe> probes = someProbes(16);
  for (const char* dtype : {"float64", "int64", "bool"}) {
    for (const worker::Probe& each : someProbes(16, dtype)) {
      probes.push_back(each);
    }
  }
  Backend backend;
  backend.bad = {3, 19, 35}; // one operator, with all dtypes but the last
  backend.tryAll(probes, 16);
  for (const size_t bad : {19, 35}) {
    for (const std::vector<size_t>& trial : backend.trials) {
      EXPECT_TRUE(std::find(trial.begin(), trial.end(), bad) == trial.end() || trial.size() == 1);
    }
  }
}

TEST(ProbeGroupsTest, OneByOneEachIsTriedOnceInTheGivenOrder) {
  Backend backend;
  backend.bad = {2, 5};
  backend.withoutCase = {3};
  backend.tryAll(someProbes(9), 1);
  ASSERT_EQ(backend.trials.size(), 9U);
  for (size_t index = 0; index < 9; ++index) {
    EXPECT_EQ(backend.trials[index], std::vector<size_t>{index});
  }
}

TEST(ProbeGroupsTest, WhatWasBegunIsEndedWhenNothingNewIsToBegin) {
  const std::vector<worker::Probe> probes = someProbes(64);
  probing::ProbeGroups groups(probes, inOrder(64), 16);
  Backend backend;
  backend.bad = {3};
  backend.take(groups, *groups.next());
  while (const std::optional<probing::ProbeGroups::Trial> trial = groups.next(/*beginsNew=*/false)) {
    backend.take(groups, *trial);
  }
  EXPECT_EQ(backend.known.size(), 16U);
}

TEST(ProbeGroupsTest, OnlyOneUnbrokenGraphThatEagerReturnsFromSpeaksForAll) {
  worker::JobResult result;
  EXPECT_EQ(probing::GroupAnswer::of(result).kind, Kind::kNothing);
  worker::BackendResult& found = result.backends.emplace_back();
  found.outcome = language::Outcome::kAgreed;
  found.counters.graphs = 1;
  result.making.withoutCase = {2};
  EXPECT_EQ(probing::GroupAnswer::of(result).kind, Kind::kAgreed);
  EXPECT_EQ(probing::GroupAnswer::of(result).withoutCase, std::vector<size_t>{2});
  found.counters.breaks = 1;
  EXPECT_EQ(probing::GroupAnswer::of(result).kind, Kind::kFailed);
  found.counters.breaks = 0;
  found.counters.graphs = 2;
  EXPECT_EQ(probing::GroupAnswer::of(result).kind, Kind::kFailed);
  found.counters.graphs = 1;
  found.eagerRaises = true;
  EXPECT_EQ(probing::GroupAnswer::of(result).kind, Kind::kFailed);
  found.eagerRaises = false;
  for (const language::Outcome outcome :
       {language::Outcome::kVacuous, language::Outcome::kCrashed, language::Outcome::kDiffers}) {
    found.outcome = outcome;
    EXPECT_EQ(probing::GroupAnswer::of(result).kind, Kind::kFailed);
  }
  found.outcome = language::Outcome::kTimedOut;
  EXPECT_EQ(probing::GroupAnswer::of(result).kind, Kind::kTimedOut);
  result.error = "not read";
  EXPECT_EQ(probing::GroupAnswer::of(result).kind, Kind::kFailed);
}

} // namespace
} // namespace touchstone::tests
