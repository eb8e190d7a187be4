#include "backends/partitioners/MemoryBudget.h"
#include "backends/partitioners/MinimumCut.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace touchstone::tests {
namespace {

constexpr int kSource = partitioners::FlowNetwork::kSource, kSink = partitioners::FlowNetwork::kSink;

struct CountedEdge {
  int from, to;
  int64_t capacity;
};

/// Over all ways to divide the vertices: the least capacity, and of the divisions that have it the smallest side of the sink.
std::pair<int64_t, std::vector<bool>> byTrying(int vertices, const std::vector<CountedEdge>& edges) {
  int64_t least = std::numeric_limits<int64_t>::max();
  std::vector<bool> best;
  for (unsigned set = 0; set < 1U << vertices; ++set) {
    std::vector<bool> onSinkSide;
    for (int vertex = 0; vertex < vertices; ++vertex) {
      onSinkSide.push_back((set >> vertex & 1U) != 0);
    }
    if (onSinkSide[kSource] || !onSinkSide[kSink]) {
      continue;
    }
    int64_t capacity = 0;
    for (const CountedEdge& edge : edges) {
      capacity +=
          !onSinkSide[static_cast<size_t>(edge.from)] && onSinkSide[static_cast<size_t>(edge.to)] ? edge.capacity : 0;
    }
    if (capacity < least || (capacity == least && std::count(onSinkSide.begin(), onSinkSide.end(), true) <
                                                      std::count(best.begin(), best.end(), true))) {
      least = capacity;
      best = onSinkSide;
    }
  }
  return {least, best};
}

} // namespace

TEST(FlowNetworkTest, OfEqualCutsItTakesTheOneNearestTheSink) {
  partitioners::FlowNetwork network;
  const int first = network.addVertex(), second = network.addVertex();
  network.addEdge(kSource, first, 3);
  network.addEdge(first, second, 3);
  network.addEdge(second, kSink, 3);
  const auto cut = network.minimumCut();
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->capacity, 3);
  EXPECT_EQ(cut->onSinkSide, (std::vector<bool>{false, true, false, false}));
}

TEST(FlowNetworkTest, APathWithoutLimitCannotBeCut) {
  partitioners::FlowNetwork network;
  const int between = network.addVertex();
  network.addUnlimitedEdge(kSource, between);
  network.addEdge(between, kSink, 5);
  EXPECT_TRUE(network.minimumCut());
  network.addUnlimitedEdge(between, kSink);
  EXPECT_FALSE(network.minimumCut());
}

RC_GTEST_PROP(FlowNetworkTest, IsTheBestOfAllDivisions, ()) {
  const int vertices = *rc::gen::inRange(2, 9);
  std::vector<CountedEdge> edges;
  partitioners::FlowNetwork network;
  for (int vertex = 2; vertex < vertices; ++vertex) {
    network.addVertex();
  }
  for (int count = *rc::gen::inRange(0, 24); count > 0; --count) {
    CountedEdge edge{*rc::gen::inRange(0, vertices), *rc::gen::inRange(0, vertices), *rc::gen::inRange<int64_t>(0, 6)};
    if (edge.from != edge.to) {
      edges.push_back(edge);
      network.addEdge(edge.from, edge.to, edge.capacity);
    }
  }
  const auto cut = network.minimumCut();
  RC_ASSERT(cut.has_value());
  const auto [capacity, onSinkSide] = byTrying(vertices, edges);
  RC_ASSERT(cut->capacity == capacity);
  RC_ASSERT(cut->onSinkSide == onSinkSide);
}

TEST(FlowNetworkTest, AKnapsackTakesWhatIsWorthMostTogether) {
  // 0.6 alone is worth less than 0.5 and 0.4 together.
  EXPECT_EQ(partitioners::knapsack({0.6, 0.5, 0.4}, {10, 6, 6}, 0.9), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(partitioners::knapsack({0.6, 0.5, 0.4}, {10, 6, 6}, 0.7), (std::vector<size_t>{0}));
  EXPECT_EQ(partitioners::knapsack({0.6, 0.5}, {1, 1}, 0.0), std::vector<size_t>{});
}

} // namespace touchstone::tests
