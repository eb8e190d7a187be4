#include "graph/ir/PassGate.h"

#include <gtest/gtest.h>

#include <set>

namespace touchstone::tests {
namespace {

/// Passes `first` and `second` with 40 and 9 places; those in `wrong` (numbers of `second`) make a difference.
ir::GatedRun runPasses(const std::string& pass, int64_t limit, const std::set<int>& wrong) {
  ir::PassGate gate = pass.empty() ? ir::PassGate() : ir::PassGate(pass, limit);
  ir::GatedRun run;
  for (int number = 1; number <= 40; ++number) {
    gate.mayApply("first", "f" + std::to_string(number));
  }
  for (int number = 1; number <= 9; ++number) {
    const bool applied = gate.mayApply("second", "s" + std::to_string(number));
    run.differs = run.differs || (applied && wrong.contains(number));
  }
  run.counts = gate.counts();
  run.last = gate.last();
  return run;
}

} // namespace

TEST(PassGateTest, CountsAndLetsEverythingThrough) {
  ir::PassGate gate;
  EXPECT_TRUE(gate.mayApply("b", "x"));
  EXPECT_TRUE(gate.mayApply("a", "x"));
  EXPECT_TRUE(gate.mayApply("b", "y"));
  const std::vector<std::pair<std::string, int64_t>> expected{{"b", 2}, {"a", 1}};
  EXPECT_EQ(gate.counts(), expected);
  EXPECT_EQ(gate.last(), "");
}

TEST(PassGateTest, StopsOnePassAfterItsLimit) {
  ir::PassGate gate("b", 2);
  EXPECT_TRUE(gate.mayApply("b", "x"));
  EXPECT_TRUE(gate.mayApply("b", "y"));
  EXPECT_FALSE(gate.mayApply("b", "z"));
  EXPECT_TRUE(gate.mayApply("a", "z"));
  EXPECT_EQ(gate.last(), "y");
  EXPECT_FALSE(ir::PassGate("b", 0).mayApply("b", "x"));
}

TEST(PassGateTest, BisectsToTheFirstWrongApplication) {
  for (int wrong = 1; wrong <= 9; ++wrong) {
    int runs = 0;
    const auto fault = ir::bisectPasses([&](const std::string& pass, int64_t limit) {
      ++runs;
      return runPasses(pass, limit, {wrong, 9});
    });
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->pass, "second");
    EXPECT_EQ(fault->number, wrong);
    EXPECT_EQ(fault->where, "s" + std::to_string(wrong));
    EXPECT_LE(runs, 8) << "halving, not counting";
  }
}

TEST(PassGateTest, NoPassIsBlamedForWhatIsThereWithoutIt) {
  const auto always = [](const std::string& pass, int64_t limit) {
    ir::GatedRun run = runPasses(pass, limit, {});
    run.differs = true;
    return run;
  };
  EXPECT_FALSE(ir::bisectPasses(always).has_value());
  int runs = 0;
  const auto never = [&](const std::string& pass, int64_t limit) {
    ++runs;
    return runPasses(pass, limit, {});
  };
  EXPECT_FALSE(ir::bisectPasses(never).has_value());
  EXPECT_EQ(runs, 1);
}

} // namespace touchstone::tests
