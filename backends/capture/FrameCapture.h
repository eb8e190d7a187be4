#pragma once

#include "backends/capture/BreakReason.h"
#include "backends/capture/Reads.h"
#include "backends/capture/Steps.h"
#include "backends/capture/ValueTemplate.h"
#include "backends/fake/Tracer.h"
#include "graph/ir/Graph.h"
#include "program/evaluator/Evaluator.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::capture {

/// An operation of the code on two ints: `<`, `==`, `//`, …; an int that decided by itself was compared with 0.
struct IntegerUse {
  std::string operation;
  int64_t left = 0, right = 0;
  int line = 0;
};

/// What evaluating a function symbolically from one step on has given: straight-line code, and how the rest goes on.
struct FrameCapture {
  ir::Graph graph; // its output a flat tuple
  std::vector<at::Tensor> examples; // what the call has for the Graph's placeholders
  std::vector<bool> isRead; // of the locals: looked at
  bool readsIdentity = false; // of tensors or containers
  bool readsMemory = false; // what Assumption::kMemory is about, of whichever tensors
  Reads reads; // of what was looked at, which parts
  std::unique_ptr<ValueTemplate> values; // the value that is returned, or those of `names`
  std::vector<at::Tensor> inputs; // that the template's numbers count: the call's tensors, each once
  std::vector<std::string> names; // bound at a break, and made or read by the code
  std::vector<std::string> passed; // live and bound at a break, and untouched
  std::optional<bool> gradModeAfter; // outside all regions, when it was switched

  StepPtr stop; // where the Graph breaks; null: the function has ended
  std::vector<StepPtr> regions; // open there, outermost first
  bool gradModeInside = true; // in them
  std::optional<BreakReason> reason;
  std::vector<IntegerUse> integers; // in order
};

/// How a function is evaluated; see CaptureOptions.
struct FrameRules {
  bool traceGradients = true;
  bool asPyTorch = false;
  std::optional<c10::Device> claimed; // see Tracer
  bool tellsIntegers = false; // FrameCapture::integers is wanted
  std::string function; // whose step it is, for messages
  std::vector<at::Tensor> parameters; // of the values' tensors, modules' left out, those that are a torch.nn.Parameter
};

/// Evaluates from `step` on, on fake copies of the locals (`names` and `values`, in one order), until the function ends or
/// the Graph must break. The values, the default generator and the thread's modes stay as they are. Throws
/// ir::Unsupported for locals that cannot be traced.
FrameCapture captureFrame(const language::Case& theCase, Steps& steps, const StepPtr& step,
                          const std::vector<std::string>& names, const values::ValueList& values, fake::Backing backing,
                          const FrameRules& rules = {});

} // namespace touchstone::capture
