#pragma once

#include "backends/aot_autograd/CompiledFrame.h"
#include "backends/capture/FrameCapture.h"
#include "program/values/CompiledProgram.h"
#include "graph/runtime/Interpreter.h"

namespace touchstone::backends {

/// A program captured as one Graph for given arguments. Throws what the program raises, and graph::Unsupported where the
/// Graph breaks. The Graph's outputs are the tensors that the program makes and returns, each once; inputs that nothing
/// reads are no placeholders.
struct WholeCapture {
  WholeCapture(const graph::Case& theCase, const graph::ValueList& arguments, Beneath beneath = Beneath::kValues)
      : steps(theCase),
        captured(captureFrame(theCase, steps, steps.first(theCase.program()), theCase.program().parameters, arguments,
                              beneath)),
        program(takeGraph(captured)),
        inputs(captured.examples) {
    const std::vector<at::Tensor> given = inputTensors(arguments);
    for (const at::Tensor& input : inputs) {
      for (size_t i = 0; i < given.size(); ++i) {
        if (given[i].is_same(input)) {
          positions.push_back(i);
        }
      }
    }
  }

  /// What other arguments like those have for the Graph's placeholders.
  graph::ValueList inputsOf(const graph::ValueList& arguments) const {
    const std::vector<at::Tensor> given = inputTensors(arguments);
    graph::ValueList chosen;
    for (size_t position : positions) {
      chosen.emplace_back(given.at(position));
    }
    return chosen;
  }

  Steps steps;
  FrameCapture captured;
  graph::Interpreter program;
  std::vector<at::Tensor> inputs; // of the Graph
  std::vector<size_t> positions; // of these among the tensors of the arguments

 private:
  static graph::Graph takeGraph(FrameCapture& captured) {
    if (captured.stop != nullptr && captured.reason->raised) {
      std::rethrow_exception(captured.reason->raised);
    }
    if (captured.stop != nullptr) {
      throw graph::Unsupported(captured.reason->text);
    }
    return std::move(captured.graph);
  }
};

/// The same traced below autograd.
struct WholeTrace : WholeCapture {
  WholeTrace(const graph::Case& theCase, const graph::ValueList& arguments, Beneath beneath = Beneath::kValues)
      : WholeCapture(theCase, arguments, beneath), trace(program, inputs, beneath) {}
  JointTrace trace;
};

/// The same compiled.
struct WholeFrame : WholeCapture {
  WholeFrame(const graph::Case& theCase, const graph::ValueList& arguments, const AotOptions& options = {})
      : WholeCapture(theCase, arguments), frame(std::make_shared<const CompiledFrame>(program, inputs, options)) {}
  std::shared_ptr<const CompiledFrame> frame;
};

} // namespace touchstone::backends
