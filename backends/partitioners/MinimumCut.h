#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace touchstone::partitioners {

/// A directed network with whole capacities between numbered vertices. Two are there from the start: source and sink.
class FlowNetwork {
 public:
  static constexpr int kSource = 0, kSink = 1;

  int addVertex() { return vertices_++; }
  /// Capacity: zero or more.
  void addEdge(int from, int to, int64_t capacity) { edges_.push_back({from, to, capacity}); }
  void addUnlimitedEdge(int from, int to) { edges_.push_back({from, to, -1}); }

  struct Cut {
    int64_t capacity = 0;
    std::vector<bool> onSinkSide; // by vertex
  };
  /// Of the cuts of least capacity the one nearest the sink: on its side are the vertices from which something could still
  /// flow to the sink when the flow is largest. None: a path of unlimited edges leads from source to sink.
  std::optional<Cut> minimumCut() const;

 private:
  struct Edge {
    int from, to;
    int64_t capacity; // -1: unlimited
  };
  int vertices_ = 2;
  std::vector<Edge> edges_;
};

} // namespace touchstone::partitioners
