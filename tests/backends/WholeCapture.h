#pragma once

#include "backends/aot_autograd/CompiledAotGraph.h"
#include "backends/capture/FrameCapture.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/CompiledProgram.h"

namespace touchstone::tests {

/// A program captured as one Graph for given arguments. Throws what the program raises, and ir::Unsupported where the
/// Graph breaks. The Graph's outputs are the tensors that the program makes and returns, each once; inputs that nothing
/// reads are no placeholders.
struct WholeCapture {
  WholeCapture(const language::Case& theCase, const values::ValueList& arguments,
               fake::Backing backing = fake::Backing::kValues)
      : steps(theCase),
        captured(capture::captureFrame(theCase, steps, steps.first(theCase.program()), theCase.program().parameters,
                                       arguments, backing)),
        program(takeGraph(captured)),
        inputs(captured.examples) {
    const std::vector<at::Tensor> given = aot_autograd::inputTensors(arguments);
    for (const at::Tensor& input : inputs) {
      for (size_t i = 0; i < given.size(); ++i) {
        if (given[i].is_same(input)) {
          positions.push_back(i);
        }
      }
    }
  }

  /// What other arguments like those have for the Graph's placeholders.
  values::ValueList inputsOf(const values::ValueList& arguments) const {
    const std::vector<at::Tensor> given = aot_autograd::inputTensors(arguments);
    values::ValueList chosen;
    for (size_t position : positions) {
      chosen.emplace_back(given.at(position));
    }
    return chosen;
  }

  capture::Steps steps;
  capture::FrameCapture captured;
  runtime::Interpreter program;
  std::vector<at::Tensor> inputs; // of the Graph
  std::vector<size_t> positions; // of these among the tensors of the arguments

 private:
  static ir::Graph takeGraph(capture::FrameCapture& captured) {
    if (captured.stop != nullptr && captured.reason->raised) {
      std::rethrow_exception(captured.reason->raised);
    }
    if (captured.stop != nullptr) {
      throw ir::Unsupported(captured.reason->text);
    }
    return std::move(captured.graph);
  }
};

/// The same traced below autograd.
struct WholeTrace : WholeCapture {
  WholeTrace(const language::Case& theCase, const values::ValueList& arguments,
             fake::Backing backing = fake::Backing::kValues)
      : WholeCapture(theCase, arguments, backing), trace(program, inputs, backing) {}
  aot_autograd::JointTrace trace;
};

/// The same compiled.
struct WholeFrame : WholeCapture {
  WholeFrame(const language::Case& theCase, const values::ValueList& arguments,
             const aot_autograd::AotOptions& options = {})
      : WholeCapture(theCase, arguments),
        frame(std::make_shared<const aot_autograd::CompiledAotGraph>(program, inputs, options)) {}
  std::shared_ptr<const aot_autograd::CompiledAotGraph> frame;
};

} // namespace touchstone::tests
