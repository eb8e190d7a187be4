#pragma once

#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/BackwardTask.h"
#include "backends/compiled_autograd/Segment.h"

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace touchstone::compiled_autograd {

/// The gradients that nodes wait for, by node of the task; empty: none has arrived.
using WaitingGradients = std::vector<torch::autograd::variable_list>;

/// What a capture begins with.
struct CaptureStart {
  size_t begin = 0;
  bool areHooksCalled = false; // of the first node, and its wanted gradients handed out
  const std::set<size_t>* eager = nullptr; // nodes that could not be traced before
};

/// Traces the nodes of a task from `start.begin` to the first that has to run eagerly, or whose hooks have to be called, on
/// copies of what they would get: no tensor is changed, nor the generators. Nothing: the first node itself cannot be traced.
/// The Graph is below autograd and autocast, with what nodes write in place.
std::optional<Segment> captureSegment(const BackwardTask& task, BackwardKey& key, const WaitingGradients& waiting,
                                      const CaptureStart& start);

/// Lets libtorch's nodes be traced in this process. Throws c10::Error where libtorch_python has taken that place.
void linkCapture();

} // namespace touchstone::compiled_autograd
