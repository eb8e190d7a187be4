#pragma once

#include "backends/GraphCompiler.h"
#include "graph/ir/Graph.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::compiled_autograd {

/// One gradient that a node waits for.
struct GradientSlot {
  size_t node = 0; // position in the task
  size_t input = 0;
  bool operator==(const GradientSlot&) const = default;
};

/// What a Graph traced from a tensor takes for granted of it. Nothing is known of one that is not there.
struct TensorState {
  bool isDefined = false;
  uint64_t dispatchKeys = 0;
  at::ScalarType dtype = at::kFloat;
  c10::Device device = at::kCPU;
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;

  static TensorState of(const at::Tensor& tensor);
  bool fits(const at::Tensor& tensor) const;
};

/// Where a placeholder's tensor comes from: a gradient that waits, or a tensor that the key has lifted out.
struct SegmentInput {
  bool isGradient = false;
  GradientSlot gradient;
  size_t tensor = 0;
};

/// Where an output goes.
struct SegmentOutput {
  enum class Kind { kGradient, kWanted, kNewGrad } kind = Kind::kGradient;
  GradientSlot gradient; // kGradient; of kNewGrad, the node that accumulates
  size_t place = 0; // kWanted: among what the backward hands out
};

/// A run of nodes whose gradients are computed by one Graph: no Program's code runs in between. What is visible outside happens
/// as the Graph runs (a `.grad` that is there is added to in place) or right after (one that is not there is set).
struct Segment {
  size_t begin = 0, end = 0; // positions in the task
  struct Waiting {
    GradientSlot slot;
    TensorState state;
  };
  std::vector<Waiting> waiting; // all gradients that were there when it began
  ir::Graph graph; // a node's `sequence` is the position of the node of the task that it belongs to
  std::vector<SegmentInput> inputs;
  std::vector<SegmentOutput> outputs;
  std::shared_ptr<const backends::CompiledGraph> compiled;
};

} // namespace touchstone::compiled_autograd
