#pragma once

#include "backends/GraphCompiler.h"
#include "graph/ir/Graph.h"
#include "graph/symbols/Expression.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace touchstone::compiled_autograd {

class SymbolicSegment;

/// One gradient that a node waits for.
struct GradientSlot {
  size_t node = 0; // position in the task
  size_t input = 0;
  bool operator==(const GradientSlot&) const = default;
  auto operator<=>(const GradientSlot&) const = default;
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
  enum class Kind {
    kGradient,
    kWanted,
    kNewGrad,
    kResult, // of the last node, for the hooks after it
    kGiven, // what that node got, for the same
  } kind = Kind::kGradient;
  GradientSlot gradient; // kGradient; of kNewGrad, the node that accumulates
  size_t place = 0; // kWanted: among what the backward hands out; kResult, kGiven: among these
};

/// A part of the Graph of a backward, between two calls of what is no operator: nodes whose gradients are computed without a
/// Program's code. What is visible outside happens as it runs (a `.grad` that is there is added to in place) or right after (one
/// that is not there is set).
struct Segment {
  size_t begin = 0, end = 0; // positions in the task
  bool areHooksCalled = false; // those before its first node, and that node's wanted gradients handed out
  bool endsBeforeHooks = false; // those after its last node, whose results are not handed on yet
  size_t resultCount = 0, givenCount = 0; // of that node
  struct Waiting {
    GradientSlot slot;
    TensorState state;
  };
  std::vector<Waiting> waiting; // all gradients that are there when it begins
  std::vector<size_t>
      lastRead; // tensors of the key that nothing behind this reads, and a part before has not let go of
  ir::Graph graph; // a node's `sequence` is the position of the node of the task that it belongs to
  std::vector<SegmentInput> inputs;
  std::vector<SegmentOutput> outputs;
  /// Compiled when it runs first, with the tensors that it gets.
  struct Compiled {
    std::mutex mutex;
    std::shared_ptr<const backends::CompiledGraph> graph;
  };
  std::shared_ptr<Compiled> compiled = std::make_shared<Compiled>();
  /// Where it was captured for symbols: what it is for all sizes, and for which ones this is.
  std::shared_ptr<SymbolicSegment> symbolic;
  symbols::Assignment assignment;
};

} // namespace touchstone::compiled_autograd
