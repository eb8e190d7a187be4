#include "graph/ir/ExplainOutput.h"

#include <algorithm>

namespace touchstone::ir {

namespace {

std::string withoutIndent(const std::string& line) {
  const size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin);
}

void addLine(std::string& text, size_t indent, const std::string& line) {
  text.append(indent, ' ').append(line) += '\n';
}

} // namespace

std::string ExplainOutput::text(const std::vector<std::string>& source) const {
  std::string text;
  addLine(text, 0, "Graph Count: " + std::to_string(graphCount));
  addLine(text, 0, "Graph Break Count: " + std::to_string(graphBreakCount));
  addLine(text, 0, "Op Count: " + std::to_string(opCount));
  addLine(text, 0, "Break Reasons:");
  for (size_t i = 0; i < breakReasons.size(); ++i) {
    addLine(text, 2, "Break Reason " + std::to_string(i + 1) + ":");
    addLine(text, 4, "Reason: " + breakReasons[i].reason);
    if (!breakReasons[i].userStack.empty()) {
      addLine(text, 4, "User Stack:");
    }
    for (const FrameSummary& frame : breakReasons[i].userStack) {
      addLine(text, 6, frameSummaryText(frame));
      if (frame.line > 0 && static_cast<size_t>(frame.line) <= source.size()) {
        addLine(text, 8, withoutIndent(source[static_cast<size_t>(frame.line) - 1]));
      }
    }
  }
  if (opsPerGraph) {
    addLine(text, 0, "Ops per Graph:");
    for (size_t i = 0; i < opsPerGraph->size(); ++i) {
      addLine(text, 2, "Ops " + std::to_string(i + 1) + ":");
      for (const std::string& op : (*opsPerGraph)[i]) {
        addLine(text, 4, op);
      }
    }
  }
  if (outGuards) {
    addLine(text, 0, "Out Guards:");
    for (size_t i = 0; i < outGuards->size(); ++i) {
      addLine(text, 2, "Guard " + std::to_string(i + 1) + ":");
      addLine(text, 4, (*outGuards)[i]);
    }
  }
  if (!specializations.empty()) {
    addLine(text, 0, "Specializations:");
    for (const std::string& specialization : specializations) {
      addLine(text, 2, specialization);
    }
  }
  if (!givenUp.empty()) {
    addLine(text, 0, "Graphs Given Up: " + std::to_string(givenUp.size()));
    std::vector<std::string> told; // each reason once
    for (const std::string& why : givenUp) {
      if (std::find(told.begin(), told.end(), why) == told.end()) {
        const auto times = std::count(givenUp.begin(), givenUp.end(), why);
        addLine(text, 2, why + (times > 1 ? " (" + std::to_string(times) + " times)" : ""));
        told.push_back(why);
      }
    }
  }
  if (compileTimes) {
    addLine(text, 0, "Compile Times: " + *compileTimes);
  }
  return text;
}

void addGraphDetail(const Graph& graph, ExplainOutput& output) {
  output.graphs.push_back(graph);
  output.graphCount += 1;
  std::vector<std::string> operations;
  for (const Node& node : graph.nodes()) {
    if (node.kind == NodeKind::kOperator || node.kind == NodeKind::kCallable) {
      operations.push_back(node.target);
    }
  }
  output.opCount += static_cast<int64_t>(operations.size());
  if (!output.opsPerGraph) {
    output.opsPerGraph.emplace();
  }
  output.opsPerGraph->push_back(std::move(operations));
  if (graph.brokenBy) {
    output.breakReasons.push_back(*graph.brokenBy);
    output.graphBreakCount += 1;
  }
}

} // namespace touchstone::ir
