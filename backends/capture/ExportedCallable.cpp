#include "backends/capture/ExportedCallable.h"

#include "backends/capture/CallableTrace.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"

#include <fmt/format.h>

#include <algorithm>

namespace touchstone::capture {

namespace {

using ir::NodeId;

/// The placeholder of each tensor that the trace was given: of those that are one object the first.
std::vector<NodeId> placeholdersOf(const CallableTrace& trace, const std::vector<at::Tensor>& tensors,
                                   const ir::Graph& whole) {
  std::vector<NodeId> places;
  for (const at::Tensor& input : trace.inputs) {
    const auto first =
        std::find_if(tensors.begin(), tensors.end(), [&](const at::Tensor& tensor) { return tensor.is_same(input); });
    places.push_back(first == tensors.end() ? -1 : whole.placeholders()[static_cast<size_t>(first - tensors.begin())]);
  }
  return places;
}

} // namespace

ir::Graph exportCallable(const CallableProgram& program, const std::vector<at::Tensor>& examples,
                         fake::Backing backing) {
  TORCH_CHECK_VALUE(program.function != nullptr, "there is no function to capture");
  values::ValueList locals(examples.begin(), examples.end());
  if (!program.held.empty()) {
    locals.push_back(heldTensors(program));
  }
  const CallableTrace trace = traceCallable(program, locals, backing);
  if (trace.gradModeAfter) {
    throw ir::Unsupported(fmt::format("the C++ function `{}` leaves another grad mode behind", program.name));
  }
  ir::Graph whole;
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : program.held) {
    whole.addPlaceholder(name);
    tensors.push_back(tensor);
  }
  const std::vector<std::string> names = localNames(program, locals);
  for (size_t i = 0; i < examples.size(); ++i) {
    whole.addPlaceholder(names[i]);
    tensors.push_back(examples[i]);
  }
  const std::vector<NodeId> places = placeholdersOf(trace, tensors, whole);
  std::vector<bool> wanted(trace.graph.nodes().size(), true);
  std::vector<NodeId> numbers(trace.graph.nodes().size(), -1);
  for (size_t i = 0; i < trace.used.size(); ++i) {
    const NodeId placeholder = trace.graph.placeholders()[i];
    wanted[static_cast<size_t>(placeholder)] = false;
    numbers[static_cast<size_t>(placeholder)] = places[trace.used[i]];
    whole.node(places[trace.used[i]]).metadata = trace.graph.node(placeholder).metadata;
  }
  ir::copyNodes(trace.graph, wanted, whole, numbers);
  const std::vector<NodeId> made = ir::outputNodes(trace.graph);
  std::vector<NodeId> outputs;
  for (const CallableTrace::Output& output : trace.outputs) {
    outputs.push_back(output.input >= 0   ? places[static_cast<size_t>(output.input)]
                      : output.graph >= 0 ? numbers[static_cast<size_t>(made[static_cast<size_t>(output.graph)])]
                                          : -1);
  }
  whole.output = ir::nodeTuple(outputs);
  return whole;
}

} // namespace touchstone::capture
