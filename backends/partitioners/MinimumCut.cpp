#include "backends/partitioners/MinimumCut.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" // of iterators that a loop sets
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#pragma GCC diagnostic pop

namespace touchstone::partitioners {

namespace {

using FlowTraits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;

struct FlowVertex {
  boost::default_color_type color = boost::white_color;
  int64_t distance = 0;
  FlowTraits::edge_descriptor predecessor;
};
struct FlowEdge {
  int64_t capacity = 0, residual = 0;
  FlowTraits::edge_descriptor reverse;
};
using FlowGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, FlowVertex, FlowEdge>;

/// The vertices from which the sink is reached over edges with something left, and through which nothing can be won.
std::vector<bool> sinkSide(const FlowGraph& graph) {
  std::vector<bool> reaches(boost::num_vertices(graph), false);
  std::vector<size_t> open{FlowNetwork::kSink};
  reaches[FlowNetwork::kSink] = true;
  while (!open.empty()) {
    const size_t vertex = open.back();
    open.pop_back();
    // Each edge into a vertex has its reverse among those that leave it.
    for (auto [edge, end] = boost::out_edges(vertex, graph); edge != end; ++edge) {
      const size_t before = boost::target(*edge, graph);
      if (!reaches[before] && graph[graph[*edge].reverse].residual > 0) {
        reaches[before] = true;
        open.push_back(before);
      }
    }
  }
  return reaches;
}

} // namespace

std::optional<FlowNetwork::Cut> FlowNetwork::minimumCut() const {
  int64_t unlimited = 1;
  for (const Edge& edge : edges_) {
    unlimited += edge.capacity > 0 ? edge.capacity : 0;
  }
  FlowGraph graph(static_cast<size_t>(vertices_));
  for (const Edge& edge : edges_) {
    const auto there = boost::add_edge(static_cast<size_t>(edge.from), static_cast<size_t>(edge.to), graph).first;
    const auto back = boost::add_edge(static_cast<size_t>(edge.to), static_cast<size_t>(edge.from), graph).first;
    graph[there].capacity = edge.capacity < 0 ? unlimited : edge.capacity;
    graph[there].reverse = back;
    graph[back].reverse = there;
  }
  const int64_t flow = boost::boykov_kolmogorov_max_flow(
      graph, boost::get(&FlowEdge::capacity, graph), boost::get(&FlowEdge::residual, graph),
      boost::get(&FlowEdge::reverse, graph), boost::get(&FlowVertex::predecessor, graph),
      boost::get(&FlowVertex::color, graph), boost::get(&FlowVertex::distance, graph),
      boost::get(boost::vertex_index, graph), static_cast<size_t>(kSource), static_cast<size_t>(kSink));
  if (flow >= unlimited) {
    return std::nullopt;
  }
  return Cut{flow, sinkSide(graph)};
}

} // namespace touchstone::partitioners
