#include "graph/symbols/Assignments.h"
#include "graph/symbols/FloatFitting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>

namespace touchstone::tests {
namespace {

using symbols::Assignment;
using symbols::Fitting;
using symbols::FloatExpression;

using Formula = std::function<double(const Assignment& sizes)>;

std::optional<FloatExpression> floatOf(const Formula& formula, const Assignment& hints) {
  const std::vector<Assignment> samples =
      symbols::assignmentsLike(hints, symbols::kAssignmentsForFloats, {}, symbols::largestSize(2));
  Fitting fitting(samples);
  std::vector<double> values;
  std::ranges::transform(samples, std::back_inserter(values), formula);
  return symbols::fitFloat(values, fitting);
}

double whole(int64_t value) {
  return static_cast<double>(value);
}

/// What is found has each bit for other sizes, too. Returns how often something is found, of 144 sizes at first.
int countFound(const std::string& text, const Formula& formula) {
  int count = 0;
  for (int64_t rows = 2; rows < 14; ++rows) {
    for (int64_t columns = 2; columns < 14; ++columns) {
      const std::optional<FloatExpression> found = floatOf(formula, {rows, columns});
      count += found ? 1 : 0;
      if (!found) {
        continue;
      }
      EXPECT_EQ(found->text(), text) << rows << " " << columns;
      for (const Assignment& sizes :
           {Assignment{2, 3}, {3, 2}, {7, 2}, {49, 1000}, {999, 1001}, {64, 81}, {1023, 77}}) {
        EXPECT_EQ(std::bit_cast<uint64_t>(found->at(sizes)), std::bit_cast<uint64_t>(formula(sizes))) << text;
      }
    }
  }
  return count;
}

TEST(FloatFittingTest, FormsOfATenAreFound) {
  const auto first = [](const Assignment& sizes) { return whole(sizes[0]); };
  EXPECT_EQ(countFound("float(s0)", first), 144);
  EXPECT_EQ(countFound("1.0/(s0)", [&](const auto& sizes) { return 1 / first(sizes); }), 144);
  EXPECT_EQ(countFound("1.0/(8*s1)", [](const auto& sizes) { return 0.125 / whole(sizes[1]); }), 144);
  EXPECT_EQ(countFound("2.0/(s0*s1 - 1)", [](const auto& sizes) { return 2 / (whole(sizes[0] * sizes[1]) - 1); }), 144);
  EXPECT_EQ(countFound("2.0/(s0 - 3)", [](const auto& sizes) { return 2 / (whole(sizes[0]) - 3); }), 144);
}

TEST(FloatFittingTest, RootsAreToldByTheirRoundings) {
  constexpr int kMost = 130; // of few assignments two orders of the operations have the same bits
  EXPECT_GT(countFound("sqrt(s0)", [](const auto& sizes) { return std::sqrt(whole(sizes[0])); }), kMost);
  EXPECT_GT(countFound("1.0/sqrt(s0)", [](const auto& sizes) { return 1 / std::sqrt(whole(sizes[0])); }), kMost);
  EXPECT_GT(countFound("sqrt(1.0/(s0))", [](const auto& sizes) { return std::sqrt(1 / whole(sizes[0])); }), kMost);
  EXPECT_GT(
      countFound("sqrt(1.0/sqrt(s1))", [](const auto& sizes) { return std::sqrt(1 / std::sqrt(whole(sizes[1]))); }),
      kMost);
}

TEST(FloatFittingTest, WhatIsComputedOtherwiseIsNotFound) {
  const auto none = [](const Formula& formula) { EXPECT_EQ(countFound("", formula), 0); };
  none([](const auto& sizes) { return 0.1 / whole(sizes[0]); });
  none([](const auto& sizes) { return 3 / whole(sizes[0]); });
  none([](const auto& sizes) { return std::sqrt(2.0) * std::sqrt(whole(sizes[0])); });
  none([](const auto& sizes) { return 2 / std::max(0.0, whole(sizes[0]) - 3); });
  none([](const auto& sizes) { return static_cast<double>(1 / static_cast<float>(sizes[0])); });
  none([](const auto& sizes) { return whole(sizes[0]) / whole(sizes[1]); });
  none([](const auto& sizes) { return std::log(whole(sizes[0])); });
  none([](const auto& sizes) { return 1 / whole(sizes[0] / 2); });
  none([](const auto& sizes) { return 1 / whole(std::min<int64_t>(sizes[0], 5)); });
  none([](const auto& sizes) { return sizes[0] > 40 ? 0.0 : 1.0; });
}

} // namespace
} // namespace touchstone::tests
